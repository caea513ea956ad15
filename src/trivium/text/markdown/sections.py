"""A note cut at its headings, so that a passage knows what it stands under."""

from __future__ import annotations

from trivium.text.markdown.notes import Note, Section


def sections(note: Note) -> list[Section]:
    """Sections in order: adjacent, from the end of the frontmatter to the end of the text; blank ones are left out.

    The text before the first heading has an empty path. Headings in quotes open no section; headings in list items
    (outliners) do.
    """
    found: list[Section] = []
    above: list[tuple[int, str]] = []
    at = note.frontmatter.body
    for heading in note.headings:
        if heading.is_quoted:
            continue
        _close(note.text, at, heading.start, above, found)
        while above and above[-1][0] >= heading.level:
            above.pop()
        above.append((heading.level, heading.text))
        at = heading.start
    _close(note.text, at, len(note.text), above, found)
    return found


def _close(text: str, start: int, end: int, above: list[tuple[int, str]], found: list[Section]) -> None:
    if text[start:end].strip():
        found.append(Section(start, end, tuple(name for _, name in above if name)))
