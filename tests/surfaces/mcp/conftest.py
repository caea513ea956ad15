"""A memory with something in it, its calls, a client in the same process, and servers as processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from trivium.config import load
from trivium.engine import Engine
from trivium.surfaces.mcp.calls import Calls
from trivium.surfaces.mcp.server import build

PAGE = (
    "Write-ahead logging: changes go to a separate file first.\n"
    "Readers do not block the writer.\n"
    "A checkpoint moves pages back.\n"
)

PAYLOAD: dict[str, Any] = {
    "reference": {"url": "https://www.sqlite.org/wal.html", "title": "Write-Ahead Logging"},
    "concepts": [
        {"id": "WAL mode", "description": "Changes go to a log.", "quote": "Readers do not block the writer."},
        {"id": "checkpoint", "description": "Moves pages from the log into the database.", "details": "PRAGMA x"},
        {"id": "rollback journal", "description": "The older way: old pages are kept until the commit."},
    ],
    "relationships": [
        {"source": "checkpoint", "type": "CONSUMES", "target": "WAL mode", "reason": "It empties the log."},
        {"source": "WAL mode", "type": "REPLACES", "target": "rollback journal", "reason": "It is the newer way."},
    ],
    "source_text": PAGE,
}


@pytest.fixture(autouse=True)
def _hash_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_EMBEDDER", "hash")


@pytest.fixture
def calls() -> Calls:
    """The calls of an empty memory."""
    return Calls(Engine(load()))


@pytest.fixture
def filled(calls: Calls) -> Calls:
    """The calls of a memory that knows a page."""
    assert not calls.call("register", PAYLOAD).is_error
    return calls


@pytest.fixture
def ask(filled: Calls) -> Callable[[Callable[[Client], Awaitable[Any]]], Any]:
    """Run something with a client that talks to the filled memory by the protocol."""

    def run(question: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
        async def whole() -> Any:
            async with Client(build(filled), mode=mode) as client:
                return await question(client)

        return asyncio.run(whole())

    return run


class Pipe:
    """A server as a process, spoken to line by line."""

    def __init__(self, *options: str, command: list[str] | None = None, **environment: str) -> None:
        self.process = subprocess.Popen(
            [*(command or [sys.executable, "-m", "trivium"]), "mcp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self.number = 0

    def send(self, method: str, **params: Any) -> int:
        """Ask without waiting for the answer."""
        self.number += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(json.dumps(message if method.startswith("notifications/") else {**message, "id": self.number}))
        return self.number

    def write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found: dict[str, Any] = json.loads(line)
        return found

    def begin(self) -> Pipe:
        """Shake hands."""
        client = {"name": "test", "version": "1"}
        self.send("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        assert self.read()["result"]["serverInfo"]["name"] == "trivium"
        self.send("notifications/initialized")
        return self

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        self.send("tools/call", name=name, arguments=arguments)
        found: dict[str, Any] = self.read()["result"]
        return found


@pytest.fixture
def pipes() -> Iterator[Callable[..., Pipe]]:
    """Start servers; they are gone when the test is."""
    started: list[Pipe] = []

    def start(*options: str, **more: Any) -> Pipe:
        started.append(Pipe(*options, **more))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()
        for stream in (one.process.stdin, one.process.stdout, one.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def payload(number: int, prefix: str = "thing") -> dict[str, Any]:
    """A small page that nobody else registers."""
    return {
        "reference": {"url": f"https://example.org/{prefix}/{number}", "title": f"Page {prefix} {number}"},
        "concepts": [{"id": f"{prefix} {number}", "description": f"The {prefix} that has number {number}."}],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a test may write."""
    return tmp_path
