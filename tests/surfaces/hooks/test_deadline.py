"""Whoever answers first has answered; when time is over the best answer so far is given and the process ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PREAMBLE = """
import os, sys, time
from trivium.surfaces.hooks.deadline import Outlet
outlet = Outlet()
outlet.best = b"best"
mark = sys.argv[1]
"""


def ran(body: str, mark: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + body, str(mark)], capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("outlet.watch(60); outlet.give(b'own'); outlet.close(0)", (0, "own")),
        ("outlet.watch(60); outlet.give(b'own'); outlet.give(b'again'); outlet.close(3)", (3, "own")),
        ("outlet.watch(0.1); time.sleep(60)", (0, "best")),
        ("outlet.watch(0.1); outlet.give(b'own'); time.sleep(60)", (0, "own")),
        ("outlet.watch(0); time.sleep(60)", (0, "best")),
    ],
)
def test_one_answer_is_given(body: str, expected: tuple[int, str], tmp_path: Path) -> None:
    assert ran(body, tmp_path / "mark")[:2] == expected


def test_what_is_to_be_done_when_it_is_late_is_done(tmp_path: Path) -> None:
    body = "outlet.on_late = lambda: open(mark, 'w').close()\noutlet.watch(0.1)\ntime.sleep(60)"
    assert ran(body, tmp_path / "mark")[:2] == (0, "best")
    assert (tmp_path / "mark").exists()


def test_a_failure_while_late_does_not_keep_the_process(tmp_path: Path) -> None:
    assert ran("outlet.on_late = lambda: 1 / 0\noutlet.watch(0.1)\ntime.sleep(60)", tmp_path / "mark")[:2] == (
        0,
        "best",
    )


def test_what_holds_the_interpreter_is_ended_from_outside(tmp_path: Path) -> None:
    # An expression that backtracks without end never gives the interpreter's lock to another thread.
    status, out, _ = ran("import re\noutlet.watch(0.1)\nre.match('(a+)+$', 'a' * 80 + 'b')", tmp_path / "mark")
    assert (status, out) == (1, "")


def test_everything_else_is_written_to_the_other_stream(tmp_path: Path) -> None:
    body = "print('noise', flush=True); os.write(1, b'native'); outlet.give(b'own'); outlet.close(0)"
    assert ran(body, tmp_path / "mark") == (0, "own", "noise\nnative")
