"""Claiming the pipe: what else is written or read goes elsewhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
from trivium.surfaces.mcp.wire import claim
print("before")
wire = claim()
print("printed", flush=True)
os.write(1, b"written\\n")
os.system("echo from a child")
assert os.read(0, 10) == b""
assert wire.incoming.read() == b"question"
assert min(wire.incoming.fileno(), wire.outgoing.fileno()) > 2
wire.outgoing.write(b"answer")
wire.outgoing.flush()
"""


@pytest.mark.parametrize("closing", ["", "2>&-"])
def test_only_the_holder_of_the_wire_uses_it(closing: str) -> None:
    command = ["sh", "-c", f'exec "{sys.executable}" -c "$0" {closing}', SCRIPT]
    done = subprocess.run(command, input=b"question", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"before\nanswer")
    if not closing:
        assert sorted(done.stderr.splitlines()) == [b"from a child", b"printed", b"written"]
