"""A console without a socket: requests go straight to the application."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from trivium.config import load
from trivium.engine import Engine
from trivium.surfaces.console.application import Console


class Reply(NamedTuple):
    """What came back; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a value."""
        import json

        return json.loads(self.body)


Ask = Callable[..., Reply]


@pytest.fixture
def ask(filled: Any) -> Iterator[Ask]:
    """Sends one request, as a client on this machine would; `target` is the raw path with its query."""
    engine = Engine(load())
    application = Console(engine)

    def send(target: str, method: str = "GET", peer: str = "127.0.0.1", **headers: str) -> Reply:
        path, _, query = target.partition("?")
        named = {"host": "127.0.0.1:8000", **{name.replace("_", "-"): value for name, value in headers.items()}}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
            "client": (peer, 5000),
            "server": ("127.0.0.1", 8000),
        }
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def collect(message: Any) -> None:
            sent.append(message)

        asyncio.run(application(scope, receive, collect))
        start, *parts = sent
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        return Reply(start["status"], found, b"".join(part.get("body", b"") for part in parts))

    yield send
    engine.close()
