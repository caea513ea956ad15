"""Selection: one gate for each absence, and a budget that is never exceeded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.rank.fuse import Weights
from trivium.rank.select import GATES, Limits, rank
from trivium.rank.signals import QuerySignals, Signals

QUERY = QuerySignals(bm25_bound=20.0, noise=0.35)


def near(key: int, cosine: float = 0.8, **more: Any) -> Signals:
    return Signals(key, cosines=(cosine,), **more)


@pytest.mark.parametrize(
    ("candidate", "gate"),
    [
        (near(1, is_archived=True, age_days=999, is_demoted=True), "archived"),
        (near(1, age_days=31, is_demoted=True), "max_age"),
        (near(1, is_demoted=True), "demoted"),
        (near(1, 0.11), "below_threshold"),
        (Signals(1), "below_threshold"),
        (near(1, 0.34), "below_noise"),
        (near(1, 0.36), None),
        (near(1, 0.1, bm25=3.0), None),
        (near(1, 0.1, bm25=0.01), "below_threshold"),
        (near(1, 0.1, graph=0.5), None),
        (Signals(1, cosines=(0.1, 0.5)), None),
    ],
)
def test_the_first_gate_is_named(candidate: Signals, gate: str | None) -> None:
    found = rank([candidate], QUERY, weights=Weights(demote=0.0), limits=Limits(max_age_days=30))
    assert found.rejected.get(1) == gate
    assert bool(found.hits) == (gate is None)


def test_threshold_zero_opens_the_gate() -> None:
    found = rank([near(1, -0.5)], QUERY, limits=Limits(threshold=0.0))
    assert [one.signals.key for one in found.hits] == [1]


def test_archived_ones_when_asked_for() -> None:
    assert rank([near(1, is_archived=True)], QUERY, limits=Limits(include_archived=True)).hits


def test_demoted_ones_go_down() -> None:
    found = rank([near(1, 0.8, is_demoted=True), near(2, 0.5)], QUERY, weights=Weights(demote=0.5), recipe="dense")
    assert [one.signals.key for one in found.hits] == [2, 1]


def test_limit_drop_off_and_classes() -> None:
    candidates = [near(1, 0.9), near(2, 0.8), near(3, 0.7), near(4, 0.4)]
    found = rank(candidates, QUERY, recipe="dense", limits=Limits(limit=1, drop_off=0.5), classes={1: 7, 2: 7})
    assert [one.signals.key for one in found.hits] == [1]
    assert found.rejected == {2: "same_as", 3: "beyond_limit", 4: "below_drop_off"}


def test_a_record_is_never_cut_and_a_smaller_one_may_follow() -> None:
    candidates = [near(1, 0.9, size_chars=60), near(2, 0.8, size_chars=60), near(3, 0.7, size_chars=40)]
    found = rank(candidates, QUERY, recipe="dense", limits=Limits(budget_chars=100))
    assert [one.signals.key for one in found.hits] == [1, 3]
    assert found.rejected == {2: "budget"}


def test_reinforcement_is_relative_to_the_survivors() -> None:
    candidates = [near(1, shown_count=1), near(2, shown_count=50, is_archived=True)]
    found = rank(candidates, QUERY, recipe="weighted", weights=Weights(reinforcement=1.0, lexical=0, bm25=0))
    assert found.hits[0].final == pytest.approx(0.6309297535714575)


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 50), st.booleans(), st.floats(0, 20)), max_size=12),
    st.integers(0, 6),
    st.integers(0, 120),
    st.one_of(st.none(), st.floats(0, 1)),
)
def test_each_candidate_is_a_hit_or_has_one_gate(
    rows: list[tuple[float, int, bool, float]], limit: int, budget: int, drop_off: float | None
) -> None:
    candidates = [
        near(key, cosine, size_chars=size, is_archived=is_archived, bm25=bm25)
        for key, (cosine, size, is_archived, bm25) in enumerate(rows)
    ]
    limits = Limits(limit=limit, budget_chars=budget, drop_off=drop_off)
    found = rank(candidates, QUERY, limits=limits)
    hits = [one.signals.key for one in found.hits]
    assert len(hits) <= limit
    assert sum(one.signals.size_chars for one in found.hits) <= budget
    assert sorted([*hits, *found.rejected]) == list(range(len(rows)))
    assert set(found.rejected.values()) <= set(GATES)
    assert [one.final for one in found.hits] == sorted((one.final for one in found.hits), reverse=True)
