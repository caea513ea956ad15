"""The place in a note that a link points to: a heading with its section, or a block."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote

from trivium.text.markdown import Heading, Link, Note


class Anchor(NamedTuple):
    """`text[start:end]` is the section or block, `line` its first line; `is_unique` is False where a heading that
    stands more than once was taken for its first place."""

    start: int
    end: int
    line: int
    is_unique: bool


def find_anchor(note: Note, link: Link) -> Anchor | None:
    """The place in `note`, which the link leads to, or None when the note has no such heading or block.

    A heading is named by its text, where only letters and digits count, or by its slug, which decides for Markdown and
    HTML destinations; `A#B` is B below A.
    """
    if link.block is not None:
        wanted = link.block.lower()
        for block in note.blocks:
            if block.id.lower() == wanted:
                return Anchor(block.start, block.end, block.line, True)
        return None
    if not link.fragment:
        return None
    at, count = -1, 0
    for part in link.fragment.split("#"):
        places = _places(note.headings, part, at + 1, link.kind in ("markdown", "reference", "html"))
        if not places:
            return None
        at, count = places[0], len(places)
    heading = note.headings[at]
    following = (other.start for other in note.headings[at + 1 :] if other.level <= heading.level)
    return Anchor(heading.start, next(following, len(note.text)), heading.line, count == 1)


def _places(headings: Sequence[Heading], wanted: str, first: int, is_slug: bool) -> list[int]:
    plain = unquote(wanted).strip()
    name = _letters(plain)
    numbers = range(first, len(headings))
    by_slug = [number for number in numbers if headings[number].slug == plain.lower()]
    by_text = [number for number in numbers if name and _letters(headings[number].text) == name]
    return (by_slug or by_text) if is_slug else (by_text or by_slug)


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFC", text).casefold()
    return "".join(char for char in folded if char.isalnum()) or folded.strip()
