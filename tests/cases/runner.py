"""One step of a case: a command line in this process, or a request to a console in another one."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from trivium.surfaces.cli.main import main

_STEP_KEYS = {"cli", "http", "stdin", "stdin_raw", "file"}
_HTTP_KEYS = {"method", "path", "raw", "source", "headers", "host", "origin", "body"}


class Ran(NamedTuple):
    """How a command ended."""

    status: int
    stdout: str
    stderr: str


class Responded(NamedTuple):
    """What a server said; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def run(argv: Sequence[str], stdin: bytes = b"") -> Ran:
    """A command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    source = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    patch = pytest.MonkeyPatch()
    patch.setattr(sys, "stdin", source)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(argv)
    finally:
        patch.undo()
    return Ran(status, out.getvalue(), err.getvalue())


def check_step(step: Mapping[str, Any]) -> None:
    """Fail for a field that is not understood."""
    assert set(step) <= _STEP_KEYS, f"unknown fields of a step: {set(step) - _STEP_KEYS}"
    assert set(step.get("http", {})) <= _HTTP_KEYS, f"unknown fields of a request: {set(step['http']) - _HTTP_KEYS}"


def stdin_of(step: Mapping[str, Any]) -> bytes:
    """What a step sends to standard input."""
    if "stdin_raw" in step:
        return str(step["stdin_raw"]).encode("utf-8", "surrogatepass")
    return json.dumps(step["stdin"], ensure_ascii=False).encode() if "stdin" in step else b""


def with_file(argv: Sequence[str], step: Mapping[str, Any], folder: Path) -> list[str]:
    """The arguments with `{file}` as the path of a file that holds what the step says."""
    if "file" not in step:
        return list(argv)
    path = folder / "payload.json"
    content = step["file"] if isinstance(step["file"], str) else json.dumps(step["file"], ensure_ascii=False)
    path.write_text(content, encoding="utf-8")
    return [word.replace("{file}", str(path)) for word in argv]


@contextlib.contextmanager
def console() -> Iterator[int]:
    """A console on the memory that the environment names; yields its port."""
    command = [sys.executable, "-m", "trivium", "console", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ, text=True) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            assert "http://" in first, f"the console did not start: {first!r}"
            yield int(first.strip().rpartition(":")[2])
        finally:
            process.terminate()
            process.wait(timeout=20)


def request(port: int, asked: Mapping[str, Any], path: str) -> Responded:
    """One request; `source` is the address it comes from, `raw` keeps dots in the path."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=30, source_address=(asked["source"], 0) if "source" in asked else None
    )
    headers = {name.lower(): value for name, value in asked.get("headers", {}).items()}
    for name in ("host", "origin"):
        if name in asked:
            headers[name] = asked[name]
    try:
        connection.putrequest(asked["method"], path, skip_host="host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(str(asked["body"]).encode() if "body" in asked else None)
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Responded(response.status, found, response.read())
    finally:
        connection.close()


def observe(path: str) -> dict[str, Any]:
    """What an address of their console shows, by our command line; the search of the console counts nothing."""
    from cases import adapter

    where = adapter.address(path)
    place, _, query = where.partition("?")
    segments = [unquote(segment) for segment in place.strip("/").split("/")]
    flags = [
        f"--{name.replace('_', '-')}={value}" for name, _, value in (p.partition("=") for p in query.split("&") if p)
    ]
    flags = [
        flag.replace("=last_seen", "=last-seen").replace("--include-archived=true", "--include-archived")
        for flag in flags
    ]
    match segments:
        case ["api", "stats"]:
            argv = ["ref", "stats"]
        case ["api", "concepts"]:
            argv = ["ref", "list", *flags]
        case ["api", "concepts", name]:
            argv = ["ref", "show", f"{name}"]
        case ["api", "concepts", name, "neighbors"]:
            argv = ["ref", "neighbors", f"{name}", *flags]
        case _:
            raise ValueError(f"cannot observe {path!r}")
    ran = run([*argv, "--json"])
    if ran.status:
        return {"error": json.loads(ran.stderr)["error"]["message"]}
    return adapter.body(path, json.loads(ran.stdout))
