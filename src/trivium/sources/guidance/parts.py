"""A guidance file cut at its headings, where fences do not hide them."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")


class Part(NamedTuple):
    """The lines below a heading up to the next one of interest; `level` 0 and no heading for what stands before all."""

    level: int
    heading: str
    text: str
    line: int


def cut(text: str, *, levels: tuple[int, ...], first_line: int = 1) -> list[Part]:
    """The parts of a text that begin at headings of these levels; other headings stay inside. `text` keeps its ends."""
    parts: list[Part] = []
    level, heading, start = 0, "", first_line
    lines: list[str] = []
    fence = ""
    for number, line in enumerate(text.splitlines(keepends=True), first_line):
        mark = _FENCE.match(line)
        if mark:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        found = None if fence else _HEADING.match(line.rstrip("\r\n"))
        if found and len(found[1]) in levels:
            parts.append(Part(level, heading, "".join(lines), start))
            level, heading, start, lines = len(found[1]), found[2].strip(), number, []
        else:
            lines.append(line)
    parts.append(Part(level, heading, "".join(lines), start))
    return parts


def first_line(text: str) -> str:
    """The first line that says something, without the marks of a heading or a list."""
    for line in text.splitlines():
        words = line.strip().lstrip("#>*- ").strip()
        if words:
            return words
    return ""
