"""One immutable file of vectors: its layout, how it is written once and mapped for reading.

```
offset 0     header, one page of 4,096 bytes; all numbers little-endian
             8s magic, u32 version, u32 dim, u64 count, i64 last_key,
             8s uid (random), 8s uid of the segment before this one (zeros: none),
             f64 error, u32 is_coded, u32 crc32 of all that follows the page, u16 length, identity in UTF-8, zeros,
             u32 crc32 of the page up to here
4,096        float32 rows   count x dim, in key order
then, each from a multiple of 64:
             int64 keys     count, ascending
             int8 codes     count x dim               only when is_coded
             float32 scales count                     only when is_coded
```

`row ~ scale x codes`, and `error` is the largest Euclidean distance between the two sides over all rows.
"""

from __future__ import annotations

import mmap
import os
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any
from zlib import crc32

from trivium.errors import StoreError, UsageError
from trivium.index.dense.ranking import Row, is_unit_or_zero

_HEADER = struct.Struct("<8sIIQq8s8sdIIH")
_MAGIC = b"trivec\r\n"
_VERSION = 1
_PAGE = 4096
_BLOCK = 2048
_WRITE_BYTES = 16 << 20
NO_PARENT = bytes(8)
CODED_FROM = 4_096
"""From so many rows on there are int8 codes: below, a pass over the floats is as fast, and writing needs no numpy."""


