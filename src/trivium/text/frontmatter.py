"""The head of a note: where its frontmatter ends, what it says, and what in it could not be read.

YAML is read by the 1.2 core rules, as the note applications do: `no` is a word and `2026-05-26` is a text, so that a
title stays what its author typed. What is not valid YAML (templates with `{{date}}`, an unquoted colon) is reported,
and every key that reads well on its own is kept.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

MAX_CHARS = 262_144
"""Longer frontmatter is reported and not read."""

MAX_NODES = 20_000
"""Most values of one frontmatter, aliases expanded: a small text must not unfold into gigabytes."""

MAX_DEPTH = 32
"""Deeper nesting is reported and left out."""

_TEXT_KEYS = frozenset(("title", "alias", "aliases", "tag", "tags"))
"""Keys whose numbers are names: `title: 1.10` is not 1.1."""

_OPENING = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n")
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.M),
    "+++": re.compile(r"^\+\+\+[ \t]*\r?$", re.M),
}
_BLANK_START = re.compile(r"[ \t]*\r?\n")
_PLAIN_NAME = re.compile(r"[\w-]+")
_TOP_KEY = re.compile(r"""^(?P<key>[^\s#\-\[\]{},"'][^:\n]*?|"[^"\n]*"|'[^'\n]*'):(?=[ \t\r]|$)""", re.M)
_HEAD_LINE = re.compile(rf"(?:#[^\n]*\n)*(?:{_TOP_KEY.pattern})", re.M)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?)")
_WORDS = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}


class Problem(NamedTuple):
    """Something of a note that could not be read as meant; `line` counts from 1 in the whole text."""

    line: int
    message: str


class Frontmatter(NamedTuple):
    """The head of a note.

    `syntax` is "yaml", "toml" or "" (none). `text[start:end]` is what stands between the fences and `text[body:]` is
    the note below them; without frontmatter all three are the start of the text (after a byte order mark). `data` holds
    only JSON values with text keys; `lines` says where each top-level key stands.
    """

    syntax: str
    start: int
    end: int
    body: int
    data: dict[str, Any]
    lines: dict[str, int]
    problems: tuple[Problem, ...]


def split(text: str) -> Frontmatter:
    """Find and read the frontmatter of a note; never raises.

    A first line `---` opens it when what follows up to a line `---` or `...` is a mapping (or blank), so a note that
    begins with a rule keeps its text. `+++` fences hold TOML.
    """
    body = 1 if text.startswith("\ufeff") else 0
    absent = Frontmatter("", body, body, body, {}, {}, ())
    opening = _OPENING.match(text)
    if opening is None:
        return absent
    fence = opening[1]
    closing = _CLOSING[fence].search(text, opening.end())
    if closing is None:
        return absent
    start, end = opening.end(), closing.start()
    after = closing.end() + (1 if closing.end() < len(text) else 0)
    content = text[start:end]
    if len(content) > MAX_CHARS:
        problem = Problem(1, f"the frontmatter has {len(content)} characters, more than {MAX_CHARS}: not read")
        return Frontmatter("yaml" if fence == "---" else "toml", start, end, after, {}, {}, (problem,))
    if fence == "+++":
        toml, toml_problems = _read_toml(content)
        return Frontmatter("toml", start, end, after, toml, _key_lines(content, toml), tuple(toml_problems))
    read = _read_yaml(content)
    if read is None or (_BLANK_START.match(content) and not all(_PLAIN_NAME.fullmatch(key) for key in read[0])):
        return absent
    data, lines, problems = read
    return Frontmatter("yaml", start, end, after, data, lines, tuple(problems))


def names(value: object) -> tuple[str, ...]:
    """The names that an `aliases` or `tags` value holds: a list as it is, a text cut at commas; blanks left out."""
    if isinstance(value, str):
        found = value.split(",")
    elif isinstance(value, list):
        found = [item if isinstance(item, str) else str(item) for item in value if item is not None]
        found = [item for item in found if not item.startswith(("{", "["))]
    else:
        found = [] if value is None or isinstance(value, dict) else [str(value)]
    return tuple(dict.fromkeys(name for name in (item.strip() for item in found) if name))


# ---- YAML


def _read_yaml(content: str) -> tuple[dict[str, Any], dict[str, int], list[Problem]] | None:
    """Data, lines and problems; None when this is no mapping at all."""
    import yaml

    try:
        node = _compose(content)
    except (yaml.YAMLError, RecursionError) as error:
        if not _HEAD_LINE.match(content):
            return None
        return _salvage(content, _fault(error))
    if node is None:
        return {}, {}, []
    if not isinstance(node, yaml.MappingNode):
        return None
    walk = _Walk(content, yaml.ScalarNode, yaml.MappingNode)
    return walk.mapping(node, 0, 2), walk.lines, walk.problems


_PARSER: Any = None


def _compose(content: str) -> Any:
    """The node tree of one document, by libyaml where PyYAML has it."""
    global _PARSER  # noqa: PLW0603 (the class can only be made once the library is loaded)
    if _PARSER is None:
        _PARSER = _parser_class()
    parser = _PARSER(content)
    try:
        return parser.get_single_node()
    finally:
        parser.dispose()


