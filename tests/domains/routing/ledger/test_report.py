"""The report counts what the ledger says, and nothing that it does not say."""

from __future__ import annotations

from ledger.shapes import entry, observed, shown
from trivium.domains.routing.ledger.records import Record
from trivium.domains.routing.ledger.report import latest, report


def test_counts() -> None:
    records: list[Record] = [
        shown("p", entry("a", query="q1"), entry("b", chars=50), latency_ms=30),
        shown("q", entry("a", query="q1"), session="t", at="2026-03-05T00:00:00.000000Z", latency_ms=10),
        shown("r", entry("a", query="q2"), latency_ms=20),
        shown("s", is_late=True, latency_ms=1_500),
        observed("a", "used"),
    ]
    made = report(records, unreadable=3)
    assert (made.prompts, made.sessions, made.silent, made.late, made.unreadable) == (4, 2, 0.25, 1, 3)
    assert (made.chars, made.median_chars, made.median_ms, made.p95_ms) == (350, 100, 30, 1_500)
    first, second = made.entries
    assert (first.id, first.shown, first.sessions, first.chars) == ("a", 3, 2, 300)
    assert first.queries == {"q1": 2, "q2": 1}
    assert first.outcomes == {"used": 1, "ignored": 0, "corrected": 0, "missed": 0}
    assert (first.first_at[:10], first.last_at[:10]) == ("2026-03-01", "2026-03-05")
    assert (second.id, second.queries, sum(second.outcomes.values())) == ("b", {}, 0)


def test_showing_a_thousand_times_is_no_use() -> None:
    made = report([shown("p", entry("a"))] * 1_000)
    assert made.entries[0].shown == 1_000
    assert set(made.entries[0].outcomes.values()) == {0}


def test_an_empty_ledger() -> None:
    made = report([])
    assert (made.prompts, made.silent, made.entries, made.p95_ms) == (0, 0.0, (), 0)


def test_what_was_never_shown_and_yet_observed_is_there() -> None:
    [one] = report([observed("m", "missed")]).entries
    assert (one.id, one.shown, one.outcomes["missed"]) == ("m", 0, 1)


def test_what_is_told_wins_over_what_is_proven() -> None:
    told, proven = observed("a", "corrected", method="agent"), observed("a", "used")
    assert latest([proven, told]) == [told]
    assert latest([told, proven]) == [told]
    assert latest([proven, proven._replace(outcome="ignored")])[0].outcome == "ignored"
    assert len(latest([proven, proven._replace(session="t"), proven._replace(prompt="other")])) == 3
    assert latest([proven._replace(outcome="loved")]) == []
