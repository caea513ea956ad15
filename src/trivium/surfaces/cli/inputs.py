"""What a command reads besides its arguments: a file, or standard input."""

from __future__ import annotations

import sys

from trivium.errors import UsageError

STDIN = "-"


def read_bytes(path: str, *, what: str) -> bytes:
    """All of a file, or of standard input for `-`. Raises `UsageError` when it cannot be read."""
    if path == STDIN:
        return _read_stdin(what)
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"The {what} cannot be read: {path} ({reason}).") from error


def _read_stdin(what: str) -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            f"The {what} is expected on standard input, and that is a terminal or closed.",
            hint="Pipe it in, or name a file with --file.",
        )
    stream = getattr(sys.stdin, "buffer", None)
    try:
        return bytes(sys.stdin.read().encode() if stream is None else stream.read())
    except OSError as error:
        raise UsageError(f"The {what} cannot be read from standard input ({error.strerror}).") from error


def read_text(path: str, *, what: str) -> str:
    """A UTF-8 text file without its byte order mark; line ends stay as they are."""
    data = read_bytes(path, what=what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"The {what} is not UTF-8 text: {path} (byte 0x{data[error.start]:02x} at offset {error.start}).",
            hint="Save it as UTF-8.",
        ) from error
