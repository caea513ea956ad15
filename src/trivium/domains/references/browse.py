"""Looking at what is stored: one concept, lists, neighbours, paths, counts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from trivium.domains.references.curate import find
from trivium.engine import Engine
from trivium.errors import UsageError
from trivium.index import graph
from trivium.model import PREDICATES, Document, Entity, Evidence, Relation

MAX_DEPTH = 4
"""Neighbours further away than this say nothing about the concept asked for."""

PAGE_LIMIT = 500


class ConceptView(NamedTuple):
    """One concept with its names, sources, relations and their evidence."""

    entity: Entity
    aliases: tuple[str, ...]
    mentions: tuple[Evidence, ...]
    references: tuple[Document, ...]
    relations: tuple[Relation, ...]
    evidence: dict[int, list[Evidence]]
    suspicion: graph.Suspicion | None
    superseded_by: Relation | None


class Page(NamedTuple):
    """One page of a list."""

    total: int
    limit: int
    offset: int
    items: tuple[Entity, ...]


class Neighbourhood(NamedTuple):
    """What surrounds a concept: nodes in order of discovery with their distance, relations, references."""

    root: Entity
    depth: int
    nodes: tuple[tuple[Entity, int], ...]
    relations: tuple[Relation, ...]
    references: tuple[tuple[Document, str], ...]
    is_cut: bool


class FoundPath(NamedTuple):
    """A path between two concepts, with the ids on its way."""

    ids: tuple[str, ...]
    relations: tuple[Relation, ...]


def show(engine: Engine, name: str) -> ConceptView:
    """Everything about one concept. Raises `NotFoundError` or `AmbiguousError`."""
    space = engine.concepts_to_read()
    entity = find(space, name)
    assert space is not None
    store = space.store
    relations = store.relations([entity.key])
    aliases = next(iter(store.texts([entity.key]))).aliases
    return ConceptView(
        entity,
        aliases,
        tuple(store.mentions([entity.key]).get(entity.key, ())),
        tuple(store.documents_of([entity.key]).get(entity.key, ())),
        tuple(relations),
        store.evidence([relation.key for relation in relations]),
        graph.suspects(store, [entity.key]).get(entity.key),
        graph.superseded(store, [entity.key]).get(entity.key),
    )


def list_concepts(
    engine: Engine,
    *,
    order: str = "last_seen",
    limit: int = 50,
    offset: int = 0,
    is_archived_included: bool = False,
) -> Page:
    """One page of concepts. `order` is id, last_seen, touch or shown; `limit` is capped at 500."""
    if order not in ("id", "last_seen", "touch", "shown"):
        raise UsageError(f"sort must be id, last_seen, touch or shown, not {order!r}.")
    if limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}.")
    if offset < 0:
        raise UsageError(f"offset must be at least 0, not {offset}.")
    limit = min(limit, PAGE_LIMIT)
    space = engine.concepts_to_read()
    if space is None:
        return Page(0, limit, offset, ())
    total, items = space.store.page(order=order, limit=limit, offset=offset, is_hidden_included=is_archived_included)
    return Page(total, limit, offset, tuple(items))


def list_references(engine: Engine) -> list[tuple[Document, int]]:
    """Every reference with the number of concepts it describes."""
    space = engine.concepts_to_read()
    return [] if space is None else space.store.documents()


def neighbors(
    engine: Engine,
    name: str,
    *,
    depth: int = 1,
    predicates: Sequence[str] | None = None,
    is_archived_included: bool = False,
) -> Neighbourhood:
    """What is within `depth` steps, at most 4. Archived concepts are neither shown nor walked through."""
    if not 0 <= depth <= MAX_DEPTH:
        raise UsageError(f"depth must be from 0 to {MAX_DEPTH}, not {depth}.")
    check_predicates(predicates)
    space = engine.concepts_to_read()
    root = find(space, name)
    assert space is not None
    walk = graph.expand(
        space.store, [root.key], depth=depth, predicates=predicates, is_hidden_included=is_archived_included
    )
    entities = space.store.entities(walk.distance)
    documents = space.store.documents_of(walk.distance)
    references = [(document, entities[key].id) for key in walk.distance for document in documents.get(key, ())]
    nodes = tuple((entities[key], distance) for key, distance in walk.distance.items())
    return Neighbourhood(root, depth, nodes, tuple(walk.relations), tuple(references), walk.is_cut)


def paths(
    engine: Engine,
    start: str,
    end: str,
    *,
    max_depth: int = 4,
    limit: int = 5,
    predicates: Sequence[str] | None = None,
) -> list[FoundPath]:
    """How two concepts are connected, shortest first; an empty list when they are not within `max_depth`."""
    if not 1 <= max_depth <= 8:
        raise UsageError(f"max-depth must be from 1 to 8, not {max_depth}.")
    if limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}.")
    check_predicates(predicates)
    space = engine.concepts_to_read()
    one, other = find(space, start), find(space, end)
    assert space is not None
    found = graph.paths(space.store, one.key, other.key, max_depth=max_depth, limit=limit, predicates=predicates)
    entities = space.store.entities({key for path in found for key in path.keys})
    return [FoundPath(tuple(entities[key].id for key in path.keys), path.relations) for path in found]


def check_predicates(predicates: Sequence[str] | None) -> None:
    """Raise `UsageError` for a relation type that does not exist, with the nearest one."""
    for predicate in predicates or ():
        if predicate not in PREDICATES:
            import difflib

            near = difflib.get_close_matches(predicate.upper().replace("-", "_"), PREDICATES, n=1)
            raise UsageError(
                f"{predicate!r} is not a relation type.",
                hint=f"Did you mean {near[0]}?" if near else "Types: " + ", ".join(PREDICATES),
            )


def stats(engine: Engine) -> dict[str, Any]:
    """How much of everything there is, where it is stored and how large the file is."""
    import os

    space = engine.concepts_to_read()
    path = engine.concepts_path
    if space is None:
        by_type = dict.fromkeys((*PREDICATES, "DESCRIBES"), 0)
        counts: dict[str, Any] = {
            "concepts": 0,
            "archived_concepts": 0,
            "withdrawn_concepts": 0,
            "references": 0,
            "relations": 0,
            "relations_by_type": by_type,
            "evidence": 0,
            "evidence_with_quote": 0,
            "records": 0,
            "vectors": 0,
            "last_seen_at": None,
        }
    else:
        counts = space.store.counts()
    size = os.path.getsize(path) if os.path.exists(path) else 0
    return {"path": path, "size_bytes": size, **counts}
