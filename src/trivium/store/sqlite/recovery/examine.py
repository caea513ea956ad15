"""What is wrong with a store, and what is worth knowing about it: each finding with what to do."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from trivium.errors import StoreError, TriviumError
from trivium.model import Record
from trivium.store import mirror, records
from trivium.store.sqlite import connection as database
from trivium.store.sqlite import journal, schema
from trivium.store.sqlite.fold import refold
from trivium.store.sqlite.recovery.backup import backups
from trivium.store.sqlite.recovery.salvage import open_damaged

_REBUILD_HINT = "Rebuild the tables from the journal (reindex)."
_WASTEFUL = 2.0


class Finding(NamedTuple):
    """One thing that was looked at: `level` is ok, note, warning or error, `hint` what to do about it."""

    level: str
    code: str
    message: str
    hint: str = ""


def check(path: str) -> list[Finding]:
    """Look at a store without changing it; never raises for a damaged one."""
    path = os.path.abspath(path)
    if not os.path.isfile(path):
        hint = "It is rebuilt when it is next opened." if mirror.files(path) else ""
        return [Finding("error" if hint else "note", "missing", f"There is no database file at {path}.", hint)]
    try:
        connection = open_damaged(path)
    except (*database.FAILURES, StoreError):
        message = "The file is damaged: it cannot be opened as a database."
        return [Finding("error", "unreadable", message, database.RECOVER_HINT), *_copies(path)]
    try:
        return [*_look(path, connection), *_copies(path)]
    finally:
        connection.close()


def _look(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    for look in (_version, _structure, _references, _journal, _tables, _mirrors, _size):
        try:
            with database.snapshot(connection):
                yield from look(path, connection)
        except (*database.FAILURES, TriviumError):
            name = look.__name__.removeprefix("_")
            message = f"The file is damaged: it could not be examined ({name})."
            yield Finding("error", name, message, database.RECOVER_HINT)


def _version(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    known = schema.current_version()
    if connection.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID:
        yield Finding("error", "version", "The file does not say that it is a store.", database.RECOVER_HINT)
    elif version > known:
        message = f"The store has schema {version}, this program knows {known}: it is only read."
        yield Finding("warning", "version", message, "Install the newer version.")
    elif version < known:
        message = f"The store has schema {version} and is brought to {known} when it is next written."
        yield Finding("note", "version", message)
    else:
        yield Finding("ok", "version", f"Schema {version} is current.")


def _structure(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
    if problems == ["ok"]:
        yield Finding("ok", "structure", "The pages and indexes of the file are sound.")
    else:
        message = f"The file is damaged: {len(problems)} problems in its pages or indexes, the first: {problems[0]}"
        yield Finding("error", "structure", message, database.RECOVER_HINT)


def _references(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    if orphans:
        tables = ", ".join(sorted({row[0] for row in orphans}))
        message = f"{len(orphans)} rows refer to rows that do not exist ({tables})."
        yield Finding("error", "references", message, _REBUILD_HINT)


def _journal(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    bad = []
    count = 0
    for row in connection.execute("SELECT id, at, actor, session, op, payload FROM journal"):
        count += 1
        try:
            item = records.checked(journal.decode(row))
        except StoreError:
            item = "its content cannot be read"
        if isinstance(item, str):
            bad.append(f"{row[0]}: {item}")
    if bad:
        message = f"{len(bad)} of {count} journal records are damaged: {'; '.join(bad[:5])}"
        yield Finding("error", "journal", message, database.RECOVER_HINT)
    else:
        yield Finding("ok", "journal", f"Each of {count} journal records fits its id.")


def _tables(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    if connection.execute("PRAGMA user_version").fetchone()[0] != schema.current_version():
        return
    if connection.execute("SELECT 1 FROM journal LIMIT 1").fetchone() is None:
        # A derived space: its truth is files, and its tables are no fold.
        return
    found = refold.drift(connection)
    if found:
        listed = ", ".join(f"{table}: {count}" for table, count in found.items())
        message = f"The tables are not what the journal says: {listed} rows differ."
        yield Finding("error", "tables", message, _REBUILD_HINT)
    else:
        yield Finding("ok", "tables", "The tables are what the journal says.")
    (lost,) = connection.execute("SELECT count(*) FROM lost").fetchone()
    if lost:
        yield Finding("note", "lost", f"{lost} effects in the journal found no target, for what they name is gone.")


def _mirrors(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    files = mirror.files(path)
    stored = journal.ids(connection)
    held: set[str] = set()
    bad = []
    for file in files:
        try:
            for number, _, item in mirror.read_file(file):
                if isinstance(item, Record):
                    held.add(item.id)
                else:
                    bad.append(f"{file}:{number}: {item}")
        except OSError as error:
            bad.append(f"{file}: {error.strerror}")
    if bad:
        message = f"{len(bad)} lines of the journal files cannot be read: {'; '.join(bad[:5])}"
        yield Finding("warning", "mirror_damaged", message, database.RECOVER_HINT)
    if behind := len(stored - held):
        message = f"The journal files lack {behind} of {len(stored)} records."
        yield Finding("warning", "mirror_behind", message, "They are added when the store is next written.")
    if ahead := len(held - stored):
        message = f"The journal files hold {ahead} records that the database does not."
        yield Finding("warning", "mirror_ahead", message, "They are taken in when the store is next opened.")
    if not (bad or behind or ahead):
        yield Finding("ok", "mirror", f"The journal files hold all {len(stored)} records.")


def _size(path: str, connection: sqlite3.Connection) -> Iterator[Finding]:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    used = max(1, (pages - free) * size)
    total = mirror.size(path) + mirror.size(path + "-wal")
    ratio = total / used
    message = f"The file takes {total} bytes, {ratio:.1f} times what it holds."
    yield Finding("note" if ratio > _WASTEFUL and total > 1 << 24 else "ok", "size", message)


def _copies(path: str) -> Iterator[Finding]:
    found = backups(path)
    if found:
        yield Finding("ok", "backups", f"{len(found)} backups, the newest is {found[-1]}.")
    else:
        yield Finding("note", "backups", "There are no backups; one is made before each change of the schema.")