def _aligned(offset: int) -> int:
    return -(-offset // 64) * 64


def _offsets(dim: int, count: int, *, is_coded: bool) -> tuple[int, int, int, int]:
    """Where keys, codes and scales begin, and the size of the file."""
    keys = _aligned(_PAGE + 4 * dim * count)
    end = keys + 8 * count
    if not is_coded:
        return keys, end, end, end
    codes = _aligned(end)
    scales = _aligned(codes + dim * count)
    return keys, codes, scales, scales + 4 * count


class Segment:
    """A mapped file. `keys`, `floats`, `scales` and `codes` are views of it; without codes the last two are empty."""

    __slots__ = (
        *("_crc", "_map", "codes", "count", "dim", "error", "floats"),
        *("is_coded", "keys", "last_key", "parent", "path", "scales", "uid"),
    )

    def __init__(
        self, path: str, mapped: mmap.mmap, fields: tuple[int, int, int, bytes, bytes, float, int, int]
    ) -> None:
        self.path = path
        self._map = mapped
        self.dim, self.count, self.last_key, self.uid, self.parent, self.error, is_coded, self._crc = fields
        self.is_coded = bool(is_coded)
        keys, codes, scales, end = _offsets(self.dim, self.count, is_coded=self.is_coded)
        view = memoryview(mapped)
        self.floats = view[_PAGE : _PAGE + 4 * self.dim * self.count].cast("f")
        self.keys = view[keys : keys + 8 * self.count].cast("q")
        self.codes = view[codes : codes + (self.dim * self.count if self.is_coded else 0)].cast("b")
        self.scales = view[scales:end].cast("f")

    @classmethod
    def open(cls, path: str, *, identity: str) -> Segment | None:
        """The file, or None when it is missing, incomplete, damaged in its header, or not of this identity."""
        try:
            with open(path, "rb", buffering=0) as file:
                fields = _read_header(file.read(_PAGE), identity)
                if fields is None:
                    return None
                dim, count, last_key, *_, is_coded, _crc = fields
                if os.fstat(file.fileno()).st_size != _offsets(dim, count, is_coded=bool(is_coded))[3]:
                    return None
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        segment = cls(path, mapped, fields)
        if count and segment.keys[-1] != last_key:
            segment.close()
            return None
        return segment

    def row(self, index: int) -> memoryview[float]:
        """The floats of one row."""
        return self.floats[index * self.dim : (index + 1) * self.dim]

    def find(self, key: int) -> int:
        """The place of a key among the rows, or -1."""
        index = bisect_left(self.keys, key)
        return index if index < self.count and self.keys[index] == key else -1

    def rows(self) -> Iterable[Row]:
        """Every (key, vector)."""
        for index in range(self.count):
            yield self.keys[index], bytes(self.row(index))

    def is_intact(self) -> bool:
        """Whether every byte is as it was written; reads the whole file."""
        crc = 0
        view = memoryview(self._map)
        for start in range(_PAGE, len(view), 1 << 20):
            crc = crc32(view[start : start + (1 << 20)], crc)
        return crc == self._crc

    def close(self) -> None:
        """Release the mapping; a segment cannot be used afterwards."""
        views: tuple[memoryview[Any], ...] = (self.floats, self.keys, self.codes, self.scales)
        # A traceback may still hold a part of them: then the mapping goes with it.
        for view in views:
            with suppress(BufferError):
                view.release()
        with suppress(BufferError):
            self._map.close()


def _read_header(page: bytes, identity: str) -> tuple[int, int, int, bytes, bytes, float, int, int] | None:
    if len(page) != _PAGE or crc32(page[:-4]) != int.from_bytes(page[-4:], "little"):
        return None
    magic, version, dim, count, last_key, uid, parent, error, is_coded, crc, length = _HEADER.unpack_from(page)
    if magic != _MAGIC or version != _VERSION:
        return None
    if page[_HEADER.size : _HEADER.size + length] != identity.encode():
        return None
    return dim, count, last_key, uid, parent, error, is_coded, crc


class _Body:
    """What follows the header page: counts the bytes and their checksum as they are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.offset = _PAGE
        self.crc = 0

    def write(self, block: bytes | memoryview[int]) -> None:
        self.file.write(block)
        self.offset += len(block)
        self.crc = crc32(block, self.crc)

    def align(self) -> None:
        self.write(bytes(_aligned(self.offset) - self.offset))


def write_segment(
    temporary: str, rows: Iterable[Row], *, dim: int, identity: str, uid: bytes, parent: bytes, after: int
) -> int:
    """Write and sync a file of rows whose keys ascend from above `after`; returns how many.

    Reads the rows once and keeps only their keys and scales in memory (12 bytes a row).

    Raises:
        UsageError: the dimension or the identity does not fit the format.
        StoreError: a row has another dimension, is not a unit vector (or zero), or its key does not ascend.
        OSError: the file cannot be written.
    """
    name = identity.encode()
    if not 1 <= dim <= 1 << 16 or len(name) > _PAGE - _HEADER.size - 4:
        raise UsageError(f"A vector file cannot hold {dim} dimensions of {identity[:80]!r}.")
    # Few large writes: a page cache filled by small ones takes many more faults to map.
    with open(temporary, "wb", buffering=_WRITE_BYTES) as file:
        file.write(bytes(_PAGE))
        body = _Body(file)
        keys = _write_floats(body, rows, dim, after)
        body.align()
        body.write(memoryview(keys).cast("B"))
        is_coded = len(keys) >= CODED_FROM
        error = 0.0
        if is_coded:
            body.align()
            error = _write_codes(body, temporary, dim, len(keys))
        last_key = keys[-1] if keys else after
        numbers = (_VERSION, dim, len(keys), last_key, uid, parent, error, is_coded, body.crc, len(name))
        page = (_HEADER.pack(_MAGIC, *numbers) + name).ljust(_PAGE - 4, b"\0")
        file.seek(0)
        file.write(page + crc32(page).to_bytes(4, "little"))
        file.flush()
        os.fsync(file.fileno())
    return len(keys)


def _write_floats(body: _Body, rows: Iterable[Row], dim: int, after: int) -> array[int]:
    keys = array("q")
    block: list[bytes] = []
    for key, vector in rows:
        if len(vector) != 4 * dim:
            raise StoreError(f"Vector {key} has {len(vector)} bytes where {4 * dim} were expected.")
        if key <= after:
            raise StoreError(f"Vector {key} comes after vector {after}: keys must be positive and ascend.")
        if not is_unit_or_zero(memoryview(vector).cast("f")):
            raise StoreError(f"Vector {key} is not of unit length.", hint="Embed its text again.")
        keys.append(key)
        block.append(vector)
        after = key
        if len(block) == _BLOCK:
            body.write(b"".join(block))
            block.clear()
    body.write(b"".join(block))
    return keys


def _write_codes(body: _Body, path: str, dim: int, count: int) -> float:
    """Quantise the rows just written, each to its own scale, then write codes and scales; returns the error."""
    import numpy as np

    body.file.flush()
    scales = np.empty(count, "<f4")
    error = 0.0
    with open(path, "rb") as written:
        written.seek(_PAGE)
        for start in range(0, count, _BLOCK):
            size = min(_BLOCK, count - start)
            rows = np.frombuffer(written.read(4 * dim * size), "<f4").reshape(size, dim)
            peaks = np.abs(rows).max(axis=1, keepdims=True)
            codes = rows * (127 / np.where(peaks > 0, peaks, 1))
            np.rint(codes, out=codes)
            lengths = np.einsum("ij,ij->i", codes, codes)
            # The least squares fit of each row by its codes.
            fits = np.einsum("ij,ij->i", codes, rows) / np.where(lengths > 0, lengths, 1)
            body.write(codes.astype("i1").tobytes())
            codes *= fits[:, None]
            codes -= rows
            error = max(error, float(np.einsum("ij,ij->i", codes, codes).max()) ** 0.5)
            scales[start : start + size] = fits
    body.align()
    body.write(scales.tobytes())
    return error * 1.0001 + 1e-6
