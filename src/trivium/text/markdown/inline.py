"""Wiki links, block references, tags and bare addresses in the prose of a note."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trivium.text.markdown.masks import BLANK

# The inside of a wiki link: no line end, single brackets in pairs (`[[paper [Smith]]]`), one link nested (Roam).
# Every character has one way to match and groups are atomic, so a search is linear.
_PLAIN = r"[^\[\]\n]"
_WIKI = re.compile(rf"\[\[((?>(?:{_PLAIN}+|\[\[{_PLAIN}+\]\]|\[{_PLAIN}*\])+))\]\]")
_OPENING = re.compile(r"\[\[(?!\[)")
_ALIAS = re.compile(r"\\?\|")
_EMBED_MACRO = re.compile(r"\{\{\s{0,4}embed[ :]\s{0,4}$", re.I)
_BLOCK_REF = re.compile(r"\(\(([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[\w-]{9})\)\)")
_ROAM_ID = re.compile(r"(?=.*[0-9A-Z_-])(?=.*[A-Za-z])[A-Za-z0-9_-]{9}")

# What ends a tag: white space, ASCII punctuation but `_ - /`, general and CJK punctuation.
_TAG_END = r"""\s!"#$%&'()*+,.:;<=>?@^`{|}~\[\]\\\u2000-\u206f\u2e00-\u2e7f\u3001-\u3003\u3008-\u3011\u3014-\u301f"""
_TAG_END += r"\ufe30-\ufe4f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_TAG = re.compile(rf"#(?:\[\[([^\[\]\n{BLANK}]+)\]\]|([^{_TAG_END}{BLANK}]+))")
_BEFORE_TAG = frozenset(
    " \t\r\n([{\"'>,;\u3000\u3001\u3002\uff0c\uff1b\uff1a\uff08\u300c\u3010\u201c\u2018\xa0\ufeff*_~"
)
_COLOUR = re.compile(r"(?=.*[0-9])[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?|([0-9a-fA-F])\1\1", re.S)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2})?")
_ADDRESS = re.compile(rf"https?://[^\s<>\[\]|`{BLANK}]{{1,2048}}", re.I)
_CLOSERS = ".,;:!?'\"*_~\u3002\uff0c\uff1b\uff1a\u3001\uff01\uff1f\uff09\u300d\u300b\u201d\u2019"


class Wiki(NamedTuple):
    """The parts of one `[[...]]`."""

    target: str
    fragment: str | None
    block: str | None
    label: str | None
    start: int
    end: int
    is_embed: bool


def wiki_links(text: str, prose: str, start: int, end: int) -> Iterator[Wiki]:
    """Wiki links of `text[start:end]` in order, a link nested in another after it.

    `prose` is the same text with what is no prose blanked: only the label of a link may hold such (code, maths).
    """
    at = start
    while found := _OPENING.search(prose, at, end):
        opening = found.start()
        match = _WIKI.match(prose, opening, end)
        if match is None:
            at = opening + 2
            continue
        nested = match[1].find("[[")
        at = match.start(1) + nested if nested >= 0 else match.end()
        inner = text[match.start(1) : match.end(1)]
        if _is_escaped(prose, opening) or not inner.strip() or BLANK in match[1].partition("|")[0]:
            continue
        target, fragment, block, label = wiki_parts(inner)
        is_embed = prose[opening - 1 : opening] == "!" and not _is_escaped(prose, opening - 1)
        begin = opening - 1 if is_embed else opening
        is_macro = bool(_EMBED_MACRO.search(prose, max(start, opening - 16), opening))
        yield Wiki(target, fragment, block, label, begin, match.end(), is_embed or is_macro)


def wiki_parts(inner: str) -> tuple[str, str | None, str | None, str | None]:
    """Target, fragment, block id and label of the inside of a wiki link; `\\|` of a table cell counts as `|`."""
    head, *rest = _ALIAS.split(inner, maxsplit=1)
    target, hash_, fragment = head.partition("#")
    label = rest[0].strip() if rest else None
    if not hash_:
        return target.strip(), None, None, label
    fragment = fragment.strip()
    last = fragment.rpartition("#")[2].lstrip()
    if last.startswith("^"):
        return target.strip(), None, last[1:].strip(), label
    return target.strip(), fragment, None, label


def block_refs(prose: str) -> Iterator[tuple[str, int, int, bool]]:
    """Id, span and whether embedded, of `((uuid))` (Logseq) and `((9 characters))` (Roam)."""
    for match in _BLOCK_REF.finditer(prose):
        if len(match[1]) == 36 or _ROAM_ID.fullmatch(match[1]):
            is_embed = bool(_EMBED_MACRO.search(prose, max(0, match.start() - 16), match.start()))
            yield match[1], match.start(), match.end(), is_embed


def tags(prose: str) -> Iterator[tuple[str, int, int, bool]]:
    """Name, span and whether it is `#[[a page]]`; numbers and colours are no tags."""
    for match in _TAG.finditer(prose):
        start = match.start()
        if start and prose[start - 1] not in _BEFORE_TAG:
            continue
        if match[1] is not None:
            yield match[1].strip(), start, match.end(), True
            continue
        name = match[2].rstrip("/")
        if name and is_tag(name):
            yield name, start, start + 1 + len(name), False


def is_tag(name: str) -> bool:
    """Whether a word after `#` is a tag and not a number, a colour or bare punctuation."""
    has_letter = any(char.isalpha() or char == "_" or ord(char) > 0x2E7F for char in name)
    return (has_letter or _DATE.fullmatch(name) is not None) and _COLOUR.fullmatch(name) is None


def addresses(prose: str) -> Iterator[tuple[str, int, int]]:
    """Bare web addresses with their spans, without the punctuation that follows them."""
    for match in _ADDRESS.finditer(prose):
        found = match[0].rstrip(_CLOSERS)
        while found.endswith(")") and found.count("(") < found.count(")"):
            found = found[:-1].rstrip(_CLOSERS)
        if len(found) > 8:
            yield found, match.start(), match.start() + len(found)


def _is_escaped(prose: str, at: int) -> bool:
    slashes = 0
    while at - slashes > 0 and prose[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1
