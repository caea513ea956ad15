"""Measures against numbers worked out by hand."""

from __future__ import annotations

import pytest
from bench.measures import ndcg, recall, reciprocal_rank


def test_first_is_perfect() -> None:
    gold = {"a": 1}
    assert (ndcg(["a", "b"], gold), recall(["a"], gold), reciprocal_rank(["a"], gold)) == (1.0, 1.0, 1.0)


def test_second_of_three() -> None:
    gold = {"a": 1, "b": 3, "c": 0}
    # Discounts are 1, log2(3) = 1.585, 2.
    assert ndcg(["x", "b"], gold) == pytest.approx(1.892789 / 3.630930, abs=1e-5)
    assert recall(["x", "b"], gold) == 0.5
    assert reciprocal_rank(["x", "b"], gold) == 0.5


def test_beyond_the_cut_and_without_gold() -> None:
    assert (ndcg(["x", "a"], {"a": 1}, 1), recall(["x", "a"], {"a": 1}, 1)) == (0.0, 0.0)
    assert reciprocal_rank(["x", "a"], {"a": 1}, 1) == 0.0
    assert (ndcg(["x"], {}), recall(["x"], {}), reciprocal_rank(["x"], {})) == (0.0, 0.0, 0.0)
