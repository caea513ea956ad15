"""Proposals follow from numbers, each at its limit."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.shapes import entry, observed, shown
from trivium.domains.routing.ledger.suggest import Present, shares, suggest

NOW = "2026-04-15T00:00:00.000000Z"


def present(id: str, kind: str = "skill", examples: tuple[str, ...] = ("q",), seen: str = "2026-04-14") -> Present:
    return Present(id, id, kind, examples, f"{seen}T00:00:00.000000Z")


def kinds(records: list[Any], *entries: Present) -> list[tuple[str, str, str]]:
    return [(one.kind, one.entry, one.other) for one in suggest(records, entries, now=NOW)]


@pytest.mark.parametrize(("times", "sessions", "expected"), [(21, 11, True), (20, 11, False), (21, 10, False)])
def test_memories_that_are_called_for_again_and_again(times: int, sessions: int, expected: bool) -> None:
    records = [shown("p", entry("m", kind="memory"), session=f"s{number % sessions}") for number in range(times)]
    assert (("promote", "m", "") in kinds(records, present("m", "memory"))) is expected


@pytest.mark.parametrize(
    ("times", "seen", "expected"), [(2, "2026-03-01", True), (3, "2026-03-01", False), (0, "2026-04-01", False)]
)
def test_rules_that_nobody_needs(times: int, seen: str, expected: bool) -> None:
    records = [shown("p", entry("r", kind="rule"))] * times
    assert (("demote", "r", "") in kinds(records, present("r", "rule", seen=seen))) is expected


def test_entries_that_do_harm() -> None:
    verdicts = [
        observed("a", outcome, prompt=str(number)) for number, outcome in enumerate(["ignored"] * 3 + ["used"] * 2)
    ]
    assert ("harmful", "a", "") in kinds([shown("p", entry("a")), *verdicts], present("a"))
    assert ("harmful", "a", "") not in kinds([shown("p", entry("a")), *verdicts[1:]], present("a"))
    assert ("harmful", "a", "") not in kinds(
        [shown("p", entry("a")), *verdicts, observed("a", "used", prompt="x")], present("a")
    )


def test_entries_that_the_agent_found_itself() -> None:
    assert kinds([observed("a", "missed")], present("a")) == [("missed", "a", "")]


def test_queries_that_are_never_the_nearest() -> None:
    records = [shown("p", entry("a", query="alive"))] * 20
    made = suggest(records, [present("a", examples=("alive", "dead"))], now=NOW)
    assert [(one.kind, "'dead'" in one.why) for one in made] == [("dead_query", True)]
    assert kinds(records[1:], present("a", examples=("alive", "dead"))) == []
    assert kinds(records, present("a", examples=("only one",))) == []


def test_entries_that_come_together() -> None:
    both = [shown("p", entry("a"), entry("b"))] * 5
    assert kinds(both, present("a"), present("b")) == [("overlap", "a", "b")]
    assert kinds([*both, *[shown("p", entry("a"))] * 2], present("a"), present("b")) == []
    assert kinds(both[1:], present("a"), present("b")) == []
    assert kinds(both, present("a")) == []


def test_entries_that_were_never_shown() -> None:
    assert kinds([], present("a", seen="2026-01-01"), present("b")) == [("unseen", "a", "")]
    assert kinds([], present("a", seen="")) == []


def test_shares() -> None:
    assert shares({"a": 3, "b": 1}) == {"a": 0.75, "b": 0.25}
    assert shares({}) == {}
