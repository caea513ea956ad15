"""HTTP on the loopback interface: the SDK's client gets through, web pages and strangers do not."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from trivium.errors import ConflictError, UsageError
from trivium.surfaces.mcp.http import Guard, _listening, token_from

from .conftest import payload

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """One server for the tests of this module: its address, token and port."""
    home = tmp_path_factory.mktemp("served")
    command = [sys.executable, "-m", "trivium", "mcp", "--http", "--json", "--embedder", "hash", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = []
        while not lines or lines[-1] != b"}\n":
            lines.append(process.stdout.readline())
        told = json.loads(b"".join(lines))
        yield {**told, "port": int(told["url"].split(":")[2].split("/")[0])}
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)


def ask(served: dict[str, Any], headers: dict[str, str], *, body: Any = None, method: str = "POST") -> int:
    """The status of one request with exactly these headers besides the usual ones."""
    connection = http.client.HTTPConnection("127.0.0.1", served["port"], timeout=10)
    data = json.dumps(INITIALIZE if body is None else body).encode()
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.putrequest(method, "/mcp", skip_host=True)
    for name, value in {"Host": f"127.0.0.1:{served['port']}", **usual, **headers}.items():
        if value:
            connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data)
    response = connection.getresponse()
    connection.close()
    return response.status


def test_the_official_client_reads_and_with_the_token_writes(served: dict[str, Any]) -> None:
    async def whole() -> None:
        async with Client(served["url"]) as client:
            assert not (await client.call_tool("status", {})).is_error
            refused = await client.call_tool("register", payload(1))
            assert refused.structured_content["error"]["code"] == "conflict"
        bearer = {"Authorization": f"Bearer {served['token']}"}
        async with (
            httpx2.AsyncClient(headers=bearer) as web,
            Client(streamable_http_client(served["url"], http_client=web)) as client,
        ):
            assert not (await client.call_tool("register", payload(1))).is_error
            found = await client.call_tool("show", {"id": "thing 1"})
            assert found.structured_content["items"][0]["id"] == "thing 1"

    asyncio.run(whole())


def test_a_usual_request_gets_through(served: dict[str, Any]) -> None:
    own = f"http://127.0.0.1:{served['port']}"
    assert ask(served, {}) == 200
    assert ask(served, {"Origin": own, "Sec-Fetch-Site": "same-origin"}) == 200
    assert ask(served, {"Host": f"localhost:{served['port']}"}) == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"},
        {"Origin": "http://localhost:1"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_strangers_are_turned_away(served: dict[str, Any], headers: dict[str, str]) -> None:
    sent = {name: value.replace("{port}", str(served["port"])) for name, value in headers.items()}
    for method in ("POST", "GET", "OPTIONS", "DELETE"):
        # Without any Host header the server below refuses before the guard is asked.
        assert ask(served, sent, method=method) == (403 if sent.get("Host", "-") else 400)


def test_wrong_tokens_change_nothing(served: dict[str, Any]) -> None:
    async def whole() -> None:
        for value in ("Bearer", "Bearer x", f"bearer {served['token']}", served["token"], f"Bearer {served['token']}x"):
            async with (
                httpx2.AsyncClient(headers={"Authorization": value}) as web,
                Client(streamable_http_client(served["url"], http_client=web)) as client,
            ):
                assert (await client.call_tool("register", payload(9))).is_error

    asyncio.run(whole())


def test_a_second_host_header_does_not_help() -> None:
    passed: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope)

    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    async def whole() -> None:
        good = (b"host", b"127.0.0.1:80")
        scope = {"type": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "headers": [good]}
        await Guard(app)(scope, None, send)  # type: ignore[arg-type]
        await Guard(app)({**scope, "headers": [good, (b"host", b"evil")]}, None, send)  # type: ignore[arg-type]
        await Guard(app)({**scope, "client": ("10.0.0.9", 1)}, None, send)  # type: ignore[arg-type]

    asyncio.run(whole())
    assert len(passed) == 1
    assert [one["status"] for one in answers if one["type"] == "http.response.start"] == [403, 403]


def test_the_token_is_kept_in_a_file_that_nobody_else_reads(folder: Path) -> None:
    path = folder / "token"
    token = token_from(str(path))
    assert token_from(str(path)) == token != token_from(None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("short")
    with pytest.raises(UsageError, match="too short"):
        token_from(str(path))
    for wrong in (folder, folder / "none" / "token"):
        with pytest.raises(UsageError):
            token_from(str(wrong))


def test_a_port_that_is_taken() -> None:
    with _listening(0) as listener, pytest.raises(ConflictError, match="cannot be used"):
        _listening(listener.getsockname()[1])
