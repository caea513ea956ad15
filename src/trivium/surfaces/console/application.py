"""One request in, one response out: who may ask, what was asked, and the headers that every answer carries."""

from __future__ import annotations

import re
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs, unquote_to_bytes

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, Response

from trivium.engine import Engine
from trivium.errors import NotFoundError, TriviumError, UsageError
from trivium.surfaces.console.answers import answer, in_parameters
from trivium.surfaces.console.page import PAGE

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

METHODS = ("GET", "HEAD")
PEERS = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
HOSTS = ("127.0.0.1", "localhost", "[::1]")

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class Console:
    """The ASGI application. Requests are answered one after the other, each from the files as they are then."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        response = self._refusal(scope)
        if response is None:
            response = await run_in_threadpool(self._respond, scope)
        response.headers.update({name: value for name, value in HEADERS.items() if name not in response.headers})
        await response(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """Why this request is not answered: a web page must not reach the memory through the user's browser."""
        if scope["method"] not in METHODS:
            refused = _error(405, "Only GET and HEAD are answered.")
            refused.headers["Allow"] = ", ".join(METHODS)
            return refused
        if (scope.get("client") or ("",))[0] not in PEERS:
            return _error(403, "Only this machine is answered.")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == "host"]
        allowed = _allowed_hosts(scope)
        if len(hosts) != 1 or hosts[0].lower() not in allowed:
            return _error(403, "The Host header does not name this server.")
        origins = [value.lower() for name, value in headers if name == "origin"]
        if any(origin.removeprefix("http://") not in allowed or "://" not in origin for origin in origins):
            return _error(403, "Pages of other origins are not answered.")
        if ("sec-fetch-site", "cross-site") in headers:
            return _error(403, "Pages of other sites are not answered.")
        return None

    def _respond(self, scope: Scope) -> Response:
        try:
            segments, values = _address(scope)
            if segments == [""]:
                return HTMLResponse(PAGE, headers={"Cache-Control": "no-cache"})
            if segments[0] != "api":
                raise NotFoundError("There is nothing at this address.")
            with self._turn:
                engine = self._engine.again()
                try:
                    return JSONResponse(_sendable(answer(engine, segments[1:], values)))
                finally:
                    engine.close()
        except NotFoundError as error:
            return _failure(404, error)
        except UsageError as error:
            return _failure(400, error)
        except TriviumError as error:
            return _failure(500, error)


def _allowed_hosts(scope: Scope) -> set[str]:
    port = (scope.get("server") or ("", 0))[1]
    names = {f"{host}:{port}" for host in HOSTS}
    return names | set(HOSTS) if port == 80 else names


def _address(scope: Scope) -> tuple[list[str], dict[str, list[str]]]:
    """Segments of the path and parameters, unescaped after splitting: an id may hold a slash."""
    raw: bytes = scope["raw_path"].partition(b"?")[0]
    query: bytes = scope["query_string"]
    if _BAD_ESCAPE.search(raw) or _BAD_ESCAPE.search(query):
        raise UsageError("The address holds a malformed percent escape.")
    try:
        segments = [unquote_to_bytes(segment).decode() for segment in raw.removeprefix(b"/").split(b"/")]
        values = parse_qs(query.decode(), keep_blank_values=True, errors="strict", max_num_fields=100)
    except UnicodeDecodeError:
        raise UsageError("The address is not UTF-8.") from None
    except ValueError:
        raise UsageError("There are too many parameters.") from None
    if ".." in segments[:1]:
        raise UsageError("The address leads outside.")
    return segments, values


def _sendable(value: Any) -> Any:
    """Numbers that JSON does not have become null, surrogates that stand alone U+FFFD: nothing may fail half way."""
    if isinstance(value, dict):
        return {_sendable(key): _sendable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sendable(item) for item in value]
    if isinstance(value, float) and value - value != 0:
        return None
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value


def _failure(status: int, error: TriviumError) -> JSONResponse:
    details = {"code": error.code, "details": list(error.details), "hint": error.hint}
    return JSONResponse(_sendable({"error": in_parameters(error.message), **details}), status)


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message}, status)
