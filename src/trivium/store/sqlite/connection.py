"""One SQLite connection: reading with it, transactions that wait their turn, and errors in plain words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from trivium.errors import ConflictError, StoreError, UsageError

RECOVER_HINT = "Run doctor to see what is damaged; its recovery rebuilds the store from the journal and backups."
_ROOM_HINT = "Make room and try again."
FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""What the engine raises; the second when its own message quotes broken bytes of the file."""

_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")

# What a failure is called by its symbolic name, without the variant behind the second underscore.
_MESSAGES = {
    "SQLITE_BUSY": (
        "The store is busy: another process has held it for too long.",
        "Try again, or raise busy_timeout_s in the configuration.",
    ),
    "SQLITE_CORRUPT": ("The store is damaged.", RECOVER_HINT),
    "SQLITE_NOTADB": ("The store is damaged: its file does not begin like one.", RECOVER_HINT),
    "SQLITE_READONLY": ("The store cannot be written: its folder or file is read-only.", ""),
    "SQLITE_PERM": ("The store cannot be opened: its folder or file is not accessible.", ""),
    "SQLITE_CANTOPEN": ("The store cannot be opened: its folder is missing or not accessible.", ""),
    "SQLITE_FULL": ("The store cannot be written: the disk is full. Nothing was changed.", _ROOM_HINT),
    "SQLITE_IOERR": ("The disk reports an error where the store is. Nothing was changed.", RECOVER_HINT),
    "SQLITE_NOMEM": ("There is not enough memory for the request.", ""),
    "SQLITE_TOOBIG": ("The request is too large to be stored.", ""),
}
_UNKNOWN = ("The store failed to answer.", RECOVER_HINT)


def connect(path: str, *, is_writable: bool, busy_timeout_s: float) -> sqlite3.Connection:
    """Open a database file; a read-only one is opened without creating anything beside it."""
    with guard():
        if path == ":memory:":
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        else:
            connection = _open(path, f"mode={'rwc' if is_writable else 'ro'}")
        try:
            configure(connection, busy_timeout_s)
        except FAILURES:
            connection.close()
            raise
    return connection


def connect_to_read(path: str, *, busy_timeout_s: float) -> tuple[sqlite3.Connection, bool]:
    """Open a file without ever writing to it; True with it when what is not yet in the file itself cannot be seen.

    Reading wants a lock file beside the store; where none can be made, the file is read as it stands.
    """
    try:
        connection = connect(path, is_writable=False, busy_timeout_s=busy_timeout_s)
    except StoreError as error:
        cause = error.__cause__
        if not isinstance(cause, sqlite3.OperationalError) or is_busy(cause):
            raise
        return connect_frozen(path), True
    return connection, False


def connect_frozen(path: str) -> sqlite3.Connection:
    """Open a file as it stands, without what is beside it: for a folder in which not even a lock can be made."""
    with guard():
        connection = _open(path, "immutable=1")
        configure(connection, 0)
    return connection


def _open(path: str, parameters: str) -> sqlite3.Connection:
    uri = f"file:{quote_path(path)}?{parameters}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def configure(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    """Set what holds for one connection only; the last of it is the first thing that looks into the file."""
    set_timeout(connection, busy_timeout_s)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -16000")


def set_timeout(connection: sqlite3.Connection, seconds: float) -> None:
    """How long a statement waits for other processes."""
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")


def quote_path(path: str) -> str:
    """A path as it stands in a `file:` URI."""
    path = os.path.abspath(path)
    for character, escape in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(character, escape)
    return path if path.startswith("/") else "/" + path.replace("\\", "/")


@contextlib.contextmanager
def guard() -> Iterator[None]:
    """Turn a failure of the database engine into an error that a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error) from error
    except UnicodeDecodeError as error:
        raise StoreError("The store is damaged.", hint=RECOVER_HINT) from error
    except UnicodeEncodeError as error:
        raise UsageError("A text of the request is not valid Unicode.") from error


def translate(error: sqlite3.Error) -> StoreError | ConflictError:
    """The error for a failure of the database engine, without its own vocabulary."""
    if isinstance(error, sqlite3.IntegrityError):
        return ConflictError("The change contradicts what is stored. Nothing was changed.")
    if is_busy(error):
        return StoreError(_MESSAGES["SQLITE_BUSY"][0], hint=_MESSAGES["SQLITE_BUSY"][1])
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return StoreError("The store is closed.")
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_IOERR_SHORT_READ" or "decode to UTF-8" in str(error):
        name = "SQLITE_CORRUPT"
    message, hint = _MESSAGES.get("_".join(name.split("_")[:2]), _UNKNOWN)
    return StoreError(message, hint=hint)


def is_busy(error: sqlite3.Error) -> bool:
    """Whether the failure means that another process was in the way."""
    return getattr(error, "sqlite_errorname", "").startswith(_BUSY)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, *, on_failure: Callable[[], None] | None = None) -> Iterator[None]:
    """A write transaction: begun at once, committed at the end, rolled back on any failure.

    `on_failure` takes back what was done outside the database, before the lock is let go if it is still held.
    """
    with guard():
        connection.execute("BEGIN IMMEDIATE")
    try:
        with guard():
            yield
            retry(lambda: connection.execute("COMMIT"), 1.0)
    except BaseException:
        if on_failure is not None:
            on_failure()
        _roll_back(connection)
        raise


@contextlib.contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Several statements that see one state of the database, whatever other processes write meanwhile."""
    with guard():
        is_outer = not connection.in_transaction
        if is_outer:
            connection.execute("BEGIN")
    if not is_outer:
        yield
        return
    try:
        yield
    finally:
        _roll_back(connection)


def _roll_back(connection: sqlite3.Connection) -> None:
    # Some failures end the transaction by themselves.
    with contextlib.suppress(*FAILURES):
        connection.execute("ROLLBACK")


def retry(step: Callable[[], object], seconds: float) -> None:
    """Repeat a step that the engine does not wait for by itself, until it succeeds or the time is over."""
    end = time.monotonic() + seconds
    while True:
        try:
            step()
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


Row = tuple[Any, ...]

AMONG = "(SELECT value FROM json_each(?))"
"""Takes any number of keys or names as one parameter: no statement has a limit on how many."""


def numbers(values: Iterable[int]) -> str:
    """Keys as the parameter of `AMONG`."""
    return f"[{','.join(map(str, values))}]"


def names(values: Iterable[str]) -> str:
    """Texts as the parameter of `AMONG`; one that is cut at a NUL must be filtered out of the answer."""
    import json

    return json.dumps(list(values))


class Reader:
    """Runs statements on one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def guard(self) -> contextlib.AbstractContextManager[None]:
        """Failures of the database inside become errors that a person can act on."""
        return guard()

    @contextlib.contextmanager
    def read(self) -> Iterator[None]:
        """`guard()`, and everything read inside is of one moment, whatever others write; nothing is written inside."""
        with guard(), snapshot(self.connection):
            yield

    def _all(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        with guard():
            return self.connection.execute(query, values).fetchall()

    def _each(self, query: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        with guard():
            yield from self.connection.execute(query, values)

    def _one(self, query: str, values: Sequence[Any] = ()) -> Row | None:
        with guard():
            row: Row | None = self.connection.execute(query, values).fetchone()
            return row
