"""From candidates to hits: gates that reject by name, the score, then how many and how much."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trivium.rank.fuse import DEFAULT_RECIPE, DEFAULT_WEIGHTS, Fused, Weights, fuse
from trivium.rank.signals import QuerySignals, Signals, reinforcement

DEFAULT_THRESHOLD = 0.12

GATES: dict[str, str] = {
    "not_retrieved": "no retriever proposed it for this query",
    "archived": "it is archived or withdrawn",
    "max_age": "it is older than asked for",
    "demoted": "it is superseded, and superseded things are left out",
    "below_threshold": "it shares no word with the query and its meaning is not near enough",
    "below_noise": "it shares no word with the query and is no nearer to it than a meaningless text is",
    "same_as": "another hit is the same thing and stands for it",
    "below_drop_off": "its score is too far below the best one",
    "beyond_limit": "enough better ones were found",
    "budget": "its record does not fit in the room that is left",
}
"""Every reason for absence, in the order in which the gates are passed."""


class Limits(NamedTuple):
    """Where to stop.

    `threshold`: least raw cosine of what was not found by words, 0 for no such gate. `drop_off`: least share of the
    best score, None for none. `budget_chars`: most characters of all records together, None for no limit.
    """

    threshold: float = DEFAULT_THRESHOLD
    limit: int = 5
    max_age_days: float | None = None
    drop_off: float | None = None
    budget_chars: int | None = None
    include_archived: bool = False


DEFAULT_LIMITS = Limits()


class Ranking(NamedTuple):
    """`hits` best first; `rejected`: key to the name of the first gate that a candidate did not pass."""

    hits: list[Fused]
    rejected: dict[int, str]
    considered: list[Fused]


def rank(
    candidates: Sequence[Signals],
    query: QuerySignals,
    *,
    recipe: str = DEFAULT_RECIPE,
    weights: Weights = DEFAULT_WEIGHTS,
    limits: Limits = DEFAULT_LIMITS,
    classes: Mapping[int, int] | None = None,
) -> Ranking:
    """Gates, score, selection. `considered` holds all that were scored, best first, for a trace.

    `classes`: candidates with the same number are one thing under several names; the best of them stands for all.
    Sets `reinforcement` of the survivors, which depends on the most used among them.
    """
    rejected: dict[int, str] = {}
    kept = []
    for candidate in candidates:
        gate = first_gate(candidate, query, weights, limits)
        if gate:
            rejected[candidate.key] = gate
        else:
            kept.append(candidate)
    most = max((candidate.shown_count for candidate in kept), default=0)
    for candidate in kept:
        candidate.reinforcement = reinforcement(candidate.shown_count, most)
    fused = fuse(recipe, kept, query, weights)
    return Ranking(_cut(fused, limits, rejected, classes or {}), rejected, fused)


def first_gate(candidate: Signals, query: QuerySignals, weights: Weights, limits: Limits) -> str | None:
    """The first of `GATES` that rejects a candidate by itself, None when it may compete."""
    if candidate.is_archived and not limits.include_archived:
        return "archived"
    if limits.max_age_days is not None and (candidate.age_days or 0.0) > limits.max_age_days:
        return "max_age"
    if candidate.is_demoted and weights.demote == 0:
        return "demoted"
    is_found = candidate.is_named or candidate.graph > 0 or query.is_hit_by_words(candidate.bm25)
    if limits.threshold > 0 and not is_found:
        nearness = max((cosine for cosine in candidate.cosines if cosine is not None), default=-1.0)
        if nearness < limits.threshold:
            return "below_threshold"
        if query.noise is not None and nearness <= query.noise:
            return "below_noise"
    return None


def _cut(fused: Sequence[Fused], limits: Limits, rejected: dict[int, str], classes: Mapping[int, int]) -> list[Fused]:
    hits: list[Fused] = []
    shown: set[int] = set()
    floor = fused[0].final * limits.drop_off if fused and limits.drop_off is not None else float("-inf")
    room = limits.budget_chars
    for one in fused:
        size = one.signals.size_chars
        kind = classes.get(one.signals.key, one.signals.key)
        if kind in shown:
            rejected[one.signals.key] = "same_as"
        elif one.final < floor:
            rejected[one.signals.key] = "below_drop_off"
        elif len(hits) >= limits.limit:
            rejected[one.signals.key] = "beyond_limit"
        elif room is not None and size > room:
            rejected[one.signals.key] = "budget"
        else:
            hits.append(one)
            shown.add(kind)
            room = None if room is None else room - size
    return hits
