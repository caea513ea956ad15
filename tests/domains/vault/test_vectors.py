"""Vectors: made batch by batch, kept when stopped, never made twice for one text."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.config import load
from trivium.domains.vault.search import search
from trivium.domains.vault.stats import stats
from trivium.domains.vault.sync import SyncOptions, embed, sync
from trivium.domains.vault.vault import Vault
from trivium.engine import Engine


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "vault"
    root.mkdir()
    for number in range(30):
        (root / f"{number}.md").write_text(f"# Note {number}\n\nthe text of number {number}\n", encoding="utf-8")
    opened = Vault(Engine(load(embedder="hash")), str(root))
    sync(opened)
    return opened


def test_embedding_goes_on_where_it_stopped(vault: Vault) -> None:
    assert "No text has a vector" in " ".join(search(vault, "number 7").notices)
    assert embed(vault, max_texts=10) == 10
    assert "Some texts have no vector" in " ".join(search(vault, "number 7").notices)
    assert stats(vault)["vectors"]["missing"] == 20
    vault.close()
    assert embed(vault) == 20
    assert search(vault, "number 7").notices == ()
    assert embed(vault) == 0
    vault.close()


def test_only_what_changed_is_embedded_and_an_index_made_anew_keeps_vectors(vault: Vault) -> None:
    embed(vault)
    (Path(vault.root) / "3.md").write_text("# Note 3\n\nanother text\n", encoding="utf-8")
    (Path(vault.root) / "4.md").rename(Path(vault.root) / "sub.md")
    sync(vault)
    assert embed(vault) == 1
    sync(vault, SyncOptions(is_new=True))
    assert embed(vault) == 0
    assert search(vault, "another text").hits[0].path == "3.md"
    vault.close()
