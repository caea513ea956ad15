"""The command that a host is told to run, and how to know it again in a settings file."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import Any

from trivium.errors import ConflictError

# What isolates most and still finds this installation is taken.
_ISOLATIONS: tuple[list[str], ...] = (["-I"], ["-P"], [])

_TEMPORARY = re.compile(r"[\\/](?:uv[\\/](?:archive-v\d+|builds?-v\d+|cache)|_npx|pip-[a-z-]+-[a-z0-9]+|tmp)[\\/]")


def argv(host: str, event: str, *, home: str = "", flags: list[str] | None = None) -> list[str]:
    """The command of one event, with absolute paths. `home` is given where it is not the default one."""
    words = [sys.executable, *(flags or []), "-m", "trivium", "hook", host, event]
    return [*words, "--home", home] if home else words


def isolation() -> list[str]:
    """The flags with which this interpreter finds this package when it is started from anywhere.

    Raises `ConflictError` when it cannot be found from elsewhere at all.
    """
    for flags in _ISOLATIONS:
        done = subprocess.run(
            [sys.executable, *flags, "-c", "import trivium"],
            cwd=os.path.abspath(os.sep),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode == 0:
            return list(flags)
    raise ConflictError(
        f"{sys.executable} does not find the package from another folder.",
        hint="Install it into that Python (pip install trivium), so that a host can start it.",
    )


def is_temporary() -> bool:
    """Whether this Python lies where a tool keeps what it may throw away."""
    return bool(_TEMPORARY.search(sys.executable))


def as_shell(words: list[str]) -> str:
    """A command for hosts that hand it to a shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def handler(host: str, event: str, words: list[str], timeout_s: int, *, is_shell: bool) -> dict[str, Any]:
    """The entry that a host reads. Only Claude Code starts a program without a shell between."""
    if host == "claude" and not is_shell:
        return {"type": "command", "command": words[0], "args": words[1:], "timeout": timeout_s}
    entry: dict[str, Any] = {"type": "command", "command": as_shell(words), "timeout": timeout_s}
    if host == "gemini":
        entry = {"name": f"trivium-{event}", **entry, "timeout": timeout_s * 1000}
    elif host == "cursor":
        del entry["type"]
    return entry


def is_ours(entry: Any, host: str) -> bool:
    """Whether an entry of a settings file starts this program's hook for a host."""
    if not isinstance(entry, dict):
        return False
    arguments = entry.get("args")
    words = [entry.get("command"), *(arguments if isinstance(arguments, list) else [])]
    line = " ".join(word for word in words if isinstance(word, str))
    return re.search(rf"""(?:^|[\\/\s"'])trivium(?:\.exe)?["']?\s+["']?hook["']?\s+["']?{host}\b""", line) is not None


def program_of(entry: dict[str, Any]) -> str:
    """The program that an entry starts; empty where the command cannot be taken apart."""
    command = entry.get("command")
    if not isinstance(command, str):
        return ""
    if isinstance(entry.get("args"), list):
        return command
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError:
        return ""
    return words[0].strip('"') if words else ""
