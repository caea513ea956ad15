"""Looking at a vault's graph: one thing with what touches it, its surroundings, the ways between two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from trivium.domains.vault.vault import Vault
from trivium.errors import AmbiguousError, NotFoundError, UsageError
from trivium.index import graph
from trivium.model import Entity, Relation, name_key
from trivium.store.sqlite.notes import reading
from trivium.store.sqlite.notes.reading import CONCEPT
from trivium.store.sqlite.notes.rows import EdgeRow, NoteRow

MAX_DEPTH = 4
TRUST = {"user": 1.0, "deterministic": 1.0, "llm": 0.7}
"""What a method is worth where no confidence is given; a confidence is multiplied with 0.9 when a model gave it."""


class Node(NamedTuple):
    """A note or a concept; `key` is its number in the index."""

    key: int
    kind: str
    name: str
    type: str
    path: str = ""
    hash: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The node as surfaces show it."""
        if self.kind == "note":
            return {"kind": "note", "title": self.name, "path": self.path, "hash": self.hash}
        return {"kind": "concept", "id": self.path, "name": self.name, "type": self.type}


class Edge(NamedTuple):
    """One link, mention or relation with its words and where they stand; `status` says whether its end is known."""

    id: int
    subject: Node | None
    relation: str
    object: Node | None
    method: str
    confidence: float | None
    quote: str | None
    line: int | None
    source: Node
    status: str
    target: str
    raw: str | None
    candidates: tuple[str, ...]

    @property
    def trust(self) -> float:
        """How far to believe it, in [0, 1]."""
        return trust(self.method, self.confidence)


class View(NamedTuple):
    """A concept or a note with its edges, the most trusted first."""

    node: Node
    summary: str
    aliases: tuple[str, ...]
    mention_count: int
    out_edges: tuple[Edge, ...]
    in_edges: tuple[Edge, ...]
    facets: tuple[tuple[str, str], ...]


class Neighbor(NamedTuple):
    """A node near another one: the relation that led to it and the distance in steps."""

    node: Node
    relation: str
    depth: int


