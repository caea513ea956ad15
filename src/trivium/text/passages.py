"""Long text cut into passages at the best boundary there is, as offsets that slice back to the text."""

from __future__ import annotations

import re

SPLITTER_VERSION = 3
"""Stored with an index: passages of two versions are never mixed."""

PASSAGE_SIZE = 400
"""Most of a passage by `weight`: a Latin letter counts 1, a Cyrillic one 1.5, an ideograph, kana or syllable 2."""

_TITLE_CHARS = 120

# Where a text may be cut, best first: between paragraphs and before headings, at a line end, after a
# sentence, after a clause, at white space. Compiled when a text is cut: searching imports this module too.
_BOUNDARIES = (
    r"\n[ \t]*\n\s*|\n(?=#{1,6} )",
    r"\n+",
    r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？｡])[」』”’）]*",
    r"(?<=[,;:、，；：])\s*",
    r"\s+",
)

Span = tuple[int, int]


def passages(text: str, *, size: int = PASSAGE_SIZE) -> list[Span]:
    """Spans `[start, end)` in order, without overlap, that hold all of the text but white space at cuts.

    No span weighs more than `size` (see `PASSAGE_SIZE`); a short text is one span, a blank text none. A heading stays
    with what follows it.
    """
    spans: list[Span] = []
    _split(text, (0, len(text)), size, 0, spans)
    return _pack(text, spans, size)


def in_context(text: str, start: int, end: int) -> str:
    """A passage as it is embedded: with the first line of its text, the name of the thing, above it."""
    if not text[:start].strip():
        return text[start:end]
    title = text.lstrip().partition("\n")[0].strip()
    return f"{title}\n{text[start:end]}" if len(title) <= _TITLE_CHARS else text[start:end]


def weight(text: str) -> int:
    """Length between characters and UTF-8 bytes: dense scripts, which say more with a character, count double."""
    return len(text) if text.isascii() else (len(text) + len(text.encode("utf-8", "surrogatepass"))) // 2


def _split(text: str, span: Span, size: int, level: int, spans: list[Span]) -> None:
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
    for match in re.compile(_BOUNDARIES[level]).finditer(text, start, end):
        if match.end() > at:
            _split(text, (at, match.start() if match.start() > at else match.end()), size, level + 1, spans)
            at = match.end()
    _split(text, (at, end), size, level + 1, spans)


def _pack(text: str, units: list[Span], size: int) -> list[Span]:
    """Neighbouring units together while they fit; a heading begins a passage when the one before is half full."""
    packed: list[list[Span]] = []
    for unit in units:
        is_heading = text[unit[0]] == "#"
        room = size // 2 if is_heading else size
        if packed and weight(text[packed[-1][0][0] : unit[1]]) <= room:
            packed[-1].append(unit)
            continue
        lead = []
        if packed and len(packed[-1]) > 1 and not is_heading and _is_heading_line(text, packed[-1][-1]):
            heading = packed[-1][-1]
            if weight(text[heading[0] : unit[1]]) <= size:
                lead = [packed[-1].pop()]
        packed.append([*lead, unit])
    return [(group[0][0], group[-1][1]) for group in packed]


def _is_heading_line(text: str, span: Span) -> bool:
    return text[span[0]] == "#" and "\n" not in text[span[0] : span[1]]
