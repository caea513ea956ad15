"""What of a note is prose: the same text, as long, with everything else blanked out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

Span = tuple[int, int]

BLANK = "\0"
"""Stands for each character that is no prose: no pattern of this package matches it."""

_COMMENT = re.compile("%%")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\r?\n")
_QUERY = re.compile(r"\{\{query\b", re.I)
_ORG_BLOCK = re.compile(r"^[ \t]*#\+BEGIN_(SRC|EXAMPLE|QUERY|EXPORT|COMMENT)\b", re.I | re.M)


def blanked(text: str, spans: Iterable[Span]) -> str:
    """`text` with the spans blanked; newlines at their ends stay, so that lines still begin where they did."""
    pieces: list[str] = []
    at = 0
    for start, stop in sorted(spans):
        end = stop
        while end > start and text[end - 1] in "\r\n":
            end -= 1
        if end > at:
            begin = max(start, at)
            pieces.append(text[at:begin])
            pieces.append(BLANK * (end - begin))
            at = end
    pieces.append(text[at:])
    return "".join(pieces)


def outside(spans: Iterable[Span]) -> Callable[[int], bool]:
    """A test whether a place lies in none of the spans, which may overlap."""
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    starts = [start for start, _ in merged]

    def is_outside(place: int) -> bool:
        at = bisect_right(starts, place)
        return at == 0 or merged[at - 1][1] <= place

    return is_outside


def hidden(text: str) -> list[Span]:
    """Comments `%%...%%`, Logseq's `{{query ...}}` and Org's literal blocks in a text whose code is already blank."""
    spans: list[Span] = []
    if "%%" in text:
        spans += _comments(text)
    if "{{" in text:
        spans += _queries(text)
    if "#+" in text:
        spans += _org_blocks(text)
    return spans


def _comments(text: str) -> list[Span]:
    """One that opens a line may hold blank lines; within a line it ends with its paragraph."""
    spans: list[Span] = []
    marks = [match.start() for match in _COMMENT.finditer(text)]
    number = 0
    while number + 1 < len(marks):
        start, end = marks[number], marks[number + 1]
        after = spans[-1][1] if spans else 0
        line_start = text.rfind("\n", after, start) + 1
        is_block = (line_start > 0 or after == 0) and not text[line_start:start].strip(" \t\r")
        if is_block or _PARAGRAPH_END.search(text, start, end) is None:
            spans.append((start, end + 2))
            number += 2
        else:
            number += 1
    return spans


def _queries(text: str) -> list[Span]:
    spans: list[Span] = []
    at = 0
    while match := _QUERY.search(text, at):
        line_end = text.find("\n", match.end())
        line_end = len(text) if line_end < 0 else line_end
        end = text.find("}}", match.end(), line_end)
        if end < 0:
            at = line_end
        else:
            at = end + 2
            spans.append((match.start(), at))
    return spans


def _org_blocks(text: str) -> list[Span]:
    spans: list[Span] = []
    never_closed: set[str] = set()
    at = 0
    while match := _ORG_BLOCK.search(text, at):
        at = match.end()
        name = match[1].lower()
        if name in never_closed:
            continue
        closing = re.compile(rf"^[ \t]*#\+END_{name}\b", re.I | re.M).search(text, at)
        if closing is None:
            never_closed.add(name)
        else:
            at = closing.end()
            spans.append((match.start(), at))
    return spans
