"""Online backups: whole copies of a live database, checked, the newest five kept."""

from __future__ import annotations

import os
import re
import sqlite3

from trivium.errors import StoreError
from trivium.store.sqlite import connection as database

KEPT = 5


def folder(path: str) -> str:
    """Where the backups of a database are."""
    return os.path.join(os.path.dirname(path), "backups")


def backups(path: str) -> list[str]:
    """The backups of a database, oldest first."""
    try:
        found = [(number, name) for name in os.listdir(folder(path)) if (number := _number(path, name))]
    except OSError:
        return []
    return [os.path.join(folder(path), name) for _, name in sorted(found)]


def _number(path: str, name: str) -> int:
    stem = os.path.splitext(os.path.basename(path))[0]
    found = re.fullmatch(re.escape(stem) + r"-([0-9]{6})-[^/]*\.db", name)
    return int(found[1]) if found else 0


def back_up_beside(path: str, *, label: str) -> str:
    """`back_up` over a connection of its own, for a caller that holds the write lock."""
    connection = database.connect(path, is_writable=False, busy_timeout_s=5)
    try:
        return back_up(connection, path, label=label)
    finally:
        connection.close()


def back_up(connection: sqlite3.Connection, path: str, *, label: str) -> str:
    """Copy a live database into `backups/` beside it, atomically; the oldest copies beyond five are removed.

    Returns the path of the copy. Raises `StoreError` when it cannot be written or would be a copy of damage.
    """
    place = folder(path)
    stem = os.path.splitext(os.path.basename(path))[0]
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        newest = max((_number(path, name) for name in os.listdir(place)), default=0)
        target = os.path.join(place, f"{stem}-{newest + 1:06d}-{label}.db")
        part = f"{target}.{os.getpid()}.part"
        try:
            _copy(connection, part)
            os.replace(part, target)
        finally:
            if os.path.exists(part):
                os.remove(part)
        for old in backups(path)[:-KEPT]:
            os.remove(old)
    except OSError as error:
        raise StoreError(
            f"The backup could not be written in {place}: {error.strerror}. Nothing was changed."
        ) from error
    return target


def _copy(connection: sqlite3.Connection, target: str) -> None:
    with database.guard():
        copy = sqlite3.connect(target)
        try:
            connection.backup(copy)
            # A copy that stands alone: without this it would ask for files beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
            found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
        finally:
            copy.close()
    if found != "ok":
        raise StoreError("The store is damaged and was not copied. Nothing was changed.", hint=database.RECOVER_HINT)
