"""The end of a session: what its transcript proves goes into the ledger."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from trivium.domains.routing.collection import Collection
from trivium.domains.routing.ledger.outcomes import Known, observe, trace_of
from trivium.domains.routing.ledger.records import Ledger, Observed, Trace
from trivium.errors import TriviumError
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
    max_bytes: int = MAX_BYTES,
) -> Closed:
    """Read a transcript and write what became of everything that the session was shown, and its trace.

    Doing it again writes the same observations once more; the later ones hold.
    """
    if not transcript:
        return Closed((), None, "The session has no transcript.")
    try:
        told = read_transcript(transcript, host, max_bytes=max_bytes)
    except TriviumError as error:
        return Closed((), None, error.message)
    since = _before(at, REACH_DAYS)
    shown = ledger.shown(since=since, session=session)
    observed = observe(told._replace(session=session or told.session), shown, known_entries(collection), at=at)
    trace = trace_of(told, shown, project=collection.project, at=at, reason=reason)
    for record in observed:
        ledger.write(record)
    if trace is not None:
        trace = trace._replace(session=session or told.session)
        ledger.write(trace)
    return Closed(tuple(observed), trace, "")


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
