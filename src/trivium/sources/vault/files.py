"""One note file read safely: its bytes, their hash, and its text with what was wrong with it."""

from __future__ import annotations

import errno
import os
import stat
from typing import NamedTuple

MAX_BYTES = 32 * 1024 * 1024
"""Larger files are skipped and reported."""

_TRIES = 3


class Skipped(NamedTuple):
    """A path that was not read, with a stable reason and a sentence for people.

    reason        | when
    symlink       | a link to a place in the vault, which is read where it really is
    outside       | a link to a place outside the vault
    loop          | a link to a folder above itself, or to itself
    broken        | a link to nothing
    not_a_file    | a pipe, socket or device
    unreadable    | the system refused
    too_large     | more bytes than allowed
    binary        | holds NUL characters
    vanished      | was there a moment ago
    name          | the file name is not valid Unicode
    placeholder   | a cloud drive holds the content
    scope         | a folder was asked for that is not there
    """

    path: str
    reason: str
    message: str


class ReadNote(NamedTuple):
    """The content of a note: `hash` is the SHA-256 of its bytes; `encoding` how its text was had from them."""

    path: str
    hash: str
    text: str
    encoding: str
    size: int
    mtime_ns: int
    inode: int
    is_stable: bool
    problem: str
    """What was wrong with the text, or empty."""


def read_note(root: str, path: str, *, max_bytes: int = MAX_BYTES) -> ReadNote | Skipped:
    """Read `path` below `root` without following a link, blocking on a pipe or reading more than `max_bytes`."""
    try:
        return _read(os.path.join(root, *path.split("/")), path, max_bytes)
    except FileNotFoundError:
        return Skipped(path, "vanished", "it was there a moment ago")
    except OSError as error:
        if error.errno == errno.ELOOP:
            return Skipped(path, "symlink", "it became a link while the vault was read")
        return Skipped(path, "unreadable", error.strerror or type(error).__name__)


def _read(full: str, path: str, max_bytes: int) -> ReadNote | Skipped:
    from hashlib import sha256

    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    for attempt in range(_TRIES):
        handle = os.open(full, flags)
        try:
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                return Skipped(path, "not_a_file", "it is a pipe, a socket or a device")
            if before.st_size > max_bytes:
                return Skipped(path, "too_large", f"{before.st_size} bytes, more than {max_bytes}")
            data = _content(handle, max_bytes)
            after = os.fstat(handle)
        finally:
            os.close(handle)
        if len(data) > max_bytes:
            return Skipped(path, "too_large", f"it grew to more than {max_bytes} bytes while it was read")
        is_stable = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, len(data))
        if is_stable or attempt == _TRIES - 1:
            break
    text, encoding, problem = decode(data)
    if "\0" in text:
        return Skipped(path, "binary", "it holds NUL characters")
    if not is_stable:
        problem = "; ".join(filter(None, (problem, "it changed while it was read")))
    digest = sha256(data).hexdigest()
    return ReadNote(path, digest, text, encoding, len(data), after.st_mtime_ns, after.st_ino, is_stable, problem)


def _content(handle: int, max_bytes: int) -> bytes:
    """Bytes up to the end of the file, at most one more than allowed."""
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (piece := os.read(handle, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def decode(data: bytes) -> tuple[str, str, str]:
    """Text, encoding and what was wrong (or empty); a UTF-8 byte order mark stays in the text.

    Bytes that are not UTF-8 are read as UTF-16 when they begin with its mark; as UTF-8 with U+FFFD in place of the bad
    bytes when at least half of what is not ASCII is valid; else as Windows-1252, the most frequent old encoding.
    """
    try:
        return data.decode(), "utf-8", ""
    except UnicodeDecodeError as error:
        first = error.start
    for mark, codec in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(codec, "replace"), codec, "it is UTF-16, not UTF-8"
    line = data.count(b"\n", 0, first) + 1
    where = f"line {line}, byte 0x{data[first]:02x}"
    kept = data.decode("utf-8", "ignore")
    high = sum(1 for byte in data if byte >= 0x80)
    valid = len(kept.encode()) - (len(data) - high)
    if valid * 2 >= high:
        text = data.decode("utf-8", "replace")
        return text, "utf-8", f"{high - valid} bytes are not UTF-8 ({where}): replaced by U+FFFD"
    return data.decode("cp1252", "replace"), "windows-1252", f"it is not UTF-8 ({where}): read as Windows-1252"
