"""Transcripts of Claude Code: one JSON object a line, with the message one level down."""

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

# Commands and notices of the program itself that stand where a prompt would.
_NOT_SAID = ("<command-", "<local-command-", "<task-notification", "<bash-", "Caveat: The messages below")


def session_of(record: dict[str, Any]) -> tuple[str, str]:
    """The session and the folder that a record tells, empty where it does not."""
    return as_text(record.get("sessionId")), as_text(record.get("cwd"))


def steps_of(record: dict[str, Any], line: int) -> Iterator[Step]:
    """The steps in one record; side chains (the talk with subagents) are left out."""
    if record.get("isSidechain") is True:
        return
    at, kind = as_text(record.get("timestamp")), record.get("type")
    message = record.get("message")
    if kind == "attachment":
        yield from _attached(as_object(record.get("attachment")), line, at)
    elif kind == "summary":
        yield Step(SUMMARY, cut(as_text(record.get("summary"))), line, at)
    elif kind == "assistant" and isinstance(message, dict):
        yield from _answered(message.get("content"), line, at)
    elif kind == "user" and isinstance(message, dict):
        if record.get("isCompactSummary") is True:
            yield Step(SUMMARY, cut(words(message.get("content"))), line, at)
        else:
            yield from _asked(message.get("content"), line, at, is_meta=record.get("isMeta") is True)


def _attached(attachment: dict[str, Any], line: int, at: str) -> Iterator[Step]:
    if attachment.get("type") == "hook_additional_context":
        yield Step(INJECTED, cut(words(attachment.get("content"))), line, at, as_text(attachment.get("hookEvent")))


def _answered(content: Any, line: int, at: str) -> Iterator[Step]:
    if isinstance(content, str):
        yield Step(REPLY, cut(content), line, at)
        return
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "text":
            yield Step(REPLY, cut(as_text(part.get("text"))), line, at)
        elif part.get("type") == "tool_use":
            yield Step(
                CALL, "", line, at, as_text(part.get("name")), as_object(part.get("input")), as_text(part.get("id"))
            )


def _asked(content: Any, line: int, at: str, *, is_meta: bool) -> Iterator[Step]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_result":
            text = cut(words(part.get("content")))
            failed = part.get("is_error") is True
            yield Step(RESULT, text, line, at, id=as_text(part.get("tool_use_id")), is_error=failed)
    if isinstance(content, list):
        content = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    text = words(content)
    if text.lstrip().startswith(_NOT_SAID):
        return
    for step in said(text, line, at):
        # What the program says in the person's place is no prompt.
        yield step._replace(kind=INJECTED) if is_meta else step
