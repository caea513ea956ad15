"""Walking the relations: frontier expansion, paths, supersession and personalised PageRank."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trivium.model import DEPENDING, SUPERSEDING, Relation
from trivium.store.base import Store

MAX_FRONTIER = 20_000
"""Nodes that one level may reach before the walk stops: beyond that nobody reads the answer."""


class Walk(NamedTuple):
    """What a walk reached: distance by entity key in order of discovery, and the relations it went along."""

    distance: dict[int, int]
    relations: list[Relation]
    is_cut: bool


class Suspicion(NamedTuple):
    """Why an entity is suspect: the relations from it to what was superseded or withdrawn, and which of the two."""

    chain: tuple[Relation, ...]
    cause: str


def expand(
    store: Store,
    seeds: Iterable[int],
    *,
    depth: int,
    predicates: Sequence[str] | None = None,
    is_hidden_included: bool = False,
    max_nodes: int = MAX_FRONTIER,
) -> Walk:
    """Breadth-first over both directions, one query a level; hidden entities are neither shown nor walked through."""
    distance = dict.fromkeys(seeds, 0)
    found: dict[int, Relation] = {}
    frontier = list(distance)
    for level in range(1, depth + 1):
        if not frontier:
            break
        fresh: list[int] = []
        for relation in store.relations(frontier, predicates=predicates, is_hidden_included=is_hidden_included):
            found.setdefault(relation.key, relation)
            for key in (relation.object_key, relation.subject_key):
                if key not in distance:
                    distance[key] = level
                    fresh.append(key)
        frontier = fresh
        if len(distance) > max_nodes:
            return Walk(distance, list(found.values()), True)
    return Walk(distance, list(found.values()), False)


def superseded(store: Store, keys: Iterable[int]) -> dict[int, Relation]:
    """Those of the entities that another one replaces or deprecates, with the relation that says so."""
    return {
        relation.object_key: relation
        for relation in store.relations(keys, predicates=SUPERSEDING, direction="in")
        if relation.subject_key != relation.object_key
    }


def suspects(store: Store, keys: Iterable[int], *, max_depth: int = 6) -> dict[int, Suspicion]:
    """Entities that rest, over any chain of dependencies, on something superseded or withdrawn.

    Follows DEPENDS_ON, PART_OF, IMPLEMENTS and EXTENDS from subject to object; the shortest chain is given.
    """
    chains: dict[int, dict[int, tuple[Relation, ...]]] = {key: {key: ()} for key in dict.fromkeys(keys)}
    found: dict[int, Suspicion] = {}
    frontier = set(chains)
    known: dict[int, list[Relation]] = {}
    for _ in range(max_depth):
        missing = frontier - known.keys()
        for key in missing:
            known[key] = []
        for relation in store.relations(missing, predicates=DEPENDING, direction="out") if missing else ():
            known[relation.subject_key].append(relation)
        reached = {relation.object_key for key in frontier for relation in known[key]}
        causes = _causes(store, reached) if reached else {}
        frontier = set()
        for origin, ends in chains.items():
            if origin in found:
                continue
            fresh = _next_ends(ends, known)
            hit = next((key for key in fresh if key in causes and key != origin), None)
            if hit is not None:
                found[origin] = Suspicion(fresh[hit], causes[hit])
                continue
            ends.update(fresh)
            frontier.update(fresh)
        if not frontier:
            break
    return found


def _next_ends(
    ends: Mapping[int, tuple[Relation, ...]], known: Mapping[int, list[Relation]]
) -> dict[int, tuple[Relation, ...]]:
    fresh: dict[int, tuple[Relation, ...]] = {}
    for key, chain in ends.items():
        for relation in known.get(key, ()):
            if relation.object_key not in ends:
                fresh.setdefault(relation.object_key, (*chain, relation))
    return fresh


def _causes(store: Store, keys: Iterable[int]) -> dict[int, str]:
    wanted = list(keys)
    causes = {key: "withdrawn" for key, entity in store.entities(wanted).items() if entity.withdrawn_at}
    for key, relation in superseded(store, wanted).items():
        causes[key] = f"superseded: {relation.subject} -[{relation.predicate}]-> {relation.object}"
    return causes


def same_as(store: Store, keys: Iterable[int], *, max_depth: int = 4) -> dict[int, int]:
    """The class of each entity under SAME_AS, named by its smallest key."""
    walk = expand(store, keys, depth=max_depth, predicates=("SAME_AS",))
    parent = {key: key for key in walk.distance}

    def root(key: int) -> int:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for relation in walk.relations:
        first, second = sorted((root(relation.subject_key), root(relation.object_key)))
        parent[second] = first
    return {key: root(key) for key in parent}


def canonical(store: Store, keys: Iterable[int]) -> dict[int, int]:
    """For each entity of a SAME_AS class the one that no member points away from: the canonical end."""
    wanted = list(keys)
    walk = expand(store, wanted, depth=4, predicates=("SAME_AS",))
    pointing = {relation.subject_key for relation in walk.relations}
    classes = same_as(store, wanted)
    chosen: dict[int, int] = {}
    for key in sorted(classes):
        if key not in pointing:
            chosen.setdefault(classes[key], key)
    return {key: chosen.get(classes[key], classes[key]) for key in wanted}


def pagerank(
    relations: Iterable[Relation],
    seeds: Mapping[int, float],
    *,
    damping: float = 0.85,
    iterations: int = 20,
    weights: Mapping[str, float] | None = None,
) -> dict[int, float]:
    """Personalised PageRank by power iteration over undirected relations; the scores of all nodes sum to 1.

    Page, Brin, Motwani, Winograd 1999, with the restart on `seeds` (any non-negative weights). A node without
    relations gives its rank back to the seeds.
    """
    total = sum(seeds.values())
    if total <= 0:
        return {}
    restart = {key: weight / total for key, weight in seeds.items()}
    neighbours: dict[int, dict[int, float]] = {key: {} for key in restart}
    for relation in relations:
        if relation.subject_key != relation.object_key:
            weight = 1.0 if weights is None else weights.get(relation.predicate, 1.0)
            for one, other in (
                (relation.subject_key, relation.object_key),
                (relation.object_key, relation.subject_key),
            ):
                row = neighbours.setdefault(one, {})
                row[other] = row.get(other, 0.0) + weight
    sums = {key: sum(row.values()) for key, row in neighbours.items()}
    rank = dict(restart)
    for _ in range(iterations):
        flow: dict[int, float] = {}
        lost = 0.0
        for key, value in rank.items():
            if not sums[key]:
                lost += value
                continue
            share = damping * value / sums[key]
            for other, weight in neighbours[key].items():
                flow[other] = flow.get(other, 0.0) + share * weight
        back = 1 - damping + damping * lost
        rank = flow
        for key, weight in restart.items():
            rank[key] = rank.get(key, 0.0) + back * weight
    return rank


class Path(NamedTuple):
    """Entities in order and the relations between them: `len(relations) == len(keys) - 1`."""

    keys: tuple[int, ...]
    relations: tuple[Relation, ...]


def paths(
    store: Store,
    start: int,
    end: int,
    *,
    max_depth: int = 4,
    limit: int = 5,
    predicates: Sequence[str] | None = None,
    slack: int = 1,
) -> list[Path]:
    """The shortest simple paths between two entities, and those at most `slack` steps longer, shortest first.

    Levels are read from both ends, the smaller frontier first, one query a level.
    """
    if start == end:
        return [Path((start,), ())]
    sides = ({start: 0}, {end: 0})
    frontiers = [{start}, {end}]
    edges: dict[int, Relation] = {}
    shortest = None
    for level in range(max_depth + slack):
        if shortest is not None and level >= min(shortest + slack, max_depth):
            break
        side = 0 if len(frontiers[0]) <= len(frontiers[1]) else 1
        if not frontiers[side]:
            side = 1 - side
        if not frontiers[side] or len(sides[side]) > MAX_FRONTIER:
            break
        fresh: set[int] = set()
        for relation in store.relations(frontiers[side], predicates=predicates, is_hidden_included=False):
            edges[relation.key] = relation
            for key in (relation.subject_key, relation.object_key):
                if key not in sides[side]:
                    sides[side][key] = max(sides[side][frontier_end] for frontier_end in frontiers[side]) + 1
                    fresh.add(key)
        frontiers[side] = fresh
        meeting = sides[0].keys() & sides[1].keys()
        if meeting and shortest is None:
            shortest = min(sides[0][key] + sides[1][key] for key in meeting)
    if shortest is None or shortest > max_depth:
        return []
    return _simple_paths(edges.values(), start, end, min(shortest + slack, max_depth), limit)


def _simple_paths(edges: Iterable[Relation], start: int, end: int, longest: int, limit: int) -> list[Path]:
    """Simple paths by length: breadth-first over partial paths, pruned by the distance that is left to the end."""
    steps: dict[int, list[tuple[int, Relation]]] = {}
    for relation in edges:
        steps.setdefault(relation.subject_key, []).append((relation.object_key, relation))
        steps.setdefault(relation.object_key, []).append((relation.subject_key, relation))
    left = {end: 0}
    queue = [end]
    for key in queue:
        for other, _ in steps.get(key, ()):
            if other not in left:
                left[other] = left[key] + 1
                queue.append(other)
    found: list[Path] = []
    partial = [Path((start,), ())]
    while partial and len(found) < limit:
        longer: list[Path] = []
        for path in partial:
            for other, relation in steps.get(path.keys[-1], ()):
                if other in path.keys or len(path.relations) + 1 + left.get(other, longest + 1) > longest:
                    continue
                extended = Path((*path.keys, other), (*path.relations, relation))
                (found if other == end else longer).append(extended)
        partial = longer[:MAX_FRONTIER]
    return found[:limit]
