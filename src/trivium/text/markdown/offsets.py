"""Places in a text: byte offsets to character offsets and lines, each in one pass."""

from __future__ import annotations

from collections.abc import Iterable


def characters(data: bytes, offsets: Iterable[int], base: int = 0) -> dict[int, int]:
    """Byte offsets into UTF-8 `data`, each at a character border, to character offsets plus `base`.

    Time is linear in the data and in the number of offsets (plus sorting them).
    """
    places: dict[int, int] = {}
    at, count = 0, base
    for offset in sorted(set(offsets)):
        count += len(data[at:offset].decode())
        places[offset] = count
        at = offset
    return places


class Lines:
    """Line numbers, counted from 1, of offsets that are asked for in rising order."""

    __slots__ = ("_at", "_line", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def line(self, offset: int) -> int:
        """The line of `offset`; an offset before the last one asked for starts the count again."""
        if offset < self._at:
            self._at, self._line = 0, 1
        self._line += self._text.count("\n", self._at, offset)
        self._at = offset
        return self._line
