"""Signals: the documented formulas, number by number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.rank.signals import QuerySignals, Signals, freshness, lexical, meaningless_text, reinforcement
from trivium.text.tokens import tokens, words


def test_lexical_formula() -> None:
    # One of two query words in the id, both in the description: 0.5 + 0.3 / 2 + 0.15.
    asked = words("prefix tree")
    assert lexical(asked, words("usePrefixTrie"), words("a prefix tree helper")) == pytest.approx(0.8)
    assert lexical(asked, words("Other"), words("nothing"), words("a tree")) == pytest.approx(0.025)
    assert lexical(asked, words("prefixTree"), words("prefix tree"), words("prefix tree")) == pytest.approx(1.0)
    assert lexical([], ["x"], ["x"]) == 0.0
    assert lexical(["猫"], [], ["犬"]) == 0.0


def test_punctuation_and_repetition_do_not_count() -> None:
    assert lexical(words("state? State!"), words("state"), []) == pytest.approx(0.8)


@given(*[st.lists(st.sampled_from("abcdef"), max_size=4)] * 4)
def test_lexical_is_a_share(asked: list[str], label: list[str], description: list[str], details: list[str]) -> None:
    value = lexical(asked, label, description, details)
    assert 0 <= value <= 1
    assert (value > 0) == bool(set(asked) & {*label, *description, *details})


@pytest.mark.parametrize(("age", "expected"), [(0, 1.0), (180, 0.5), (360, 0.25), (-5, 1.0)])
def test_freshness(age: float, expected: float) -> None:
    assert freshness(age, 180) == pytest.approx(expected)


def test_reinforcement() -> None:
    assert reinforcement(1, 1) == pytest.approx(0.6309297535714575)
    assert reinforcement(0, 5) == 0.0
    assert reinforcement(0, 0) == 0.0
    assert reinforcement(10**6, 10**6) < 1


def test_the_first_cosine_there_is() -> None:
    assert Signals(1, cosines=(None, 0.4)).cosine == 0.4
    assert Signals(1, cosines=(0.0, 0.4)).cosine == 0.0
    assert Signals(1).cosine is None


def test_an_accidental_word_is_no_hit() -> None:
    query = QuerySignals(bm25_bound=100.0, known_share=0.5, trust=0.2)
    assert query.known_bound == 50.0
    assert not query.is_hit_by_words(0.0)
    assert not query.is_hit_by_words(4.9)
    assert query.is_hit_by_words(5.1)


def test_only_alphabets_are_compared_with_letters_at_random() -> None:
    assert meaningless_text(tokens("Datenbank книга v1.2"))
    assert meaningless_text(tokens("12"))
    assert meaningless_text(tokens("react 副作用")) is None
