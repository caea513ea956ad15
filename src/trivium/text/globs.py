"""Path patterns of rules: which files a rule is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_CHARS = 1_000
"""Longer patterns match nothing."""

_MAX_WORDS = 64
_COMPILED: dict[str, re.Pattern[str] | None] = {}


def split(text: str) -> tuple[str, ...]:
    """The patterns of a list written as one text: cut at commas that stand outside braces."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char == "{":
            depth += 1
        elif char == "}":
            depth = max(0, depth - 1)
        elif char == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    found.append(text[start:])
    return tuple(dict.fromkeys(part.strip().strip("\"'") for part in found if part.strip()))


def first_match(patterns: Iterable[str], paths: Iterable[str]) -> str | None:
    """The first of the paths that any of the patterns fits, or None."""
    compiled = [pattern for pattern in map(_pattern, patterns) if pattern is not None]
    for path in paths:
        plain = path.replace("\\", "/").removeprefix("./")
        if any(pattern.fullmatch(plain) for pattern in compiled):
            return path
    return None


def _pattern(glob: str) -> re.Pattern[str] | None:
    """`*` and `?` within a folder, `**` across folders, `{a,b}`, `[a-z]`; without a slash: at any depth.

    `docs/`, or a path without wildcards at its end that leads to a folder, stands for everything below it.
    """
    if glob not in _COMPILED:
        _COMPILED[glob] = _compile(glob)
    return _COMPILED[glob]


def _compile(glob: str) -> re.Pattern[str] | None:
    plain = glob.strip().replace("\\", "/").removeprefix("./")
    if not plain or len(plain) > MAX_CHARS:
        return None
    if plain.endswith("/"):
        plain += "**"
    anchored = plain.lstrip("/")
    if "/" not in plain:
        anchored = "**/" + anchored
    forms = [_translate(form) for form in _unfold(anchored)]
    is_plain = not any(char in anchored.rpartition("/")[2] for char in "*?[{")
    return re.compile(f"(?:{'|'.join(forms)})" + ("(?:/.*)?" if is_plain else ""), re.DOTALL)


def _unfold(glob: str) -> list[str]:
    """The patterns that a pattern with `{a,b}` stands for; too many of them are taken as written."""
    done: list[str] = []
    waiting = [glob]
    while waiting:
        form = waiting.pop()
        close = form.find("}")
        start = form.rfind("{", 0, close) if close > 0 else -1
        if start < 0:
            done.append(form)
            continue
        waiting += [form[:start] + word + form[close + 1 :] for word in reversed(form[start + 1 : close].split(","))]
        if len(waiting) + len(done) > _MAX_WORDS:
            return [glob]
    return done


def _translate(glob: str) -> str:
    out, at = [], 0
    while at < len(glob):
        char = glob[at]
        if glob.startswith("**/", at):
            out.append("(?:[^/]+/)*")
            at += 3
            continue
        if glob.startswith("**", at):
            out.append(".*")
            at += 2
            continue
        close = glob.find("]", at + 2) if char == "[" else -1
        if close > 0:
            inside = glob[at + 1 : close].replace("\\", "\\\\").replace("[", "\\[")
            inside = "^" + inside[1:] if inside[0] in "!^" else inside
            out.append(f"(?!/)[{inside}]" if _is_class(inside) else re.escape(glob[at : close + 1]))
            at = close + 1
            continue
        out.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
        at += 1
    return "".join(out)


def _is_class(inside: str) -> bool:
    try:
        re.compile(f"[{inside}]")
    except re.error:
        return False
    return True
