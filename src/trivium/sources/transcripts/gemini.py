"""Transcripts of Gemini CLI: a whole JSON object, or lines that add, replace and take back messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from trivium.sources.transcripts.steps import CALL, REPLY, RESULT, Step, as_object, as_text, cut, said, words


def session_of(record: dict[str, Any]) -> tuple[str, str]:
    """The session and the folder that a record tells, empty where it does not."""
    folders = record.get("directories")
    folder = folders[0] if isinstance(folders, list) and folders else ""
    return as_text(record.get("sessionId")), as_text(folder)


def folded(records: Iterable[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """The messages that remain after all records, with the line each was last written on.

    A message with a known id replaces it; `$rewindTo` takes back the message it names and all after it; `$set` with
    `messages` is the host's own shortened view of the talk and takes nothing back.
    """
    kept: dict[str, tuple[int, dict[str, Any]]] = {}
    for line, record in records:
        target = record.get("$rewindTo")
        if isinstance(target, str):
            ids = list(kept)
            for one in ids[ids.index(target) if target in kept else 0 :]:
                del kept[one]
        elif isinstance(record.get("id"), str):
            kept[record["id"]] = (line, record)
        else:
            patch = record.get("$set")
            inner = (patch if isinstance(patch, dict) else record).get("messages")
            for place, message in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(message, dict):
                    kept.setdefault(as_text(message.get("id")) or f"{line}:{place}", (line, message))
    return list(kept.values())


def steps_of(record: dict[str, Any], line: int) -> Iterator[Step]:
    """The steps in one message."""
    at, kind = as_text(record.get("timestamp")), record.get("type")
    text = words(record.get("content"))
    if kind == "user":
        yield from said(text, line, at)
        return
    if kind != "gemini":
        return
    if text:
        yield Step(REPLY, cut(text), line, at)
    calls = record.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, dict):
            continue
        joined = as_text(call.get("id"))
        yield Step(CALL, "", line, at, as_text(call.get("name")), as_object(call.get("args")), joined)
        if call.get("result") is not None:
            failed = call.get("status") == "error"
            yield Step(RESULT, cut(_result(call["result"])), line, at, id=joined, is_error=failed)


def _result(value: Any) -> str:
    """The text in the parts that a tool gave back."""
    texts: list[str] = []
    for part in value if isinstance(value, list) else [value]:
        inner = part.get("functionResponse") if isinstance(part, dict) else None
        if isinstance(inner, dict):
            response = as_object(inner.get("response"))
            texts.append(as_text(response.get("output")) or as_text(response.get("error")))
        else:
            texts.append(words(part))
    return "\n".join(text for text in texts if text)
