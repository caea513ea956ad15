"""The retrieval table: made from the bundled set, through a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.__main__ import names, run
from bench.retrieval import Grep, Outcome, report, write_section

from bench import retrieval, sets


def test_the_bundled_set_from_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(retrieval, "RESULTS", tmp_path)
    arguments = ["retrieval", "--data", str(sets.SMALL), "--embedder", "hash", "--max-queries", "0"]
    assert run(arguments) == 0
    shown = capsys.readouterr().out
    assert "| workshop ja | " in shown
    outcomes = [Outcome(**row) for row in json.loads((tmp_path / "retrieval.json").read_text())]
    by_words = {one.question: one.ranked for one in outcomes if one.way == "BM25"}
    assert by_words["q29"] == ["urushi"]
    assert {one.way for one in outcomes} >= {"grep", "BM25", "dense", "calibrated", "weighted", "rrf", "as shipped"}
    # The store is kept: a second run gives the same.
    assert run(arguments) == 0
    assert (tmp_path / "retrieval.md").read_text() == capsys.readouterr().out.removesuffix("\n")


def test_a_folder_without_sets_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retrieval", "--data", str(tmp_path)]) == 2
    assert "No sets in" in capsys.readouterr().err


def test_an_unknown_measurement_lists_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["nothing"]) == 2
    listed = capsys.readouterr().err
    assert {"retrieval", "corpus"} <= set(names())
    assert all(name in listed for name in names() if name != "__main__")


def test_grep_counts_distinct_words() -> None:
    documents = [
        sets.Document("long", "", "hot glue and hot water", ()),
        sets.Document("short", "", "hot glue", ()),
        sets.Document("one", "Glue", "", ()),
    ]
    assert Grep(documents).search("hot glue?") == ["short", "long", "one"]


def test_the_halves_are_reported_apart() -> None:
    rows = [
        Outcome("set", way, question, is_dev, [], value, value, value)
        for way, value in (("BM25", 0.25), ("dense", 0.5))
        for question, is_dev in (("a", True), ("b", False), ("c", False))
    ]
    text = report(rows, "command")
    assert "| set | 2 | 0.250 | **0.500** |" in text
    assert "| set | 1 | 0.250 | **0.500** |" in text
    assert "| mean |  | 0.250 | 0.500 |" in text


def test_a_section_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- /a -->\nafter\n")
    write_section(page, "a", "new\n")
    assert page.read_text() == "before\n<!-- a -->\nnew\n<!-- /a -->\nafter\n"
    with pytest.raises(SystemExit):
        write_section(page, "b", "x")
