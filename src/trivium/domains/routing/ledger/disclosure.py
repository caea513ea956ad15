"""What a session has seen of each entry, kept across the many processes that serve it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable

from trivium.domains.routing.compile import FULL, LINE, POINTER, TEASER, Item, Shown

FOLDER = "sessions"
KEPT_DAYS = 14
_MAX_SWEPT = 200
_FULLNESS = {POINTER: 0, LINE: 1, TEASER: 2, FULL: 3}


class Disclosure:
    """The memory of one session. Any process may add to it at any time; without a session nothing is remembered."""

    def __init__(self, home: str, session: str) -> None:
        name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:24] if session else ""
        self._path = os.path.join(home, FOLDER, f"{name}.jsonl") if name else ""

    def shown(self) -> Shown:
        """Entry id to the fullest level at which its latest version was seen, and that version."""
        found: dict[str, tuple[str, str]] = {}
        try:
            with open(self._path, "rb") as stream:
                lines = stream.read().split(b"\n")
        except OSError:
            return found
        for line in lines:
            try:
                items = json.loads(line) if line else []
                told = [(str(id), str(level), str(version)) for id, level, version in items]
            except (ValueError, TypeError):
                continue
            for id, level, version in told:
                before, of_version = found.get(id, ("", ""))
                if of_version != version or _FULLNESS.get(level, -1) >= _FULLNESS.get(before, -1):
                    found[id] = (level, version)
        return found

    def add(self, items: Iterable[Item]) -> bool:
        """Remember what was shown; false where it cannot be written."""
        told = [(item.id, item.level, item.version) for item in items]
        if not self._path or not told:
            return False
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n")
            finally:
                os.close(handle)
        except OSError:
            return False
        return True

    def forget(self) -> None:
        """The agent no longer has what it saw: its conversation was cleared or compacted."""
        try:
            os.unlink(self._path)
        except OSError:
            return


def sweep(home: str) -> int:
    """Remove what is left of sessions that nobody came back to; returns how many."""
    limit, removed = time.time() - KEPT_DAYS * 86_400, 0
    try:
        names = os.listdir(os.path.join(home, FOLDER))
    except OSError:
        return 0
    for name in names[:_MAX_SWEPT]:
        path = os.path.join(home, FOLDER, name)
        try:
            if name.endswith(".jsonl") and os.stat(path).st_mtime < limit:
                os.unlink(path)
                removed += 1
        except OSError:
            continue
    return removed
