"""Serving one client over a pipe, one message a line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from io import TextIOWrapper
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server

from trivium.surfaces.mcp.calls import Calls
from trivium.surfaces.mcp.lifeline import Lifeline
from trivium.surfaces.mcp.server import build
from trivium.surfaces.mcp.wire import Wire

_LOOK_S = 0.02


class _Lines:
    """The client's messages; their end is told only when every request that came before it was answered."""

    def __init__(self, stream: Any, replies: _Replies) -> None:
        self._stream = anyio.wrap_file(stream)
        self._replies = replies

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._stream:
            self._replies.note(line)
            yield line
        while self._replies.is_any_due():
            await anyio.sleep(_LOOK_S)


class _Replies:
    """The messages to the client, and how many answers are due; the lifeline bounds how long they are waited for."""

    def __init__(self, stream: Any) -> None:
        self._stream = anyio.wrap_file(stream)
        self._due = 0

    def note(self, line: str) -> None:
        """Count a line that asks for an answer."""
        self._due += '"id"' in line and '"method"' in line

    def is_any_due(self) -> bool:
        """Whether an answer is still to come."""
        return self._due > 0

    async def write(self, text: str) -> None:
        """Send one message."""
        self._due = max(0, self._due - ('"id"' in text))
        await self._stream.write(text)

    async def flush(self) -> None:
        """Hand everything over."""
        await self._stream.flush()


def serve(calls: Calls, wire: Wire) -> None:
    """Answer until the client closes its end, and end within two seconds of that or of its death."""
    lifeline = Lifeline(wire.incoming.fileno())
    lifeline.hold()
    replies = _Replies(TextIOWrapper(wire.outgoing, encoding="utf-8", newline="\n"))
    lines = _Lines(TextIOWrapper(wire.incoming, encoding="utf-8", errors="replace"), replies)

    async def run() -> None:
        server = build(calls)
        async with stdio_server(cast(Any, lines), cast(Any, replies)) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(run)
    finally:
        lifeline.let_go()