def _parser_class() -> Any:
    import yaml

    try:
        from yaml.cyaml import CParser

        bases: tuple[Any, ...] = (CParser,)
    except ImportError:
        from yaml.composer import Composer
        from yaml.parser import Parser
        from yaml.reader import Reader
        from yaml.scanner import Scanner

        bases = (Reader, Scanner, Parser, Composer)

    def start(self: Any, stream: str) -> None:
        if len(bases) == 1:
            bases[0].__init__(self, stream)
            return
        bases[0].__init__(self, stream)
        for base in bases[1:]:
            base.__init__(self)

    def resolve(_self: Any, kind: Any, _value: Any, implicit: Any) -> str:
        return "plain" if kind is yaml.ScalarNode and implicit[0] else "text"

    quiet = {"descend_resolver": lambda *_: None, "ascend_resolver": lambda *_: None, "dispose": lambda _: None}
    return type("_Parser", bases, {"__init__": start, "resolve": resolve, **quiet})


class _Walk:
    """Node tree to JSON values, counting what it makes."""

    def __init__(self, content: str, scalar: Any, mapping: Any) -> None:
        self.content = content
        self.scalar = scalar
        self.mapping_node = mapping
        self.lines: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.left = MAX_NODES

    def mapping(self, node: Any, depth: int, first_line: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + first_line
            if not isinstance(key_node, self.scalar):
                self.problems.append(Problem(line, "a key that is no text is left out"))
                continue
            key = key_node.value
            if key in made:
                self.problems.append(Problem(line, f"the key {key!r} stands twice: the last one counts"))
            is_text = depth == 0 and key.lower() in _TEXT_KEYS
            made[key] = self.value(value_node, depth + 1, first_line, is_text)
            if depth == 0:
                self.lines[key] = line
        return made

    def value(self, node: Any, depth: int, first_line: int, is_text: bool) -> Any:
        self.left -= 1
        line = node.start_mark.line + first_line
        if self.left < 0 or depth > MAX_DEPTH:
            if self.left == -1 or depth > MAX_DEPTH:
                self.problems.append(Problem(line, "the frontmatter nests too deep or unfolds too far: cut here"))
            return None
        if isinstance(node, self.scalar):
            return _scalar(node.value, is_text) if node.tag == "plain" else node.value
        if isinstance(node, self.mapping_node):
            if any(not isinstance(key, self.scalar) for key, _ in node.value):
                raw = self.content[node.start_mark.index : node.end_mark.index].strip()
                self.problems.append(Problem(line, f"kept as text: {_short(raw)}"))
                return raw
            return self.mapping(node, depth, first_line)
        made = []
        for item in node.value:
            if self.left < 0:
                break
            made.append(self.value(item, depth + 1, first_line, is_text))
        return made


def _scalar(value: str, is_text: bool) -> str | int | float | bool | None:
    """A plain scalar by the YAML 1.2 core rules; dates, and numbers that would not print back, stay text."""
    if value in _WORDS:
        word = _WORDS[value]
        return value if is_text and word is not None else word
    if is_text or value[0] not in "+-.0123456789":
        return value
    if _INTEGER.fullmatch(value):
        return int(value)
    if _FLOAT.fullmatch(value) and len(value) <= 32:
        return float(value)
    return value


def _salvage(content: str, fault: Problem) -> tuple[dict[str, Any], dict[str, int], list[Problem]]:
    """What can be had from YAML that does not parse: each top-level entry on its own, else its text."""
    import yaml

    problems = [fault]
    data: dict[str, Any] = {}
    lines: dict[str, int] = {}
    starts = [*_TOP_KEY.finditer(content)]
    line, at = 2, 0
    for number, match in enumerate(starts):
        line += content.count("\n", at, match.start())
        at = match.start()
        end = starts[number + 1].start() if number + 1 < len(starts) else len(content)
        entry = content[match.start() : end]
        key = match["key"].strip("\"' ")
        lines[key] = line
        try:
            node = _compose(entry)
        except (yaml.YAMLError, RecursionError):
            node = None
        if isinstance(node, yaml.MappingNode) and len(node.value) == 1:
            walk = _Walk(entry, yaml.ScalarNode, yaml.MappingNode)
            data.update(walk.mapping(node, 0, line))
            problems += walk.problems
        else:
            data[key] = content[match.end() : end].strip()
            problems.append(Problem(line, f"kept as text: {_short(entry.strip())}"))
    return data, lines, problems


def _fault(error: Any) -> Problem:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    return Problem(2 if mark is None else mark.line + 2, f"the frontmatter is not valid YAML: {what}")


def _short(text: str) -> str:
    line = " ".join(text[:200].split())
    return line if len(line) <= 60 else line[:59] + "…"


# ---- TOML


def _read_toml(content: str) -> tuple[dict[str, Any], list[Problem]]:
    import tomllib

    try:
        return {key: _plain(value) for key, value in tomllib.loads(content.replace("\r\n", "\n")).items()}, []
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) + 1 if found else 2
        return {}, [Problem(line, f"the frontmatter is not valid TOML: {error}")]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int) or (isinstance(value, float) and abs(value) < 1e308) else str(value)


def _key_lines(content: str, data: dict[str, Any]) -> dict[str, int]:
    lines: dict[str, int] = {}
    for number, line in enumerate(content.splitlines(), start=2):
        key = line.split("=", 1)[0].strip().strip("\"'[]").strip()
        if key in data:
            lines.setdefault(key, number)
    return lines
