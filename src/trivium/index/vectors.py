"""Finding entities by meaning: the packed matrix, the vectors that came after it, and who owns which."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence

from trivium.errors import StoreError
from trivium.index import dense
from trivium.model import Vector
from trivium.store.sqlite.store import SqliteStore

PACK_ABOVE = 200
"""So many vectors may stay outside the matrix: reading them costs about as much as mapping it."""


class VectorIndex:
    """The vectors of one embedder in one space.

    The database holds the truth; a matrix file beside it, covering the sequence numbers up to its last, makes the
    scan fast. What came later is read from the database, so an answer never misses a vector.
    """

    def __init__(self, store: SqliteStore, folder: str, embedder_id: str, dim: int) -> None:
        self.store = store
        self.embedder_id = embedder_id
        self.dim = dim
        name = hashlib.sha256(embedder_id.encode()).hexdigest()[:16]
        self.path = os.path.join(folder, f"{name}.vectors")
        self._matrix: dense.Matrix | None = None
        self._is_opened = False

    def close(self) -> None:
        """Release the mapping."""
        if self._matrix is not None:
            self._matrix.close()
        self._matrix, self._is_opened = None, False

    def matrix(self) -> dense.Matrix | None:
        """The packed part, if there is one that belongs to this database."""
        if not self._is_opened:
            self._is_opened = True
            found = dense.Matrix.open(self.path, identity=self.embedder_id)
            if found is not None and found.dim == self.dim and self._is_ours(found):
                self._matrix = found
            elif found is not None:
                found.close()
        return self._matrix

    def _is_ours(self, matrix: dense.Matrix) -> bool:
        # A database that was restored or rebuilt counts its vectors anew: the newest packed row must still be there.
        for seq, data in self.store.vectors_after(self.embedder_id, matrix.last_key - 1):
            return seq == matrix.last_key and dense.cosine(data, matrix.vector(seq)) > 0.999
        return False

    def search(self, query: Vector, k: int) -> list[tuple[int, float]]:
        """At most k (entity key, cosine) pairs, best first: an entity counts with its nearest passage."""
        if k <= 0:
            return []
        wanted = 2 * k + 10
        matrix = self.matrix()
        ranked = [] if matrix is None else matrix.search(query, wanted)
        last = 0 if matrix is None else matrix.last_key
        late = dense.scan(self.store.vectors_after(self.embedder_id, last), query, wanted)
        merged = dense.merge(ranked, late, k=wanted)
        return self._by_entity(dict(merged))[:k]

    def search_many(self, queries: Sequence[Vector], k: int) -> list[list[tuple[int, float]]]:
        """`search` for many queries in one pass over the vectors."""
        matrix = self.matrix()
        packed = [[] for _ in queries] if matrix is None else matrix.search_many(queries, k)
        last = 0 if matrix is None else matrix.last_key
        late = list(self.store.vectors_after(self.embedder_id, last))
        found = []
        for query, ranked in zip(queries, packed, strict=True):
            merged = dense.merge(ranked, dense.scan(late, query, k), k=k)
            found.append(self._by_entity(dict(merged)))
        return found

    def _by_entity(self, cosines: dict[int, float]) -> list[tuple[int, float]]:
        best: dict[int, float] = {}
        for seq, entity, _ in self.store.vector_owners(cosines):
            if cosines[seq] > best.get(entity, -2.0):
                best[entity] = cosines[seq]
        return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))

    def cosines(self, query: Vector, entities: Iterable[int]) -> dict[int, float]:
        """The exact cosine of each entity's nearest passage, for those that have a vector."""
        owned = self.store.entity_vectors(self.embedder_id, entities)
        seqs = sorted({seq for _, seq in owned})
        matrix = self.matrix()
        known = {} if matrix is None else matrix.cosines(query, seqs)
        missing = [seq for seq in seqs if seq not in known]
        if missing:
            rows = self.store.vectors_by_seq(missing)
            known.update(dense.scan(rows, query, len(rows)))
        best: dict[int, float] = {}
        for entity, seq in owned:
            if seq in known and known[seq] > best.get(entity, -2.0):
                best[entity] = known[seq]
        return best

    @property
    def is_empty(self) -> bool:
        """Whether no text has a vector of this embedder."""
        return not self.store.has_vectors(self.embedder_id)

    def late_count(self) -> int:
        """At most so many vectors are not covered by the matrix; sequence numbers are counted, not rows."""
        matrix = self.matrix()
        return self.store.last_vector() - (0 if matrix is None else matrix.last_key)

    def pack(self, *, is_forced: bool = False) -> bool:
        """Bring the matrix up to date when enough vectors came after it; forced, write it anew without dead ones."""
        matrix = self.matrix()
        if not is_forced and self.late_count() <= PACK_ABOVE:
            return False
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            if matrix is None or is_forced:
                rows = self.store.vectors_after(self.embedder_id, 0, is_used_only=True)
                dense.write_matrix(self.path, rows, dim=self.dim, identity=self.embedder_id)
            else:
                late = list(self.store.vectors_after(self.embedder_id, matrix.last_key))
                dense.append_matrix(self.path, late, to=matrix)
        except OSError as error:
            raise StoreError(f"The vector file cannot be written: {self.path} ({error.strerror}).") from error
        self.close()
        return True
