"""Bug reports of other programs, asked as questions: what their reporters searched for is found, nothing crashes."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from trivium.config import load
from trivium.domains.vault.search import SearchOptions, search
from trivium.domains.vault.sync import sync
from trivium.domains.vault.vault import Vault
from trivium.engine import Engine

DATA = Path(__file__).parents[4] / "shared" / "data" / "odd_inputs"
CASES: list[dict[str, Any]] = (
    [json.loads(line) for line in (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    if DATA.exists()
    else []
)
pytestmark = pytest.mark.skipif(not CASES, reason=f"the odd inputs are not beside the project ({DATA})")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import zstandard

    target = tmp_path_factory.mktemp("odd")
    data = zstandard.ZstdDecompressor().stream_reader((DATA / "odd_inputs.tar.zst").read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        tar.extractall(target, members=[member for member in tar if not member.issym()], filter="data")
    for case in CASES:
        for path, to in case["symlinks"].items():
            (target / case["id"] / path).symlink_to(to)
    return target


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    expect = case["expect"]
    vault = Vault(Engine(load(embedder="none")), str(folder / case["id"]))
    done = sync(vault)
    if "notes" in expect:
        assert done.total == expect["notes"]
    for query, path in expect.get("search", ()):
        assert search(vault, query).hits[0].path == path, query
    for text, path in expect.get("body_searchable", ()):
        assert path in [hit.path for hit in search(vault, text).hits], text
    for query in expect.get("no_crash_queries", ()):
        for is_boolean in (False, True):
            if query.strip() or is_boolean:
                assert search(vault, query, SearchOptions(is_boolean=is_boolean)).query == query
    vault.close()
