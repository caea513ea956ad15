"""Many queries against many rows in one pass, with numpy: for work that registers, not for work that answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trivium.index.dense.ranking import Best, exact
from trivium.index.dense.segment import Segment

Floats = NDArray[np.float32]

_PRODUCTS = 4_000_000
"""How many products are held at once: 16 MB."""
_ROUNDING = 1e-5


def search_batch(
    segments: Sequence[Segment], queries: Sequence[memoryview[float]], k: int
) -> list[list[tuple[int, float]]]:
    """The k nearest rows of each query, as (key, cosine), best first, ties by key. k is at most the number of rows."""
    bests = [Best(k) for _ in queries]
    block = np.array([np.asarray(query) for query in queries])
    floors = np.full(len(queries), -np.inf, "f4")
    size = max(256, min(16_384, _PRODUCTS // len(queries)))
    for segment in segments:
        rows = np.asarray(segment.floats).reshape(segment.count, segment.dim)
        for start in range(0, segment.count, size):
            products = block @ rows[start : start + size].T
            limits = _limits(products, floors, k)
            touched = set()
            for query, index in zip(*(places.tolist() for places in np.nonzero(products >= limits)), strict=True):
                score = exact(queries[query], segment.row(start + index))
                bests[query].pairs.append((-score, segment.keys[start + index]))
                touched.add(query)
            for query in touched:
                bests[query].trim()
                floors[query] = bests[query].floor
    return [best.ranked() for best in bests]


def _limits(products: Floats, floors: Floats, k: int) -> Floats:
    """The product, as a column, from which on a row may be among the best of each query."""
    limits = floors
    if products.shape[1] > k and np.isneginf(floors).any():
        place = products.shape[1] - k
        limits = np.maximum(floors, np.partition(products, place, axis=1)[:, place])
    return (limits - _ROUNDING)[:, None]
