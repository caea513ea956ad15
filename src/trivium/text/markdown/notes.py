"""What is read from a note: plain values, each with character offsets that slice back to the text."""

from __future__ import annotations

from typing import Any, NamedTuple

from trivium.text.frontmatter import Frontmatter, names


class Heading(NamedTuple):
    """A heading: `text` without markup, `slug` as sites make it (unique in the note), `text[start:end]` its source."""

    level: int
    text: str
    slug: str
    start: int
    end: int
    line: int
    is_quoted: bool
    """Stands in a block quote or callout: can be linked to, but opens no section."""


class Link(NamedTuple):
    """A link as written; `text[start:end] == raw`.

    kind          `target` is
    wiki          what stands before `#` and `|` in `[[...]]`
    frontmatter   the same, in the frontmatter property `property`
    markdown      the destination of `[label](destination)`, without its fragment, still percent-encoded
    reference     the destination that `[label][id]` or `[label]` is defined with
    autolink      a bare address or one in `<...>`
    html          the href of `<a>` or the src of an embedding element
    block-ref     the id in Logseq's and Roam's `((id))`
    tag           the name after `#`, where tags are pages (made by the resolver, not by `parse`)

    `fragment` is the heading after `#` (inner `#` kept), `block` the id after `#^`; None when absent. `definition` is
    the destination that the note itself defines for a wiki link's name, as Foam writes it. `property` names the
    property whose value the link stands in.
    """

    kind: str
    target: str
    fragment: str | None
    block: str | None
    label: str | None
    start: int
    end: int
    line: int
    raw: str
    is_embed: bool = False
    property: str | None = None
    definition: str | None = None


class Tag(NamedTuple):
    """A tag without its `#`; `text[start:end]` holds it. `is_page` marks `#[[name]]`, which is a wiki link too."""

    name: str
    start: int
    end: int
    line: int
    origin: str
    """text, frontmatter or property."""
    is_page: bool = False


class Block(NamedTuple):
    """A part of a note that can be linked to: `text[start:end]` is the block with its mark."""

    id: str
    start: int
    end: int
    line: int


class Property(NamedTuple):
    """A key with its value: typed in the frontmatter, else the text after `::`."""

    key: str
    value: Any
    start: int
    end: int
    line: int
    scope: str
    """frontmatter; page (first block of the note); block (a line of its own further down); inline (in brackets)."""


class Task(NamedTuple):
    """A list item with a box or a state word: `status` is the character in the box or the word, lower case."""

    status: str
    text: str
    start: int
    end: int
    line: int


class Identifier(NamedTuple):
    """A paper: `kind` arxiv or doi, `id` without version, `version` such as v2 or empty."""

    kind: str
    id: str
    version: str
    start: int
    end: int
    line: int


class Section(NamedTuple):
    """The text under one heading up to the next, `path` the headings above it, outermost first."""

    start: int
    end: int
    path: tuple[str, ...]


class Note(NamedTuple):
    """A parsed note. `title` is its first level-one heading, if any; see `name` for what to call it."""

    text: str
    frontmatter: Frontmatter
    title: str | None
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    blocks: tuple[Block, ...]
    properties: tuple[Property, ...]
    tasks: tuple[Task, ...]
    identifiers: tuple[Identifier, ...]

    def name(self, stem: str) -> str:
        """What to call the note: the title its author gave it, else its first heading, else its file's stem."""
        return self.given_title or self.title or stem

    @property
    def given_title(self) -> str | None:
        """The title from the frontmatter or from a page property `title::`."""
        given = self.frontmatter.data.get("title")
        if isinstance(given, str) and given.strip():
            return given.strip()
        for found in self.properties:
            if found.scope == "page" and found.key.lower() == "title" and found.value:
                return str(found.value)
        return None

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names, from the frontmatter and from page properties `alias::`; links in them count by their name."""
        found: dict[str, None] = {}
        for entry in self.properties:
            if entry.key.lower() in ("alias", "aliases") and entry.scope in ("frontmatter", "page"):
                for name in names(entry.value):
                    bare = name.removeprefix("[[").removesuffix("]]").strip()
                    if bare:
                        found[bare] = None
        return tuple(found)
