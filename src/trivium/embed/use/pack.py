"""One file that holds the model the way the forward pass wants it, mapped into memory and never parsed."""

from __future__ import annotations

import mmap
import os
import struct
import zlib

LAYOUT = 1
DIM = 512
CHUNKS = 17  # the table was published in this many parts, each with its own scale
ORDERS = ((2, 0), (3, 1), (5, 2))  # tokens of an n-gram, and how many of them stand before the token it belongs to
CONV = 256
FEATURES = DIM + CONV * len(ORDERS)
HIDDEN = 320
ALIGN = 64
# Layout of the file: header, section table, sections in this order, each starting at a multiple of ALIGN.
SECTIONS: tuple[str, ...] = (
    "charsmap",
    "charsmap_text",
    "trie",
    "scores",
    "constants",
    "scale",
    "low",
    "proj",
    "proj_bias",
    "norm_gain",
    "norm_bias",
    *(f"conv{order}_{layer}{suffix}" for order, _ in ORDERS for layer in (1, 2) for suffix in ("", "_bias")),
    "out",
    "out_mean",
    "out_const",
    "dense_in",
    "dense_1",
    "dense_2",
    "dense_3",
    "table",
)
MAGIC = b"trv-use\n"
_HEADER = struct.Struct("<8sIIQII")  # magic, layout, sections, file size, CRC-32 of the sections, CRC-32 of the table
_ENTRY = struct.Struct("<QQ")
SECTIONS_START = -(-(_HEADER.size + _ENTRY.size * len(SECTIONS)) // ALIGN) * ALIGN


class Pack:
    """The sections by name, as views of one buffer."""

    __slots__ = ("_data", "_table", "size")

    def __init__(self, data: memoryview, table: dict[str, tuple[int, int]]) -> None:
        self._data = data
        self._table = table
        self.size = len(data)

    def view(self, name: str) -> memoryview:
        """The bytes of a section."""
        offset, size = self._table[name]
        return self._data[offset : offset + size]

    def floats(self, name: str) -> memoryview[float]:
        """A section as a vector of float32."""
        return self.view(name).cast("f")

    def matrix(self, name: str, columns: int) -> memoryview[float]:
        """A section as float32 rows of that many columns."""
        raw = self.view(name)
        return raw.cast("f", (len(raw) // (4 * columns), columns))


def header(sizes: list[int], checksum: int) -> bytes:
    """The first `SECTIONS_START` bytes of a file whose sections have these sizes and, padding included, this CRC-32."""
    entries = b"".join(_ENTRY.pack(offset, size) for offset, size in zip(offsets(sizes), sizes, strict=True))
    total = offsets([*sizes, 0])[-1]
    head = _HEADER.pack(MAGIC, LAYOUT, len(sizes), total, checksum, zlib.crc32(entries))
    return (head + entries).ljust(SECTIONS_START, b"\0")


def offsets(sizes: list[int]) -> list[int]:
    """Where sections of these sizes start."""
    found, position = [], SECTIONS_START
    for size in sizes:
        found.append(position)
        position += -(-size // ALIGN) * ALIGN
    return found


def parse(buffer: bytes | bytearray | memoryview | mmap.mmap) -> Pack | None:
    """The pack in a buffer, none when its header or its size is not right; the weights themselves are not read."""
    data = memoryview(buffer)
    if len(data) < SECTIONS_START:
        return None
    magic, layout, count, size, _, table_checksum = _HEADER.unpack_from(data)
    if (magic, layout, count, size) != (MAGIC, LAYOUT, len(SECTIONS), len(data)):
        return None
    entries = data[_HEADER.size : _HEADER.size + _ENTRY.size * count]
    if zlib.crc32(entries) != table_checksum:
        return None
    table = dict(zip(SECTIONS, _ENTRY.iter_unpack(entries), strict=True))
    return Pack(data, table)


def read(path: str) -> Pack | None:
    """Map the pack at a path, none when there is no readable, whole one."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        return parse(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


def is_intact(path: str) -> bool:
    """Whether every byte of the pack at a path is what was written: reads the whole file."""
    found = read(path)
    if found is None:
        return False
    with open(path, "rb") as stream:
        checksum = _HEADER.unpack(stream.read(_HEADER.size))[4]
        stream.seek(SECTIONS_START)
        actual = 0
        while block := stream.read(1 << 20):
            actual = zlib.crc32(block, actual)
    return bool(actual == checksum)
