"""`ref archive`, `unarchive`, `rename`, `merge`, `unlink`, `withdraw`: each told, recorded and undone."""

from __future__ import annotations

import re
from typing import Any

import pytest


def test_archive_tells_id_reason_and_time(filled: Any) -> None:
    out = filled("ref", "archive", "zebra", "--reason", "striped").out
    assert re.fullmatch(
        r"Archived: zebra \(reason: striped\) at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\nRecord: [0-9a-f]{12}\n", out
    )
    assert re.match(r"Archived: zebra at 2", filled("ref", "archive", "zebra").out)
    assert filled("ref", "show", "zebra", "--json").json["archive_reason"] == "striped"


def test_several_at_once_in_one_record(filled: Any) -> None:
    change = filled("ref", "archive", "zebra", "--reason", "x", "checkpoint", "--json").json
    assert change["ids"] == ["zebra", "checkpoint"]
    assert filled("ref", "list", "--json").json["total"] == 1
    assert filled("ref", "unarchive", "zebra", "checkpoint").out.startswith(
        "Unarchived: zebra\nUnarchived: checkpoint\n"
    )
    assert filled("ref", "list", "--json").json["total"] == 3


def test_none_is_archived_when_one_is_unknown(filled: Any) -> None:
    assert filled("ref", "archive", "zebra", "Nobody").status == 1
    assert filled("ref", "list", "--json").json["total"] == 3


def test_rename_keeps_the_old_name(filled: Any) -> None:
    assert filled("ref", "rename", "zebra", "Equus quagga").out.startswith("Renamed: zebra -> Equus quagga\n")
    assert filled("ref", "show", "zebra", "--json").json["id"] == "Equus quagga"
    ran = filled("ref", "rename", "Equus quagga", "checkpoint", "--json")
    assert (ran.status, ran.error["code"]) == (1, "conflict")


def test_merge(filled: Any) -> None:
    assert filled("ref", "merge", "zebra", "--into", "checkpoint").out.startswith("Merged: zebra into checkpoint\n")
    assert filled("ref", "show", "zebra", "--json").json["id"] == "checkpoint"
    assert filled("ref", "merge", "WAL mode").err.startswith("ERROR: Missing: --into.")


def test_unlink(filled: Any) -> None:
    out = filled("ref", "unlink", "checkpoint", "CONSUMES", "WAL mode").out
    assert out.startswith("Unlinked: checkpoint -[CONSUMES]-> WAL mode\n")
    assert filled("ref", "unlink", "checkpoint", "CONSUMES", "WAL mode").status == 1


def test_withdraw(filled: Any) -> None:
    assert filled("ref", "withdraw", "https://example.com/wal").out.startswith("Withdrawn: https://example.com/wal\n")
    assert filled("ref", "list", "--json").json["total"] == 0
    ran = filled("ref", "withdraw", "https://example.com/wall", "--json")
    assert (ran.status, ran.error["code"]) == (1, "not_found")


@pytest.mark.parametrize(
    "argv",
    [
        ["archive", "zebra"],
        ["rename", "zebra", "new"],
        ["merge", "zebra", "--into", "checkpoint"],
        ["unlink", "checkpoint", "CONSUMES", "WAL mode"],
        ["withdraw", "https://example.com/wal"],
        ["delete", "zebra", "--apply"],
    ],
)
def test_every_change_can_be_undone_by_its_record(filled: Any, argv: list[str]) -> None:
    def state() -> list[Any]:
        return [filled("ref", "show", name, "--json").json for name in ("zebra", "checkpoint", "WAL mode")]

    before = state()
    change = filled("ref", *argv, "--json").json
    assert filled("undo", change["record"][:8]).status == 0
    assert state() == before
