"""`ref show`, `list`, `references`, `stats`."""

from __future__ import annotations

import time
from typing import Any


def test_show_tells_everything(filled: Any) -> None:
    out = filled("ref", "show", "wal MODE").out
    assert out.startswith("# WAL mode\nJournal mode that appends changes to a log.\n    details: PRAGMA a\n")
    assert "Used: touched 1, shown 0\n" in out
    assert "- Write-Ahead Logging (https://example.com/wal)\n    says: Journal mode" in out
    assert "- checkpoint -[CONSUMES]-> WAL mode — It empties the log.\n    source: Write-Ahead Logging" in out


def test_show_tells_the_state(cli: Any, payload: Any) -> None:
    payload["relationships"].append({"source": "zebra", "type": "REPLACES", "target": "WAL mode", "reason": "newer"})
    payload["relationships"].append({"source": "checkpoint", "type": "EXTENDS", "target": "WAL mode", "reason": "x"})
    payload["concepts"][0]["aliases"] = ["write-ahead log"]
    payload["concepts"][0]["type"] = "mode"
    cli("ref", "register", stdin=payload)
    cli("ref", "archive", "WAL mode", "--reason", "old")
    out = cli("ref", "show", "WAL mode").out
    assert "Also called: write-ahead log\nType: mode\n" in out
    assert "State: archived at " in out
    assert " (old)\n" in out
    assert "State: superseded by zebra — newer\n" in out
    assert "State: suspect: checkpoint -[EXTENDS]-> WAL mode; " in cli("ref", "show", "checkpoint").out
    cli("ref", "withdraw", "https://example.com/wal")
    assert "State: withdrawn at " in cli("ref", "show", "zebra").out


def test_an_unknown_or_ambiguous_name_is_never_guessed(filled: Any, payload: Any) -> None:
    ran = filled("ref", "show", "checkpiont", "--json")
    assert (ran.status, ran.error["code"]) == (1, "not_found")
    assert ran.error["details"] == ["near: checkpoint"]
    payload["reference"]["url"] = "https://example.com/2"
    payload["concepts"] = [
        {"id": "one", "description": "1", "aliases": ["shared"]},
        {"id": "two", "description": "2", "aliases": ["shared"]},
    ]
    payload["relationships"] = []
    filled("ref", "register", stdin=payload)
    ran = filled("ref", "show", "shared", "--json")
    assert (ran.status, ran.error["code"], ran.error["details"]) == (2, "ambiguous", ["one", "two"])
    assert filled("ref", "archive", "shared").status == 2


def test_lists_are_paged_and_sorted(filled: Any) -> None:
    out = filled("ref", "list", "--sort", "id", "--limit", "2").out.splitlines()
    assert [line.split(" [")[0] for line in out[:2]] == ["- WAL mode", "- checkpoint"]
    assert out[2] == "2 of 3 concepts; --offset 2 shows more"
    answer = filled("ref", "list", "--json", "--sort", "id", "--offset", "2").json
    assert [item["id"] for item in answer["items"]] == ["zebra"]
    assert filled("ref", "list", "--limit", "9999", "--json").json["limit"] == 500
    for sort in ("last-seen", "touch", "shown"):
        assert filled("ref", "list", "--sort", sort).status == 0


def test_a_list_refuses_what_cannot_be(cli: Any, files: Any) -> None:
    assert cli("ref", "list", "--limit", "0").err.startswith("ERROR: --limit must be at least 1")
    assert cli("ref", "list", "--offset", "-1").err.startswith("ERROR: --offset must be at least 0")
    assert "did you mean touch" in cli("ref", "list", "--sort", "touhc").err
    assert files() == []


def test_references_are_listed_with_what_they_describe(filled: Any) -> None:
    out = filled("ref", "references").out
    assert out.startswith("- https://example.com/wal [concepts=3, published=2026-01-05, seen=")
    assert out.endswith("1 references\n")
    assert filled("ref", "references", "--json").json["items"][0]["concepts"] == 3


def test_counts(filled: Any, cli: Any) -> None:
    out = filled("ref", "stats").out
    assert "Concepts: 3\n" in out
    assert "  CONSUMES: 1\n  DESCRIBES: 3\n" in out
    assert filled("ref", "stats", "--json").json["vectors"] == 3


def test_an_empty_memory_has_counts_too(cli: Any) -> None:
    answer = cli("ref", "stats", "--json").json
    assert (answer["concepts"], answer["last_seen_at"]) == (0, None)
    assert len(answer["relations_by_type"]) == 16


def test_the_past_can_be_looked_at(filled: Any) -> None:
    before = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 1))
    time.sleep(2 - time.time() % 1)
    filled("ref", "delete", "zebra", "--apply")
    assert filled("ref", "show", "zebra").status == 1
    assert filled("ref", "show", "zebra", "--as-of", before).status == 0
    assert filled("ref", "list", "--as-of", before, "--json").json["total"] == 3
    assert filled("ref", "stats", "--as-of", before, "--json").json["concepts"] == 3
    assert filled("ref", "references", "--as-of", "2020", "--json").json["items"] == []
    assert "is not a moment" in filled("ref", "list", "--as-of", "soon").err
