"""`ref register`: input from everywhere, what is told, what is left out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest


def test_a_summary_in_the_documented_lines(cli: Any, payload: Any) -> None:
    lines = cli("ref", "register", stdin=payload).out.splitlines()
    assert lines[:6] == [
        "Reference: https://example.com/wal (created)",
        "Concepts upserted: 3",
        "DESCRIBES edges ensured: 3",
        "Vectors upserted: 3",
        "Relationships:",
        "  CONSUMES: 1",
    ]
    assert lines[6].startswith("Record: ")
    assert "(updated)" in cli("ref", "register", stdin=payload).out


def test_no_relations_and_no_vectors_are_said(cli: Any, payload: Any) -> None:
    payload["relationships"] = []
    out = cli("ref", "register", "--embedder", "none", stdin=payload).out
    assert "Relationships: (none)" in out
    assert "Vectors upserted: 0" in out


@pytest.mark.parametrize("argv", [["{}"], ["-f", "{}"], ["--file={}"], ["--json", "{}"], ["{}", "--json"]])
def test_from_a_file(cli: Any, payload: Any, tmp_path: Path, argv: list[str]) -> None:
    path = tmp_path / "payload.json"
    path.write_text(json.dumps(payload), encoding="utf-8")
    assert cli("ref", "register", *(word.format(path) for word in argv)).status == 0
    assert cli("ref", "stats", "--json").json["concepts"] == 3


def test_from_standard_input_by_a_dash(cli: Any, payload: Any) -> None:
    assert cli("ref", "register", "-", stdin=payload).status == 0


def test_a_payload_named_twice_is_refused(cli: Any) -> None:
    assert cli("ref", "register", "a", "--file", "b").status == 2
    assert cli("ref", "register", "a", "b").status == 2


def test_a_refused_payload_creates_nothing(cli: Any, payload: Any, files: Any, tmp_path: Path) -> None:
    payload["relationships"][0]["target"] = "Nobody"
    for argv, stdin in (([], payload), ([], "{"), (["--source", str(tmp_path / "no")], payload), (["/no/file"], "")):
        ran = cli("ref", "register", *argv, stdin=stdin)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith("ERROR: ")
    assert files() == []


def test_several_payloads_have_a_block_each(cli: Any, payload: Any) -> None:
    other = {**payload, "reference": {"url": "https://example.com/2", "title": "Two"}}
    out = cli("ref", "register", stdin=json.dumps(payload) + "\n" + json.dumps(other) + "\n").out
    assert out.count("Reference: ") == 2
    assert "\n\nReference: https://example.com/2 (created)\n" in out


def test_what_is_wrong_can_be_left_out(cli: Any, payload: Any) -> None:
    payload["relationships"].append({"source": "zebra", "type": "EATS", "target": "checkpoint", "reason": "x"})
    kept = cli("ref", "register", "--keep-valid", stdin=payload)
    assert kept.status == 0
    assert kept.err.startswith("WARN: left out: /relationships/1/type: ")
    strict = cli("ref", "register", "--keep-valid", "--strict", "--json", stdin=payload)
    assert (strict.status, strict.err) == (5, "")
    assert strict.json["skipped"] == 1
    assert strict.json["problems"][0].startswith("/relationships/1/type: ")
    assert cli("ref", "register", "--strict", stdin={**payload, "relationships": []}).status == 0


def test_keeping_what_is_valid_when_nothing_is(cli: Any, payload: Any, files: Any) -> None:
    payload["reference"]["url"] = "no url"
    ran = cli("ref", "register", "--keep-valid", stdin=payload)
    assert (ran.status, ran.out) == (2, "")
    assert "Nothing was stored" in ran.err
    assert files() == []


def test_quotes_are_checked_against_the_source(cli: Any, payload: Any, tmp_path: Path) -> None:
    source = tmp_path / "page.txt"
    source.write_text("First.\nA checkpoint empties the log at last.\n", encoding="utf-8")
    payload["relationships"][0]["quote"] = "checkpoint empties the log"
    assert cli("ref", "register", "--source", str(source), stdin=payload).status == 0
    shown = cli("ref", "show", "checkpoint").out
    assert '    quote: "checkpoint empties the log" (line 2)' in shown
    payload["relationships"][0]["quote"] = "checkpoint fills the log"
    ran = cli("ref", "register", "--source", str(source), "--json", stdin=payload)
    assert (ran.status, ran.error["code"]) == (2, "evidence")
    assert cli("ref", "register", "-", "--source", "-", stdin=payload).status == 2


def test_other_spellings_archived_and_similar_concepts_are_told(cli: Any, payload: Any) -> None:
    assert cli("ref", "register", stdin=payload).status == 0
    assert cli("ref", "archive", "zebra").status == 0
    payload["reference"]["url"] = "https://example.com/2"
    payload["concepts"] = [
        {"id": "wal  MODE", "description": "Journal mode."},
        {"id": "zebra", "description": "A striped animal."},
        {"id": "zebra animal", "description": "A striped animal: zebra"},
        {"id": "zebra animals", "description": "A striped animal: zebra"},
    ]
    payload["relationships"] = []
    ran = cli("ref", "register", stdin=payload)
    assert "  - wal MODE -> WAL mode\n" in ran.out.replace("wal  MODE", "wal MODE")
    assert "Archived concepts that stay hidden" in ran.out
    assert "Similar existing concepts" in ran.out
    assert " ≈ " in ran.out
    answer = cli("ref", "register", "--json", stdin=payload).json["references"][0]
    assert answer["aliased"][0]["stored"] == "WAL mode"
    assert answer["archived"] == ["zebra"]


def test_an_embedder_that_does_not_work_stores_without_vectors(cli: Any, payload: Any, tmp_path: Path) -> None:
    ran = cli("ref", "register", "--embedder", f"onnx:{tmp_path}", stdin=payload)
    assert ran.status == 0
    assert "Vectors upserted: 0" in ran.out
    assert ran.err.startswith("WARN: Stored without vectors: ")
    assert cli("ref", "search", "zebra", "--json").json["hits"][0]["id"] == "zebra"


def test_a_home_that_cannot_be_made_is_one_line(cli: Any, payload: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    ran = cli("ref", "register", "--home", os.path.join(tmp_path, "file", "home"), stdin=payload)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.count("ERROR: ") == 2
