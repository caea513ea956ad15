"""The end of a session: what its transcript proves goes into the ledger."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from trivium.domains.routing.collection import Collection
from trivium.domains.routing.ledger.outcomes import Known, observe, trace_of
from trivium.domains.routing.ledger.records import Ledger, Observed, Shown, Trace
from trivium.domains.routing.ledger.suggest import Present
from trivium.errors import TriviumError
from trivium.sources.guidance.values import ACTIVE
from trivium.sources.transcripts.reading import read_transcript
from trivium.store.sqlite import guidance

REACH_DAYS = 30
"""What a session was shown longer ago than this is not looked for."""

MAX_BYTES = 16 * 1024 * 1024


class Closed(NamedTuple):
    """What was written; `notice` says why nothing could be."""

    observed: tuple[Observed, ...]
    trace: Trace | None
    notice: str


def close_session(
    collection: Collection,
    ledger: Ledger,
    *,
    session: str,
    transcript: str,
    host: str,
    at: str,
    reason: str = "",
    since: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Closed:
    """Read a transcript and write what became of everything that the session was shown, and its trace.

    What it was shown before `since` is not looked for, by default before REACH_DAYS ago. Doing it again writes the same
    observations once more; the later ones hold.
    """
    if not transcript:
        return Closed((), None, "The session has no transcript.")
    try:
        told = read_transcript(transcript, host, max_bytes=max_bytes)
    except TriviumError as error:
        return Closed((), None, error.message)
    shown = ledger.shown(since=_before(at, REACH_DAYS) if since is None else since, session=session)
    observed = observe(told._replace(session=session or told.session), shown, known_entries(collection), at=at)
    trace = trace_of(told, shown, project=collection.project, at=at, reason=reason)
    for record in observed:
        ledger.write(record)
    if trace is not None:
        trace = trace._replace(session=session or told.session)
        ledger.write(trace)
    return Closed(tuple(observed), trace, "")


class Review(NamedTuple):
    """What was found in the transcripts of several sessions; `problems` tells the sessions that could not be read."""

    sessions: int
    observed: tuple[Observed, ...]
    traces: int
    problems: tuple[str, ...]


def close_sessions(collection: Collection, ledger: Ledger, *, at: str, since: str = "") -> Review:
    """Do the same for every session of this project that was shown something and that no trace tells the end of."""
    waiting: dict[str, Shown] = {}
    for record in ledger.read(since=since):
        if isinstance(record, Trace):
            waiting.pop(record.session, None)
        elif isinstance(record, Shown) and record.project == collection.project and record.transcript:
            waiting[record.session] = record
    observed: list[Observed] = []
    problems: list[str] = []
    traces = 0
    for session, last in waiting.items():
        closed = close_session(
            collection,
            ledger,
            session=session,
            transcript=last.transcript,
            host=last.host,
            at=at,
            reason="unknown",
            since=since,
        )
        observed += closed.observed
        traces += closed.trace is not None
        if closed.notice:
            problems.append(f"{session}: {closed.notice}")
    return Review(len(waiting), tuple(observed), traces, tuple(problems))


def present_entries(collection: Collection) -> list[Present]:
    """The entries as they are now, for proposals about them."""
    store = collection.space.store
    with store.guard():
        if not collection.is_current():
            return []
        rows = [row for row in guidance.all_guides(store) if row.status == ACTIVE]
        texts = guidance.examples(store, [row.entity for row in rows])
        seen = store.entities([row.entity for row in rows])
    return [
        Present(row.id, row.name, row.kind, tuple(texts.get(row.entity, ())), seen[row.entity].first_seen_at)
        for row in rows
    ]


def known_entries(collection: Collection) -> list[Known]:
    """The entries that leave a trace when they are used: those whose file is opened, or that are run by name."""
    store = collection.space.store
    with store.guard():
        if not collection.is_current():
            return []
        rows = guidance.all_guides(store)
    return [
        Known(row.id, row.content_hash.hex(), row.name, row.kind, row.path)
        for row in rows
        if row.kind in ("skill", "workflow")
    ]


def _before(at: str, days: int) -> str:
    try:
        moment = datetime.fromisoformat(at) - timedelta(days=days)
    except ValueError:
        return ""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
