"""Estimates stay within their slack, and nothing that may be among the best is passed over."""

import random
from array import array
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.index.dense.oracle import agrees, clustered, dot, noise, unit

from trivium.index.dense.estimates import Estimates, examine
from trivium.index.dense.ranking import Best
from trivium.index.dense.segment import CODED_FROM, NO_PARENT, Segment, write_segment

DIM = 24
ROWS = clustered(CODED_FROM, DIM)


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Segment:
    return segment_of(tmp_path_factory.mktemp("coded"), ROWS)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Segment:
    return segment_of(tmp_path_factory.mktemp("plain"), ROWS[: CODED_FROM - 1])


def segment_of(folder: Path, rows: list[tuple[int, bytes]]) -> Segment:
    path = str(folder / "s")
    write_segment(path, rows, dim=DIM, identity="m", uid=b"12345678", parent=NO_PARENT, after=0)
    segment = Segment.open(path, identity="m")
    assert segment is not None
    return segment


def queries() -> list[bytes]:
    chance = random.Random(2)
    spike = unit([1.0] + [0.003] * (DIM - 1))
    opposite = array("f", [-number for number in array("f", ROWS[7][1])]).tobytes()
    return [ROWS[0][1], ROWS[97][1], opposite, spike, bytes(4 * DIM), *(noise(chance, DIM) for _ in range(5))]


@pytest.mark.parametrize("kind", ["coded", "plain"])
def test_estimates_are_within_their_slack(request: pytest.FixtureRequest, kind: str) -> None:
    segment: Segment = request.getfixturevalue(kind)
    for query in queries():
        estimates = Estimates(segment, memoryview(query).cast("f"))
        values = memoryview(estimates.between(10, 1500)).tolist()
        assert len(values) == 1490
        assert all(2 <= value < 4 for value in values)
        errors = [
            abs((3 - value) / 0.85 - dot(query, vector))
            for value, (_, vector) in zip(values, ROWS[10:1500], strict=True)
        ]
        assert max(errors) <= estimates.slack
        assert estimates.slack < (0.05 if kind == "coded" else 1e-4)


def test_codes_that_say_too_little_are_not_used(tmp_path: Path) -> None:
    # One number near 1 and many below half a step of it: rounding to codes loses all of those.
    dim = 2048
    half_step = 0.49 / 127
    vector = unit([1.0] + [half_step] * (dim - 1))
    rows = [(key, vector) for key in range(1, CODED_FROM + 1)]
    path = str(tmp_path / "s")
    write_segment(path, rows, dim=dim, identity="m", uid=b"12345678", parent=NO_PARENT, after=0)
    segment = Segment.open(path, identity="m")
    assert segment is not None
    assert segment.is_coded
    assert segment.error > 0.1
    assert Estimates(segment, memoryview(vector).cast("f")).slack < 1e-4
    segment.close()


@pytest.mark.parametrize("kind", ["coded", "plain"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_spans_in_any_order_give_the_plain_loop(request: pytest.FixtureRequest, kind: str, data: st.DataObject) -> None:
    segment: Segment = request.getfixturevalue(kind)
    query = data.draw(st.sampled_from(queries()))
    k = data.draw(st.sampled_from([1, 2, 10, 100]))
    cuts = sorted(data.draw(st.sets(st.integers(1, 1999), max_size=4)))
    spans = data.draw(st.permutations(list(zip([0, *cuts], [*cuts, 2000], strict=True))))
    best = Best(k)
    estimates = Estimates(segment, memoryview(query).cast("f"))
    for start, stop in spans:
        examine(estimates, start, estimates.between(start, stop), best)
    assert agrees(best.ranked(), ROWS[:2000], query, k)
