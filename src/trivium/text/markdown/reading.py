"""A note's text to a `Note`: the frontmatter, the block structure, then what its prose holds."""

from __future__ import annotations

import re
from typing import NamedTuple

from trivium.text.frontmatter import Frontmatter, names, split
from trivium.text.markdown import fields, identifiers, inline
from trivium.text.markdown.links import links
from trivium.text.markdown.masks import blanked, hidden, outside
from trivium.text.markdown.notes import Block, Heading, Identifier, Note, Property, Tag, Task
from trivium.text.markdown.offsets import Lines
from trivium.text.markdown.structure import Span, Structure, structure

_OUTLINE_LEVELS = 4
_SURROGATE = re.compile("[\ud800-\udfff]")
_HEADING_ID = re.compile(r"[\w:.-]+")
_HEADING_WIKI = re.compile(r"\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_NO_SLUG = re.compile(r"[^\w\- ]")


class _Reading(NamedTuple):
    """What the steps share: the text, its prose and the prose with addresses."""

    text: str
    head: Frontmatter
    found: Structure
    prose: str
    literal: list[Span]


def parse(text: str, *, is_outline: bool = False) -> Note:
    """Read one note; never raises, and needs time and memory linear in its length.

    Offsets count characters of `text` (a byte order mark and carriage returns included). Nothing is read from code,
    comments and maths. In an outline (Logseq) indentation is depth: it never makes code. Half a surrogate pair is read
    as U+FFFD.
    """
    reading = _read(text, is_outline)
    text, found = reading.text, reading.found
    properties = _properties(reading)
    return Note(
        text=text,
        frontmatter=reading.head,
        title=_title(found),
        headings=tuple(_headings(found, Lines(text))),
        links=tuple(links(text, reading.prose, reading.head, found, properties)),
        tags=tuple(_tags(reading, properties)),
        blocks=tuple(_blocks(reading, properties)),
        properties=tuple(properties),
        tasks=tuple(_tasks(reading)),
        identifiers=tuple(_identifiers(reading)),
    )


def prose(text: str, *, is_outline: bool = False) -> str:
    """The text with frontmatter, code, comments, maths and markup blanked, every other character in its place."""
    return _read(text, is_outline).prose


def _read(text: str, is_outline: bool) -> _Reading:
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _SURROGATE.sub("\ufffd", text)
    head = split(text)
    body = text[head.body :] if head.body else text
    has_blocks = "^" in body or "id:: " in body
    levels = _OUTLINE_LEVELS if is_outline else 0
    found = structure(body, head.body, wants_parts=has_blocks, outline_levels=levels)
    literal = found.literal
    shown = blanked(text, [(0, head.body), *literal, *found.markup])
    unseen = hidden(shown)
    if unseen:
        literal = literal + unseen
        shown = blanked(shown, unseen)
        found = _without(found, unseen)
    return _Reading(text, head, found, shown, literal)


def _without(found: Structure, unseen: list[Span]) -> Structure:
    """The structure without what begins in a hidden span."""
    shown = outside(unseen)
    return found._replace(
        headings=[heading for heading in found.headings if shown(heading.start)],
        links=[link for link in found.links if shown(link.start)],
        html=[span for span in found.html if shown(span[0])],
    )


# ---- Headings


def _title(found: Structure) -> str | None:
    """The text of the first heading of level one that stands in no quote and no list."""
    for raw in found.headings:
        if raw.level == 1 and not raw.is_quoted and not raw.is_listed:
            text, _ = _heading_text(raw.text)
            if text:
                return text
    return None


def _headings(found: Structure, lines: Lines) -> list[Heading]:
    seen: dict[str, int] = {}
    made = []
    for raw in found.headings:
        text, given = _heading_text(raw.text)
        slug = given or _NO_SLUG.sub("", text.lower()).replace(" ", "-")
        count = seen.get(slug, -1) + 1
        seen[slug] = count
        if count:
            slug = f"{slug}-{count}"
        made.append(Heading(raw.level, text, slug, raw.start, raw.end, lines.line(raw.start), raw.is_quoted))
    return made


def _heading_text(text: str) -> tuple[str, str | None]:
    """The text without wiki brackets, block id and `{#id}`; and that id."""
    given = None
    if text.endswith("}"):
        at = text.rfind("{#")
        if at >= 0 and _HEADING_ID.fullmatch(text, at + 2, len(text) - 1):
            given, text = text[at + 2 : -1], text[:at].rstrip()
    if "[[" in text:
        text = _HEADING_WIKI.sub(lambda match: (match[2] or match[1]).strip(), text)
    at = text.rfind(" ^")
    if at >= 0 and " " not in text[at + 2 :]:
        text = text[:at].rstrip()
    return text, given


# ---- The rest


def _properties(reading: _Reading) -> list[Property]:
    head, text = reading.head, reading.text
    made = []
    if head.data:
        starts = [head.start]
        while (at := text.find("\n", starts[-1], head.end)) >= 0:
            starts.append(at + 1)
        for key, value in head.data.items():
            number = head.lines.get(key, 2)
            start = starts[min(number - 2, len(starts) - 1)]
            end = text.find("\n", start, head.end)
            made.append(Property(key, value, start, head.end if end < 0 else end, number, "frontmatter"))
    lines = Lines(text)
    for field in sorted(fields.fields(reading.prose, head.body), key=lambda field: field.start):
        value = text[field.value_start : field.value_start + len(field.value)]
        line = lines.line(field.start)
        made.append(Property(field.key, value, field.start, field.end, line, field.scope))
    return made


def _tags(reading: _Reading, properties: list[Property]) -> list[Tag]:
    text = reading.text
    made = []
    lines = Lines(text)
    for found in properties:
        if found.key.lower() not in ("tag", "tags") or found.scope in ("block", "inline"):
            continue
        origin = "frontmatter" if found.scope == "frontmatter" else "property"
        value = found.value
        if isinstance(value, str) and origin == "frontmatter" and "," not in value:
            value = value.split()
        stop = reading.head.end if origin == "frontmatter" else found.end
        at = found.start
        for name in names(value):
            is_page = name.removeprefix("#").startswith("[[")
            bare = name.removeprefix("#").removeprefix("[[").removesuffix("]]").strip()
            if not bare or bare.isdigit() or (origin == "property" and name.startswith("#") and not is_page):
                continue
            place = text.find(bare, at, stop)
            start = place if place >= 0 else found.start
            at = max(at, start)
            made.append(
                Tag(bare, start, start + len(bare) if place >= 0 else found.end, lines.line(start), origin, is_page)
            )
    lines = Lines(text)
    if "#" in reading.prose:
        for name, start, end, is_page in inline.tags(reading.prose):
            made.append(Tag(name, start, end, lines.line(start), "text", is_page))
    return made


def _blocks(reading: _Reading, properties: list[Property]) -> list[Block]:
    text, prose, start = reading.text, reading.prose, reading.head.body
    named = [(id_, (begin, end)) for id_, begin, end in fields.marks(prose, start)] if "^" in prose else []
    for found in properties:
        if found.key == "id" and found.scope in ("page", "block") and fields.is_uuid(str(found.value)):
            named.append((str(found.value).lower(), (found.start, found.end)))
    if not named:
        return []
    parts = fields.enclosing(reading.found.parts, [mark[0] for _, mark in named])
    lines = Lines(text)
    spans = sorted((*fields.block_span(text, mark, parts.get(mark[0])), id_) for id_, mark in named)
    return [Block(id_, begin, end, lines.line(begin)) for begin, end, id_ in spans]


def _tasks(reading: _Reading) -> list[Task]:
    text = reading.text
    lines = Lines(text)
    return [
        Task(status, text[begin:end].rstrip(), start, end, lines.line(start))
        for status, start, begin, end in fields.tasks(reading.prose, reading.head.body)
    ]


def _identifiers(reading: _Reading) -> list[Identifier]:
    text = reading.text
    papers = list(identifiers.arxiv(text))
    doi = list(identifiers.dois(text)) if "10." in text else []
    if not papers and not doi:
        return []
    shown = outside(reading.literal)
    made = [("arxiv", id_, version, start, end) for id_, version, start, end in papers if shown(start)]
    made += [("doi", id_, "", start, end) for id_, start, end in doi if shown(start)]
    lines = Lines(text)
    made.sort(key=lambda found: found[3])
    return [Identifier(kind, id_, version, start, end, lines.line(start)) for kind, id_, version, start, end in made]
