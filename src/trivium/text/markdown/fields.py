"""Properties `key:: value`, linkable blocks and tasks in the prose of a note."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trivium.text.markdown.masks import BLANK

Span = tuple[int, int]

_KEY = re.compile(
    r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[^\]]\][ \t]+)?[*_]{0,3}(\w[\w./+ -]{0,63})(?<! )[*_]{0,3}"
)
_BLANK = re.compile(r"\s*")
_KEY_CHARS = 120
_VALUE = rf"(?:[^\[\]\n{BLANK}]|\[\[[^\[\]\n{BLANK}]*\]\])*"
_INLINE = re.compile(rf"\[([^\[\]():\n{BLANK}]{{1,64}})::[ \t]+({_VALUE})\]")
_INLINE_ROUND = re.compile(rf"\(([^\[\]():\n{BLANK}]{{1,64}})::[ \t]+([^()\n{BLANK}]*)\)")
_MARK = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*(?=\r?\n|\Z)")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TASK = re.compile(
    r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+"
    r"(?:\[([^\[\]\n])\]|(TODO|DOING|DONE|NOW|LATER|WAITING|WAIT|CANCELED|CANCELLED|IN-PROGRESS))[ \t]+(\S[^\r\n]*)",
    re.M,
)
_BLOCK_WINDOW = 20_000


class Field(NamedTuple):
    """One `key:: value` with its span, the span of its value, and its scope (page, block or inline)."""

    key: str
    value: str
    start: int
    end: int
    value_start: int
    scope: str


def fields(prose: str, start: int) -> Iterator[Field]:
    """Properties below the frontmatter, which ends at `start`; those on lines of their own first."""
    if "::" not in prose:
        return
    blank = _BLANK.match(prose, start)
    expected = blank.end() if blank else start
    line_end = start
    at = start
    while (at := prose.find("::", at)) >= 0:
        line_start = prose.rfind("\n", line_end, at) + 1 or start
        line_end = prose.find("\n", at)
        line_end = len(prose) if line_end < 0 else line_end
        found = None
        if at - line_start <= _KEY_CHARS and prose[at + 2 : at + 3] in ("", " ", "\t", "\r", "\n"):
            found = _KEY.fullmatch(prose, line_start, at)
        if found is not None and found[1].count(" ") <= 4:
            raw = prose[at + 2 : line_end]
            value = raw.strip()
            value_start = at + 2 + len(raw) - len(raw.lstrip()) if value else line_end
            is_page = line_start <= expected <= found.start(1)
            expected = line_end + 1 if is_page else -1
            end = value_start + len(value) if value else at + 2
            yield Field(found[1].strip(), value, found.start(1), end, value_start, "page" if is_page else "block")
        at = line_end
    for pattern in (_INLINE, _INLINE_ROUND):
        for match in pattern.finditer(prose, start):
            if match[1].strip():
                yield Field(match[1].strip(), match[2].strip(), *match.span(), match.start(2), "inline")


def marks(prose: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Block ids `^id` at the end of a line, with their spans."""
    for match in _MARK.finditer(prose, start):
        if match.start() == start or prose[match.start() - 1] in " \t\n":
            yield match[1], match.start(), match.end(1)


def is_uuid(value: str) -> bool:
    """Whether a value is a block id as Logseq writes it."""
    return _UUID.fullmatch(value) is not None


def enclosing(parts: list[Span], places: list[int]) -> dict[int, Span]:
    """For each place the innermost of the properly nested `parts` that holds it; one sweep."""
    found: dict[int, Span] = {}
    opened: list[Span] = []
    waiting = iter(sorted(parts, key=lambda part: (part[0], -part[1])))
    upcoming = next(waiting, None)
    for place in sorted(places):
        while upcoming is not None and upcoming[0] <= place:
            while opened and opened[-1][1] <= upcoming[0]:
                opened.pop()
            opened.append(upcoming)
            upcoming = next(waiting, None)
        while opened and opened[-1][1] <= place:
            opened.pop()
        if opened:
            found[place] = opened[-1]
    return found


def block_span(text: str, mark: Span, part: Span | None) -> Span:
    """The block a mark names: the part around it, or, for a mark on a line of its own, the block above."""
    start, end = part or mark
    if text[start : mark[0]].strip() or end > mark[1] + 2:
        return start, max(mark[1], start + len(text[start:end].rstrip()))
    above = text[max(0, start - _BLOCK_WINDOW) : start].rstrip()
    blank = max(above.rfind("\n\n"), above.rfind("\n\r\n"))
    first = max(0, start - _BLOCK_WINDOW) + blank + 1
    while first < start and text[first].isspace():
        first += 1
    return first, mark[1]


def tasks(prose: str, start: int) -> Iterator[tuple[str, int, int, int]]:
    """Status, start, start of the text, and end of task items."""
    if "] " not in prose and "- " not in prose:
        return
    for match in _TASK.finditer(prose, start):
        status = match[1] if match[1] is not None else match[2].lower()
        begin = match.start(1) - 1 if match[1] is not None else match.start(2)
        yield status, begin, match.start(3), match.end()
