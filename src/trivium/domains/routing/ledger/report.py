"""What guidance cost and what came of it: by entry, and as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trivium.domains.routing.ledger.records import OUTCOMES, Observed, Record, Shown, Trace


class EntryReport(NamedTuple):
    """One entry: how often it was shown, in how many sessions, at how many characters, and what became of it.

    `queries`: how often each of its examples was the nearest, by its words.
    """

    id: str
    name: str
    kind: str
    shown: int
    sessions: int
    first_at: str
    last_at: str
    chars: int
    mean_score: float
    outcomes: dict[str, int]
    queries: dict[str, int]


class Report(NamedTuple):
    """All of it. `silent` is the share of prompts that were answered with nothing; times are in milliseconds."""

    since: str
    prompts: int
    silent: float
    sessions: int
    chars: int
    median_chars: int
    median_ms: int
    p95_ms: int
    late: int
    entries: tuple[EntryReport, ...]
    traces: int
    unreadable: int


def report(records: Iterable[Record], *, since: str = "", unreadable: int = 0) -> Report:
    """The report on some records; showing an entry says nothing of its worth, observations do."""
    answers: list[Shown] = []
    verdicts: list[Observed] = []
    traces = 0
    for record in records:
        if isinstance(record, Shown):
            answers.append(record)
        elif isinstance(record, Observed):
            verdicts.append(record)
        else:
            traces += isinstance(record, Trace)
    spoken = [answer for answer in answers if answer.entries]
    times = sorted(answer.latency_ms for answer in answers)
    sizes = sorted(answer.chars for answer in spoken)
    return Report(
        since,
        len(answers),
        1 - len(spoken) / len(answers) if answers else 0.0,
        len({answer.session for answer in answers}),
        sum(sizes),
        _at(sizes, 0.5),
        _at(times, 0.5),
        _at(times, 0.95),
        sum(answer.is_late for answer in answers),
        tuple(_entries(spoken, latest(verdicts))),
        traces,
        unreadable,
    )


def latest(verdicts: Iterable[Observed]) -> list[Observed]:
    """The observations that hold: of several on one entry and prompt of a session the last; what is told wins over
    what a transcript proves."""
    held: dict[tuple[str, str, str], Observed] = {}
    for one in verdicts:
        if one.outcome not in OUTCOMES:
            continue
        key = (one.session, one.entry, one.prompt)
        before = held.get(key)
        if before is None or before.method == "transcript" or one.method != "transcript":
            held[key] = one
    return list(held.values())


def _entries(answers: Sequence[Shown], verdicts: Sequence[Observed]) -> list[EntryReport]:
    names: dict[str, tuple[str, str]] = {}
    sessions: dict[str, set[str]] = {}
    times: dict[str, list[str]] = {}
    chars: Counter[str] = Counter()
    scores: dict[str, list[float]] = {}
    queries: dict[str, Counter[str]] = {}
    outcomes: dict[str, Counter[str]] = {}
    for answer in answers:
        for entry in answer.entries:
            names[entry.id] = (entry.name, entry.kind)
            sessions.setdefault(entry.id, set()).add(answer.session)
            times.setdefault(entry.id, []).append(answer.at)
            chars[entry.id] += entry.chars
            scores.setdefault(entry.id, []).append(entry.score)
            if entry.query:
                queries.setdefault(entry.id, Counter())[entry.query] += 1
    for one in verdicts:
        outcomes.setdefault(one.entry, Counter())[one.outcome] += 1
    made = [
        EntryReport(
            id,
            *names.get(id, ("", "")),
            len(times.get(id, ())),
            len(sessions.get(id, ())),
            min(times.get(id, [""])),
            max(times.get(id, [""])),
            chars[id],
            sum(scores[id]) / len(scores[id]) if id in scores else 0.0,
            {outcome: outcomes.get(id, Counter())[outcome] for outcome in OUTCOMES},
            dict(queries.get(id, Counter()).most_common()),
        )
        for id in dict.fromkeys([*names, *outcomes])
    ]
    return sorted(made, key=lambda one: (-one.shown, one.id))


def _at(values: Sequence[int], share: float) -> int:
    """The value at a share of a sorted list, 0 for an empty one."""
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0
