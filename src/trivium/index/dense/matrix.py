"""A matrix of unit vectors on disk, searched exactly.

How a search is exact and fast: a pass over the int8 codes estimates each row's cosine to within `slack`, which
follows from the largest quantisation error of the file and that of the query (Cauchy-Schwarz). A row whose estimate is
more than `slack` below the k-th best exact score known so far cannot be among the best k; each of the others is scored
exactly: usually a few hundred of a million. Files without codes are estimated from their floats.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain as joined
from types import TracebackType
from typing import Self

from trivium.errors import NotFoundError
from trivium.index.dense import chain
from trivium.index.dense.estimates import SPAN, Estimates, examine
from trivium.index.dense.ranking import Best, Row, as_query, exact
from trivium.index.dense.segment import Segment

_FIRST_SPAN = 4_096
_PARALLEL_FROM = 128 << 20
"""Bytes to read from which on threads pay for their import."""
_MAX_THREADS = 4
_BATCHED_FROM = 8
"""So many queries at once are worth importing numpy for."""

Span = tuple[Estimates, int, int]


class Matrix:
    """The vectors with keys up to `last_key`, mapped for reading. A context manager."""

    __slots__ = ("_last_keys", "_segments", "count", "dim", "identity", "last_key")

    def __init__(self, segments: Sequence[Segment], identity: str) -> None:
        self._segments = tuple(segments)
        self._last_keys = [segment.last_key for segment in segments]
        self.identity = identity
        self.dim = segments[-1].dim
        self.last_key = segments[-1].last_key
        self.count = sum(segment.count for segment in segments)

    @classmethod
    def open(cls, path: str, *, identity: str) -> Matrix | None:
        """The matrix at a path, or None when there is none of this identity that is whole.

        `path` is what its file names begin with. Damaged or incomplete files at the end of the chain are left out,
        so that it ends at an earlier `last_key`: what it does not cover is the caller's to scan or to pack again.
        """
        segments = chain.open_chain(path, identity)
        return cls(segments, identity) if segments else None

    def close(self) -> None:
        """Release the mappings; the matrix cannot be used afterwards."""
        for segment in self._segments:
            segment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The files, in key order."""
        return self._segments

    def is_intact(self) -> bool:
        """Whether every byte is as it was written; reads all files whole."""
        return all(segment.is_intact() for segment in self._segments)

    def vector(self, key: int) -> bytes:
        """The vector of a key.

        Raises:
            NotFoundError: the matrix has no such key.
        """
        row = self._row(key)
        if row is None:
            raise NotFoundError(f"There is no vector {key} in the matrix.")
        return bytes(row)

    def _row(self, key: int) -> memoryview[float] | None:
        place = bisect_left(self._last_keys, key)
        if place == len(self._segments):
            return None
        index = self._segments[place].find(key)
        return None if index < 0 else self._segments[place].row(index)

    def cosines(self, query: bytes, keys: Iterable[int]) -> dict[int, float]:
        """The cosine of each of the keys that the matrix has."""
        floats = as_query(query, self.dim)
        rows = ((key, self._row(key)) for key in keys)
        return {key: exact(floats, row) for key, row in rows if row is not None}

    def search(self, query: bytes, k: int, *, max_threads: int | None = None) -> list[tuple[int, float]]:
        """The k vectors nearest to a unit vector, as (key, cosine), best first, ties by key. Exact.

        By default a large matrix is read by as many threads as there are cores, at most four.

        Raises:
            UsageError: the query has another dimension or is not of unit length.
        """
        floats = as_query(query, self.dim)
        best = Best(min(k, self.count))
        if best.k <= 0:
            return []
        spans: list[Span] = []
        for segment in self._segments:
            estimates = Estimates(segment, floats)
            start = 0
            while start < segment.count:
                stop = min(segment.count, start + (SPAN if spans else _FIRST_SPAN))
                spans.append((estimates, start, stop))
                start = stop
        if max_threads is None:
            size = sum(segment.count * (1 if segment.is_coded else 4) for segment in self._segments) * self.dim
            max_threads = min(_MAX_THREADS, _cores()) if size >= _PARALLEL_FROM else 1
        _examine_all(spans, best, min(max_threads, len(spans)))
        return best.ranked()

    def search_many(self, queries: Sequence[bytes], k: int) -> list[list[tuple[int, float]]]:
        """`search` for each of many queries, with the same results, in one pass over the vectors."""
        if len(queries) < _BATCHED_FROM or min(k, self.count) <= 0:
            return [self.search(query, k) for query in queries]
        from trivium.index.dense.batch import search_batch

        return search_batch(self._segments, [as_query(query, self.dim) for query in queries], min(k, self.count))


def _examine_all(spans: Sequence[Span], best: Best, threads: int) -> None:
    if threads <= 1:
        for estimates, start, stop in spans:
            examine(estimates, start, estimates.between(start, stop), best)
        return
    import threading

    lock = threading.Lock()
    waiting = list(reversed(range(len(spans))))
    done: set[int] = set()

    def work() -> None:
        while waiting:
            try:
                number = waiting.pop()
            except IndexError:
                return
            estimates, start, stop = spans[number]
            values = estimates.between(start, stop)
            with lock:
                examine(estimates, start, values, best)
                done.add(number)

    others = [threading.Thread(target=work) for _ in range(threads - 1)]
    for thread in others:
        thread.start()
    work()
    for thread in others:
        thread.join()
    # What a thread left when it broke off is done here, so that its error reaches the caller.
    waiting = [number for number in range(len(spans)) if number not in done]
    work()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def write_matrix(path: str, rows: Iterable[Row], *, dim: int, identity: str) -> int:
    """Write all rows as a new matrix in place of what is there; returns how many.

    `rows` are read once, in ascending order of their keys; memory stays bounded (12 bytes a row and a few MB). Readers
    see the old matrix or the new one. The folder must exist.

    Raises:
        StoreError: a row has another dimension, is neither a unit vector nor zero, or its key does not ascend from 1.
        UsageError: the dimension or the identity does not fit the format.
        OSError: the files cannot be written.
    """
    return chain.add(path, rows, dim=dim, identity=identity, parents=())


def append_matrix(path: str, rows: Sequence[Row], *, to: Matrix) -> int:
    """Extend a matrix by rows with keys above its last; returns how many rows were written to disk.

    Files at the end of the chain that are no larger than what is added are taken in, so there are about log2(count)
    files and a row is rewritten about as often. `to` stays as it was: open the path again to see the rows. When another
    process wrote the matrix anew in the meantime, nothing is added.

    Raises:
        StoreError, OSError: as for `write_matrix`.
    """
    kept = list(to.segments)
    taken: list[Segment] = []
    size = len(rows)
    while kept and kept[-1].count <= size:
        taken.insert(0, kept.pop())
        size += taken[0].count
    older = joined.from_iterable(segment.rows() for segment in taken)
    return chain.add(path, joined(older, rows), dim=to.dim, identity=to.identity, parents=kept)
