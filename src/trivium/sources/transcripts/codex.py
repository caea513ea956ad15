"""Transcripts of Codex: rollouts, one JSON object a line with a `payload`; the oldest have none around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.sources.transcripts.steps import (
    CALL,
    INJECTED,
    REPLY,
    RESULT,
    SUMMARY,
    Step,
    as_object,
    as_text,
    cut,
    said,
    words,
)

_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_RESULTS = ("function_call_output", "custom_tool_call_output")
# What the program writes in the person's name.
_NOT_SAID = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<turn_aborted>",
)


def session_of(record: dict[str, Any]) -> tuple[str, str]:
    """The session and the folder that a record tells, empty where it does not."""
    if record.get("type") == "session_meta":
        inner = as_object(record.get("payload"))
        return as_text(inner.get("id")), as_text(inner.get("cwd"))
    if "type" not in record and "instructions" in record:
        return as_text(record.get("id")), ""
    return "", ""


def steps_of(record: dict[str, Any], line: int) -> Iterator[Step]:
    """The steps in one record. The `event_msg` copies of what stands in `response_item` are left out."""
    at = as_text(record.get("timestamp"))
    if record.get("type") == "compacted":
        yield Step(SUMMARY, cut(as_text(as_object(record.get("payload")).get("message"))), line, at)
        return
    if record.get("type") == "response_item":
        record = as_object(record.get("payload"))
    elif "payload" in record:
        return
    kind = record.get("type")
    if kind == "message":
        yield from _spoken(record, line, at)
    elif kind in _CALLS:
        given = record.get("arguments", record.get("input", record.get("action")))
        name, joined = as_text(record.get("name")) or "shell", as_text(record.get("call_id"))
        yield Step(CALL, "", line, at, name, as_object(given), joined)
    elif kind in _RESULTS:
        output = record.get("output")
        if isinstance(output, dict):
            output = output.get("content", output.get("output"))
        yield Step(RESULT, cut(words(output)), line, at, id=as_text(record.get("call_id")))


def _spoken(record: dict[str, Any], line: int, at: str) -> Iterator[Step]:
    role, text = record.get("role"), words(record.get("content"))
    if role == "assistant":
        yield Step(REPLY, cut(text), line, at)
    elif role == "developer":
        yield Step(INJECTED, cut(text), line, at)
    elif role == "user":
        if text.lstrip().startswith(_NOT_SAID):
            yield Step(INJECTED, cut(text), line, at)
        else:
            yield from said(text, line, at)
