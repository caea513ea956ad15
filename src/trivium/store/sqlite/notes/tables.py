"""The tables a vault's space has beside those of every space; all of them are derived from files."""

from __future__ import annotations

import sqlite3

VERSION = "1"
"""Stored with an index: tables of two versions are never mixed."""

_TABLES = (
    # What is known of a file, so that an unchanged one is not opened; `names` is what the resolver needs, as JSON.
    """CREATE TABLE IF NOT EXISTS note(
        entity INTEGER PRIMARY KEY REFERENCES entity ON DELETE CASCADE,
        document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
        path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL, checked_ns INTEGER NOT NULL, title TEXT NOT NULL, names TEXT NOT NULL,
        problem TEXT NOT NULL) STRICT""",
    "CREATE INDEX IF NOT EXISTS note_hash ON note(hash)",
    "CREATE INDEX IF NOT EXISTS note_document ON note(document)",
    """CREATE TABLE IF NOT EXISTS part(
        entity INTEGER PRIMARY KEY REFERENCES entity ON DELETE CASCADE, note INTEGER NOT NULL,
        start INTEGER NOT NULL, end INTEGER NOT NULL, line INTEGER NOT NULL) STRICT""",
    "CREATE INDEX IF NOT EXISTS part_note ON part(note, start)",
    """CREATE TABLE IF NOT EXISTS facet(
        key TEXT NOT NULL, value TEXT NOT NULL, note INTEGER NOT NULL, PRIMARY KEY (key, value, note))
        STRICT, WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS facet_note ON facet(note)",
    # The names a note is found under, and the names that its links and claims ask for.
    """CREATE TABLE IF NOT EXISTS answer(
        name TEXT NOT NULL, note INTEGER NOT NULL, PRIMARY KEY (name, note)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS answer_note ON answer(note)",
    """CREATE TABLE IF NOT EXISTS ask(
        note INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (note, name)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS ask_name ON ask(name)",
    # Links as they stand in the text; where they lead is in `edge`.
    """CREATE TABLE IF NOT EXISTS link(
        note INTEGER NOT NULL, place INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (note, place))
        STRICT, WITHOUT ROWID""",
    # One row for each link, mention or relation, with where it stands. `object` is null when the end is not known;
    # then `target` says what was asked for and `status` why.
    """CREATE TABLE IF NOT EXISTS edge(
        key INTEGER PRIMARY KEY, note INTEGER NOT NULL, origin TEXT NOT NULL, status TEXT NOT NULL,
        subject INTEGER, predicate TEXT NOT NULL, object INTEGER, target TEXT NOT NULL, method TEXT NOT NULL,
        confidence REAL, quote TEXT, start INTEGER, end INTEGER, line INTEGER, raw TEXT) STRICT""",
    "CREATE INDEX IF NOT EXISTS edge_note ON edge(note)",
    "CREATE INDEX IF NOT EXISTS edge_subject ON edge(subject)",
    "CREATE INDEX IF NOT EXISTS edge_object ON edge(object)",
    """CREATE TABLE IF NOT EXISTS record(
        hash TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS attachment(path TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS attachment_name ON attachment(name)",
    "CREATE TABLE IF NOT EXISTS folder(path TEXT PRIMARY KEY, mtime_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS trouble(
        path TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (path, reason))
        STRICT, WITHOUT ROWID""",
)

_NAMES = ("note", "part", "facet", "answer", "ask", "link", "edge", "record", "attachment", "folder", "trouble")


def create(connection: sqlite3.Connection) -> None:
    """Make the tables that are missing."""
    for statement in _TABLES:
        connection.execute(statement)


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Before many rows: indexes are made in one go afterwards, by `create`."""
    for statement in _TABLES:
        if statement.startswith("CREATE INDEX"):
            connection.execute(f"DROP INDEX IF EXISTS {statement.split()[5]}")


def clear(connection: sqlite3.Connection) -> None:
    """Forget all that is derived from files, whatever version made it; vectors stay, for they belong to texts."""
    for name in reversed(_NAMES):
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    for name in ("entity", "document", "passage", "relation", "evidence", "alias", "mention"):
        connection.execute(f"DELETE FROM {name}")
    create(connection)


def exists(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'trouble'").fetchone() is not None