class Way(NamedTuple):
    """A chain of nodes and the edges between them; `trust` is the product over its steps."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    trust: float


def trust(method: str, confidence: float | None) -> float:
    """A trust in [0, 1] from method and confidence."""
    base = TRUST.get(method, 0.7)
    return base if confidence is None else confidence * (0.9 if method == "llm" else 1.0)


# -- names


def find(vault: Vault, name: str) -> Entity:
    """What a name means: a concept by id or name, else a note by path, title or alias.

    Raises `NotFoundError` with names that are near, `AmbiguousError` with the notes that share a title.
    """
    store = vault.space().store
    exact = store.by_ids([CONCEPT + name])
    if exact:
        return next(iter(exact.values()))
    note = store.by_ids([name]).get(name) if name else None
    wanted = name_key(name)
    found = {one.key: one for one in store.by_name_keys([wanted]).get(wanted, ())} if wanted else {}
    concepts = [entity for entity in found.values() if entity.id.startswith(CONCEPT)]
    if len(concepts) > 1:
        concepts = _first_concept(vault, name, concepts)
    if concepts:
        return concepts[0]
    if note is not None:
        return note
    notes = list(found.values())
    if len(notes) > 1:
        raise AmbiguousError(f"{name!r} names several notes.", details=sorted(one.id for one in notes),
                             hint="Give the path of one of them.")  # fmt: skip
    if not notes:
        near = store.similar_ids(name)
        shown = [one.removeprefix(CONCEPT) for one in near if ":" not in one.removeprefix(CONCEPT)]
        raise NotFoundError(f"Nothing in the vault is called {name!r}", details=shown)
    return notes[0]


def _first_concept(vault: Vault, name: str, concepts: list[Entity]) -> list[Entity]:
    from trivium.domains.vault.names import ConceptIndex
    from trivium.store.vaultfiles import read_concepts

    meant = ConceptIndex(read_concepts(vault.root)[0]).find(name)
    return [entity for entity in concepts if entity.id == f"{CONCEPT}{meant}"] or concepts


# -- nodes and edges


def nodes_of(vault: Vault, keys: Iterable[int]) -> dict[int, Node]:
    """Notes and concepts by key; parts of notes are none."""
    store = vault.space().store
    wanted = list(dict.fromkeys(keys))
    notes = reading.notes_by_key(store.connection, wanted)
    made = {key: note_node(note) for key, note in notes.items()}
    for key, entity in store.entities([key for key in wanted if key not in made]).items():
        if entity.id.startswith(CONCEPT):
            made[key] = Node(key, "concept", entity.description, entity.type or "concept", entity.id[len(CONCEPT) :])
    return made


def note_node(note: NoteRow) -> Node:
    """A note as a node."""
    return Node(note.key, "note", note.title, "note", note.path, note.hash)


def edges_of(vault: Vault, rows: Sequence[reading.StoredEdge]) -> list[Edge]:
    """Edges with their ends."""
    keys = {key for edge in rows for key in (edge.row.subject, edge.row.object, edge.row.note) if key is not None}
    nodes = nodes_of(vault, keys)
    return [_edge(one.key, one.row, nodes) for one in rows if one.row.note in nodes]


def _edge(key: int, row: EdgeRow, nodes: dict[int, Node]) -> Edge:
    raw, _, candidates = (row.raw or "").partition("\n")
    is_ambiguous = row.status == "ambiguous"
    return Edge(
        key,
        None if row.subject is None else nodes.get(row.subject),
        row.predicate,
        None if row.object is None else nodes.get(row.object),
        row.method,
        row.confidence,
        row.quote,
        row.line,
        nodes[row.note],
        row.status,
        row.target,
        raw if is_ambiguous else row.raw,
        tuple(candidates.split("\n")) if is_ambiguous else (),
    )


def by_trust(edges: Iterable[Edge]) -> list[Edge]:
    """Edges, the most trusted first."""
    return sorted(edges, key=lambda edge: (-edge.trust, edge.id))


# -- questions


def show(vault: Vault, name: str) -> View:
    """Everything that touches a concept or a note."""
    entity = find(vault, name)
    store = vault.space().store
    stored = reading.edges(store.connection, ends=[entity.key])
    edges = edges_of(vault, stored)
    node = nodes_of(vault, [entity.key])[entity.key]
    text = next(iter(store.texts([entity.key])))
    return View(
        node,
        text.details or "" if node.kind == "concept" else "",
        tuple(alias for alias in text.aliases if alias not in (node.name, node.path)),
        reading.mention_counts(store.connection, [entity.key]).get(entity.key, 0),
        tuple(by_trust(one for one in edges if one.subject is not None and one.subject.key == entity.key)),
        tuple(by_trust(one for one in edges if one.object is not None and one.object.key == entity.key)),
        tuple(reading.facets_of(store.connection, entity.key)),
    )


def backlinks(vault: Vault, name: str) -> list[Edge]:
    """What leads to a note or a concept, by note and line."""
    entity = find(vault, name)
    stored = reading.edges(vault.space().store.connection, ends=[entity.key])
    found = [one for one in edges_of(vault, stored) if one.object is not None and one.object.key == entity.key]
    return sorted(found, key=lambda edge: (edge.source.path, edge.line or 0))


def unresolved(vault: Vault) -> list[Edge]:
    """Links whose end is not there or not certain, and names in records that no concept has, by note and line."""
    connection = vault.space().store.connection
    stored = [
        one for status in ("dangling", "ambiguous", "unknown") for one in reading.edges(connection, status=status)
    ]
    return sorted(edges_of(vault, stored), key=lambda edge: (edge.source.path, edge.line or 0))


def neighbors(vault: Vault, name: str, *, depth: int = 1) -> list[Neighbor]:
    """Notes and concepts around one, nearest first, each with the relation that first led to it."""
    if not 0 <= depth <= MAX_DEPTH:
        raise UsageError(f"depth must be from 0 to {MAX_DEPTH}, not {depth}.")
    entity = find(vault, name)
    walk = graph.expand(vault.space().store, [entity.key], depth=depth)
    via: dict[int, str] = {}
    for relation in sorted(walk.relations, key=lambda one: _step(one, walk.distance)):
        one, other = relation.subject_key, relation.object_key
        if walk.distance.get(one, 0) > walk.distance.get(other, 0):
            one, other = other, one
        via.setdefault(other, relation.predicate)
    nodes = nodes_of(vault, walk.distance)
    reached = [key for key in walk.distance if key != entity.key and key in nodes]
    return [Neighbor(nodes[key], via.get(key, ""), walk.distance[key]) for key in reached]


def _step(relation: Relation, distance: dict[int, int]) -> tuple[int, int]:
    ends = (distance.get(relation.subject_key, 0), distance.get(relation.object_key, 0))
    return max(ends), relation.key


def paths(vault: Vault, start: str, end: str, *, max_hops: int = 4, limit: int = 3) -> list[Way]:
    """How two are connected: the shortest chains, the more trusted first among equals; through notes, too."""
    if not 1 <= max_hops <= 8:
        raise UsageError(f"max-hops must be from 1 to 8, not {max_hops}.")
    if limit < 1:
        raise UsageError(f"limit must be an integer of at least 1, not {limit}.")
    first, last = find(vault, start), find(vault, end)
    found = ways(vault, first.key, last.key, max_hops=max_hops, limit=limit)
    if first.key == last.key:
        node = nodes_of(vault, [first.key])[first.key]
        return [Way((node,), (), 1.0)]
    return found


def ways(vault: Vault, start: int, end: int, *, max_hops: int, limit: int) -> list[Way]:
    """`paths` between two keys."""
    if start == end:
        return []
    store = vault.space().store
    found = graph.paths(store, start, end, max_depth=max_hops, limit=8 * limit)
    steps = {relation.key: relation for path in found for relation in path.relations}
    best = _best_edges(vault, steps.values())
    nodes = nodes_of(vault, {key for path in found for key in path.keys})
    made = []
    for path in found:
        edges = [best[relation.key] for relation in path.relations if relation.key in best]
        if len(edges) == len(path.relations):
            product = 1.0
            for edge in edges:
                product *= edge.trust
            made.append(Way(tuple(nodes[key] for key in path.keys), tuple(edges), product))
    made.sort(key=lambda way: (len(way.edges), -way.trust))
    return made[:limit]


def _best_edges(vault: Vault, relations: Iterable[Relation]) -> dict[int, Edge]:
    """The most trusted edge behind each relation."""
    wanted = {(r.subject_key, r.predicate, r.object_key): r.key for r in relations}
    if not wanted:
        return {}
    stored = reading.edges_between(vault.space().store.connection, wanted)
    best: dict[int, Edge] = {}
    for edge in by_trust(edges_of(vault, stored)):
        if edge.subject is not None and edge.object is not None:
            best.setdefault(wanted[(edge.subject.key, edge.relation, edge.object.key)], edge)
    return best
