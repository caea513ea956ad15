"""The forward pass for a few short texts: dot products by simsimd over the mapped pack, the rest in plain Python.

Importing numpy costs more than embedding a query. Model: a convolutional n-gram encoder over token embeddings (orders
2, 3 and 5), summed over the tokens, then a small residual network; Yang et al. (2019), https://arxiv.org/abs/1907.04307.

simsimd is never given an `out` argument: it then returns None without counting the reference, which ends a Python 3.11.
"""

from __future__ import annotations

from array import array
from math import sqrt, tanh

import simsimd

from trivium.embed.use.pack import CHUNKS, CONV, DIM, FEATURES, HIDDEN, ORDERS, Pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_ROW_BYTES = 4 * CONV
_kernels: Any = simsimd  # its own types know the arrays of numpy only
cdist, dot, fma, wsum = _kernels.cdist, _kernels.dot, _kernels.fma, _kernels.wsum


class Forward:
    """The weights as views of the pack."""

    def __init__(self, pack: Pack) -> None:
        self._table = pack.view("table")
        self._scale, self._low = pack.floats("scale"), pack.floats("low")
        self._eps = pack.floats("constants")[0]
        self._proj, self._proj_bias = pack.matrix("proj", DIM), pack.floats("proj_bias")
        self._gain, self._shift = pack.floats("norm_gain"), pack.floats("norm_bias")
        self._conv = {
            (order, layer): (
                pack.matrix(f"conv{order}_{layer}", order * CONV),
                bytes(pack.view(f"conv{order}_{layer}_bias")),
            )
            for order, _ in ORDERS
            for layer in (1, 2)
        }
        self._out, self._out_mean = pack.matrix("out", FEATURES), pack.floats("out_mean")
        self._out_const = pack.floats("out_const")
        self._dense_in, self._dense_1 = pack.matrix("dense_in", DIM), pack.matrix("dense_1", HIDDEN)
        self._dense_2, self._dense_3 = pack.matrix("dense_2", HIDDEN), pack.matrix("dense_3", DIM)
        self._ones = array("f", [1.0]) * DIM

    def vector(self, ids: Sequence[int]) -> bytes:
        """The unit vector of one text, 512 float32, from its piece ids."""
        count = len(ids)
        embedded = self._embedded(ids)
        normal = self._normal(embedded)
        sign_bits = int.from_bytes(b"\1\0\0\0" * (count * CONV), "little")
        parts = [(embedded, DIM)]
        for branch, (order, left) in enumerate(ORDERS):
            rows = b"".join([row[branch * _ROW_BYTES : (branch + 1) * _ROW_BYTES] for row in normal])
            for layer in (1, 2):
                rows = self._convolved(rows, order, left, layer, sign_bits)
            parts.append((rows, CONV))
        return self._head(*self._summed(parts, count), count)

    def _embedded(self, ids: Sequence[int]) -> bytes:
        """The table rows of the pieces as float32: a byte b of chunk c stands for scale[c] b + low[c]."""
        ones, table = self._ones, self._table
        return b"".join(
            [
                fma(
                    array("f", list(table[piece * DIM : (piece + 1) * DIM])),
                    ones,
                    ones,
                    alpha=self._scale[piece % CHUNKS],
                    beta=self._low[piece % CHUNKS],
                )
                for piece in ids
            ]
        )

    def _normal(self, embedded: bytes) -> list[bytes]:
        """Per token the projection to the three branches after layer norm, the mean being folded into the weights."""
        projected = _products(embedded, self._proj)
        width = len(self._proj_bias)
        rows = []
        for start in range(0, len(projected), width):
            row = wsum(projected[start : start + width], self._proj_bias, alpha=1.0, beta=1.0)
            factor = 1.0 / sqrt(dot(row, row) / width + self._eps)
            rows.append(bytes(fma(row, self._gain, self._shift, alpha=factor, beta=1.0)))
        return rows

    def _convolved(self, rows: bytes, order: int, left: int, layer: int, sign_bits: int) -> bytes:
        """relu(convolution + bias) + rows: tokens past either end of the text count as zeros."""
        weights, bias = self._conv[order, layer]
        count = len(rows) // _ROW_BYTES
        padded = bytes(left * _ROW_BYTES) + rows + bytes((order - 1 - left) * _ROW_BYTES)
        windows = b"".join([padded[t * _ROW_BYTES : (t + order) * _ROW_BYTES] for t in range(count)])
        linear = _products(windows, weights)
        biased = bytes(wsum(linear, _floats(bias * count), alpha=1.0, beta=1.0))
        return bytes(wsum(_floats(_positive(biased, sign_bits)), _floats(rows), alpha=1.0, beta=1.0))

    def _summed(self, parts: Sequence[tuple[bytes, int]], count: int) -> tuple[bytes, float]:
        """The sums over tokens of k x and of k m: x the features, m their mean, k one over their deviation."""
        views = [(_floats(data), width) for data, width in parts]
        factors, shift = [], 0.0
        for token in range(count):
            total = squares = 0.0
            for view, width in views:
                row = view[token * width : (token + 1) * width]
                total += dot(row, self._ones[:width])
                squares += dot(row, row)
            mean = total / FEATURES
            factor = 1.0 / sqrt(max(squares / FEATURES - mean * mean, 0.0) + self._eps)
            factors.append(factor)
            shift += factor * mean
        sums = []
        for view, width in views:
            sum_ = wsum(view[:width], view[:width], alpha=factors[0], beta=0.0)
            for token in range(1, count):
                row = view[token * width : (token + 1) * width]
                sum_ = wsum(sum_, row, alpha=1.0, beta=factors[token])
            sums.append(bytes(sum_))
        return b"".join(sums), shift

    def _head(self, features: bytes, shift: float, count: int) -> bytes:
        """Output projection, residual network, tanh, unit length."""
        projected = wsum(_products(features, self._out), self._out_mean, alpha=1.0, beta=-shift)
        mean = bytes(wsum(projected, self._out_const, alpha=1.0 / sqrt(count), beta=sqrt(count)))
        first = _products(mean, self._dense_in).tolist()
        y0 = _relu(first[:HIDDEN])
        y1 = _relu(memoryview(wsum(_products(y0, self._dense_1), array("f", first[HIDDEN:]), alpha=1.0, beta=1.0)))
        second = _products(y1, self._dense_2).tolist()
        y2 = _relu(second[:DIM])
        z = wsum(_products(y2, self._dense_3), array("f", second[DIM:]), alpha=1.0, beta=1.0)
        values = array("f", map(tanh, memoryview(z)))
        length = sqrt(max(dot(values, values), self._eps))
        return bytes(wsum(values, values, alpha=1.0 / length, beta=0.0))


def _products(rows: bytes, weights: memoryview[float]) -> memoryview[float]:
    """The dot product of each row with each row of the weights, as one vector."""
    _, width = weights.shape or (0, 1)
    left = memoryview(rows).cast("f", (len(rows) // (4 * width), width))
    return memoryview(cdist(left, weights, metric="dot", out_dtype="float32")).cast("B").cast("f")


def _floats(data: bytes) -> memoryview[float]:
    return memoryview(data).cast("f")


def _positive(data: bytes, sign_bits: int) -> bytes:
    """Float32 values, the negative ones replaced by zero: shifted sign bits of one long integer make the mask."""
    bits = int.from_bytes(data, "little")
    signs = bits >> 31 & sign_bits
    return (bits & ~((signs << 32) - signs)).to_bytes(len(data), "little")


def _relu(values: Iterable[float]) -> bytes:
    return array("f", [value if value > 0.0 else 0.0 for value in values]).tobytes()
