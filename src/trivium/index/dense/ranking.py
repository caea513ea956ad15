"""The exact cosine of unit vectors, and the best k of rows that are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import simsimd

from trivium.errors import StoreError, UsageError

Row = tuple[int, bytes]
"""(key, vector): a positive int64, and a unit vector as little-endian float32."""

dot: Callable[..., Any] = simsimd.dot
"""The dot product of two buffers, or those of one with each row of a matrix; simsimd's annotations know numpy only."""

NORM_SLACK = 0.01
"""How far a vector's length may be from one."""


def cosine(left: bytes | memoryview, right: bytes | memoryview) -> float:
    """The cosine of two unit vectors of the same dimension, in [-1, 1]: their dot product in float32."""
    return exact(memoryview(left).cast("B").cast("f"), memoryview(right).cast("B").cast("f"))


def exact(left: memoryview[float], right: memoryview[float]) -> float:
    """`cosine` of two views of floats. Every score that leaves this package is computed here, so equal rows tie."""
    score: float = dot(left, right)
    return -1.0 if score < -1.0 else min(score, 1.0)


def as_query(query: bytes, dim: int | None = None) -> memoryview[float]:
    """A query vector as a view of floats.

    Raises:
        UsageError: it has another dimension than `dim`, or is neither zero nor of unit length.
    """
    size = len(query)
    if size == 0 or size % 4 or (dim is not None and size != 4 * dim):
        wanted = "float32 numbers" if dim is None else f"{dim} float32 numbers ({4 * dim} bytes)"
        raise UsageError(f"The query vector has {size} bytes; this index compares vectors of {wanted}.")
    floats = memoryview(query).cast("f")
    if not is_unit_or_zero(floats):
        raise UsageError("The query vector is not of unit length.", hint="Divide it by its length first.")
    return floats


def is_unit_or_zero(floats: memoryview[float]) -> bool:
    """Whether the length is 1 or 0; never so when a number is not finite."""
    square: float = dot(floats, floats)
    return abs(square - 1.0) <= 2 * NORM_SLACK or not any(floats)


class Best:
    """The k best (score, key) pairs seen so far, ties by key; memory is bounded by what one round offers."""

    __slots__ = ("floor", "k", "pairs")

    def __init__(self, k: int) -> None:
        self.k = k
        self.pairs: list[tuple[float, int]] = []
        self.floor = float("-inf")
        """The k-th best score of those kept at the last `trim`: what scores less cannot be among the best."""

    def trim(self) -> None:
        """Forget what is not among the best k."""
        self.pairs.sort()
        del self.pairs[self.k :]
        if len(self.pairs) == self.k:
            self.floor = -self.pairs[-1][0]

    def ranked(self) -> list[tuple[int, float]]:
        """(key, score), best first."""
        self.trim()
        return [(key, -negative) for negative, key in self.pairs]


def scan(rows: Iterable[Row], query: bytes, k: int) -> list[tuple[int, float]]:
    """The k rows nearest to a query, as (key, cosine), best first, ties by key. Reads every row once.

    Raises:
        UsageError: the query is not a unit vector.
        StoreError: a row's vector is not one, or is of another dimension.
    """
    floats = as_query(query)
    if k <= 0:
        return []
    best = Best(k)
    for key, vector in rows:
        if len(vector) != len(query):
            raise StoreError(f"Vector {key} has {len(vector)} bytes where {len(query)} were expected.")
        score: float = dot(floats, memoryview(vector).cast("f"))
        if not -1.0 <= score <= 1.0:
            if not abs(score) <= 1.0 + 2 * NORM_SLACK:
                raise StoreError(f"Vector {key} is not of unit length.", hint="Embed its text again.")
            score = 1.0 if score > 0 else -1.0
        best.pairs.append((-score, key))
        if len(best.pairs) >= 2 * k + 1000:
            best.trim()
    return best.ranked()


def merge(*ranked: Sequence[tuple[int, float]], k: int) -> list[tuple[int, float]]:
    """The k best of several (key, cosine) lists, best first, ties by key; a key counts with its best score."""
    scores: dict[int, float] = {}
    for pairs in ranked:
        for key, score in pairs:
            if score > scores.get(key, float("-inf")):
                scores[key] = score
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[: max(k, 0)]
