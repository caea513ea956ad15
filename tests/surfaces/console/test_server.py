"""The console as a process: where it listens, how it ends, what it refuses."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from trivium.config import load
from trivium.engine import Engine
from trivium.errors import MissingExtraError
from trivium.surfaces.console.server import serve


@contextmanager
def console(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "trivium", "console", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline()
        finally:
            process.kill()


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_tells_its_address_answers_and_ends_cleanly(filled: Any, signum: int, status: int) -> None:
    with console("--port", "0", "--no-open") as (process, line):
        assert line.startswith("trivium console listening on http://127.0.0.1:")
        port = int(line.rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/concepts/zebra")
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(signum)
        _, err = process.communicate(timeout=20)
        assert (process.returncode, err.strip()) == (status, "")


def test_the_address_of_ipv6_is_usable() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with console("--host", "::1") as (_, line):
        assert line.startswith("trivium console listening on http://[::1]:")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.com", ""])
def test_a_host_that_others_reach_is_refused(cli: Any, host: str) -> None:
    ran = cli("console", "--host", host, "--no-open")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("ERROR: --host must be 127.0.0.1, localhost, ::1, not ")


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_cannot_be_is_refused(cli: Any, port: str) -> None:
    assert cli("console", "--port", port).err.startswith("ERROR: --port must be ")


def test_a_port_in_use_is_one_clear_line(cli: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = cli("console", "--port", str(port), "--json")
    assert (ran.status, ran.error["code"]) == (1, "conflict")
    assert ran.error["message"].startswith(f"Port {port} of 127.0.0.1 cannot be used: ")


def test_without_the_extra_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError) as caught:
        serve(Engine(load()), host="127.0.0.1", port=0, announce=print)
    assert caught.value.hint == "pip install 'trivium[console]'"


def test_other_commands_do_not_need_the_extra(filled: Any) -> None:
    program = "import sys; from trivium.surfaces.cli.main import main; main(['ref', 'list']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"uvicorn", "starlette"} & set(ran.stdout.split())
