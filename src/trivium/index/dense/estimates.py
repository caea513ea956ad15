"""Estimated cosines of many rows at once, and which rows they leave worth an exact score.

There is no array library here: simsimd computes over whole spans of rows, and the few rows of interest are found by
looking at one byte of each result. Estimates come as 3 - 0.85 x cosine, which lies within [2, 4): there all float32
share their exponent, and byte 2 of each is the number of 64ths above 2.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import dist
from operator import mul
from typing import Any

import simsimd

from trivium.index.dense.ranking import NORM_SLACK, Best, dot, exact
from trivium.index.dense.segment import Segment

SPAN = 16_384
"""How many rows are estimated at once."""

_fma: Callable[..., Any] = simsimd.fma

Tensor = Any
"""What simsimd returns: it has the buffer protocol and nothing else.

Tensors are always taken as returned: given `out`, simsimd 6.5 drops a reference to None with each call.
"""

_SLOPE = 0.85
_UP_TO = bytes(range(256))
_ROUNDING = 1e-5
"""More than the error of any float32 computation here."""

_MAX_SLACK = 0.1
"""Beyond this codes say too little, and a sum of cosine and slack could leave the interval."""


class Estimates:
    """Estimates for the rows of a segment, from its codes where they are precise enough, else from its floats.

    `slack` is how far an estimate may be from the cosine. Where q ~ s x c is the query and its codes, x a row and y its
    fit: |q.x - (s c).y| <= |q - s c| |x| + |s c| |x - y|.
    """

    __slots__ = ("_codes", "_ones", "_scale", "query", "segment", "slack")

    def __init__(self, segment: Segment, query: memoryview[float]) -> None:
        self.segment = segment
        self.query = query
        self._codes: memoryview[int] | None = None
        self._scale, self.slack = 1.0, _ROUNDING
        self._ones: memoryview[Any] = memoryview(array("f", (1.0,)) * min(segment.count, SPAN))
        if segment.is_coded:
            codes, scale, error = _quantised(query)
            slack = (1 + NORM_SLACK) * error + (1 + NORM_SLACK + error) * segment.error + _ROUNDING
            if slack <= _MAX_SLACK:
                self._codes, self._scale, self.slack = codes, scale, slack

    def between(self, start: int, stop: int) -> Tensor:
        """3 - 0.85 x cosine, estimated, of at most SPAN rows; other threads run meanwhile."""
        dim, shape = self.segment.dim, (stop - start, self.segment.dim)
        scales = ones = self._ones[: stop - start]
        if self._codes is None:
            rows = self.segment.floats[start * dim : stop * dim].cast("B").cast("f", shape)
            products = dot(self.query, rows, out_dtype="float32")
        else:
            codes = self.segment.codes[start * dim : stop * dim].cast("B").cast("b", shape)
            products = dot(self._codes, codes, out_dtype="float32")
            scales = self.segment.scales[start:stop]
        return _fma(products, scales, ones, alpha=-_SLOPE * self._scale, beta=3.0)


def _quantised(query: memoryview[float]) -> tuple[memoryview[int], float, float]:
    """(codes, scale, error): int8 codes whose multiple by `scale` is `error` away from the query."""
    numbers = query.tolist()
    step = max(map(abs, numbers)) / 127 or 1.0
    codes = [round(number / step) for number in numbers]
    square = sum(code * code for code in codes) or 1
    scale = sum(map(mul, numbers, codes)) / square
    error = dist(numbers, [scale * code for code in codes])
    return memoryview(array("b", codes)), scale, error


def examine(estimates: Estimates, start: int, values: Tensor, best: Best) -> None:
    """Score exactly those rows, of a span beginning at `start`, that may be among the best."""
    view = memoryview(values)
    leading = view.tobytes()[2::4]
    limit = _limit(leading, estimates.slack, best)
    count = max(0, min(256, int((limit - 2) * 64) + 1))
    marks = leading.translate(b"\1" * count + b"\0" * (256 - count))
    segment, query, pairs = estimates.segment, estimates.query, best.pairs
    at = marks.find(1)
    while at >= 0:
        if view[at] <= limit:
            pairs.append((-exact(query, segment.row(start + at)), segment.keys[start + at]))
        at = marks.find(1, at + 1)
    if len(pairs) > best.k or best.floor == float("-inf"):
        best.trim()


def _limit(leading: bytes, slack: float, best: Best) -> float:
    """The largest value of 3 - 0.85 x cosine that a row among the best may have."""
    if best.floor > float("-inf"):
        return 3 - _SLOPE * (best.floor - slack)
    if len(leading) <= best.k:
        return 4.0
    # Nothing is known yet: halve the 64ths down to the smallest that hold k rows; their scores are at least that good.
    low, high = 0, 127
    while low < high:
        middle = (low + high) // 2
        if len(leading) - len(leading.translate(None, _UP_TO[: middle + 1])) >= best.k:
            high = middle
        else:
            low = middle + 1
    return 2 + (low + 1) / 64 + 2 * _SLOPE * slack
