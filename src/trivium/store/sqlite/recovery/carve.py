"""Journal records in the raw bytes of a database file, found by their shape when its structure is broken."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import BinaryIO

from trivium.model import Record
from trivium.store import records

# The header of a journal row, after its length: no integer key (it is the row's number), an id of 32 characters,
# a time of 27. Four lengths follow, for actor, session, operation and payload.
_HEADER = re.compile(b"\x00\x4d\x43")
_CHUNK = 1 << 20
_OVERLAP = 64
_WAL_HEADER, _FRAME_HEADER = 32, 24


def carve(path: str) -> Iterator[Record]:
    """Every record whose content still fits its id, from a database file or the `-wal` beside it.

    Follows the overflow pages of long records. Records that were rolled back, or written and not yet
    acknowledged, may be among them. A record may come more than once.
    """
    pages = _Pages(path)
    try:
        for stream, place in pages.hits():
            record = _record_at(pages, stream, place)
            if record is not None:
                yield record
    finally:
        pages.close()


class _Pages:
    """The page images of a database file and of its write-ahead log."""

    def __init__(self, path: str) -> None:
        self.streams: list[BinaryIO] = []
        self.main = self._open(path)
        self.log = self._open(path + "-wal")
        self.size = self._page_size()
        self.newest = self._frames()

    def _open(self, path: str) -> BinaryIO | None:
        if not os.path.isfile(path):
            return None
        stream = open(path, "rb")  # noqa: SIM115
        self.streams.append(stream)
        return stream

    def close(self) -> None:
        for stream in self.streams:
            stream.close()

    def _page_size(self) -> int:
        for stream, place, width in ((self.main, 16, 2), (self.log, 8, 4)):
            if stream is not None:
                size = int.from_bytes(read_at(stream, place, width), "big")
                size = 65536 if size == 1 else size
                if 512 <= size <= 65536 and size & (size - 1) == 0:
                    return size
        return 4096

    def _frames(self) -> dict[int, int]:
        """Where the newest image of each page is in the log."""
        found: dict[int, int] = {}
        if self.log is not None:
            end = self.log.seek(0, os.SEEK_END)
            for place in range(_WAL_HEADER, end - _FRAME_HEADER, self.size + _FRAME_HEADER):
                number = int.from_bytes(read_at(self.log, place, 4), "big")
                found[number] = place + _FRAME_HEADER
        return found

    def hits(self) -> Iterator[tuple[BinaryIO, int]]:
        """Where a header of a journal row may be."""
        for stream in self.streams:
            start, end = 0, stream.seek(0, os.SEEK_END)
            while start < end:
                data = read_at(stream, start, _CHUNK + _OVERLAP)
                for hit in _HEADER.finditer(data):
                    if hit.start() < _CHUNK:
                        yield stream, start + hit.start()
                start += _CHUNK

    def images(self, number: int) -> list[bytes]:
        """The bytes of a page, of the log first."""
        found = []
        if self.log is not None and number in self.newest:
            found.append(read_at(self.log, self.newest[number], self.size))
        if self.main is not None:
            found.append(read_at(self.main, (number - 1) * self.size, self.size))
        return [image for image in found if len(image) == self.size]


def read_at(stream: BinaryIO, place: int, count: int) -> bytes:
    """Up to `count` bytes from a place of a file."""
    stream.seek(place)
    return stream.read(count)


def _record_at(pages: _Pages, stream: BinaryIO, place: int) -> Record | None:
    head = read_at(stream, max(0, place - 1), 48)
    if place < 1:
        return None
    lengths, at = [32, 27], 4
    for _ in range(4):
        code, at = _number(head, at)
        if code < 13 or code % 2 == 0:
            return None
        lengths.append((code - 13) // 2)
    if head[0] != at:
        return None
    body = _body(pages, stream, place - 1, head[0], sum(lengths))
    fields, start = [], 0
    for length in lengths:
        fields.append(body[start : start + length])
        start += length
    if start != len(body):
        return None
    try:
        identifier, moment, actor, session, op, payload = (field.decode() for field in fields)
        return _sound(identifier, moment, actor, session, op, payload)
    except ValueError:
        return None


def _sound(identifier: str, at: str, actor: str, session: str, op: str, payload: str) -> Record | None:
    import json

    try:
        found = records.checked(Record(identifier, at, actor, session, op, json.loads(payload)))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Record) else None


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer of the file format and the place behind it; 0 where it does not end."""
    value = 0
    for place in range(at, min(at + 8, len(data))):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return 0, at


def _body(pages: _Pages, stream: BinaryIO, place: int, header: int, length: int) -> bytes:
    """The columns of a row: what fits its page, then what its overflow pages hold."""
    usable, total = pages.size, header + length
    local = total
    if total > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        local = least + (total - least) % (usable - 4)
        if local > usable - 35:
            local = least
    data = read_at(stream, place, local + 4)
    body, following = [data[header:local]], int.from_bytes(data[local : local + 4], "big")
    missing = total - local
    seen: set[int] = set()
    while missing > 0 and following and following not in seen:
        seen.add(following)
        images = pages.images(following)
        if not images:
            break
        part = images[0][4 : 4 + missing]
        body.append(part)
        missing -= len(part)
        following = int.from_bytes(images[0][:4], "big")
    return b"".join(body)
