"""A server as a process: many clients at once, noise that stays off the pipe, and an end with whoever started it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from .conftest import Pipe, payload

Start = Callable[..., Pipe]

SERVERS, CALLS = 4, 50

NOISE = """
import os, sys, warnings, threading, time
print("printed while starting")
warnings.warn("a warning while starting")
def rattle():
    while True:
        print("printed from a thread", flush=True)
        os.write(1, b"written to the descriptor\\n")
        time.sleep(0.01)
class Loud:
    def find_spec(self, name, path=None, target=None):
        if name == "trivium.domains.references.search":
            print("printed by an import", flush=True)
            os.write(1, b"written by an import\\n")
            threading.Thread(target=rattle, daemon=True).start()
if "mcp" in sys.argv:
    sys.stdout.flush()
    sys.meta_path.insert(0, Loud())
"""


def test_the_official_client_speaks_with_it() -> None:
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "trivium", "mcp"], env=dict(os.environ))

    async def whole() -> None:
        async with Client(stdio_client(parameters)) as client:
            assert not (await client.call_tool("register", payload(1))).is_error
            found = await client.call_tool("show", {"id": "thing 1"})
            assert found.structured_content["items"][0]["id"] == "thing 1"

    asyncio.run(whole())


def test_four_servers_at_once_store_everything_once(pipes: Start) -> None:
    """Fifty calls from four servers on one memory, all under way together; every fifth is sent by all of them."""
    servers = [pipes() for _ in range(SERVERS)]
    for server in servers:
        server.begin()
    sent = dict.fromkeys(servers, 0)
    wanted = set()
    for number in range(CALLS):
        shared = number % 5 == 0
        for server in servers if shared else [servers[number % SERVERS]]:
            one = payload(number, "shared" if shared else "own")
            wanted.add(one["concepts"][0]["id"])
            server.send("tools/call", name="register", arguments=one)
            sent[server] += 1
    for server, count in sent.items():
        for _ in range(count):
            answer = server.read()["result"]
            assert not answer.get("isError"), answer
    counts = servers[0].call("status")["structuredContent"]["items"][0]
    assert counts["concepts"] == len(wanted) == CALLS
    assert servers[-1].call("status")["structuredContent"]["is_healthy"]


def test_what_libraries_print_stays_off_the_pipe(pipes: Start, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NOISE.replace('print("printed while starting")\n', ""))
    server = pipes(PYTHONPATH=str(tmp_path), PYTHONWARNINGS="always", PYTHONVERBOSE="1", PYTHONUNBUFFERED="1")
    # Verbose imports say a lot: somebody must read it, or the server waits.
    errors: list[bytes] = []
    import threading

    assert server.process.stderr is not None
    reader = threading.Thread(target=lambda: errors.extend(server.process.stderr), daemon=True)  # type: ignore[arg-type]
    reader.start()
    server.begin()
    for number in range(5):
        assert not server.call("register", **payload(number)).get("isError")
        assert server.call("recall", query="thing")["structuredContent"]["items"]
    assert server.process.stdin is not None
    assert server.process.stdout is not None
    server.process.stdin.close()
    assert server.process.stdout.read() == b""
    assert server.process.wait() == 0
    reader.join()
    told = b"".join(errors)
    for noise in (
        b"printed by an import",
        b"written by an import",
        b"printed from a thread",
        b"a warning while starting",
    ):
        assert noise in told


def test_garbage_on_the_pipe_does_not_stop_it(pipes: Start) -> None:
    server = pipes().begin()
    for line in (
        "",
        "garbage{",
        "[]",
        "42",
        '{"jsonrpc":"2.0"}',
        '{"jsonrpc":"2.0","id":7,"method":"no/such"}',
        "\ufeff{}",
    ):
        server.write(line)
    number = server.send("tools/call", name="status", arguments={})
    while (answer := server.read()).get("id") != number or "result" not in answer:
        assert "error" in answer or "method" in answer
    assert answer["result"]["structuredContent"]["items"]


def test_what_was_asked_before_the_end_is_answered() -> None:
    """A script that pipes its requests in and closes the pipe gets all answers."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "register", "arguments": payload(1)}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "history", "arguments": {}}},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "trivium", "mcp"],
        input="".join(json.dumps(line) + "\n" for line in lines).encode(),
        capture_output=True,
        check=True,
    )
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {1, 2, 3}
    assert not answers[2].get("isError")


# -- its end. The bound is part of the promise: within two seconds of its client.


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def is_gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not is_running(pid):
            return True
        time.sleep(0.02)
    return not is_running(pid)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
def test_it_ends_when_its_pipe_closes_also_in_the_middle_of_a_change(pipes: Start, home: Path) -> None:
    from trivium.store.sqlite.store import open_store

    server = pipes().begin()
    server.call("register", **payload(1))
    holder = open_store(str(home / "concepts.db"))
    with holder.write():
        server.send("tools/call", name="register", arguments=payload(2))
        time.sleep(0.3)
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(timeout=2) == 0
    holder.close()
    fresh = pipes().begin()
    assert fresh.call("status")["structuredContent"]["items"][0]["concepts"] == 1
    assert not fresh.call("register", **payload(3)).get("isError")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
@pytest.mark.parametrize("is_pipe_held", [False, True])
def test_it_ends_when_its_parent_is_killed(is_pipe_held: bool) -> None:
    """Also when somebody else still holds the pipe open."""
    parent = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'trivium', 'mcp'], stdin=%s, stdout=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n" % ("None" if is_pipe_held else "subprocess.PIPE")
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        time.sleep(1.5)
        assert is_running(child)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert is_gone_within(child, 2.0)
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
def test_it_has_no_children(pipes: Start) -> None:
    server = pipes().begin()
    server.call("register", **payload(1))
    server.call("recall", query="thing")
    with open(f"/proc/{server.process.pid}/task/{server.process.pid}/children", encoding="ascii") as stream:
        assert stream.read() == ""
