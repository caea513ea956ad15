"""The lifeline: it waits while the client is there, and leaves time for what is being done."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys, time
from trivium.surfaces.mcp.lifeline import Lifeline
line = Lifeline(0, grace_s=0.3)
line.hold()
print("held", flush=True)
{after}
print("done", flush=True)
time.sleep(60)
"""


def start(after: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(after=after)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


@pytest.mark.skipif(os.name == "nt", reason="a pipe cannot be asked there; its end is read")
def test_it_ends_after_the_grace_when_the_pipe_is_gone() -> None:
    with start("sys.stdin.read(); time.sleep(0.05)") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.7)
        assert process.stdin is not None
        process.stdin.close()
        # What was under way is finished.
        assert process.stdout.read() == b"done\n"
        assert process.wait() == 0


def test_it_ends_when_told() -> None:
    with start("line.let_go()") as process:
        assert process.wait(timeout=10) == 0
