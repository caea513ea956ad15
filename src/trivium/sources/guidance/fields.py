"""The frontmatter of guidance: known keys with values of the right type, and what was wrong with the others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from trivium.sources.guidance.values import ACTIVE, KINDS, MANUAL, RETIRED, Problem
from trivium.text import globs
from trivium.text.frontmatter import Frontmatter

_TEXTS = {
    "name": "name",
    "description": "description",
    "type": "type",
    "one-liner": "one_liner",
    "one_liner": "one_liner",
    "oneLiner": "one_liner",
    "when_to_use": "when_to_use",
    "when-to-use": "when_to_use",
    "origin": "origin",
}
_LISTS = {"queries": "queries", "keywords": "keywords", "hooks": "hooks"}
_PATHS = ("paths", "globs", "applyTo")


class Fields(NamedTuple):
    """What the keys of a file's frontmatter say; a key that is missing or cannot be read has its default."""

    name: str = ""
    description: str = ""
    type: str = ""
    one_liner: str = ""
    when_to_use: str = ""
    origin: str = ""
    queries: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    boost: float = 0.0
    status: str = ACTIVE
    is_always: bool = False

    @property
    def kind(self) -> str:
        """The kind of entry that `type` names, empty when it names none."""
        return self.type if self.type in KINDS else ""


def known(front: Frontmatter) -> tuple[dict[str, Any], list[Problem]]:
    """The fields that a frontmatter states, by their names in `Fields`, and what could not be taken as meant."""
    found: dict[str, Any] = {}
    problems = [Problem(line, message) for line, message in front.problems]
    for key, value in front.data.items():
        line = front.lines.get(key, 1)
        if value is None:
            continue
        if key in _TEXTS:
            _put_text(found, _TEXTS[key], key, value, line, problems)
        elif key in _LISTS:
            words = tuple(" ".join(word.split()) for word in _words(value))
            found[_LISTS[key]] = tuple(word for word in words if word)
        elif key in _PATHS:
            found["paths"] = found.get("paths", ()) + _patterns(value)
        elif key == "boost":
            _put_boost(found, value, line, problems)
        elif key in ("status", "disable-model-invocation"):
            _put_status(found, key, value, line, problems)
        elif key == "alwaysApply":
            found["is_always"] = value is True or value == "true"
    if found.get("description", "").lower().startswith("retired"):
        found.setdefault("status", RETIRED)
    return {name: value for name, value in found.items() if value != ()}, problems


def read(front: Frontmatter) -> tuple[Fields, list[Problem]]:
    """`known`, with defaults for what is not stated."""
    found, problems = known(front)
    return Fields(**found), problems


def _put_text(found: dict[str, Any], field: str, key: str, value: object, line: int, problems: list[Problem]) -> None:
    if isinstance(value, list | dict):
        problems.append(
            Problem(line, f"{key} must be a text, not a {'list' if isinstance(value, list) else 'mapping'}")
        )
        return
    words = " ".join(str(value).split())
    if words:
        found[field] = words


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(item) for item in value if item is not None and not isinstance(item, list | dict))
    return () if isinstance(value, dict) else (str(value),)


def _patterns(value: object) -> tuple[str, ...]:
    """Path patterns: a list, or a text that lists them with commas."""
    return tuple(pattern for word in _words(value) for pattern in globs.split(_unlisted(word.strip())))


def _unlisted(text: str) -> str:
    # A list of patterns is no valid YAML when they begin with a star: then it arrives as it was written.
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def _put_boost(found: dict[str, Any], value: object, line: int, problems: list[Problem]) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        found["boost"] = float(value)
        if abs(value) > 1:
            problems.append(Problem(line, f"boost is added to a cosine: {value} decides every search"))
    else:
        problems.append(Problem(line, f"boost must be a number, not {value!r}: left out"))


def _put_status(found: dict[str, Any], key: str, value: object, line: int, problems: list[Problem]) -> None:
    if key != "status":
        if value is True:
            found["status"] = MANUAL
    elif isinstance(value, str) and value.lower() in (ACTIVE, RETIRED, MANUAL):
        found["status"] = value.lower()
    else:
        problems.append(Problem(line, f"status must be {ACTIVE}, {RETIRED} or {MANUAL}, not {value!r}: left out"))
