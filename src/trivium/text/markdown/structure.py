"""The block structure of a note, from the events of a CommonMark parser: headings, links, and what is no prose."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

from trivium.text.markdown.offsets import characters

Span = tuple[int, int]

_READER: Any = None

# Events without details that matter; all others of that kind are passed over.
_OPENING = frozenset(("Item", "HtmlBlock"))
_OPENING_PARTS = frozenset(("Item", "HtmlBlock", "Paragraph"))
_CLOSING = frozenset(("Item", "Link", "Image"))


class RawHeading(NamedTuple):
    """A heading before its slug and line are known."""

    level: int
    text: str
    start: int
    end: int
    is_quoted: bool
    is_listed: bool


class RawLink(NamedTuple):
    """A link by CommonMark's rules: its type, destination (unescaped), span and the span of its label."""

    type: str
    destination: str
    start: int
    end: int
    label_start: int
    label_end: int
    is_image: bool


class Structure(NamedTuple):
    """Character offsets into the whole text; every list is in order of the ends."""

    headings: list[RawHeading]
    links: list[RawLink]
    literal: list[Span]
    """Code, maths and comments: nothing in them is markup or a citation."""
    markup: list[Span]
    """Link destinations and HTML: no tags or wiki links, but addresses that may cite."""
    html: list[Span]
    indented: list[Span]
    """Those spans of `literal` that are code for their indentation alone."""
    parts: list[Span]
    """Paragraphs, list items and headings; empty unless asked for."""


def _reader() -> Any:
    global _READER  # noqa: PLW0603 (made once, when the first note is read)
    if _READER is None:
        from pyromark import Markdown, Options

        _READER = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_MATH)
    return _READER


def definitions(body: str) -> dict[str, str]:
    """Link reference definitions of a text: label (case folded, white space folded) to destination."""
    found = _reader().reference_definitions(body)
    return {" ".join(label.casefold().split()): entry["dest"] for label, entry in found.items()}


def structure(body: str, base: int, *, wants_parts: bool, outline_levels: int = 0) -> Structure:
    """Read `body`, which begins at character `base` of the note; time and memory are linear in its length.

    In an outline indentation is depth and makes no code; `outline_levels` bounds how often that is looked into.
    """
    walk = _Walk(wants_parts)
    walk.read(body)
    found = walk.found
    if not body.isascii():
        found = _moved(found, characters(body.encode(), _offsets(found)).__getitem__)
    if outline_levels > 0 and found.indented:
        found = _opened(body, found, wants_parts, outline_levels)
    return found if base == 0 else _moved(found, lambda offset: offset + base)


def _offsets(found: Structure) -> list[int]:
    spans = (found.literal, found.markup, found.html, found.indented, found.parts)
    offsets = [offset for list_ in spans for span in list_ for offset in span]
    for heading in found.headings:
        offsets += (heading.start, heading.end)
    for link in found.links:
        offsets += link[2:6]
    return offsets


def _moved(found: Structure, place: Callable[[int], int]) -> Structure:
    def spans(given: list[Span]) -> list[Span]:
        return [(place(start), place(end)) for start, end in given]

    return Structure(
        [RawHeading(*head[:2], place(head[2]), place(head[3]), *head[4:]) for head in found.headings],
        [
            RawLink(link[0], link[1], place(link[2]), place(link[3]), place(link[4]), place(link[5]), link[6])
            for link in found.links
        ],
        spans(found.literal),
        spans(found.markup),
        spans(found.html),
        spans(found.indented),
        spans(found.parts),
    )


def _opened(body: str, found: Structure, wants_parts: bool, levels: int) -> Structure:
    """The structure with each block of indented code read as what it holds without its indentation."""
    code = set(found.indented)
    opened = found._replace(literal=[span for span in found.literal if span not in code], indented=[])
    for start, end in found.indented:
        first = body.rfind("\n", 0, start) + 1
        inner, cuts = _outdented(body[first:end])
        inside = structure(inner, 0, wants_parts=wants_parts, outline_levels=levels - 1)
        moved = _moved(inside, _Undone(first, cuts))
        opened.headings.extend(moved.headings)
        opened.links.extend(moved.links)
        for mine, its in zip(opened[2:], moved[2:], strict=True):
            mine.extend(its)
    opened.headings.sort(key=lambda heading: heading.start)
    return opened


class _Undone:
    """From offsets into outdented text to those of the text it was made from."""

    def __init__(self, first: int, cuts: list[tuple[int, int]]) -> None:
        self.first = first
        self.cuts = cuts

    def __call__(self, offset: int) -> int:
        at = bisect_right(self.cuts, offset, key=lambda cut: cut[0])
        return self.first + offset + (self.cuts[at - 1][1] if at else 0)


