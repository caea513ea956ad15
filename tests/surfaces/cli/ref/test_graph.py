"""`ref neighbors`, `paths`, `duplicates`."""

from __future__ import annotations

from typing import Any


def test_neighbours_with_their_distance(filled: Any) -> None:
    out = filled("ref", "neighbors", "checkpoint").out
    assert "- checkpoint [distance=0]: " in out
    assert "- WAL mode [distance=1]: " in out
    assert "- checkpoint -[CONSUMES]-> WAL mode — It empties the log." in out
    assert out.count("- Write-Ahead Logging (https://example.com/wal)") == 1
    answer = filled("ref", "neighbors", "checkpoint", "--depth", "0", "--json").json
    assert [node["id"] for node in answer["nodes"]] == ["checkpoint"]
    assert answer["nodes"][0]["is_root"] is True


def test_neighbours_of_some_types_only(filled: Any) -> None:
    answer = filled("ref", "neighbors", "checkpoint", "--type", "IS_A", "--type", "PART_OF", "--json").json
    assert len(answer["nodes"]) == 1
    assert "Did you mean IS_A?" in filled("ref", "neighbors", "checkpoint", "--type", "is_a").err


def test_archived_neighbours_are_shown_when_asked_for(filled: Any) -> None:
    filled("ref", "archive", "WAL mode")
    assert "WAL mode" not in filled("ref", "neighbors", "checkpoint").out
    assert "- WAL mode [distance=1, archived]: " in filled("ref", "neighbors", "checkpoint", "--include-archived").out


def test_paths_with_the_direction_of_each_step(filled: Any) -> None:
    assert filled("ref", "paths", "checkpoint", "WAL mode").out.startswith("checkpoint -[CONSUMES]-> WAL mode\n")
    assert filled("ref", "paths", "WAL mode", "checkpoint").out.startswith("WAL mode <-[CONSUMES]- checkpoint\n")
    assert filled("ref", "paths", "zebra", "checkpoint").out == "no path of at most 4 steps\n"
    assert filled("ref", "paths", "checkpoint", "wal mode", "--json").json["paths"][0]["ids"] == [
        "checkpoint",
        "WAL mode",
    ]


def test_what_cannot_be_is_refused_by_its_option(cli: Any, files: Any) -> None:
    assert cli("ref", "neighbors", "x", "--depth", "5").err.startswith("ERROR: --depth must be from 0 to 4")
    assert cli("ref", "paths", "x", "y", "--max-depth", "9").err.startswith("ERROR: --max-depth must be from 1 to 8")
    assert cli("ref", "paths", "x", "y", "--limit", "0").err.startswith("ERROR: --limit must be at least 1")
    assert cli("ref", "duplicates", "--threshold", "2").err.startswith("ERROR: --threshold must be a cosine")
    assert cli("ref", "duplicates", "--limit", "0").err.startswith("ERROR: --limit must be at least 1")
    assert files() == []


def test_duplicates_with_the_reason(filled: Any, payload: Any) -> None:
    payload["reference"]["url"] = "https://example.com/2"
    payload["concepts"] = [{"id": "check-point", "description": "Something else entirely."}]
    payload["relationships"] = []
    filled("ref", "register", stdin=payload)
    out = filled("ref", "duplicates").out
    assert out.startswith("- ")
    assert " ≈ " in out
    assert "score=1.000; name 'checkpoint'" in out
    pair = filled("ref", "duplicates", "--json").json["pairs"][0]
    assert {pair["first"], pair["second"]} == {"checkpoint", "check-point"}
    assert filled("ref", "duplicates", "--embedder", "none").err.startswith("WARN: Compared by name only")
