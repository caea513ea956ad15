"""Recipes: each against a few lines of arithmetic, and what all of them promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import UsageError
from trivium.rank.fuse import (
    DEFAULT_RECIPE,
    ENOUGH_AGREED,
    ENOUGH_COVERED,
    GRAPH_SHARE,
    RECIPES,
    RRF_K,
    WORDS_GAIN,
    Weights,
    evidence,
    fuse,
)
from trivium.rank.signals import SPREAD, QuerySignals, Signals

COSINES = st.one_of(st.none(), st.floats(-1, 1))


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[Signals], QuerySignals, Weights]:
    bound = draw(st.floats(0, 200))
    known = draw(st.floats(0, 1))
    candidates = [
        Signals(
            key,
            cosines=(draw(COSINES), draw(COSINES)),
            bm25=draw(st.floats(0, 1)) * bound * known,
            lexical=draw(st.floats(0, 1)),
            freshness=draw(st.floats(0, 1)),
            reinforcement=draw(st.floats(0, 1)),
            graph=draw(st.sampled_from([0.0, 0.0, 0.3, 1.0])),
            is_demoted=draw(st.booleans()),
        )
        for key in range(draw(st.integers(0, 6)))
    ]
    query = QuerySignals(bm25_bound=bound, known_share=known, trust=draw(st.floats(0, 1)))
    freshness = draw(st.floats(0, 1))
    weights = Weights(freshness=freshness, reinforcement=(1 - freshness) / 2, demote=draw(st.floats(0, 1)))
    return candidates, query, weights


@given(questions(), st.sampled_from(list(RECIPES)))
def test_every_score_explains_itself(question: tuple[list[Signals], QuerySignals, Weights], recipe: str) -> None:
    candidates, query, weights = question
    fused = fuse(recipe, candidates, query, weights)
    assert {one.signals.key for one in fused} == {one.key for one in candidates}
    assert [one.final for one in fused] == sorted((one.final for one in fused), reverse=True)
    for one in fused:
        assert one.final == pytest.approx(
            sum(one.parts.values()) * (weights.demote if one.signals.is_demoted else 1.0), abs=1e-12
        )
        assert all(part <= 1 + 1e-9 for part in one.parts.values())


@given(questions(), st.sampled_from(["weighted", "lexical", "dense"]))
def test_a_score_does_not_depend_on_the_other_hits(
    question: tuple[list[Signals], QuerySignals, Weights], recipe: str
) -> None:
    candidates, query, weights = question
    # Which retrievers answered at all is a matter of the question, so it is kept the same.
    kept = [one for one in candidates if None not in one.cosines and one.graph == 0]
    together = {one.signals.key: one.final for one in fuse(recipe, kept, query, weights)}
    for one in kept:
        assert fuse(recipe, [one], query, weights)[0].final == pytest.approx(together[one.key])


def test_weighted_is_the_documented_formula() -> None:
    one = Signals(1, cosines=(0.6,), bm25=5.0, lexical=0.8, freshness=0.5, reinforcement=0.2, is_demoted=True)
    query = QuerySignals(bm25_bound=20.0)
    weights = Weights(freshness=0.1, reinforcement=0.1, lexical=0.3, bm25=0.3, demote=0.5)
    (fused,) = fuse("weighted", [one], query, weights)
    assert fused.parts == pytest.approx(
        {"cosine": 0.2 * 0.6, "freshness": 0.05, "reinforcement": 0.02, "lexical": 0.24, "bm25": 0.3 * 0.25}
    )
    assert fused.final == pytest.approx(0.5 * (0.12 + 0.05 + 0.02 + 0.24 + 0.075))


def test_weighted_never_gives_cosine_a_negative_share() -> None:
    (fused,) = fuse("weighted", [Signals(1, cosines=(0.9,))], QuerySignals(), Weights(lexical=1, bm25=1))
    assert fused.parts["cosine"] == 0.0


def test_a_lone_hit_is_not_a_perfect_hit() -> None:
    (fused,) = fuse("weighted", [Signals(1, bm25=2.0)], QuerySignals(bm25_bound=40.0))
    assert fused.parts["bm25"] == pytest.approx(0.3 * 0.05)


def test_rank_fusion_by_hand() -> None:
    candidates = [
        Signals(1, cosines=(0.9,), bm25=1.0),
        Signals(2, cosines=(0.5,), bm25=3.0),
        Signals(3, cosines=(0.7,)),
    ]
    fused = {one.signals.key: one.final for one in fuse("rrf", candidates, QuerySignals(bm25_bound=10.0))}
    top = RRF_K + 1
    assert fused == pytest.approx(
        {1: (1 + top / (top + 1)) / 2, 2: (top / (top + 2) + 1) / 2, 3: (top / (top + 1)) / 2}
    )


def test_calibrated_by_hand() -> None:
    one, other = Signals(1, cosines=(0.2,), bm25=6.0), Signals(2, cosines=(0.5,), bm25=0.0)
    query = QuerySignals(bm25_bound=60.0, known_share=0.5, script_share=0.9, trust=0.6)
    coverage, agreement = 6 / (60 * 0.9 * ENOUGH_COVERED), 0.2 / (0.5 * ENOUGH_AGREED)
    said = WORDS_GAIN * 0.6 * (coverage * agreement) ** 2 * 30.0
    words, meaning = said / (said + 1 / SPREAD), (1 / SPREAD) / (said + 1 / SPREAD)
    fused = {row.signals.key: row.parts for row in fuse("calibrated", [one, other], query)}
    assert fused[1] == pytest.approx({"bm25": words * 6 / 30, "cosine": meaning * 0.2})
    assert fused[2] == pytest.approx({"bm25": 0.0, "cosine": meaning * 0.5})


def test_evidence_follows_what_the_words_can_say() -> None:
    candidates = [Signals(1, cosines=(0.5,), bm25=90.0)]
    foreign = evidence(candidates, QuerySignals(bm25_bound=300, known_share=0.02, trust=0.1))
    familiar = evidence(candidates, QuerySignals(bm25_bound=300, known_share=0.98, trust=0.98))
    assert foreign["cosine"] > 0.95
    assert familiar["bm25"] > 0.9
    assert sum(familiar.values()) == pytest.approx(1.0)


def test_words_scattered_over_texts_that_mean_something_else_say_little() -> None:
    query = QuerySignals(bm25_bound=300, known_share=0.6, trust=0.6)
    answer = Signals(0, cosines=(0.5,))
    scattered = [Signals(key, cosines=(0.1,), bm25=30.0) for key in range(1, 6)]
    meant = [Signals(key, cosines=(0.45,), bm25=30.0) for key in range(1, 6)]
    whole = [Signals(key, cosines=(0.45,), bm25=80.0) for key in range(1, 6)]
    says = [evidence([answer, *found], query)["bm25"] for found in (scattered, meant, whole)]
    assert says == sorted(says)
    assert says[0] < 0.3
    assert says[2] > 0.6
    assert fuse("calibrated", [answer, *scattered], query)[0].signals.key == 0


def test_words_alone_when_nothing_has_a_vector() -> None:
    candidates = [Signals(1, cosines=(None,), bm25=4.0), Signals(2, cosines=(None,), bm25=8.0)]
    fused = fuse("calibrated", candidates, QuerySignals(bm25_bound=10.0))
    assert [(one.signals.key, one.parts) for one in fused] == [(2, {"bm25": 0.8}), (1, {"bm25": 0.4})]


def test_two_dense_retrievers_each_have_a_say() -> None:
    candidates = [Signals(1, cosines=(0.2, 0.9)), Signals(2, cosines=(0.3, None))]
    fused = fuse("calibrated", candidates, QuerySignals(spreads=(0.05, 0.05)))
    assert fused[0].parts == pytest.approx({"cosine": 0.1, "cosine_2": 0.45})
    assert fused[1].parts == pytest.approx({"cosine": 0.15, "cosine_2": 0.0})


def test_the_graph_has_a_share_when_it_was_asked() -> None:
    fused = fuse("calibrated", [Signals(1, graph=1.0), Signals(2, cosines=())], QuerySignals())
    assert fused[0].parts == {"graph": GRAPH_SHARE}


def test_ties_keep_their_order() -> None:
    assert [one.signals.key for one in fuse("dense", [Signals(2), Signals(1)], QuerySignals())] == [2, 1]


def test_an_unknown_recipe_names_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        fuse("magic", [], QuerySignals())
    assert DEFAULT_RECIPE in caught.value.hint
