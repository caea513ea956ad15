"""Command lines in this process, on the home of the test, with words and their parts as meaning."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trivium.surfaces.cli.main import main

PAYLOAD: dict[str, Any] = {
    "reference": {
        "url": "https://example.com/wal",
        "title": "Write-Ahead Logging",
        "publishedAt": "2026-01-05T00:00:00Z",
    },
    "concepts": [
        {
            "id": "WAL mode",
            "description": "Journal mode that appends changes to a log.",
            "details": "PRAGMA a\nPRAGMA b",
        },
        {"id": "checkpoint", "description": "Moves pages from the log into the database."},
        {"id": "zebra", "description": "A striped animal."},
    ],
    "relationships": [
        {"source": "checkpoint", "type": "CONSUMES", "target": "WAL mode", "reason": "It empties the log."},
    ],
}


class Ran(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The answer as a value."""
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error as a value."""
        return json.loads(self.err)["error"]


Cli = Callable[..., Ran]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command line; `stdin` is text, bytes or a value that is sent as JSON."""
    monkeypatch.setenv("TRIVIUM_EMBEDDER", "hash")

    def run(*argv: str, stdin: Any = b"") -> Ran:
        if not isinstance(stdin, str | bytes):
            stdin = json.dumps(stdin)
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(argv)
        return Ran(status, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def filled(cli: Cli) -> Cli:
    """The same, on a home in which `PAYLOAD` is registered."""
    assert cli("ref", "register", stdin=PAYLOAD).status == 0
    return cli


@pytest.fixture
def payload() -> dict[str, Any]:
    """A payload of three concepts, two of them related."""
    copy: dict[str, Any] = json.loads(json.dumps(PAYLOAD))
    return copy


@pytest.fixture
def files(home: Path) -> Callable[[], list[str]]:
    """Lists what is in the home; nothing when it does not exist."""
    return lambda: sorted(str(path.relative_to(home)) for path in home.rglob("*")) if home.exists() else []
