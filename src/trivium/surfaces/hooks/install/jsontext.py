"""JSON as its author wrote it: values with their places, so that a part can be added or removed and the rest stays.

Comments and trailing commas are read, as the hosts that allow them do.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from trivium.errors import UsageError

MAX_DEPTH = 200

_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)+", re.S)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])|true\b|false\b|null\b")


class Node(NamedTuple):
    """A value: `text[start:end]` is how it is written. `parts` are the members of an object or the items of a list."""

    start: int
    end: int
    value: Any
    parts: list[Part]

    def member(self, key: str) -> Part | None:
        """The member of an object; of two of one name the last, which is the one that counts."""
        return next((part for part in reversed(self.parts) if part.key == key), None)


class Part(NamedTuple):
    """A member or an item with its place in the text: `start` is that of the key, `end` that of the value."""

    key: str
    start: int
    end: int
    node: Node


def parse(text: str, where: str) -> Node:
    """The value in a text. Raises `UsageError` that names the place where it stops being JSON."""
    reader = _Reader(text, where)
    node = reader.value(reader.blank(0), 0)
    end = reader.blank(node.end)
    if end != len(text):
        raise reader.error(end, "more text after the end")
    return node


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    def error(self, at: int, message: str) -> UsageError:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        return UsageError(
            f"{self.where} is not JSON: line {line}, column {column}: {message}.",
            hint="Repair the file first; it was left as it is.",
        )

    def blank(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(at, "nested too deeply")
        char = self.text[at : at + 1]
        if char == "{":
            return self._container(at, depth, "}")
        if char == "[":
            return self._container(at, depth, "]")
        found = (_STRING if char == '"' else _SCALAR).match(self.text, at)
        if not found:
            raise self.error(at, f"a value was expected, not {char!r}" if char else "the text ends too early")
        return Node(at, found.end(), json.loads(found[0]), [])

    def _container(self, start: int, depth: int, closing: str) -> Node:
        parts: list[Part] = []
        at = self.blank(start + 1)
        while self.text[at : at + 1] != closing:
            part = self._member(at, depth) if closing == "}" else self._item(at, depth)
            parts.append(part)
            at = self.blank(part.end)
            if self.text[at : at + 1] == ",":
                at = self.blank(at + 1)
            elif self.text[at : at + 1] != closing:
                raise self.error(at, f"',' or {closing!r} was expected")
        value: Any = {part.key: part.node.value for part in parts}
        if closing == "]":
            value = [part.node.value for part in parts]
        return Node(start, at + 1, value, parts)

    def _member(self, at: int, depth: int) -> Part:
        found = _STRING.match(self.text, at)
        if not found:
            raise self.error(at, "a key in double quotes was expected")
        colon = self.blank(found.end())
        if self.text[colon : colon + 1] != ":":
            raise self.error(colon, "':' was expected")
        node = self.value(self.blank(colon + 1), depth + 1)
        return Part(json.loads(found[0]), at, node.end, node)

    def _item(self, at: int, depth: int) -> Part:
        node = self.value(at, depth + 1)
        return Part("", at, node.end, node)


# -- editing


def added(text: str, container: Node, value: Any, key: str = "") -> str:
    """The text with a value added as the last part of a container, in the style of its surroundings."""
    newline = "\r\n" if "\r\n" in text else "\n"
    is_flat = _is_flat(text)
    inner, outer = _indents(text, container)
    written = _written(text, value, inner)
    if key:
        written = f"{json.dumps(key, ensure_ascii=False)}: {written}"
    gap = " " if is_flat else newline + inner
    if not container.parts:
        inside = text[container.start + 1 : container.end - 1]
        tail = "" if is_flat or "\n" in inside else newline + outer
        head = "" if is_flat else gap
        return text[: container.start + 1] + head + written + inside + tail + text[container.end - 1 :]
    last = container.parts[-1]
    comma = _comma_after(text, last.end)
    at = _line_rest(text, last.end if comma < 0 else comma + 1)
    if comma < 0:
        return text[: last.end] + "," + text[last.end : at] + gap + written + text[at:]
    return text[:at] + gap + written + "," + text[at:]


def replaced(text: str, node: Node, value: Any) -> str:
    """The text with another value in the place of one."""
    return text[: node.start] + _written(text, value, _indent_at(text, node.start)) + text[node.end :]


def removed(text: str, container: Node, index: int) -> str:
    """The text without one part of a container: what `added` did last is taken back exactly."""
    part = container.parts[index]
    is_last = index == len(container.parts) - 1
    if not is_last:
        comma = _comma_after(text, part.end)
        rest = text[comma + 1 :]
        return text[: part.start] + rest.lstrip(" \t\r\n")
    if index == 0:
        comma = _comma_after(text, part.end)
        before = text[container.start + 1 : part.start]
        after = text[(part.end if comma < 0 else comma + 1) : container.end - 1]
        inside = "" if not (before + after).strip() else before.rstrip(" \t\r\n") + after
        return text[: container.start + 1] + inside + text[container.end - 1 :]
    previous = container.parts[index - 1]
    comma = _comma_after(text, previous.end)
    own = _comma_after(text, part.end)
    at = _line_rest(text, comma + 1)
    if own >= 0:
        return text[:at] + text[own + 1 :]
    return text[: previous.end] + text[previous.end : comma] + text[comma + 1 : at] + text[part.end :]


def _comma_after(text: str, at: int) -> int:
    """Where the comma behind a part is, -1 where there is none."""
    found = _BLANK.match(text, at)
    at = found.end() if found else at
    return at if text[at : at + 1] == "," else -1


_LINE_REST = re.compile(r"[ \t]*(?://[^\n]*?(?=\r?\n|$)|/\*[^\n]*?\*/(?=[ \t]*\r?\n))")


def _line_rest(text: str, at: int) -> int:
    """Behind a comment that stands on the same line: it belongs to what is before it."""
    found = _LINE_REST.match(text, at)
    return found.end() if found else at


def _indents(text: str, container: Node) -> tuple[str, str]:
    """The indentation of a container's parts, and that of its end."""
    outer = _indent_at(text, container.start)
    own_lines = [part for part in container.parts if not text[_line_start(text, part.start) : part.start].strip()]
    if own_lines:
        return _indent_at(text, own_lines[-1].start), outer
    return outer + _unit(text), outer


def _unit(text: str) -> str:
    """One step of indentation as this text has it."""
    found = re.search(r"\n([ \t]+)\S", text)
    if not found:
        return "  "
    return "\t" if found[1].startswith("\t") else found[1]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indent_at(text: str, at: int) -> str:
    line = text[_line_start(text, at) : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _written(text: str, value: Any, indent: str) -> str:
    if _is_flat(text):
        return json.dumps(value, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    return (newline + indent).join(json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n"))


def _is_flat(text: str) -> bool:
    """Whether a document is written on one line."""
    return "\n" not in text.strip()
