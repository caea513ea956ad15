"""Retrieval measures over ranked document ids: nDCG, recall, reciprocal rank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(ranked: Sequence[str], relevance: Mapping[str, int], k: int = 10) -> float:
    """Normalised discounted cumulative gain with linear gains (Järvelin and Kekäläinen 2002), in [0, 1]."""
    ideal = sorted((gain for gain in relevance.values() if gain > 0), reverse=True)
    best = _discounted(ideal[:k])
    return _discounted([max(relevance.get(name, 0), 0) for name in ranked[:k]]) / best if best else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def recall(ranked: Sequence[str], relevance: Mapping[str, int], k: int = 10) -> float:
    """Share of the relevant documents among the first k."""
    relevant = {name for name, gain in relevance.items() if gain > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranked: Sequence[str], relevance: Mapping[str, int], k: int = 10) -> float:
    """1 / rank of the first relevant document, 0 when none is among the first k."""
    ranks = (rank for rank, name in enumerate(ranked[:k], 1) if relevance.get(name, 0) > 0)
    return 1.0 / next(ranks, math.inf)