def _outdented(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Lines without the indentation of the first; and for each its new offset and how much was cut up to there."""
    lines = text.split("\n")
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    cuts: list[tuple[int, int]] = []
    pieces: list[str] = []
    at = removed = 0
    for line in lines:
        white = len(line) - len(line.lstrip(" \t"))
        cut = len(indent) if line.startswith(indent) else min(white, len(indent))
        removed += cut
        cuts.append((at, removed))
        pieces.append(line[cut:])
        at += len(line) - cut + 1
    return "\n".join(pieces), cuts


class _Walk:
    """One pass over the events, in byte offsets."""

    def __init__(self, wants_parts: bool) -> None:
        self.found = Structure([], [], [], [], [], [], [])
        self.wants_parts = wants_parts
        self.quotes = 0
        self.items = 0
        self.heading: list[str] | None = None
        self.open_links: list[tuple[str, str]] = []
        self.last = 0
        """Where the last piece of the label of an open link ends."""

    def read(self, body: str) -> None:
        open_links, opened, closed, leaf = self.open_links, self.opened, self.closed, self.leaf
        parts = _OPENING_PARTS if self.wants_parts else _OPENING
        for event, span in _reader().events_with_range(body, merge_text=True):
            if "Text" in event:
                if open_links:
                    self.last = span["end"]
                if self.heading is not None:
                    self.heading.append(event["Text"])
            elif "Start" in event:
                value = event["Start"]
                if value.__class__ is not str or value in parts:
                    opened(value, span["start"], span["end"])
            elif "End" in event:
                value = event["End"]
                if value.__class__ is not str or value in _CLOSING:
                    closed(value, span["start"], span["end"])
            elif event.__class__ is not str:
                ((name, value),) = event.items()
                leaf(name, value, span["start"], span["end"])
            elif self.heading is not None:
                self.heading.append(" ")

    def leaf(self, name: str, value: Any, start: int, end: int) -> None:
        if name in ("Code", "InlineMath", "DisplayMath"):
            self.last = end
            self.found.literal.append((start, end))
            if self.heading is not None:
                self.heading.append(value)
        elif name == "InlineHtml":
            self.last = end
            if value.startswith("<!--"):
                self.found.literal.append((start, end))
            else:
                self.found.markup.append((start, end))
                self.found.html.append((start, end))
        elif name == "FootnoteReference":
            self.last = end
            self.found.markup.append((start, end))

    def opened(self, value: Any, start: int, end: int) -> None:
        if value.__class__ is str:
            if value == "Item":
                self.items += 1
            elif value == "HtmlBlock":
                self.found.html.append((start, end))
                self.found.markup.append((start, end))
            if self.wants_parts and value in ("Item", "Paragraph"):
                self.found.parts.append((start, end))
            return
        ((kind, detail),) = value.items()
        if kind in ("Link", "Image"):
            self.open_links.append((detail["link_type"], detail["dest_url"]))
            self.last = start + (1 if kind == "Link" else 2)
        elif kind == "Heading":
            self.heading = []
        elif kind == "CodeBlock":
            self.found.literal.append((start, end))
            if detail == "Indented":
                self.found.indented.append((start, end))
        elif kind == "BlockQuote":
            self.quotes += 1

    def closed(self, value: Any, start: int, end: int) -> None:
        if value.__class__ is str:
            if value == "Item":
                self.items -= 1
            elif value in ("Link", "Image"):
                self.link(value == "Image", start, end)
            return
        if "Heading" in value:
            text = "".join(self.heading or ()).strip()
            self.heading = None
            level = int(value["Heading"][1:])
            self.found.headings.append(RawHeading(level, text, start, end, self.quotes > 0, self.items > 0))
            if self.wants_parts:
                self.found.parts.append((start, end))
        elif "BlockQuote" in value:
            self.quotes -= 1

    def link(self, is_image: bool, start: int, end: int) -> None:
        type_, destination = self.open_links.pop()
        label_start = start + (2 if is_image else 1)
        label_end = max(self.last, label_start)
        self.found.links.append(RawLink(type_, destination, start, end, label_start, label_end, is_image))
        if type_ in ("Autolink", "Email"):
            self.found.markup.append((start, end))
        elif type_ != "Shortcut":  # the end of [[name]], where the note defines [name], must stay a wiki link
            self.found.markup.append((label_end, end))
        self.last = end
