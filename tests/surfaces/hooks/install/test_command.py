"""The command in a settings file starts this program from anywhere, and is known again."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from trivium.surfaces.hooks.install.command import argv, as_shell, handler, is_ours, isolation, program_of


def test_the_flags_find_the_package_from_another_folder() -> None:
    flags = isolation()
    assert flags == ["-I"]
    command = argv("claude", "Notification", flags=flags)
    done = subprocess.run(command, cwd="/", input=b'{"session_id": "s"}', capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"{}\n")


def test_claude_gets_no_shell_between() -> None:
    words = argv("claude", "Stop", home="/a b", flags=["-I"])
    assert words[0] == sys.executable
    assert words[1:] == ["-I", "-m", "trivium", "hook", "claude", "Stop", "--home", "/a b"]
    entry = handler("claude", "Stop", words, 10, is_shell=False)
    assert entry == {"type": "command", "command": words[0], "args": words[1:], "timeout": 10}
    assert handler("claude", "Stop", words, 10, is_shell=True)["command"] == as_shell(words)


def test_units_of_time_are_those_of_the_host() -> None:
    words = argv("gemini", "BeforeAgent")
    assert handler("gemini", "BeforeAgent", words, 10, is_shell=False)["timeout"] == 10_000
    assert handler("codex", "Stop", words, 10, is_shell=False)["timeout"] == 10
    assert handler("cursor", "stop", words, 10, is_shell=False) == {"command": as_shell(words), "timeout": 10}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "/v/bin/python", "args": ["-I", "-m", "trivium", "hook", "claude", "Stop"]}, True),
        ({"command": "/v/bin/python -I -m trivium hook claude Stop"}, True),
        ({"command": "'/a b/python' -m trivium hook claude Stop"}, True),
        ({"command": "/usr/local/bin/trivium hook claude Stop"}, True),
        ({"command": '"C:\\Program Files\\trivium.exe" hook claude Stop'}, True),
        ({"command": "/v/bin/python -m trivium hook codex Stop"}, False),
        ({"command": "echo trivium"}, False),
        ({"command": "/opt/nontrivium hook claude"}, False),
        ({"command": "trivium ref search 'hook claude'"}, False),
        ({"command": 7, "args": [None]}, False),
        ("trivium hook claude", False),
    ],
)
def test_our_entries_are_known(entry: Any, expected: bool) -> None:
    assert is_ours(entry, "claude") is expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "/a b/python", "args": ["-I"]}, "/a b/python"),
        ({"command": "'/a b/python' -I"}, "/a b/python"),
        ({"command": "'unclosed"}, ""),
        ({}, ""),
    ],
)
def test_the_program_of_an_entry(entry: dict[str, Any], expected: str) -> None:
    assert program_of(entry) == expected
