"""The values a transcript is read into: steps, whatever host wrote them, and the turns they make."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

PROMPT = "prompt"
REPLY = "reply"
CALL = "call"
RESULT = "result"
INJECTED = "injected"
SUMMARY = "summary"

MAX_TEXT_CHARS = 200_000
"""Longer texts of one step are cut: they are files and logs, not talk."""


class Step(NamedTuple):
    """One thing in a session.

    `kind`: `prompt` (the person), `reply` (the agent's words), `call` and `result` of a tool, `injected` (what a hook
    added), `summary` (of a compacted conversation). `at` is as the host wrote it, empty where it wrote none. `line` is
    the line of the file, from 1, or the place in a list. `id` joins a call with its result.
    """

    kind: str
    text: str
    line: int
    at: str = ""
    name: str = ""
    arguments: dict[str, Any] = {}  # noqa: RUF012 - never changed
    id: str = ""
    is_error: bool = False


class Problem(NamedTuple):
    """A part of a transcript that could not be read."""

    line: int
    message: str


class Turn(NamedTuple):
    """What followed one prompt; the steps before the first prompt make a turn with an empty prompt."""

    prompt: str
    at: str
    line: int
    steps: list[Step]


# Hosts put what hooks and they themselves add between tags of their own.
_ADDED = re.compile(
    r"<(system-reminder|user-prompt-submit-hook|hook_context|hook-context|environment_context|"
    r"user_instructions|permissions instructions)>(.*?)</\1>",
    re.S,
)
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)


def cut(text: str) -> str:
    """A text of bearable length, without what no file can store."""
    if len(text) > MAX_TEXT_CHARS:
        text = text[:MAX_TEXT_CHARS]
    return text.encode("utf-8", "replace").decode("utf-8")


def said(text: str, line: int, at: str) -> Iterable[Step]:
    """The steps in the text of a user message: what was added to it, and what the person said."""
    query = _QUERY.search(text)
    for found in _ADDED.finditer(text):
        yield Step(INJECTED, cut(found[2].strip()), line, at, found[1])
    rest = query[1] if query else _ADDED.sub("", text)
    if rest.strip():
        yield Step(PROMPT, cut(rest.strip()), line, at)


def words(content: Any) -> str:
    """The text in a message's content: a string, or a list of parts that have a `text`."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts = (
        part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None for part in content
    )
    return "\n".join(part for part in parts if isinstance(part, str))


def as_text(value: Any) -> str:
    """A string that stands in a record, or nothing."""
    return value if isinstance(value, str) else ""


def as_object(value: Any) -> dict[str, Any]:
    """An object that stands in a record, also as JSON text; empty for anything else."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        import json

        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return {"input": cut(value)} if value else {}
        return inner if isinstance(inner, dict) else {"input": inner}
    return {}


def turns(steps: Iterable[Step]) -> list[Turn]:
    """The steps by the prompt they followed. Two prompts in a row without a step between them are two turns."""
    found: list[Turn] = []
    for step in steps:
        if step.kind == PROMPT:
            found.append(Turn(step.text, step.at, step.line, []))
            continue
        if not found:
            found.append(Turn("", step.at, step.line, []))
        found[-1].steps.append(step)
    return found
