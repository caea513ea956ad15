"""`reindex` and `prefetch`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_reindex_gives_the_same_answers(filled: Any) -> None:
    def hits() -> Any:
        found = filled("ref", "search", "log", "--json").json["hits"]
        return [(hit["id"], round(hit["score"], 6)) for hit in found]

    before = hits()
    assert filled("reindex").out == "Concepts indexed: 3\nTexts embedded: 0\nUnused vectors dropped: 0\n"
    assert hits() == before


def test_reindex_for_another_embedder(filled: Any) -> None:
    answer = filled("reindex", "--embedder", "hash:64", "--json").json
    assert (answer["entities"], answer["embedded"], answer["vectors_dropped"]) == (3, 3, 3)


def test_reindex_without_an_embedder_says_so(filled: Any, tmp_path: Path) -> None:
    ran = filled("reindex", "--embedder", f"onnx:{tmp_path}")
    assert ran.status == 0
    assert ran.err.startswith("WARN: ")


def test_prefetch_prepares_once(cli: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    first = cli("prefetch", "--embedder", "use", "--json").json
    assert first["is_new"] is True
    assert first["bytes"] > 1_000_000
    second = cli("prefetch", "--embedder", "use")
    assert " was prepared already.\n" in second.out
    assert (second.status, second.err) == (0, "")


def test_prefetch_of_nothing_is_refused(cli: Any) -> None:
    assert cli("prefetch", "--embedder", "none").status == 2
    assert "Did you mean 'use'?" in cli("prefetch", "--embedder", "usee").err
