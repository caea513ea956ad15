"""Long text cut into passages at the best boundary there is, as offsets that slice back to the text."""

from __future__ import annotations

import re

SPLITTER_VERSION = 1
"""Stored with an index: passages of two versions are never mixed."""

PASSAGE_SIZE = 600
"""Most of a passage, in weighted characters: a Latin letter counts 1, an ideograph, kana or hangul syllable 2."""

_WIDE = re.compile(
    "[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)

# Where a text may be cut, best first: between paragraphs and before headings, at a line end, after a
# sentence, after a clause, at white space.
_BOUNDARIES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n[ \t]*\n\s*|\n(?=#{1,6} )",
        r"\n+",
        r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？｡])[」』”’）]*",
        r"(?<=[,;:、，；：])\s*",
        r"\s+",
    )
)


def passages(text: str, *, size: int = PASSAGE_SIZE) -> list[tuple[int, int]]:
    """Spans `[start, end)` in order, without overlap, that hold all of the text but white space at cuts.

    No span weighs more than `size` (see `PASSAGE_SIZE`); a short text is one span, a blank text none.
    """
    spans: list[tuple[int, int]] = []
    _split(text, (0, len(text)), size, 0, spans)
    return _pack(text, spans, size)


def weight(text: str) -> int:
    """Length in characters, where characters of dense scripts count twice."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def _split(text: str, span: tuple[int, int], size: int, level: int, spans: list[tuple[int, int]]) -> None:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return
    if weight(text[start:end]) <= size:
        spans.append((start, end))
        return
    if level == len(_BOUNDARIES):
        step = max(1, size // 2)
        for at in range(start, end, step):
            _split(text, (at, min(at + step, end)), size, level, spans)
        return
    at = start
    for match in _BOUNDARIES[level].finditer(text, start, end):
        if match.end() > at:
            _split(text, (at, match.start() if match.start() > at else match.end()), size, level + 1, spans)
            at = match.end()
    _split(text, (at, end), size, level + 1, spans)


def _pack(text: str, spans: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    packed: list[tuple[int, int]] = []
    for start, end in spans:
        if packed and weight(text[packed[-1][0] : end]) <= size:
            packed[-1] = (packed[-1][0], end)
        else:
            packed.append((start, end))
    return packed
