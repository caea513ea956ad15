"""The journal as people use it: what happened, what it was like then, and taking it back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trivium import ingest
from trivium.domains.references.curate import Change, catch_up
from trivium.engine import Engine
from trivium.errors import EmbedderError, NotFoundError, UsageError
from trivium.index.space import COMPLETE_FOR, Space
from trivium.model import Record
from trivium.store.sqlite.store import SqliteStore


class Event(NamedTuple):
    """One journal record, whether it was undone, and a line that says what it did."""

    record: Record
    is_undone: bool
    summary: str


def history(engine: Engine, *, name: str | None = None, limit: int = 20) -> list[Event]:
    """The newest records first, of everything or of one concept or address, under all the ids it had."""
    if limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}.")
    space = engine.concepts_to_read()
    if space is None:
        return []
    if name is None:
        return [Event(record, is_void, summary(record)) for record, is_void in space.store.latest(limit)]
    events: dict[str, Event] = {}
    for key in _names(space.store, name):
        for record, is_void in space.store.latest(limit, key=key):
            events[record.id] = Event(record, is_void, summary(record))
    return sorted(events.values(), key=lambda event: (event.record.at, event.record.id), reverse=True)[:limit]


def _names(store: SqliteStore, name: str) -> list[str]:
    names = [name]
    for entity in store.resolve(name):
        names.append(entity.id)
        names += next(iter(store.texts([entity.key]))).aliases
    return list(dict.fromkeys(names))


def summary(record: Record) -> str:
    """What a record did, in one line."""
    payload = record.payload
    ids = payload.get("ids", ())
    listed = ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
    if record.op == "register":
        concepts, relations = len(payload["concepts"]), len(payload["relations"])
        return f"register {payload['reference']['url']}: {concepts} concepts, {relations} relations"
    if record.op == "archive":
        reason = payload.get("reason")
        return f"archive {listed}" + (f" ({reason})" if reason else "")
    if record.op in ("unarchive", "delete"):
        return f"{record.op} {listed}"
    if record.op == "rename":
        return f"rename {payload['id']} to {payload['new_id']}"
    if record.op == "merge":
        return f"merge {listed} into {payload['into']}"
    if record.op == "withdraw":
        return f"withdraw {payload['url']}"
    if record.op == "unlink":
        relations = payload["relations"]
        return "unlink " + ", ".join(f"{r['subject']} -[{r['predicate']}]-> {r['object']}" for r in relations)
    if record.op == "undo":
        return f"undo {', '.join(target[:12] for target in payload['targets'])}"
    return record.op


def undo(engine: Engine, targets: Sequence[str] = (), *, last: int = 0) -> Change:
    """Take back records by id (or a unique beginning of one), or the last n that still count.

    An undo is itself a record: undoing it brings the change back. Raises `NotFoundError` for an unknown id.
    """
    if bool(targets) == bool(last):
        raise UsageError("Name the records to undo, or how many of the last ones.")
    if last < 0:
        raise UsageError(f"last must be at least 1, not {last}.")
    space = engine.concepts_to_read()
    if space is None:
        raise NotFoundError("There is nothing to undo: nothing was ever stored.")
    engine.require_writable(space)
    ids = _by_ids(space.store, targets) if targets else _last(space.store, last)
    ingest.ensure_index(space)
    settings = engine.settings
    applied = ingest.commit(
        space, "undo", {"targets": ids}, at=engine.clock(), actor=settings.actor, session=settings.session
    )
    if applied.changed:
        catch_up(engine, space)
    return Change(applied.record.id, applied.record.at, "undo", tuple(ids), applied.skipped)


def _by_ids(store: SqliteStore, targets: Sequence[str]) -> list[str]:
    known = [record.id for record in store.records()]
    void = store.void_ids()
    ids: list[str] = []
    for target in targets:
        found = [identifier for identifier in known if identifier.startswith(target)] if len(target) >= 4 else []
        if len(found) != 1:
            raise NotFoundError(
                f"{len(found) or 'No'} records have an id that starts with {target!r}.",
                hint="History lists the ids; at least four characters are needed.",
            )
        if found[0] in void:
            raise UsageError(f"The record {found[0]} was undone already.", hint="Undo that undo to bring it back.")
        ids.append(found[0])
    return ids


def _last(store: SqliteStore, count: int) -> list[str]:
    ids: list[str] = []
    void = store.void_ids()
    for record, is_void in store.latest(count + len(void) * 2 + 1):
        if not is_void and record.op != "undo":
            ids.append(record.id)
    if not ids:
        raise NotFoundError("There is nothing to undo.")
    return ids[:count]


@contextlib.contextmanager
def as_of(engine: Engine, moment: str) -> Iterator[Space | None]:
    """The concept space as it was at a moment (UTC ISO 8601, or the beginning of one), for searching."""
    with _tables_as_of(engine, moment) as past:
        space = engine.concepts_to_read()
        if past is not None and space is not None:
            ingest.ensure_index(past)
            _lend_vectors(engine, space, past)
        yield past


@contextlib.contextmanager
def reading_as_of(engine: Engine, moment: str) -> Iterator[Engine]:
    """An engine whose concept space is as it was at a moment, for looking at it; it has no indexes."""
    with _tables_as_of(engine, moment) as past:
        yield engine.reading(past)


@contextlib.contextmanager
def _tables_as_of(engine: Engine, moment: str) -> Iterator[Space | None]:
    end = _end_of(moment)
    space = engine.concepts_to_read()
    if space is None:
        yield None
        return
    past = Space(space.store.as_of(end), "")
    try:
        yield past
    finally:
        past.close()


def _lend_vectors(engine: Engine, space: Space, past: Space) -> None:
    """Vectors are named by their text, so the past finds the present's."""
    try:
        embedder = engine.embedder()
    except EmbedderError:
        return
    if embedder is not None:
        hashes = past.store.passage_hashes()
        past.store.put_vectors(embedder.id, space.store.vectors_by_hash(embedder.id, hashes))
        if not past.store.missing_vector_count(embedder.id):
            past.store.set_meta(COMPLETE_FOR, embedder.id)


def _end_of(moment: str) -> str:
    """The last microsecond that a moment names: a date alone means the end of that day."""
    import re

    text = moment.strip().replace(" ", "T").removesuffix("Z").removesuffix("+00:00")
    shape = re.fullmatch(r"(\d{4})(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,6})?)?)?)?)?)?", text)
    if shape is None:
        raise UsageError(
            f"{moment!r} is not a moment.", hint="Give a UTC date or time such as 2026-03-01 or 2026-03-01T12:30:00Z."
        )
    full = "9999-12-31T23:59:59.999999"
    return text + full[len(text) :] + "Z"
