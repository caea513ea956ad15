"""The tables of a space, and the steps that bring an older file up to date."""

from __future__ import annotations

# The tables that the journal folds into. They are also created as temporary tables, where a fold is made
# beside the real ones: unqualified names then mean the temporary twin.
FOLD_TABLES: tuple[str, ...] = (
    """CREATE {temp} TABLE document(
        key INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, title TEXT NOT NULL, published_at TEXT,
        observed_at TEXT, first_seen_at TEXT NOT NULL, last_seen_at TEXT NOT NULL, content_hash TEXT) STRICT""",
    """CREATE {temp} TABLE entity(
        key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name_key TEXT NOT NULL, type TEXT,
        description TEXT NOT NULL, details TEXT, first_seen_at TEXT NOT NULL, last_seen_at TEXT NOT NULL,
        touch_count INTEGER NOT NULL, archived_at TEXT, archive_reason TEXT, withdrawn_at TEXT) STRICT""",
    """CREATE {temp} TABLE alias(
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE, alias TEXT NOT NULL, name_key TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('alias', 'redirect')), PRIMARY KEY (alias, entity)) STRICT, WITHOUT ROWID""",
    """CREATE {temp} TABLE mention(
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
        description TEXT NOT NULL, details TEXT, quote TEXT, selector TEXT, recorded_at TEXT NOT NULL,
        PRIMARY KEY (entity, document)) STRICT, WITHOUT ROWID""",
    """CREATE {temp} TABLE relation(
        key INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        predicate TEXT NOT NULL, object INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        reason TEXT NOT NULL, recorded_at TEXT NOT NULL, UNIQUE (subject, predicate, object)) STRICT""",
    """CREATE {temp} TABLE evidence(
        relation INTEGER NOT NULL REFERENCES relation ON DELETE CASCADE,
        document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
        reason TEXT NOT NULL, quote TEXT, selector TEXT, method TEXT NOT NULL, confidence REAL,
        recorded_at TEXT NOT NULL, PRIMARY KEY (relation, document)) STRICT, WITHOUT ROWID""",
)

FOLD_INDEXES: tuple[str, ...] = (
    "CREATE INDEX {schema}entity_name ON entity(name_key)",
    "CREATE INDEX {schema}alias_name ON alias(name_key)",
    "CREATE INDEX {schema}alias_entity ON alias(entity)",
    "CREATE INDEX {schema}mention_document ON mention(document)",
    "CREATE INDEX {schema}relation_object ON relation(object, predicate)",
    "CREATE INDEX {schema}evidence_document ON evidence(document)",
)

OTHER_TABLES: tuple[str, ...] = (
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE journal(
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, actor TEXT NOT NULL,
        session TEXT NOT NULL, op TEXT NOT NULL, payload TEXT NOT NULL) STRICT""",
    "CREATE INDEX journal_at ON journal(at, id)",
    "CREATE INDEX journal_op ON journal(op)",
    """CREATE TABLE journal_key(
        key TEXT NOT NULL, seq INTEGER NOT NULL REFERENCES journal ON DELETE CASCADE,
        PRIMARY KEY (key, seq)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE usage(
        entity INTEGER PRIMARY KEY REFERENCES entity ON DELETE CASCADE, shown_count INTEGER NOT NULL,
        last_shown_at TEXT NOT NULL) STRICT""",
    # Derived from here on: what the dense index is built from.
    """CREATE TABLE passage(
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE, ordinal INTEGER NOT NULL,
        text_hash BLOB NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
        PRIMARY KEY (entity, ordinal)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX passage_text ON passage(text_hash)",
    """CREATE TABLE vector(
        seq INTEGER PRIMARY KEY AUTOINCREMENT, embedder TEXT NOT NULL, text_hash BLOB NOT NULL,
        data BLOB NOT NULL, UNIQUE (embedder, text_hash)) STRICT""",
)


def fold_statements(*, is_temporary: bool) -> list[str]:
    """The statements that create the folded tables, as real tables or as temporary twins."""
    temp, schema = ("TEMP", "temp.") if is_temporary else ("", "")
    tables = [statement.format(temp=temp) for statement in FOLD_TABLES]
    return tables + [statement.format(schema=schema) for statement in FOLD_INDEXES]


def _initial() -> list[str]:
    return [*fold_statements(is_temporary=False), *OTHER_TABLES]


MIGRATIONS: tuple[tuple[str, list[str]], ...] = (("initial", _initial()),)
"""Name and statements of each step; a step is never edited once released, a new one is appended."""

SCHEMA_VERSION = len(MIGRATIONS)
