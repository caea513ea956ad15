"""What follows from the ledger: proposals, each with its numbers; carrying them out is for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from trivium.domains.routing.ledger.records import Record, Shown
from trivium.domains.routing.ledger.report import EntryReport, report

KINDS: dict[str, str] = {
    "promote": "shown again and again, in many sessions: make it a rule",
    "demote": "a rule that is hardly ever called for: make it a skill, or drop it",
    "harmful": "mostly ignored or corrected: reword its queries, or retire it",
    "missed": "found by the agent itself: give it queries that would have found it",
    "dead_query": "a query that was never the nearest one: reword it, or drop it",
    "overlap": "two entries that are nearly always shown together: make them one",
    "unseen": "never shown: give it queries, or retire it",
}

PROMOTE_SHOWN, PROMOTE_SESSIONS = 20, 10
DEMOTE_SHOWN, DEMOTE_DAYS = 3, 30
HARMFUL_OBSERVED, HARMFUL_SHARE = 5, 0.6
DEAD_SHOWN = 20
OVERLAP_SHOWN, OVERLAP_SHARE = 5, 0.8


class Present(NamedTuple):
    """An entry as it is now: its examples, and when its file was first read (UTC ISO 8601)."""

    id: str
    name: str
    kind: str
    examples: tuple[str, ...]
    first_seen_at: str


class Suggestion(NamedTuple):
    """A proposal on one entry, or on two; `why` tells the numbers."""

    kind: str
    entry: str
    other: str
    why: str


def suggest(records: Iterable[Record], present: Sequence[Present], *, now: str) -> list[Suggestion]:
    """Every proposal, those that matter most first. `now` is UTC ISO 8601."""
    every = list(records)
    reports = {one.id: one for one in report(every).entries}
    found: list[Suggestion] = []
    for entry in present:
        found += _on(entry, reports.get(entry.id), now)
    found += _overlaps([record for record in every if isinstance(record, Shown)], {one.id for one in present})
    order = list(KINDS)
    return sorted(found, key=lambda one: (order.index(one.kind), one.entry, one.other))


def _on(entry: Present, told: EntryReport | None, now: str) -> Iterable[Suggestion]:
    days = _days(entry.first_seen_at, now)
    shown = told.shown if told else 0
    if entry.kind == "rule" and shown < DEMOTE_SHOWN and days >= DEMOTE_DAYS:
        yield Suggestion("demote", entry.id, "", f"shown {shown} times in {days:.0f} days")
    elif not shown and days >= DEMOTE_DAYS:
        yield Suggestion("unseen", entry.id, "", f"known for {days:.0f} days")
    if told is None:
        return
    outcomes = told.outcomes
    if entry.kind in ("memory", "session-learning") and shown > PROMOTE_SHOWN and told.sessions > PROMOTE_SESSIONS:
        yield Suggestion("promote", entry.id, "", f"shown {shown} times in {told.sessions} sessions")
    bad, total = outcomes["ignored"] + outcomes["corrected"], sum(outcomes.values())
    if total >= HARMFUL_OBSERVED and bad >= HARMFUL_SHARE * total:
        why = f"{outcomes['ignored']} times ignored and {outcomes['corrected']} times corrected of {total} observed"
        yield Suggestion("harmful", entry.id, "", why)
    if outcomes["missed"]:
        yield Suggestion("missed", entry.id, "", f"opened {outcomes['missed']} times without having been shown")
    if shown >= DEAD_SHOWN and len(entry.examples) > 1:
        for query in entry.examples:
            if not told.queries.get(query):
                yield Suggestion("dead_query", entry.id, "", f"{query!r}: never the nearest in {shown} times")


def _overlaps(answers: Sequence[Shown], present: set[str]) -> Iterable[Suggestion]:
    alone: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for answer in answers:
        ids = sorted({entry.id for entry in answer.entries} & present)
        alone.update(ids)
        together.update(combinations(ids, 2))
    for (one, other), count in together.items():
        most = max(alone[one], alone[other])
        if count >= OVERLAP_SHOWN and count >= OVERLAP_SHARE * most:
            yield Suggestion("overlap", one, other, f"shown together {count} times of {most}")


def _days(begin: str, end: str) -> float:
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds() / 86_400
    except (ValueError, TypeError):
        return 0.0


def shares(queries: Mapping[str, int]) -> dict[str, float]:
    """How often each example was the nearest, as a share."""
    total = sum(queries.values())
    return {query: count / total for query, count in queries.items()} if total else {}
