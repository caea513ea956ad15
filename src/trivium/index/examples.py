"""Finding entries by their examples: the cosine of a text to every example of the entries that are nearest to it."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import simsimd

from trivium.index import dense
from trivium.index.dense.ranking import dot
from trivium.index.space import Space
from trivium.index.vectors import VectorIndex
from trivium.model import Vector
from trivium.store.sqlite import guidance

Cosines = dict[int, dict[int, float]]
"""By entry key and ordinal of the example; ordinal `guidance.CENTRE` is the middle of the examples."""

_FIRST_ROWS = 128
_wsum: Callable[..., Any] = simsimd.wsum


class ExampleIndex:
    """The vectors of one embedder in a guidance space, by entry."""

    def __init__(self, space: Space, embedder_id: str, dim: int) -> None:
        self.store = space.store
        self.embedder_id = embedder_id
        self.index: VectorIndex = space.vectors(embedder_id, dim)

    def nearest(self, query: Vector, count: int) -> list[int]:
        """The keys of the `count` entries that have the nearest examples, best first; fewer when there are no more."""
        matrix = self.index.matrix()
        last = 0 if matrix is None else matrix.last_key
        late = list(self.store.vectors_after(self.embedder_id, last))
        total = len(late) + (0 if matrix is None else matrix.count)
        wanted = min(max(_FIRST_ROWS, 4 * count), total)
        while True:
            ranked = [] if matrix is None else matrix.search(query, wanted)
            rows = dict(dense.merge(ranked, dense.scan(late, query, wanted), k=wanted))
            best: dict[int, float] = {}
            for seq, entity, _ in self.store.vector_owners(rows):
                best[entity] = max(rows[seq], best.get(entity, -2.0))
            if len(best) >= count or wanted >= total:
                return sorted(best, key=lambda key: (-best[key], key))[:count]
            wanted = min(4 * wanted, total)

    def cosines(self, query: Vector, keys: Iterable[int]) -> Cosines:
        """The exact cosine of every example of some entries; entries without vectors are left out."""
        owned = guidance.passage_vectors(self.store, self.embedder_id, keys)
        seqs = sorted({seq for _, _, seq in owned})
        matrix = self.index.matrix()
        known = {} if matrix is None else matrix.cosines(query, seqs)
        missing = [seq for seq in seqs if seq not in known]
        if missing:
            rows = self.store.vectors_by_seq(missing)
            known.update(dense.scan(rows, query, len(rows)))
        found: Cosines = {}
        for entity, ordinal, seq in owned:
            if seq in known:
                found.setdefault(entity, {})[ordinal] = known[seq]
        return found

    def vectors(self, key: int) -> dict[int, Vector]:
        """The vectors of the examples of one entry, by ordinal."""
        owned = guidance.passage_vectors(self.store, self.embedder_id, [key])
        rows = dict(self.store.vectors_by_seq({seq for _, _, seq in owned}))
        return {ordinal: rows[seq] for _, ordinal, seq in owned if seq in rows}


def centre(vectors: Sequence[Vector]) -> Vector:
    """The unit vector in the direction of the sum of some unit vectors; the first of them when they cancel out."""
    total: Any = memoryview(vectors[0]).cast("f")
    for vector in vectors[1:]:
        total = memoryview(_wsum(total, memoryview(vector).cast("f"), alpha=1.0, beta=1.0))
    length = float(dot(total, total)) ** 0.5
    if length < 1e-6:
        return vectors[0]
    return array("f", [value / length for value in total]).tobytes()


def centre_name(vectors: Iterable[Vector]) -> bytes:
    """What the middle of some vectors is stored under."""
    return hashlib.sha256(b"centre" + b"".join(sorted(vectors))).digest()[:16]


def tightness(vectors: Sequence[Vector], *, most: int = 30) -> float:
    """The mean cosine of an example to the nearest other one, over at most so many examples; 0 for a single one."""
    views = [memoryview(vector).cast("f") for vector in vectors[:most]]
    if len(views) < 2:
        return 0.0
    best = [-1.0] * len(views)
    for one in range(len(views)):
        for other in range(one + 1, len(views)):
            cosine = float(dot(views[one], views[other]))
            best[one], best[other] = max(best[one], cosine), max(best[other], cosine)
    return sum(best) / len(best)
