"""One note's text to what is kept of it: parts, facets, names and links."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trivium.sources.vault.names import Dates, NoteName, Style, note_name, tag_links
from trivium.sources.vault.names import key as name_of
from trivium.store.sqlite.notes.rows import PartRow
from trivium.text.markdown import Link, Note, parse, sections
from trivium.text.passages import passages

PART_SIZE = 1_200
"""Most of a part, in the weighted characters of `text.passages`: about a paragraph or two, what one hit shows."""

PAPER = "paper"
"""The kind under which an arXiv id or a DOI is kept among the links."""

_DATE_KEYS = ("date", "created", "day", "published")
_MAX_FACET_CHARS = 200
_DAYS = Dates("yyyy-MM-dd", "yyyy_MM_dd", "MMM do, yyyy", "MMMM do, yyyy")


class ReadText(NamedTuple):
    """What a note says. `extra` are words that name it but stand nowhere in its text; `links` hold papers as well."""

    note: Note
    title: str
    name: NoteName
    parts: list[PartRow]
    extra: str
    facets: list[tuple[str, str]]
    links: list[Link]


def read_text(path: str, text: str, style: Style) -> ReadText:
    """Parse a note and cut it up."""
    note = parse(text, is_outline=style.name in ("logseq", "roam"))
    stem = path.rpartition("/")[2].rpartition(".")[0]
    title = note.title or note.given_title or stem
    name = note_name(path, note)
    extra = " ".join(dict.fromkeys((stem, *note.aliases, *(tag.name for tag in note.tags), *_values(note))))
    links = [link for link in [*note.links, *tag_links(note, style)] if link.kind != "autolink"]
    links += [_paper(note, found) for found in note.identifiers]
    return ReadText(note, title, name, _parts(note, title), extra, _facets(path, note, stem), links)


def _paper(note: Note, found: Any) -> Link:
    target = f"{found.kind}:{found.id}{found.version}"
    raw = note.text[found.start : found.end]
    return Link(PAPER, target, None, None, None, found.start, found.end, found.line, raw)


def _values(note: Note) -> Iterator[str]:
    for found in note.properties:
        if found.scope in ("frontmatter", "page"):
            for value in found.value if isinstance(found.value, list) else [found.value]:
                if isinstance(value, str):
                    yield value


def _parts(note: Note, title: str) -> list[PartRow]:
    text, made = note.text, []
    at, line = 0, 1
    for section in sections(note):
        above = section.path if section.path[:1] == (title,) else (title, *section.path)
        label = " > ".join(above)
        body = text[section.start : section.end]
        for start, end in passages(body, size=PART_SIZE):
            place = section.start + start
            line += text.count("\n", at, place)
            at = place
            made.append(PartRow(label, body[start:end], place, section.start + end, line))
    return made or [PartRow(title, "", 0, 0, 1)]


def _facets(path: str, note: Note, stem: str) -> list[tuple[str, str]]:
    found = [("folder", path.rpartition("/")[0])]
    for tag in note.tags:
        found.append(("tag", name_of(tag.name)))
    date = ""
    for entry in note.properties:
        key = name_of(entry.key)
        for value in entry.value if isinstance(entry.value, list) else [entry.value]:
            if isinstance(value, str | int | float):
                text = str(value).strip().lower() if isinstance(value, bool) else str(value).strip()
                found.append(
                    (f"property {key}", name_of(text.removeprefix("[[").removesuffix("]]"))[:_MAX_FACET_CHARS])
                )
                if key in _DATE_KEYS and not date and _is_date(text):
                    date = text[:10]
                if key in ("type", "doc_type"):
                    found.append(("type", name_of(text)))
    date = date or _DAYS.day(stem) or ""
    if date:
        found.append(("date", date))
    found += [("task", task.status) for task in note.tasks]
    return list(dict.fromkeys(found))


def _is_date(text: str) -> bool:
    parts = text[:10].split("-")
    return [len(part) for part in parts] == [4, 2, 2] and all(part.isdigit() for part in parts)


# -- what is stored of names and links


def pack_names(name: NoteName) -> str:
    """A note's names as JSON."""
    return json.dumps([name.title, name.heading, name.aliases, name.blocks], ensure_ascii=False)


def unpack_names(path: str, text: str) -> NoteName:
    """A note's names from JSON."""
    title, heading, aliases, blocks = json.loads(text)
    return NoteName(path, title, heading, tuple(aliases), tuple(blocks))


def pack_links(links: Sequence[Link]) -> list[str]:
    """Links as JSON, one text each."""
    return [json.dumps(link, ensure_ascii=False) for link in links]


def unpack_links(texts: Sequence[str]) -> list[Link]:
    """Links from JSON."""
    return [Link(*json.loads(text)) for text in texts]
