"""Real vaults: what is looked up for a few notes is what a look at all of them finds, and nothing is written."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from tests.domains.vault.contents import contents

from trivium.config import load
from trivium.domains.vault import derive
from trivium.domains.vault.search import search
from trivium.domains.vault.sync import SyncOptions, sync
from trivium.domains.vault.vault import Vault
from trivium.engine import Engine

DATA = Path(__file__).parents[4] / "shared" / "data"
NAMES = ("kepano", "foam_docs", "logseq_docs")


@pytest.mark.parametrize("name", NAMES)
def test_a_few_notes_are_resolved_as_all_are(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = DATA / f"vault_{name}" / "vault.tar.zst"
    if not archive.exists():
        pytest.skip(f"the vault is not beside the project ({archive})")
    import zstandard

    root = tmp_path / "vault"
    with tarfile.open(
        fileobj=io.BytesIO(zstandard.ZstdDecompressor().stream_reader(archive.read_bytes()).read())
    ) as tar:
        tar.extractall(root, members=[member for member in tar if not member.issym()], filter="data")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    vault = Vault(Engine(load(embedder="none")), str(root))
    monkeypatch.setattr(derive, "_FEW", 0)
    done = sync(vault)
    whole = contents(vault)
    assert done.total == len([path for path in before if path.name.endswith(".md")])
    monkeypatch.setattr(derive, "_FEW", 1_000_000)
    sync(vault, SyncOptions(is_new=True))
    assert contents(vault) == whole
    # An edit of every second note leaves every link as it was.
    for path in sorted(before)[::2]:
        if path.name.endswith(".md"):
            path.write_bytes(before[path] + b"\n\nan edit\n")
    sync(vault)
    assert contents(vault)["relations"] == whole["relations"]
    assert search(vault, "an edit").hits
    vault.close()
    assert {path: path.read_bytes() for path in sorted(before)[1::2]} == {
        path: before[path] for path in sorted(before)[1::2]
    }
