"""Keeping the concept space in order: archive, prune, delete, rename, merge, withdraw."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from trivium import ingest
from trivium.engine import Engine
from trivium.errors import AmbiguousError, ConflictError, EmbedderError, NotFoundError, UsageError
from trivium.index.space import COMPLETE_FOR, Space
from trivium.model import Entity
from trivium.store.base import Applied


class Change(NamedTuple):
    """A change that was journaled: `record` names it for undo, `ids` are the concepts it was about."""

    record: str
    at: str
    op: str
    ids: tuple[str, ...]
    skipped: tuple[str, ...] = ()


class Pruned(NamedTuple):
    """What pruning found and, when it was applied, deleted."""

    cutoff: str
    max_touches: int
    candidates: tuple[Entity, ...]
    is_applied: bool
    record: str


class Deletion(NamedTuple):
    """What deleting concepts would take with it: how many relations, and the references left with nothing."""

    ids: tuple[str, ...]
    relations: int
    references: tuple[str, ...]


def find(space: Space | None, name: str) -> Entity:
    """The one concept a name means.

    Raises `NotFoundError` with the nearest ids, `AmbiguousError` with all candidates: a name is never guessed.
    """
    found = space.store.resolve(name) if space is not None else []
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousError(
            f"{name!r} means several concepts.", details=[entity.id for entity in found], hint="Give the exact id."
        )
    near = space.store.similar_ids(name) if space is not None else []
    raise NotFoundError(f"No concept has the id {name!r}.", details=[f"near: {identifier}" for identifier in near])


def mutate(engine: Engine, op: str, payload: dict[str, Any]) -> Applied:
    """Journal one change of the concept space, update its indexes, and give changed texts their vectors."""
    space = engine.concepts
    engine.require_writable(space)
    ingest.ensure_index(space)
    settings = engine.settings
    applied = ingest.commit(space, op, payload, at=engine.clock(), actor=settings.actor, session=settings.session)
    if space.store.meta(COMPLETE_FOR) == "" and applied.changed:
        catch_up(engine, space)
    return applied


def catch_up(engine: Engine, space: Space, *, max_texts: int = 200) -> None:
    """Embed texts that a change left without a vector; without an embedder words and graph still find them."""
    try:
        embedder = engine.embedder()
        if embedder is not None:
            ingest.embed_missing(space, embedder, max_texts=max_texts)
    except EmbedderError as error:
        engine.notices.append(f"Some texts have no vector yet: {error.message}")


def _change(applied: Applied, ids: Sequence[str]) -> Change:
    record = applied.record
    return Change(record.id, record.at, record.op, tuple(ids), applied.skipped)


def _ids(engine: Engine, names: Sequence[str]) -> list[str]:
    if not names:
        raise UsageError("At least one id is needed.")
    space = engine.concepts_to_read()
    if space is not None and len(names) > 100:
        known = space.store.by_ids(names)
        return [known[name].id if name in known else find(space, name).id for name in names]
    return [find(space, name).id for name in names]


def archive(engine: Engine, names: Sequence[str], *, reason: str = "") -> Change:
    """Hide concepts from search; archiving again without a reason keeps the first one. Raises `NotFoundError`."""
    ids = _ids(engine, names)
    return _change(mutate(engine, "archive", {"ids": ids, "reason": reason}), ids)


def unarchive(engine: Engine, names: Sequence[str]) -> Change:
    """Bring archived concepts back; harmless on live ones. Raises `NotFoundError`."""
    ids = _ids(engine, names)
    return _change(mutate(engine, "unarchive", {"ids": ids}), ids)


def plan_delete(engine: Engine, names: Sequence[str]) -> Deletion:
    """What `delete` would delete; changes nothing. Raises `NotFoundError`."""
    ids = _ids(engine, names)
    space = engine.concepts_to_read()
    assert space is not None
    keys = [entity.key for entity in space.store.by_ids(ids).values()]
    described: dict[str, int] = {}
    for documents in space.store.documents_of(keys).values():
        for document in documents:
            described[document.uri] = described.get(document.uri, 0) + 1
    orphans = [document.uri for document, count in space.store.documents() if described.get(document.uri) == count]
    return Deletion(tuple(dict.fromkeys(ids)), len(space.store.relations(keys)), tuple(orphans))


def delete(engine: Engine, names: Sequence[str]) -> Change:
    """Delete concepts with their relations, and references that describe nothing any more. Can be undone."""
    ids = _ids(engine, names)
    return _change(mutate(engine, "delete", {"ids": ids}), ids)


def rename(engine: Engine, name: str, new_id: str) -> Change:
    """Give a concept another id; the old one keeps leading to it. Raises `ConflictError` when the id is taken."""
    new_id = new_id.strip()
    if not new_id:
        raise UsageError("The new id is blank.")
    space = engine.concepts_to_read()
    entity = find(space, name)
    taken = [other for other in space.store.resolve(new_id) if other.key != entity.key] if space else []
    if taken:
        raise ConflictError(
            f"{new_id!r} already means another concept.",
            details=[other.id for other in taken],
            hint="Merge the two if they are one concept.",
        )
    if entity.id == new_id:
        raise UsageError(f"The concept is already called {new_id!r}.")
    return _change(mutate(engine, "rename", {"id": entity.id, "new_id": new_id}), [entity.id, new_id])


def merge(engine: Engine, into: str, names: Sequence[str]) -> Change:
    """Move sources, relations and aliases of concepts into another one; their ids keep leading to it."""
    target = find(engine.concepts_to_read(), into).id
    ids = [identifier for identifier in _ids(engine, names) if identifier != target]
    if not ids:
        raise UsageError(f"{into!r} cannot be merged into itself.")
    return _change(mutate(engine, "merge", {"into": target, "ids": ids}), [target, *ids])


def withdraw(engine: Engine, url: str) -> Change:
    """Take back a reference with what only it supports: its relations go, its concepts are marked withdrawn."""
    space = engine.concepts_to_read()
    if space is None or space.store.document(url) is None:
        known = [document.uri for document, _ in space.store.documents()] if space else []
        import difflib

        near = difflib.get_close_matches(url, known, n=3)
        raise NotFoundError(f"No reference has the address {url!r}.", details=[f"near: {uri}" for uri in near])
    return _change(mutate(engine, "withdraw", {"url": url}), [url])


def unlink(engine: Engine, subject: str, predicate: str, target: str) -> Change:
    """Delete one relation. Raises `NotFoundError` when it is not stored."""
    space = engine.concepts_to_read()
    one, other = find(space, subject), find(space, target)
    found = space.store.relations([one.key], predicates=[predicate], direction="out") if space else []
    if not any(relation.object_key == other.key for relation in found):
        raise NotFoundError(f"There is no relation {one.id} -[{predicate}]-> {other.id}.")
    relation = {"subject": one.id, "predicate": predicate, "object": other.id}
    return _change(mutate(engine, "unlink", {"relations": [relation]}), [one.id, other.id])


def prune(
    engine: Engine,
    *,
    older_than_days: float,
    max_touches: int = 1,
    is_archived_included: bool = False,
    is_applied: bool = False,
) -> Pruned:
    """Find concepts not seen for so many days and touched at most so often; delete them when applied."""
    if not older_than_days >= 0 or older_than_days == float("inf"):
        raise UsageError(f"older-than must be a finite number of days of at least 0, not {older_than_days}.")
    if max_touches < 0:
        raise UsageError(f"max-touches must be at least 0, not {max_touches}.")
    cutoff = _days_before(engine.clock(), older_than_days)
    space = engine.concepts_to_read()
    candidates: list[Entity] = []
    if space is not None:
        candidates = space.store.prunable(
            before=cutoff, max_touches=max_touches, is_archived_included=is_archived_included
        )
    record = ""
    if is_applied and candidates:
        record = mutate(engine, "delete", {"ids": [entity.id for entity in candidates]}).record.id
    return Pruned(cutoff, max_touches, tuple(candidates), is_applied, record)


def _days_before(now: str, days: float) -> str:
    from datetime import UTC, datetime, timedelta

    moment = datetime.strptime(now, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    # Older than the calendar itself means older than anything.
    span = min(days, (moment - datetime.min.replace(tzinfo=UTC)).days)
    return (moment - timedelta(days=span)).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
