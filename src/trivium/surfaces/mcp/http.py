"""Serving over HTTP on the loopback interface: who may ask, and who may change something."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
from starlette.responses import JSONResponse

from trivium.errors import ConflictError, UsageError
from trivium.surfaces.mcp.calls import Calls
from trivium.surfaces.mcp.server import build

HOST = "127.0.0.1"
PATH = "/mcp"
_NAMES = (HOST, "localhost")
_TOKEN_BYTES = 24

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guard:
    """Turns away requests that a web page may have made the user's browser send."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer 403."""
        reason = _refusal(scope) if scope["type"] == "http" else ""
        if reason:
            await JSONResponse({"error": reason}, 403)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _refusal(scope: Scope) -> str:
    headers = [(name.decode("latin-1"), value.decode("latin-1").lower()) for name, value in scope["headers"]]
    port = (scope.get("server") or ("", 0))[1]
    allowed = {f"{name}:{port}" for name in _NAMES} | (set(_NAMES) if port == 80 else set())
    if (scope.get("client") or ("",))[0] != HOST:
        return "Only this machine is answered."
    if [value for name, value in headers if name == "host"] not in [[host] for host in allowed]:
        return "The Host header does not name this server."
    if any(value not in {f"http://{host}" for host in allowed} for name, value in headers if name == "origin"):
        return "Pages of other origins are not answered."
    if ("sec-fetch-site", "cross-site") in headers:
        return "Pages of other sites are not answered."
    return ""


def token_from(path: str | None) -> str:
    """The token of this run: a new one, or the one in a file, which is written when it is not there.

    Raises `UsageError` when the file cannot be used.
    """
    fresh = secrets.token_urlsafe(_TOKEN_BYTES)
    if path is None:
        return fresh
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_token(path)
    except OSError as error:
        raise UsageError(f"The token file cannot be written: {path} ({error.strerror}).") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(fresh + "\n")
    return fresh


def _read_token(path: str) -> str:
    try:
        with open(path, encoding="ascii") as stream:
            token = stream.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The token file cannot be read: {path} ({error}).") from error
    if len(token) < _TOKEN_BYTES:
        raise UsageError(
            f"The token in {path} is too short: {_TOKEN_BYTES} characters are needed.",
            hint="Delete the file: a new one is made.",
        )
    return token


def serve(calls: Calls, *, port: int, token: str, announce: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM; `announce` is told the address once connections are taken.

    Everybody on this machine may read; changes need the token. Raises `ConflictError` when the port cannot be had.
    """
    expected = f"Bearer {token}".encode()

    def is_trusted(request: Any) -> bool:
        given = "" if request is None else request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode("utf-8", "replace"), expected)

    application = build(calls, is_trusted).streamable_http_app(streamable_http_path=PATH, host=HOST)
    with _listening(port) as listener:
        announce(f"http://{HOST}:{listener.getsockname()[1]}{PATH}")
        settings = uvicorn.Config(
            Guard(application),
            access_log=False,
            http="h11",
            lifespan="on",
            limit_concurrency=200,
            log_level="warning",
            loop="asyncio",
            server_header=False,
            timeout_graceful_shutdown=1,
            ws="none",
        )
        uvicorn.Server(settings).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ConflictError(
            f"Port {port} of {HOST} cannot be used: {error.strerror}.", hint="Port 0 takes one that is free."
        ) from error
    return listener
