"""What went wrong in hooks: one line each, in a file of the home that does not grow without end."""

from __future__ import annotations

import os
import time

FOLDER = "hooks"
FILE = "hooks.log"
MAX_BYTES = 512 * 1024
"""A longer file is set aside once, so that at most twice this is kept."""

MAX_LINE = 600


def path(home: str) -> str:
    """Where the lines are."""
    return os.path.join(home, FOLDER, FILE)


def note(home: str, host: str, event: str, message: str) -> None:
    """Append one line; a home that cannot be written is no reason to fail."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {host} {event or '-'} [{os.getpid()}] {' '.join(message.split())}"[:MAX_LINE] + "\n"
    place = path(home)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "replace"))
            is_full = os.fstat(handle).st_size > MAX_BYTES
        finally:
            os.close(handle)
        if is_full:
            os.replace(place, f"{place}.1")
    except OSError:
        return
