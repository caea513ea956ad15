"""`history` and `undo`."""

from __future__ import annotations

import re
from typing import Any


def test_history_has_ids_that_undo_takes(filled: Any) -> None:
    filled("ref", "archive", "zebra", "--reason", "x")
    lines = filled("history").out.splitlines()
    assert re.fullmatch(r"- [0-9a-f]{12} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ tester: archive zebra \(x\)", lines[0])
    assert lines[1].endswith("tester: register https://example.com/wal: 3 concepts, 1 relations")
    assert filled("undo", lines[0].split()[1]).out.startswith("Undone: ")
    assert filled("history").out.splitlines()[1].endswith(" [undone]")


def test_history_of_one_concept(filled: Any) -> None:
    filled("ref", "archive", "zebra")
    filled("ref", "archive", "checkpoint")
    assert len(filled("history", "zebra", "--json").json["events"]) == 2
    assert len(filled("history", "--limit", "1", "zebra", "--json").json["events"]) == 1


def test_an_empty_history(cli: Any) -> None:
    assert cli("history").out == "no records\n"
    assert cli("history", "--limit", "0").err.startswith("ERROR: --limit must be at least 1")


def test_undo_of_the_last(filled: Any) -> None:
    filled("ref", "archive", "zebra")
    filled("ref", "archive", "checkpoint")
    assert len(filled("undo", "--last", "2", "--json").json["ids"]) == 2
    assert filled("ref", "list", "--json").json["total"] == 3


def test_undo_refuses_what_it_cannot_know(filled: Any, cli: Any) -> None:
    assert filled("undo").status == 2
    assert filled("undo", "abcd", "--last", "1").status == 2
    assert filled("undo", "--last", "-1").err.startswith("ERROR: --last must be at least 1")
    assert filled("undo", "zzzz").status == 1
