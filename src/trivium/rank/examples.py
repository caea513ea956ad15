"""Ranking by examples: how near a prompt is to what an entry is for, and when that is too little to speak."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

SHARPNESS = 20.0
"""How much more a near example counts than a far one: 0.1 of cosine is a factor of e^2."""

CENTRE_WEIGHT = 0.5
WORDS_WEIGHT = 0.3
WORDS_OF_ONE = 1.5
"""An entry with a single example, a description as a rule, is recognised by its words more than by its meaning."""

BOOST_WEIGHT = 1.0 + CENTRE_WEIGHT
"""A boost counts as if every cosine of the entry were larger by it."""

RECIPES: dict[str, str] = {
    "examples": "all examples of an entry, their middle, and the words of its head and of all of it",
    "nearest": "the cosine of its nearest example alone",
    "words": "the words in common alone",
}
DEFAULT_RECIPE = "examples"


class Near(NamedTuple):
    """The cosines of a prompt to one entry: `best` is that of its nearest example, `soft` and `centre` see them all."""

    best: float
    ordinal: int
    soft: float
    centre: float


def near(cosines: dict[int, float], centre_ordinal: int = -1) -> Near | None:
    """What the cosines to the examples of an entry amount to; None without any.

    soft = ln(sum of exp(SHARPNESS * cosine)) / SHARPNESS: the best cosine, and more when several are as good.
    """
    examples = {ordinal: cosine for ordinal, cosine in cosines.items() if ordinal != centre_ordinal}
    if not examples:
        return None
    best = max(examples.values())
    ordinal = min(ordinal for ordinal, cosine in examples.items() if cosine == best)
    total = sum(math.exp(SHARPNESS * (cosine - best)) for cosine in examples.values())
    centre = cosines.get(centre_ordinal, sum(examples.values()) / len(examples))
    return Near(best, ordinal, best + math.log(total) / SHARPNESS, centre)


def words_weight(example_count: int) -> float:
    """WORDS_WEIGHT + WORDS_OF_ONE / n: the more examples there are, the less must be read from single words."""
    return WORDS_WEIGHT + WORDS_OF_ONE / max(1, example_count)


def share(scores: Collection[float], bound: float) -> float:
    """The mean of some BM25 scores as a share in [0, 1] of what the words of the query could reach."""
    return min(1.0, sum(scores) / len(scores) / bound) if bound > 0 and scores else 0.0


def parts(recipe: str, nearness: Near | None, words: float, example_count: int, boost: float) -> dict[str, float]:
    """What each signal gives to the score, which is their sum.

    examples: soft + CENTRE_WEIGHT * centre + words_weight(n) * words + BOOST_WEIGHT * boost.
    nearest: best + boost. words: words + boost.
    """
    found: dict[str, float] = {}
    if recipe == "examples":
        if nearness is not None:
            found = {"examples": nearness.soft, "centre": CENTRE_WEIGHT * nearness.centre}
        found["words"] = words_weight(example_count) * words
        boost *= BOOST_WEIGHT
    elif recipe == "nearest":
        found["nearest"] = -1.0 if nearness is None else nearness.best
    else:
        found["words"] = words
    if boost:
        found["boost"] = boost
    return found


def relevance(score: float, example_count: int) -> float:
    """The score of recipe `examples` as a share in [0, 1] of the most it can be with a single example's weights."""
    return max(0.0, min(1.0, score / (1.0 + CENTRE_WEIGHT + words_weight(example_count))))


# -- when to be silent


class Calibration(NamedTuple):
    """The least scores at which a collection speaks.

    `single`: for entries with one example. `several`: for those with more, moved by how tight an entry's examples lie
    in comparison (`tightness` is the mean over the collection). `words`: least share of words when there are no
    vectors. `entries`: of how many entries they were taken.
    """

    single: float = 0.9
    several: float = 1.0
    tightness: float = 0.0
    words: float = 0.35
    entries: int = 0


UNCALIBRATED = Calibration()
_SINGLE_RANGE = (0.6, 1.0)
_SEVERAL_RANGE = (0.8, 1.4)
_WORDS_RANGE = (0.25, 0.6)
_DEVIATIONS = 2.5
_MISSED, _LEAST_MISSED = 0.10, 0.02
_ENOUGH = 20


def floor(calibration: Calibration, example_count: int, tightness: float | None) -> float:
    """The least score of recipe `examples` at which an entry may be shown."""
    if example_count < 2:
        return calibration.single
    moved = 0.0 if tightness is None or not calibration.tightness else 0.5 * (tightness - calibration.tightness)
    return calibration.several + moved


def calibrated(
    own: Collection[float],
    unrelated_single: Collection[float],
    unrelated_several: Collection[float],
    unrelated_words: Collection[float],
    *,
    tightness: float,
    entries: int,
) -> Calibration:
    """Floors from scores: `own` are those of the collection's queries to their entries as if they were not in them,
    the others the best scores of prompts that need none of the entries.

    Several examples: as many own queries are missed as it takes to keep out 95 % of the unrelated ones, but from 2 to
    10 %. One example, or too few queries: 2.5 standard deviations above the mean of the unrelated ones, within bounds.
    """
    single = _clamp(_above(unrelated_single), _SINGLE_RANGE)
    if len(own) >= _ENOUGH:
        low, high = quantile(own, _LEAST_MISSED), quantile(own, _MISSED)
        several = _clamp(quantile(unrelated_several, 0.95) if unrelated_several else low, (low, high))
    else:
        several = _clamp(_above(unrelated_several), _SEVERAL_RANGE)
    return Calibration(single, several, tightness, _clamp(_above(unrelated_words), _WORDS_RANGE), entries)


def quantile(values: Collection[float], share_below: float) -> float:
    """The value below which a share of the values lies, interpolated."""
    ordered = sorted(values)
    place = share_below * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _above(values: Collection[float]) -> float:
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    return mean + _DEVIATIONS * math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def _clamp(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])
