"""The tables of a space, and the steps that bring an older file up to date."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x74726976
"""Stands in the header of every file, so that a database of another program is never touched."""

FOLDED = ("document", "entity", "alias", "mention", "relation", "evidence", "lost")
"""The tables that the journal folds into, each after those it refers to."""

_INITIAL: tuple[str, ...] = (
    """CREATE TABLE document(
        key INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, title TEXT NOT NULL, published_at TEXT,
        observed_at TEXT, first_seen_at TEXT NOT NULL, last_seen_at TEXT NOT NULL, content_hash TEXT) STRICT""",
    """CREATE TABLE entity(
        key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name_key TEXT NOT NULL, type TEXT,
        description TEXT NOT NULL, details TEXT, first_seen_at TEXT NOT NULL, last_seen_at TEXT NOT NULL,
        touch_count INTEGER NOT NULL, archived_at TEXT, archive_reason TEXT, withdrawn_at TEXT) STRICT""",
    """CREATE TABLE alias(
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE, alias TEXT NOT NULL, name_key TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('alias', 'redirect')), PRIMARY KEY (alias, entity)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE mention(
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
        description TEXT NOT NULL, details TEXT, quote TEXT, selector TEXT, recorded_at TEXT NOT NULL,
        PRIMARY KEY (entity, document)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE relation(
        key INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        predicate TEXT NOT NULL, object INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        reason TEXT NOT NULL, recorded_at TEXT NOT NULL, UNIQUE (subject, predicate, object)) STRICT""",
    """CREATE TABLE evidence(
        relation INTEGER NOT NULL REFERENCES relation ON DELETE CASCADE,
        document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
        reason TEXT NOT NULL, quote TEXT, selector TEXT, method TEXT NOT NULL, confidence REAL,
        recorded_at TEXT NOT NULL, PRIMARY KEY (relation, document)) STRICT, WITHOUT ROWID""",
    # Effects of records that found no target, such as a relation whose end was undone.
    """CREATE TABLE lost(
        record TEXT NOT NULL, effect TEXT NOT NULL, PRIMARY KEY (record, effect)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX entity_name ON entity(name_key)",
    "CREATE INDEX alias_name ON alias(name_key)",
    "CREATE INDEX alias_entity ON alias(entity)",
    "CREATE INDEX mention_document ON mention(document)",
    "CREATE INDEX relation_object ON relation(object, predicate)",
    "CREATE INDEX evidence_document ON evidence(document)",
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE journal(
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, actor TEXT NOT NULL,
        session TEXT NOT NULL, op TEXT NOT NULL, payload TEXT NOT NULL) STRICT""",
    "CREATE INDEX journal_at ON journal(at, id)",
    "CREATE INDEX journal_op ON journal(op)",
    """CREATE TABLE journal_key(
        key TEXT NOT NULL, seq INTEGER NOT NULL REFERENCES journal ON DELETE CASCADE,
        PRIMARY KEY (key, seq)) STRICT, WITHOUT ROWID""",
    # By id and without a reference: what was undone and comes back was shown as often as before.
    """CREATE TABLE usage(
        id TEXT PRIMARY KEY, shown_count INTEGER NOT NULL, last_shown_at TEXT NOT NULL) STRICT, WITHOUT ROWID""",
    # Derived from here on: what the dense index is built from.
    """CREATE TABLE passage(
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE, ordinal INTEGER NOT NULL,
        text_hash BLOB NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
        PRIMARY KEY (entity, ordinal)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX passage_text ON passage(text_hash)",
    """CREATE TABLE vector(
        seq INTEGER PRIMARY KEY AUTOINCREMENT, embedder TEXT NOT NULL, text_hash BLOB NOT NULL,
        data BLOB NOT NULL, UNIQUE (embedder, text_hash)) STRICT""",
    f"PRAGMA application_id = {APPLICATION_ID}",
)

MIGRATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (("initial", _INITIAL),)
"""Name and statements of each step; a step is never edited once released, a new one is appended.

A change of how records fold is a step too, with or without statements: after a step the journal is folded again.
"""

# Indexes that only readers need: a fold beside the tables does without.
_FOR_READERS = ("entity_name", "alias_name")


def current_version() -> int:
    """The schema that this program writes."""
    return len(MIGRATIONS)


def twin_statements(connection: sqlite3.Connection) -> list[str]:
    """The statements that create temporary twins of the folded tables, as this file has them.

    Unqualified names then mean the twins, so that the same code folds into either.
    """
    rows = connection.execute(
        "SELECT name, tbl_name, type, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, rowid"
    )
    wanted = [row for row in rows if row[1] in FOLDED and row[0] not in _FOR_READERS]
    return [
        sql.replace("CREATE TABLE ", "CREATE TEMP TABLE ", 1)
        if kind == "table"
        else sql.replace("CREATE INDEX ", "CREATE INDEX temp.", 1)
        for _, _, kind, sql in wanted
    ]
