"""Exact cosines, the scan of rows in memory, and merging."""

import math
import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.dense.oracle import agrees, clustered, exact_vectors, noise, ranking, unit

from trivium.errors import StoreError, UsageError
from trivium.index.dense import cosine, merge, scan

DIM = 6
VECTORS = exact_vectors(DIM)


@given(st.lists(VECTORS, max_size=40), VECTORS, st.integers(-1, 50))
def test_scan_is_the_plain_loop(vectors: list[bytes], query: bytes, k: int) -> None:
    rows = list(enumerate(vectors, start=1))
    assert scan(rows, query, k) == ranking(rows, query, k)


def test_scan_of_many_rows_keeps_the_best_in_bounded_memory() -> None:
    rows = clustered(3000, 16)
    query = noise(random.Random(3), 16)
    assert agrees(scan(iter(rows), query, 5), rows, query, 5)


def test_scan_does_not_depend_on_the_order_of_rows() -> None:
    same = unit([1, 2, 3])
    assert [key for key, _ in scan([(9, same), (2, same), (5, same)], same, 2)] == [2, 5]


def test_cosine_is_within_its_interval() -> None:
    chance = random.Random(5)
    for _ in range(300):
        vector = noise(chance, 33)
        opposite = array("f", [-number for number in array("f", vector)]).tobytes()
        assert cosine(vector, vector) == pytest.approx(1, abs=1e-6)
        assert -1.0 <= cosine(vector, opposite) <= cosine(vector, vector) <= 1.0


@pytest.mark.parametrize(
    "numbers", [[math.nan, 0, 0], [math.inf, 0, 0], [2, 0, 0], [0.5, 0, 0]], ids=["nan", "infinite", "long", "short"]
)
def test_a_query_that_is_no_unit_vector_is_refused(numbers: list[float]) -> None:
    with pytest.raises(UsageError, match="unit length"):
        scan([], array("f", numbers).tobytes(), 3)


@pytest.mark.parametrize("query", [b"", b"abc"])
def test_a_query_that_is_no_vector_is_refused(query: bytes) -> None:
    with pytest.raises(UsageError, match=f"has {len(query)} bytes"):
        scan([], query, 3)


def test_a_row_of_another_dimension_is_refused() -> None:
    with pytest.raises(StoreError, match="Vector 7 has 8 bytes where 12"):
        scan([(7, unit([1, 1]))], unit([1, 1, 1]), 3)


@pytest.mark.parametrize("number", [math.nan, math.inf, -3.0])
def test_a_row_that_is_no_unit_vector_is_refused(number: float) -> None:
    with pytest.raises(StoreError, match="Vector 7"):
        scan([(7, array("f", [number, 0, 0]).tobytes())], unit([1, 1, 1]), 3)


def test_a_zero_vector_is_at_right_angles_to_everything() -> None:
    zero = bytes(12)
    assert scan([(1, zero), (2, unit([1, 0, 0]))], zero, 5) == [(1, 0.0), (2, 0.0)]


PAIRS = st.lists(st.tuples(st.integers(1, 9), st.sampled_from([-0.5, 0.0, 0.25, 0.5])), max_size=8)


@given(st.lists(PAIRS, max_size=4), st.integers(-1, 12))
def test_merge_keeps_the_best_score_of_each_key(lists: list[list[tuple[int, float]]], k: int) -> None:
    every = [pair for pairs in lists for pair in pairs]
    expected = []
    for key, score in sorted(every, key=lambda pair: (-pair[1], pair[0])):
        if key not in [known for known, _ in expected]:
            expected.append((key, score))
    assert merge(*lists, k=k) == expected[: max(k, 0)]
