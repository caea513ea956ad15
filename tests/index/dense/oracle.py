"""Vectors to search among, and the plain loop that says what the answer is."""

import random
from array import array
from collections.abc import Sequence

from hypothesis import strategies as st

Row = tuple[int, bytes]


def unit(numbers: Sequence[float]) -> bytes:
    length = sum(number * number for number in numbers) ** 0.5
    return array("f", [number / length for number in numbers]).tobytes()


def noise(chance: random.Random, dim: int) -> bytes:
    return unit([chance.gauss(0, 1) for _ in range(dim)])


def clustered(count: int, dim: int, seed: int = 1, *, first: int = 1) -> list[Row]:
    """Rows around a few centres, some of them spiky (one large number), with gaps between their keys."""
    chance = random.Random(seed)
    centres = [[chance.gauss(0, 1) for _ in range(dim)] for _ in range(1 + count // 50)]
    rows = []
    for number in range(count):
        numbers = [value + chance.gauss(0, 0.5) for value in chance.choice(centres)]
        if number % 97 == 0:
            numbers[number % dim] *= 20
        rows.append((first + 3 * number, unit(numbers)))
    return rows


def dot(left: bytes, right: bytes) -> float:
    pairs = zip(array("f", left), array("f", right), strict=True)
    return sum(a * b for a, b in pairs)


def ranking(rows: Sequence[Row], query: bytes, k: int) -> list[tuple[int, float]]:
    scored = [(key, max(-1.0, min(1.0, dot(query, vector)))) for key, vector in rows]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[: max(k, 0)]


def agrees(found: Sequence[tuple[int, float]], rows: Sequence[Row], query: bytes, k: int) -> bool:
    """Whether an answer is the oracle's, but for the order of scores that float32 cannot tell apart."""
    vectors = dict(rows)
    expected = ranking(rows, query, k)
    return (
        len(found) == len(expected) == len({key for key, _ in found})
        and all(abs(score - dot(query, vectors[key])) < 2e-6 for key, score in found)
        and all(abs(ours[1] - theirs[1]) < 2e-6 for ours, theirs in zip(found, expected, strict=True))
        and list(found) == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    )


@st.composite
def exact_vectors(draw: st.DrawFn, dim: int) -> bytes:
    """Vectors whose dot products float32 holds exactly, so that equal scores are equal: signs, halves, or nothing."""
    numbers = [0.0] * dim
    places = draw(st.lists(st.integers(0, dim - 1), min_size=4, max_size=4, unique=True))
    signs = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=4))
    kind = draw(st.sampled_from(["one", "four", "four", "four", "none"]))
    if kind == "one":
        numbers[places[0]] = signs[0]
    elif kind == "four":
        for place, sign in zip(places, signs, strict=True):
            numbers[place] = sign / 2
    return array("f", numbers).tobytes()
