"""One SQLite connection: pragmas, transactions that wait their turn, and errors in plain words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator

from trivium.errors import ConflictError, StoreError

_WAITING = ("database is locked", "database table is locked", "database schema is locked")
_DAMAGED = ("malformed", "not a database", "disk image", "file is encrypted", "corrupt", "disk I/O error")

RECOVER_HINT = "Run doctor to see what is damaged; its recovery rebuilds the store from the journal and backups."


def connect(path: str, *, is_writable: bool, busy_timeout_s: float) -> sqlite3.Connection:
    """Open a database file; a read-only one is opened without creating anything beside it."""
    if path == ":memory:":
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    else:
        mode = "rwc" if is_writable else "ro"
        with guard():
            connection = sqlite3.connect(
                f"file:{quote_path(path)}?mode={mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
    with guard():
        connection.execute(f"PRAGMA busy_timeout = {int(busy_timeout_s * 1000)}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -16000")
    return connection


def quote_path(path: str) -> str:
    """A path as it stands in a `file:` URI."""
    path = os.path.abspath(path)
    for character, escape in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(character, escape)
    return path if path.startswith("/") else "/" + path.replace("\\", "/")


@contextlib.contextmanager
def guard() -> Iterator[None]:
    """Turn a failure of the database engine into a `StoreError` that a person can act on."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ConflictError("The change contradicts what is stored.", hint=str(error).split(":", 1)[0]) from error
    except sqlite3.Error as error:
        raise translate(error) from error


def translate(error: sqlite3.Error) -> StoreError:
    """The `StoreError` for a failure of the database engine, without its own vocabulary."""
    text = str(error)
    if any(word in text for word in _WAITING):
        return StoreError(
            "The store is busy: another process has held it for too long.",
            hint="Try again, or raise busy_timeout_s in the configuration.",
        )
    if any(word in text for word in _DAMAGED):
        return StoreError("The store is damaged.", hint=RECOVER_HINT)
    if "readonly" in text or "read-only" in text or "attempt to write" in text:
        return StoreError("The store cannot be written: its folder or file is read-only.")
    if "unable to open" in text:
        return StoreError("The store cannot be opened: its folder is missing or not accessible.")
    if "full" in text:
        return StoreError("The store cannot be written: the disk is full. Nothing was changed.")
    return StoreError("The store failed to answer.", hint=RECOVER_HINT)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction: begun at once, committed at the end, rolled back on any failure."""
    with guard():
        connection.execute("BEGIN IMMEDIATE")
    try:
        with guard():
            yield
            _commit(connection)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _commit(connection: sqlite3.Connection) -> None:
    # A checkpoint of another process can make a commit busy for a moment although the lock is ours.
    for attempt in range(5):
        try:
            connection.execute("COMMIT")
            return
        except sqlite3.OperationalError as error:
            if attempt == 4 or not any(word in str(error) for word in _WAITING):
                raise
            time.sleep(0.05 * (attempt + 1))
