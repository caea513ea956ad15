"""Transcripts of Cursor: a message a line with its role beside it; the older ones are plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trivium.sources.transcripts.steps import CALL, REPLY, RESULT, Step, as_object, as_text, cut, said, words

_ROLE = re.compile(r"^(user|assistant):[ \t]*$")
_MARK = re.compile(r"^\[(Tool call|Tool result|Thinking)\][ \t]*(.*)$")
_ARGUMENT = re.compile(r"^ {2}([A-Za-z_]\w*): (.*)$")


def session_of(record: dict[str, Any]) -> tuple[str, str]:
    """Records of Cursor tell neither session nor folder."""
    return "", ""


def steps_of(record: dict[str, Any], line: int) -> Iterator[Step]:
    """The steps in one record."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if record.get("role") == "user":
        yield from said(words(content), line, "")
        return
    if record.get("role") != "assistant":
        return
    if isinstance(content, str):
        yield Step(REPLY, cut(content), line)
        return
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            yield Step(REPLY, cut(as_text(part.get("text"))), line)
        elif kind == "tool_use":
            yield Step(CALL, "", line, "", as_text(part.get("name")), as_object(part.get("input")))
        elif kind == "tool_result":
            yield Step(RESULT, cut(words(part.get("content"))), line)


def plain_steps(text: str) -> Iterator[Step]:
    """The steps in a transcript of the older, plain form: `user:` and `assistant:` on lines of their own."""
    role, kind, name, begin = "", "", "", 1
    held: list[str] = []

    def done() -> Iterator[Step]:
        whole = "\n".join(held).strip()
        if kind == "Tool call":
            found = (_ARGUMENT.match(one) for one in held)
            yield Step(CALL, "", begin, "", name, {match[1]: match[2] for match in found if match})
        elif kind == "Tool result":
            yield Step(RESULT, cut(whole), begin, "", name)
        elif not kind and whole:
            if role == "user":
                yield from said(whole, begin, "")
            elif role == "assistant":
                yield Step(REPLY, cut(whole), begin)

    for number, line in enumerate(text.splitlines(), 1):
        turned, marked = _ROLE.match(line), _MARK.match(line)
        if turned or marked:
            yield from done()
            held.clear()
            begin = number
            role = turned[1] if turned else role
            kind, name = (marked[1], marked[2].strip()) if marked else ("", "")
        else:
            held.append(line)
    yield from done()
