"""Every link of a note: by CommonMark, by double brackets, in HTML, in the frontmatter, bare addresses, block ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trivium.text.frontmatter import Frontmatter
from trivium.text.markdown import inline
from trivium.text.markdown.masks import BLANK, blanked, outside
from trivium.text.markdown.notes import Link, Property
from trivium.text.markdown.offsets import Lines
from trivium.text.markdown.structure import RawLink, Structure, definitions

_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]+:|//)")
_HTML_LINK = re.compile(
    r"<(a|img|video|audio|source|iframe|embed)(?=\s)[^<>]{0,1000}?\s(?:href|src)\s*=\s*"
    r"(?:\"([^\"<>]*)\"|'([^'<>]*)')",
    re.I,
)
_PROPERTY_LINE = re.compile(r"^([^\s#\[\]-][^:\n]*):(?=[ \t\r]|$)", re.M)
_YAML_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.M)


class _Made(NamedTuple):
    """A link before its line is known."""

    start: int
    end: int
    kind: str
    target: str
    fragment: str | None = None
    block: str | None = None
    label: str | None = None
    is_embed: bool = False
    property: str | None = None
    definition: str | None = None


def links(text: str, prose: str, head: Frontmatter, found: Structure, properties: list[Property]) -> list[Link]:
    """Links in order; of two that begin together the longer comes first. `prose` is `text` with the rest blanked."""
    made = list(_in_frontmatter(text, head))
    if "[[" in prose:
        wikis = list(inline.wiki_links(text, prose, head.body, len(prose)))
        defined = definitions(text[head.body :]) if wikis and "]:" in text else {}
        made += (_wiki(wiki, "wiki", None, _definition(text, wiki, defined) if defined else None) for wiki in wikis)
    for raw in found.links:
        link = _by_commonmark(text, raw)
        if link is not None:
            made.append(link)
    for start, end in found.html:
        made += _in_html(text, start, end)
    if "((" in prose:
        for id_, start, end, is_embed in inline.block_refs(prose):
            made.append(_Made(start, end, "block-ref", "", None, id_, None, is_embed))
    if "://" in prose:
        is_bare = outside((link.start, link.end) for link in made)
        addresses = (_Made(start, end, "autolink", address) for address, start, end in inline.addresses(prose))
        made += [link for link in addresses if is_bare(link.start)]
    made.sort(key=lambda link: (link.start, -link.end))
    return _placed(made, text, [entry for entry in properties if entry.scope != "frontmatter"])


def _placed(made: list[_Made], text: str, properties: list[Property]) -> list[Link]:
    """The links with their lines and the properties they stand in."""
    lines = Lines(text)
    spans = sorted((entry.start, entry.end, entry.key) for entry in properties)
    number = 0
    placed = []
    for start, end, kind, target, fragment, block, label, is_embed, key, definition in made:
        while number < len(spans) and spans[number][1] <= start:
            number += 1
        if key is None and number < len(spans) and spans[number][0] <= start:
            key = spans[number][2]  # noqa: PLW2901
        line, raw = lines.line(start), text[start:end]
        placed.append(Link(kind, target, fragment, block, label, start, end, line, raw, is_embed, key, definition))
    return placed


def _wiki(wiki: inline.Wiki, kind: str, key: str | None, definition: str | None) -> _Made:
    target, fragment, block, label, start, end, is_embed = wiki
    return _Made(start, end, kind, target, fragment, block, label, is_embed, key, definition)


def _definition(text: str, wiki: inline.Wiki, defined: dict[str, str]) -> str | None:
    """What the note itself says the name of a wiki link stands for."""
    inner = text[wiki.start : wiki.end].removeprefix("!")[2:-2]
    found = defined.get(" ".join(inner.casefold().split()))
    return found if found is not None else defined.get(" ".join(wiki.target.casefold().split()))


def _in_frontmatter(text: str, head: Frontmatter) -> Iterator[_Made]:
    start, end = head.start, head.end
    content = text[:end]
    if content.find("[[", start) < 0:
        return
    if "#" in content:
        shown = _YAML_COMMENT.sub(lambda match: BLANK * len(match[0]), content[start:])
        content = content[:start] + shown
    keys = [(match.start(), match[1].strip("\"' ")) for match in _PROPERTY_LINE.finditer(content, start)]
    number = -1
    for wiki in inline.wiki_links(text, content, start, end):
        while number + 1 < len(keys) and keys[number + 1][0] <= wiki.start:
            number += 1
        quote = text[wiki.start - 1]
        if quote in "\"'" and quote in wiki.target:
            target = wiki.target.replace("''", "'") if quote == "'" else wiki.target.replace('\\"', '"')
            wiki = wiki._replace(target=target)  # noqa: PLW2901
        yield _wiki(wiki, "frontmatter", keys[number][1] if number >= 0 else "", None)


def _by_commonmark(text: str, raw: RawLink) -> _Made | None:
    """A link of CommonMark; None where it is half of a wiki link that the note defines."""
    start, end, destination = raw.start, raw.end, raw.destination
    if raw.type in ("Autolink", "Email"):
        return _Made(start, end, "autolink", destination)
    label = text[raw.label_start : raw.label_end]
    if raw.type != "Inline":
        if raw.type == "Shortcut" and text[start - 1 : start] == "[" and text[end : end + 1] == "]":
            return None
        return _Made(start, end, "reference", *_destination(destination), label, raw.is_image)
    if destination.startswith("[[") and destination.endswith("]]"):
        target, fragment, block, _ = inline.wiki_parts(destination[2:-2])
        return _Made(start, end, "wiki", target, fragment, block, label, raw.is_image)
    if destination.startswith("((") and destination.endswith("))"):
        return _Made(start, end, "block-ref", "", None, destination[2:-2], label, raw.is_image)
    return _Made(start, end, "markdown", *_destination(destination), label, raw.is_image)


def _destination(destination: str) -> tuple[str, str | None, str | None]:
    """Target, fragment and block of a destination; a web address keeps its fragment."""
    if _SCHEME.match(destination):
        return destination, None, None
    target, hash_, fragment = destination.partition("#")
    if not hash_:
        return target, None, None
    if fragment.startswith(("^", "%5E", "%5e")):
        return target, None, fragment[1 if fragment[0] == "^" else 3 :]
    return target, fragment, None


def _in_html(text: str, start: int, end: int) -> Iterator[_Made]:
    html = text[start:end]
    if "=" not in html:
        return
    if "<!--" in html:
        html = _uncommented(html)
    for match in _HTML_LINK.finditer(html):
        value = (match[2] if match[2] is not None else match[3]).strip()
        if value:
            is_embed = match[1].lower() != "a"
            yield _Made(start + match.start(), start + match.end(), "html", *_destination(value), None, is_embed)


def _uncommented(html: str) -> str:
    spans = []
    at = 0
    while (start := html.find("<!--", at)) >= 0:
        stop = html.find("-->", start + 4)
        at = len(html) if stop < 0 else stop + 3
        spans.append((start, at))
    return blanked(html, spans)
