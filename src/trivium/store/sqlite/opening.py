"""Opening a store file: created when it is new, migrated when it is old, rebuilt when it is gone, else only read."""

from __future__ import annotations

import os
import sqlite3
from typing import NamedTuple

from trivium.errors import StoreError, StoreVersionError
from trivium.store.base import INDEX_FACTS
from trivium.store.sqlite import connection as database
from trivium.store.sqlite import schema

_HOME_HINT = "Set TRIVIUM_HOME to a folder that can be written."


class Opened(NamedTuple):
    """A connection that is ready for use; `note` says what was noticed."""

    connection: sqlite3.Connection
    is_writable: bool
    note: str = ""


class _State(NamedTuple):
    version: int
    application: int
    tables: int


def open_connection(path: str, *, busy_timeout_s: float, is_created: bool) -> Opened:
    """A connection to the file at `path`, whose schema is the one that this program knows.

    Raises `StoreError` when there is no store or it cannot be read, `StoreVersionError` for one that would have to
    be migrated and cannot be written.
    """
    if path == ":memory:":
        connection = database.connect(path, is_writable=True, busy_timeout_s=busy_timeout_s)
        _migrate(path, connection)
        return Opened(connection, is_writable=True)
    reason = _prepare_folder(path, is_created=is_created)
    if reason:
        return _open_for_reading(path, busy_timeout_s, reason)
    note = _rebuild_if_gone(path)
    connection = database.connect(path, is_writable=True, busy_timeout_s=busy_timeout_s)
    try:
        state = _examined(path, connection)
        if state.version < schema.current_version():
            if state.version == 0:
                with database.guard():
                    database.retry(lambda: connection.execute("PRAGMA journal_mode = WAL"), busy_timeout_s)
            _migrate(path, connection)
    except BaseException:
        connection.close()
        raise
    if state.version > schema.current_version():
        connection.close()
        return _open_for_reading(path, busy_timeout_s, _newer(state.version))
    return Opened(connection, is_writable=True, note=note)


def _newer(version: int) -> str:
    known = schema.current_version()
    return f"The store was written by a newer version (schema {version}, this one knows {known}): it is only read."


def _prepare_folder(path: str, *, is_created: bool) -> str:
    """Make the folder if wanted; returns why the store can only be read, or nothing."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            return f"The file {path} is read-only."
        return "" if os.access(folder, os.W_OK) else f"The folder {folder} is read-only."
    if not is_created and not _has_leftovers(path):
        raise StoreError(f"There is no store at {path}.")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        message = f"The folder {folder} cannot be created: {error.strerror}."
        raise StoreError(message, hint=_HOME_HINT) from error
    if not os.access(folder, os.W_OK):
        raise StoreError(f"The folder {folder} cannot be written and holds no store.", hint=_HOME_HINT)
    return ""


def _has_leftovers(path: str) -> bool:
    """Whether something beside the file says that there was a store: text journals, or changes not yet in the file."""
    from trivium.store import mirror

    return mirror.size(path + "-wal") > 0 or any(mirror.size(file) for file in mirror.files(path))


def _rebuild_if_gone(path: str) -> str:
    from trivium.store import mirror

    if not os.path.exists(path):
        if not _has_leftovers(path):
            return ""
        from trivium.store.sqlite.recovery.restore import rebuild

        return rebuild(path)
    # The database engine takes an empty file for a new store and deletes what it finds beside it. A file that another
    # process is only just making has something in it before there is anything beside it: so it is looked at twice.
    if mirror.size(path) == 0 and _has_leftovers(path) and mirror.size(path) == 0:
        raise _emptied()
    return ""


def _emptied() -> StoreError:
    return StoreError("The store is damaged: its file is empty, but its journal is not.", hint=database.RECOVER_HINT)


def _examined(path: str, connection: sqlite3.Connection) -> _State:
    """What the header says. Raises `StoreError` for a database of another program."""
    with database.guard(), database.snapshot(connection):
        state = _state(connection)
    if state.tables and (state.application != schema.APPLICATION_ID or state.version == 0):
        if state.application == 0 and state.version == 0:
            raise StoreError(f"The file {path} is a database of another program.", hint="Move it, or use another home.")
        raise StoreError("The store is damaged: its file does not say that it is one.", hint=database.RECOVER_HINT)
    return state


def _state(connection: sqlite3.Connection) -> _State:
    queries = ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
    return _State(*(connection.execute(query).fetchone()[0] for query in queries))


def _open_for_reading(path: str, busy_timeout_s: float, reason: str) -> Opened:
    connection, is_frozen = database.connect_to_read(path, busy_timeout_s=busy_timeout_s)
    note = reason
    if is_frozen:
        from trivium.store import mirror

        if mirror.size(path + "-wal"):
            note = f"{reason} Its newest changes, in {path}-wal, cannot be read there."
    try:
        state = _examined(path, connection)
        if not state.tables:
            raise StoreError(f"The file {path} holds no store.", hint=reason)
        if state.version < schema.current_version():
            raise StoreVersionError(
                f"The store has schema {state.version} and must be brought to {schema.current_version()}, "
                "but it cannot be written.",
                hint=reason,
            )
    except BaseException:
        connection.close()
        raise
    return Opened(connection, is_writable=False, note=note)


def _migrate(path: str, connection: sqlite3.Connection) -> None:
    """Bring the schema up to date in one transaction, after a backup of what was there."""
    with database.transaction(connection):
        # Another process may have done it while this one waited for its turn.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version >= schema.current_version():
            return
        if version == 0 and path != ":memory:" and _has_journal(path):
            raise _emptied()
        if version > 0 and path != ":memory:":
            from trivium.store.sqlite.recovery.backup import back_up_beside

            back_up_beside(path, label=f"before-schema-{schema.current_version()}")
        for number, (name, statements) in enumerate(schema.MIGRATIONS[version:], version + 1):
            for statement in statements:
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES (?, ?)", (f"migration.{number}", name))
        connection.execute(f"PRAGMA user_version = {schema.current_version()}")
        if version == 0:
            connection.execute("INSERT INTO meta VALUES ('writer', ?)", (_writer_name(),))
        else:
            _fold_again(connection)


def _has_journal(path: str) -> bool:
    from trivium.store import mirror

    return any(mirror.size(file) for file in mirror.files(path))


def _fold_again(connection: sqlite3.Connection) -> None:
    """Operations that were unknown before, or fold otherwise now, take effect; what has no journal is left alone."""
    from trivium.store.sqlite.fold.refold import refold

    if connection.execute("SELECT 1 FROM journal LIMIT 1").fetchone() is None:
        return
    if refold(connection).changed:
        connection.executemany("DELETE FROM meta WHERE key = ?", [(fact,) for fact in INDEX_FACTS])


def _writer_name() -> str:
    import platform
    import secrets

    host = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in platform.node())[:40] or "host"
    return f"{host}-{secrets.token_hex(4)}"
