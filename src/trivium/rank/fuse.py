"""Recipes: how the signals of a candidate become one score, and what each of them gave to it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from trivium.errors import UsageError
from trivium.rank.signals import SPREAD, QuerySignals, Signals

RRF_K = 60

WORDS_GAIN = 0.8
"""Evidence of one unit of BM25, in standard deviations of cosine; chosen on the benchmark, see docs/ranking.md."""

GRAPH_SHARE = 0.15
"""What connections give when the graph was asked."""

ENOUGH_COVERED = 0.2
"""A best hit by words that scores this share of what the query could, in the scripts it shares, answers it."""

ENOUGH_AGREED = 0.8
"""Hits by words whose meaning is this near, compared with the nearest there is, are no accident."""


NAMED = 2.0
"""What a candidate gains when the whole query is its name: twice the best possible score, so that it comes first also
when it is demoted by half."""


class Weights(NamedTuple):
    """What a caller may turn: shares in [0, 1] of `weighted`, and the factor of demoted candidates (all recipes).

    Recipes other than `weighted` add freshness and reinforcement in the same way and share the rest as they see fit.
    """

    freshness: float = 0.0
    reinforcement: float = 0.0
    lexical: float = 0.3
    bm25: float = 0.3
    demote: float = 0.5


DEFAULT_WEIGHTS = Weights()


class Fused:
    """A candidate with its score; `parts` sum to the score before the demotion factor."""

    __slots__ = ("final", "parts", "signals")

    def __init__(self, signals: Signals, parts: dict[str, float], factor: float) -> None:
        self.signals = signals
        self.parts = parts
        self.final = sum(parts.values()) * factor


Parts = list[dict[str, float]]


class Recipe(NamedTuple):
    """A named way to score: `about` is one sentence for people."""

    name: str
    about: str
    score: Callable[[Sequence[Signals], QuerySignals, Weights], Parts]


def fuse(
    recipe: str, candidates: Sequence[Signals], query: QuerySignals, weights: Weights = DEFAULT_WEIGHTS
) -> list[Fused]:
    """All candidates with their scores, best first; ties keep the order they came in."""
    parts = recipe_named(recipe).score(candidates, query, weights)
    fused = [
        Fused(candidate, part, weights.demote if candidate.is_demoted else 1.0)
        for candidate, part in zip(candidates, parts, strict=True)
    ]
    fused.sort(key=lambda one: -one.final)
    return fused


def recipe_named(name: str) -> Recipe:
    """The recipe of this name. Raises `UsageError` with the names there are."""
    try:
        return RECIPES[name]
    except KeyError:
        raise UsageError(f"Unknown recipe {name!r}", hint="Recipes: " + ", ".join(RECIPES)) from None


def bm25_share(candidate: Signals, query: QuerySignals) -> float:
    """BM25 as a share in [0, 1] of what any document could reach for this query; never relative to other hits."""
    return min(1.0, candidate.bm25 / query.bm25_bound) if query.bm25_bound > 0 else 0.0


def _weighted(candidates: Sequence[Signals], query: QuerySignals, weights: Weights) -> Parts:
    rest = max(0.0, 1.0 - weights.freshness - weights.reinforcement - weights.lexical - weights.bm25)
    return [
        {
            "cosine": rest * (candidate.cosine or 0.0),
            "freshness": weights.freshness * candidate.freshness,
            "reinforcement": weights.reinforcement * candidate.reinforcement,
            "lexical": weights.lexical * candidate.lexical,
            "bm25": weights.bm25 * bm25_share(candidate, query),
        }
        for candidate in candidates
    ]


def _with_usage(parts: Parts, candidates: Sequence[Signals], weights: Weights) -> Parts:
    """Freshness and reinforcement take their shares, the rest keeps its proportions."""
    rest = max(0.0, 1.0 - weights.freshness - weights.reinforcement)
    if rest == 1.0:
        return parts
    return [
        {name: rest * value for name, value in part.items()}
        | {
            "freshness": weights.freshness * candidate.freshness,
            "reinforcement": weights.reinforcement * candidate.reinforcement,
        }
        for part, candidate in zip(parts, candidates, strict=True)
    ]


def _rrf(candidates: Sequence[Signals], query: QuerySignals, weights: Weights) -> Parts:
    """Reciprocal rank fusion (Cormack et al. 2009), scaled so that first in every list is 1."""
    parts: Parts = [{} for _ in candidates]
    columns: list[tuple[str, list[float | None]]] = [
        ("bm25", [candidate.bm25 or None for candidate in candidates]),
        ("graph", [candidate.graph or None for candidate in candidates]),
    ]
    columns += [
        (_cosine_name(at), [candidate.cosines[at] for candidate in candidates])
        for at in range(_dense_count(candidates))
    ]
    columns = [column for column in columns if any(value is not None for value in column[1])]
    for name, column in columns:
        order = sorted((-value, at) for at, value in enumerate(column) if value is not None)
        for rank, (_, at) in enumerate(order):
            parts[at][name] = (RRF_K + 1) / (RRF_K + 1 + rank) / len(columns)
    return _with_usage(parts, candidates, weights)


def _lexical(candidates: Sequence[Signals], query: QuerySignals, weights: Weights) -> Parts:
    return _with_usage([{"bm25": bm25_share(one, query)} for one in candidates], candidates, weights)


def _dense(candidates: Sequence[Signals], query: QuerySignals, weights: Weights) -> Parts:
    return _with_usage([{"cosine": one.cosine or 0.0} for one in candidates], candidates, weights)


def evidence(candidates: Sequence[Signals], query: QuerySignals) -> dict[str, float]:
    """How much words, each dense retriever and the graph can say about this query, as shares that sum to 1.

    A dense retriever: 1 / spread. Words: WORDS_GAIN * trust * (coverage * agreement)^2 * the most their BM25 can be. So
    both are in standard deviations of an unrelated document; many rare words that one document holds say most.
    """
    fit = _coverage(candidates, query) * _agreement(candidates)
    said = {"bm25": WORDS_GAIN * query.trust * fit**2 * query.known_bound}
    for at in range(_dense_count(candidates)):
        if any(one.cosines[at] is not None for one in candidates):
            spread = query.spreads[at] if at < len(query.spreads) else SPREAD
            said[_cosine_name(at)] = 1.0 / max(spread, 1e-3)
    total = sum(said.values())
    shares = {name: amount / total for name, amount in said.items() if amount > 0}
    if any(one.graph > 0 for one in candidates):
        shares = {name: share * (1 - GRAPH_SHARE) for name, share in shares.items()} | {"graph": GRAPH_SHARE}
    return shares


def _coverage(candidates: Sequence[Signals], query: QuerySignals) -> float:
    """How much of the query the best hit by words answers, in [0, 1]; words scattered over many texts cover little."""
    possible = query.bm25_bound * query.script_share * ENOUGH_COVERED
    return min(1.0, max((one.bm25 for one in candidates), default=0.0) / possible) if possible > 0 else 0.0


def _agreement(candidates: Sequence[Signals]) -> float:
    """Whether the five best hits by words mean what is asked, in [0, 1]: compared with the nearest, 1 if unknown.

    Where texts in several languages stand together, the words of a question meet the texts in its own language, however
    unrelated; the answer may be nearer in meaning and share none.
    """
    nearest = max((one.cosine for one in candidates if one.cosine is not None), default=0.0)
    if nearest <= 0:
        return 1.0
    by_words = sorted((one for one in candidates if one.bm25 > 0), key=lambda one: -one.bm25)[:5]
    meant = max((one.cosine for one in by_words if one.cosine is not None), default=0.0)
    return min(1.0, max(0.0, meant) / (ENOUGH_AGREED * nearest))


def _calibrated(candidates: Sequence[Signals], query: QuerySignals, weights: Weights) -> Parts:
    shares = evidence(candidates, query)
    dense = [(name, at) for at in range(_dense_count(candidates)) if (name := _cosine_name(at)) in shares]
    parts: Parts = []
    for one in candidates:
        part = {name: shares[name] * (one.cosines[at] or 0.0) for name, at in dense}
        if "bm25" in shares:
            part["bm25"] = shares["bm25"] * min(1.0, one.bm25 / query.known_bound)
        if "graph" in shares:
            part["graph"] = shares["graph"] * one.graph
        if one.is_named:
            part["name"] = NAMED
        parts.append(part)
    return _with_usage(parts, candidates, weights)


def _dense_count(candidates: Sequence[Signals]) -> int:
    return min((len(one.cosines) for one in candidates), default=0)


def _cosine_name(at: int) -> str:
    return "cosine" if at == 0 else f"cosine_{at + 1}"


RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "calibrated", "words and meaning, each as far as it has something to say about the question", _calibrated
        ),
        Recipe("weighted", "a weighted sum of cosine, freshness, reinforcement, lexical and bm25", _weighted),
        Recipe("rrf", "rank fusion: only the order within each retriever counts", _rrf),
        Recipe("lexical", "words only", _lexical),
        Recipe("dense", "meaning only", _dense),
    )
}

DEFAULT_RECIPE = "calibrated"
