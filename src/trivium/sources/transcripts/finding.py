"""Where hosts keep their transcripts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

MAX_FILES = 50_000
"""More files than this are not listed in one go."""

# Below a host's folder: how deep transcripts lie, the first folder, what their names begin with, and end with.
_PLACES: dict[str, tuple[tuple[str, int, str, tuple[str, ...]], ...]] = {
    "claude": (("projects", 2, "", (".jsonl",)),),
    "codex": (("sessions", 4, "rollout-", (".jsonl",)), ("archived_sessions", 1, "rollout-", (".jsonl",))),
    "gemini": (("tmp", 3, "session-", (".json", ".jsonl")),),
    "cursor": (("projects", 4, "", (".jsonl", ".txt")),),
}


class Found(NamedTuple):
    """A transcript: `changed_at` in seconds since the epoch, `size` in bytes."""

    host: str
    path: str
    changed_at: float
    size: int


def transcripts(host: str, folder: str, *, since: float = 0.0) -> list[Found]:
    """Transcripts below a host's folder that changed since a moment, the latest first."""
    found: list[Found] = []
    for base, depth, prefix, suffixes in _PLACES[host]:
        for path in _files(os.path.join(folder, base), depth):
            parts = path.replace("\\", "/").split("/")
            if not parts[-1].startswith(prefix) or not parts[-1].endswith(suffixes):
                continue
            if host == "cursor" and "agent-transcripts" not in parts:
                continue
            if host == "gemini" and parts[-2] != "chats":
                continue
            try:
                status = os.stat(path)
            except OSError:
                continue
            if status.st_mtime >= since:
                found.append(Found(host, path, status.st_mtime, status.st_size))
    return sorted(found, key=lambda one: (-one.changed_at, one.path))


def _files(folder: str, depth: int) -> Iterator[str]:
    """Files at most so many folders down; links to folders are not followed."""
    waiting, seen = [(folder, depth)], 0
    while waiting:
        here, left = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > MAX_FILES:
                return
            if entry.is_dir(follow_symlinks=False):
                if left > 1:
                    waiting.append((entry.path, left - 1))
            elif entry.is_file():
                yield entry.path
