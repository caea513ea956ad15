"""The names a note answers to, and how the applications derive them from paths, titles and dates."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import NamedTuple
from urllib.parse import unquote

from trivium.sources.vault.walk import NOTE_ENDINGS
from trivium.text.markdown import Link, Note

INDEX_NAMES = ("index", "readme", "_index")
"""Stems, best first, of the note that stands for its folder."""

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_TOKENS = {
    "yyyy": r"(?P<year>\d{4})",
    "MMMM": r"(?P<month>[a-z]{3,9})",
    "MMM": r"(?P<month>[a-z]{3,4})",
    "MM": r"(?P<month>\d{2})",
    "M": r"(?P<month>\d{1,2})",
    "dd": r"(?P<day>\d{2})",
    "do": r"(?P<day>\d{1,2})(?:st|nd|rd|th)",
    "d": r"(?P<day>\d{1,2})",
    "EEEE": r"[a-z]{6,9}",
    "EEE": r"[a-z]{3}",
    "E": r"[a-z]{3}",
}
_EDN_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|;[^\n]*')
_TOKEN = re.compile("yyyy|MMMM|MMM|MM|M|do|dd|d|EEEE|EEE|E")


class Style(NamedTuple):
    """How a vault names and links: `name` is obsidian, logseq, roam, foam, dendron, markdown or auto (any of them)."""

    name: str = "auto"
    journal_format: str = "MMM do, yyyy"
    journals_folder: str = "journals"


class NoteName(NamedTuple):
    """What the resolver knows of a note: `title` is what its author gave, `heading` its first level-one heading."""

    path: str
    title: str | None = None
    heading: str | None = None
    aliases: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    """Ids that are unique in the whole vault (Logseq)."""


def note_name(path: str, note: Note) -> NoteName:
    """The names of a parsed note."""
    blocks = tuple(block.id for block in note.blocks if len(block.id) == 36)
    return NoteName(path, note.given_title, note.title, note.aliases, blocks)


def detect_style(root: str) -> Style:
    """The application a vault belongs to, by the files it leaves; auto when there is none or more than one."""
    styles = []
    if os.path.isdir(os.path.join(root, ".obsidian")):
        styles.append(Style("obsidian"))
    config = _start_of(os.path.join(root, "logseq", "config.edn"))
    if config is not None:
        styles.append(_logseq_style(config))
    if os.path.isfile(os.path.join(root, "dendron.yml")):
        styles.append(Style("dendron"))
    settings = [_start_of(os.path.join(root, ".vscode", name)) or "" for name in ("extensions.json", "settings.json")]
    if os.path.isdir(os.path.join(root, ".foam")) or any("foam" in text for text in settings):
        styles.append(Style("foam"))
    return styles[0] if len(styles) == 1 else Style()


def _start_of(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(1 << 18)
    except OSError:
        return None


def _logseq_style(config: str) -> Style:
    config = _EDN_COMMENT.sub(lambda match: match[0] if match[0][0] == '"' else "", config)
    style = Style("logseq")
    found = re.search(r':journal/page-title-format\s+"([^"]+)"', config)
    if found:
        style = style._replace(journal_format=found[1])
    found = re.search(r':journals-directory\s+"([^"]+)"', config)
    return style._replace(journals_folder=found[1].strip("/")) if found else style


def key(name: str) -> str:
    """What spellings of one name share: NFC, case folded, white space folded."""
    if name.isascii():
        return " ".join(name.lower().split())
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).split())


def bare(path: str) -> str:
    """A path or name without the ending of a note."""
    lower = path.lower()
    for ending in NOTE_ENDINGS:
        if lower.endswith(ending) and len(path) > len(ending):
            return path[: -len(ending)]
    return path


def page_name(path: str) -> str:
    """The page name that Logseq reads from a file name: `a___b` and `a%2Fb` are `a/b`."""
    stem = bare(path.rpartition("/")[2])
    return unquote(stem.replace("___", "/")) if "___" in stem or "%" in stem else stem


def without_climbs(path: str) -> str | None:
    """A relative path without `.` and `..`; None when it climbs out of the vault."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


_DAYS_KEPT = 10_000
_DIGIT = re.compile(r"\d")


class Dates:
    """Reads days from page names in the formats of journals."""

    def __init__(self, *formats: str) -> None:
        self._patterns = [_date_pattern(format_) for format_ in dict.fromkeys(formats)]
        self._known: dict[str, str | None] = {}

    def day(self, name: str) -> str | None:
        """The day a name stands for, as `2021-08-12`, or None."""
        if len(name) > 40 or not _DIGIT.search(name):
            return None
        if name not in self._known:
            if len(self._known) >= _DAYS_KEPT:
                self._known.clear()
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> str | None:
        text = " ".join(name.lower().split())
        for pattern in self._patterns:
            found = pattern.fullmatch(text)
            if found:
                month = found["month"]
                number = int(month) if month.isdigit() else _month(month)
                day = int(found["day"])
                if 1 <= number <= 12 and 1 <= day <= 31:
                    return f"{found['year']}-{number:02}-{day:02}"
        return None


def _month(name: str) -> int:
    return next((number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3])), 0)


def _date_pattern(format_: str) -> re.Pattern[str]:
    pieces = []
    at = 0
    seen: set[str] = set()
    for match in _TOKEN.finditer(format_):
        pieces.append(re.escape(format_[at : match.start()].lower()))
        token = _TOKENS[match[0]]
        group = token[3 : token.index(">")] if token.startswith("(?P<") else ""
        pieces.append(r"\w+" if group in seen and group else token)
        seen.add(group)
        at = match.end()
    pieces.append(re.escape(format_[at:].lower()))
    if not {"<year", "<month", "<day"} <= seen:
        return re.compile(r"(?!)(?P<year>)(?P<month>)(?P<day>)")
    return re.compile("".join(pieces))


def tag_links(note: Note, style: Style) -> list[Link]:
    """The tags of a note as links where a tag is a page (Logseq, Roam); `#[[name]]` is a wiki link already."""
    if style.name not in ("logseq", "roam"):
        return []
    text = note.text
    return [
        Link("tag", tag.name, None, None, None, tag.start, tag.end, tag.line, text[tag.start : tag.end])
        for tag in note.tags
        if not tag.is_page
    ]
