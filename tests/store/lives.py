"""Living a history: what the tests of the store do to stores, and how they compare them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tests.conftest import FixedClock
from tests.strategies import Step

from trivium.model import EntityText
from trivium.store.base import Applied
from trivium.store.sqlite.fold.refold import logical_rows
from trivium.store.sqlite.store import SqliteStore, open_store

START = "2026-03-01T12:00:00.000000Z"


def concept(identifier: str, description: str = "what it is", **more: Any) -> dict[str, Any]:
    """One concept of a registration."""
    return {"id": identifier, "description": description, **more}


def relation(subject: str, predicate: str, target: str, reason: str = "because", **more: Any) -> dict[str, Any]:
    """One relation of a registration."""
    return {"subject": subject, "predicate": predicate, "object": target, "reason": reason, **more}


def registration(
    concepts: Iterable[dict[str, Any] | str],
    relations: Sequence[dict[str, Any]] = (),
    *,
    url: str = "https://example.org/page",
    **reference: Any,
) -> dict[str, Any]:
    """The payload of a registration; a concept may be given by its id alone."""
    rows = [concept(one) if isinstance(one, str) else one for one in concepts]
    return {"reference": {"url": url, "title": "A page", **reference}, "concepts": rows, "relations": list(relations)}


def do(store: SqliteStore, op: str, payload: dict[str, Any], *, at: str = START) -> Applied:
    """Record one change."""
    return store.append(op, payload, at=at, actor="tester", session="s1")


def register(store: SqliteStore, *concepts: dict[str, Any] | str, **more: Any) -> Applied:
    """Register concepts."""
    return do(store, "register", registration(concepts, **more))


def undo(store: SqliteStore, *applied: Applied) -> Applied:
    """Take back what was done."""
    return do(store, "undo", {"targets": [one.record.id for one in applied]})


def take(store: SqliteStore, step: Step, clock: FixedClock) -> Applied | None:
    """Live one step of a history; an undo of what is not there is nothing."""
    payload = step.payload
    if step.op == "undo":
        known = [record.id for record in store.records()]
        targets = [known[-place] for place in step.undone if place <= len(known)]
        if not targets:
            return None
        payload = {"targets": targets}
    return store.append(step.op, payload, at=clock.advance(seconds=1), actor="tester", session="")


def lived(steps: Iterable[Step], clock: FixedClock | None = None) -> SqliteStore:
    """A store in memory with a history behind it."""
    store, clock = open_store(":memory:"), clock or FixedClock()
    for step in steps:
        take(store, step, clock)
    return store


def content(store: SqliteStore) -> dict[str, list[tuple[object, ...]]]:
    """Everything folded, without database keys."""
    return logical_rows(store.connection)


def searched(store: SqliteStore) -> dict[int, EntityText]:
    """What of each entity is searched."""
    return {text.key: text for text in store.texts()}


def ids(store: SqliteStore) -> set[str]:
    """The ids of all entities."""
    return {text.id for text in store.texts()}
