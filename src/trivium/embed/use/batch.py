"""The forward pass for many texts, by numpy, over the same pack and with the same folded weights as for a few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trivium.embed.arrays import numpy
from trivium.embed.use.pack import CHUNKS, CONV, DIM, FEATURES, HIDDEN, ORDERS, Pack

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]

# Tokens that are worked on at once: enough to read each weight once for many texts, few enough to stay in the cache.
TOKENS = 384
# A token sees, through two layers, at most this many neighbours on either side: a longer text is worked on in parts
# that overlap by as much, which changes nothing but the memory it takes.
REACH = 2 * max(max(left, order - 1 - left) for order, left in ORDERS)
_GAP = REACH // 2  # zero rows between texts


class BatchForward:
    """The weights as numpy views of the pack."""

    def __init__(self, pack: Pack) -> None:
        self._np = np = numpy()

        def vector(name: str) -> Floats:
            found: Floats = np.frombuffer(pack.view(name), "<f4")
            return found

        def matrix(name: str, columns: int) -> Floats:
            return vector(name).reshape(-1, columns).T

        self._table = np.frombuffer(pack.view("table"), np.uint8).reshape(-1, DIM)
        self._scale, self._low = vector("scale"), vector("low")
        self._eps = float(vector("constants")[0])
        self._proj, self._proj_bias = matrix("proj", DIM), vector("proj_bias")
        self._gain, self._shift = vector("norm_gain"), vector("norm_bias")
        self._conv = {
            (order, layer): (matrix(f"conv{order}_{layer}", order * CONV), vector(f"conv{order}_{layer}_bias"))
            for order, _ in ORDERS
            for layer in (1, 2)
        }
        self._out, self._out_mean, self._out_const = matrix("out", FEATURES), vector("out_mean"), vector("out_const")
        self._dense_in, self._dense_1 = matrix("dense_in", DIM), matrix("dense_1", HIDDEN)
        self._dense_2, self._dense_3 = matrix("dense_2", HIDDEN), matrix("dense_3", DIM)

    def vectors(self, texts: Iterable[Sequence[int]]) -> Iterator[list[bytes]]:
        """Unit vectors of texts given as piece ids, in their order, a group at a time."""
        group: list[Sequence[int]] = []
        size = 0
        for ids in texts:
            if group and size + len(ids) > TOKENS:
                yield self._group(group)
                group, size = [], 0
            if len(ids) > TOKENS:
                yield self._long(ids)
            else:
                group.append(ids)
                size += len(ids)
        if group:
            yield self._group(group)

    def _group(self, texts: Sequence[Sequence[int]]) -> list[bytes]:
        counts = self._np.fromiter(map(len, texts), self._np.float32, len(texts))
        sums, shifts = self._summed(texts, None)
        return self._head(sums, shifts, counts)

    def _long(self, ids: Sequence[int]) -> list[bytes]:
        np = self._np
        sums, shifts = np.zeros((1, FEATURES), np.float32), np.zeros(1, np.float32)
        step = TOKENS - 2 * REACH
        for start in range(0, len(ids), step):
            first, stop = max(0, start - REACH), min(len(ids), start + step)
            part = self._summed([ids[first : stop + REACH]], slice(start - first, stop - first))
            sums += part[0]
            shifts += part[1]
        return self._head(sums, shifts, np.array([len(ids)], np.float32))

    def _summed(self, texts: Sequence[Sequence[int]], counted: slice | None) -> tuple[Floats, Floats]:
        """Per text the sums over tokens of k x and of k m: x the features, m their mean, k one over their deviation.

        With `counted`, there is one text and only those of its tokens are summed.
        """
        np = self._np
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        starts = np.cumsum(lengths) - lengths
        flat = np.fromiter((piece for ids in texts for piece in ids), np.int64, int(lengths.sum()))
        places = np.arange(len(flat)) + np.repeat(np.arange(1, len(texts) + 1) * _GAP, lengths)
        features = np.empty((len(flat), FEATURES), np.float32)
        embedded = features[:, :DIM]
        np.multiply(self._table[flat], self._scale[flat % CHUNKS, None], out=embedded)
        embedded += self._low[flat % CHUNKS, None]
        normal = embedded @ self._proj
        normal += self._proj_bias
        normal *= 1.0 / np.sqrt(np.einsum("ij,ij->i", normal, normal) / normal.shape[1] + self._eps)[:, None]
        normal *= self._gain
        normal += self._shift
        padded = np.zeros((len(flat) + _GAP * (len(texts) + 1), CONV), np.float32)
        for branch, (order, left) in enumerate(ORDERS):
            rows = normal[:, branch * CONV : (branch + 1) * CONV]
            window = places[:, None] + np.arange(-left, order - left)
            for layer in (1, 2):
                weights, bias = self._conv[order, layer]
                padded[places] = rows
                linear = padded[window].reshape(len(flat), order * CONV) @ weights
                linear += bias
                np.maximum(linear, 0.0, out=linear)
                linear += rows
                rows = linear
            features[:, DIM + branch * CONV : DIM + (branch + 1) * CONV] = rows
        means = features.mean(axis=1)
        squares = np.einsum("ij,ij->i", features, features) / FEATURES
        factors = 1.0 / np.sqrt(np.maximum(squares - means * means, 0.0) + self._eps)
        if counted is not None:
            kept = np.zeros_like(factors)
            kept[counted] = factors[counted]
            factors = kept
        features *= factors[:, None]
        return np.add.reduceat(features, starts, axis=0), np.add.reduceat(factors * means, starts)

    def _head(self, sums: Floats, shifts: Floats, counts: Floats) -> list[bytes]:
        """Output projection, residual network, tanh, unit length."""
        np = self._np
        mean = sums @ self._out
        mean -= shifts[:, None] * self._out_mean
        mean += counts[:, None] * self._out_const
        mean /= np.sqrt(counts)[:, None]
        first = mean @ self._dense_in
        y1 = np.maximum(np.maximum(first[:, :HIDDEN], 0.0) @ self._dense_1 + first[:, HIDDEN:], 0.0)
        second = y1 @ self._dense_2
        vectors = np.tanh(np.maximum(second[:, :DIM], 0.0) @ self._dense_3 + second[:, DIM:])
        vectors /= np.sqrt(np.maximum(np.einsum("ij,ij->i", vectors, vectors), self._eps))[:, None]
        return [vector.tobytes() for vector in vectors.astype("<f4", copy=False)]
