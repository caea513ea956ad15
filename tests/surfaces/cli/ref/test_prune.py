"""`ref prune` and `ref delete`: told first, done when told to."""

from __future__ import annotations

import re
from typing import Any


def test_prune_only_tells(filled: Any) -> None:
    out = filled("ref", "prune", "--older-than", "0").out.splitlines()
    assert re.fullmatch(r"Prune \(DRY-RUN\) — cutoff: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", out[0])
    assert out[2] == "Candidates: 3"
    assert out[3].startswith("  - ")
    assert " (touch=1, lastSeenAt=2" in out[3]
    assert out[-1] == "Re-run with --apply to delete."
    assert filled("ref", "stats", "--json").json["concepts"] == 3


def test_prune_applied_deletes_and_can_be_undone(filled: Any) -> None:
    answer = filled("ref", "prune", "--older-than", "0", "--apply", "--json").json
    assert answer["is_applied"] is True
    assert len(answer["candidates"]) == 3
    assert filled("ref", "stats", "--json").json["references"] == 0
    filled("undo", answer["record"])
    assert filled("ref", "stats", "--json").json["concepts"] == 3


def test_nothing_to_prune_leaves_no_record(filled: Any) -> None:
    out = filled("ref", "prune", "--older-than", "1e9", "--apply").out
    assert "Candidates: 0\nDeleted: 0\n" in out
    assert "Record" not in out
    assert filled("ref", "stats", "--json").json["records"] == 1


def test_ten_are_listed_and_the_rest_counted(cli: Any, payload: Any) -> None:
    payload["concepts"] = [{"id": f"C{n:02}", "description": "x"} for n in range(12)]
    payload["relationships"] = []
    cli("ref", "register", stdin=payload)
    cli("ref", "archive", "C03")
    out = cli("ref", "prune", "--older-than", "0", "--include-archived").out
    assert out.count("\n  - ") == 10
    assert "\n  ... and 2 more\n" in out
    assert out.count(" [archived]\n") == 1
    assert "(incl. archived)" in out
    assert len(cli("ref", "prune", "--older-than", "0", "--json").json["candidates"]) == 11


def test_what_cannot_be_is_refused(cli: Any, files: Any) -> None:
    assert cli("ref", "prune").err.startswith("ERROR: Missing: --older-than.")
    assert cli("ref", "prune", "--older-than", "-1").err.startswith("ERROR: --older-than must be a finite number")
    assert cli("ref", "prune", "--older-than", "inf").err.startswith("ERROR: --older-than must be a finite number")
    assert cli("ref", "prune", "--older-than", "1", "--max-touches", "-1").err.startswith("ERROR: --max-touches must")
    assert files() == []


def test_delete_tells_what_would_go_and_goes_no_further(filled: Any) -> None:
    out = filled("ref", "delete", "checkpoint", "zebra").out
    assert out == (
        "Delete (DRY-RUN)\nConcepts: 2\n  - checkpoint\n  - zebra\nRelations that go with them: 1\n"
        "References that describe nothing else: 0\nRe-run with --apply to delete.\n"
    )
    assert filled("ref", "stats", "--json").json["concepts"] == 3
    answer = filled("ref", "delete", "checkpoint", "zebra", "WAL mode", "--json").json
    assert (answer["references"], answer["is_applied"], answer["record"]) == (["https://example.com/wal"], False, "")


def test_delete_applied(filled: Any) -> None:
    assert "Delete (APPLY)\n" in filled("ref", "delete", "zebra", "--apply").out
    assert filled("ref", "show", "zebra").status == 1
    assert filled("ref", "delete", "zebra", "--apply").status == 1
