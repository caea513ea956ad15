"""Writing a derived space directly: its truth is files, so its rows have no journal and can be made again."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from trivium.errors import StoreError
from trivium.model import name_key
from trivium.store.sqlite.connection import is_busy, numbers
from trivium.store.sqlite.store import SqliteStore, open_store


def open_derived(path: str, *, busy_timeout_s: float) -> SqliteStore:
    """Open a derived space, created when it is not there; one that is damaged, or of a newer program, is made anew.

    `note` of the store says so. Raises `StoreError` when it is busy, or its folder cannot be used.
    """
    try:
        store = open_store(path, busy_timeout_s=busy_timeout_s)
        if store.is_writable or not os.access(path, os.W_OK):
            return store
        store.close()
        reason = store.note
    except StoreError as error:
        cause = error.__cause__
        if (isinstance(cause, sqlite3.Error) and is_busy(cause)) or not os.access(path, os.W_OK):
            raise
        reason = error.message
    for end in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + end)
    store = open_store(path, busy_timeout_s=busy_timeout_s)
    store.note = f"What was derived is made anew. {reason}"
    return store


def put_document(
    connection: sqlite3.Connection,
    uri: str,
    title: str,
    *,
    at: str,
    content_hash: str | None = None,
    published_at: str | None = None,
) -> int:
    """Insert or update a document by its address; returns its key."""
    row = connection.execute(
        """INSERT INTO document(uri, title, published_at, observed_at, first_seen_at, last_seen_at, content_hash)
        VALUES (?1, ?2, ?3, ?4, ?4, ?4, ?5)
        ON CONFLICT(uri) DO UPDATE SET title = ?2, published_at = ?3, observed_at = ?4, last_seen_at = ?4,
          content_hash = ?5 RETURNING key""",
        (uri, title, published_at, at, content_hash),
    ).fetchone()
    return int(row[0])


def put_entity(
    connection: sqlite3.Connection,
    identifier: str,
    *,
    at: str,
    description: str,
    details: str | None = None,
    kind: str | None = None,
) -> int:
    """Insert or update an entity by its id; returns its key."""
    row = connection.execute(
        """INSERT INTO entity(id, name_key, type, description, details, first_seen_at, last_seen_at, touch_count)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 1)
        ON CONFLICT(id) DO UPDATE SET type = ?3, description = ?4, details = ?5, last_seen_at = ?6,
          touch_count = touch_count + 1 RETURNING key""",
        (identifier, name_key(identifier), kind, description, details, at),
    ).fetchone()
    return int(row[0])


def put_aliases(connection: sqlite3.Connection, entity: int, aliases: Iterable[str]) -> None:
    """Replace the aliases of an entity."""
    connection.execute("DELETE FROM alias WHERE entity = ?", (entity,))
    connection.executemany(
        "INSERT OR IGNORE INTO alias(entity, alias, name_key, kind) VALUES (?, ?, ?, 'alias')",
        ((entity, alias, name_key(alias)) for alias in aliases),
    )


def put_mention(
    connection: sqlite3.Connection,
    entity: int,
    document: int,
    *,
    at: str,
    description: str = "",
    quote: str | None = None,
    selector: Mapping[str, Any] | None = None,
) -> None:
    """Say that a document mentions an entity, in place of what it said before."""
    connection.execute(
        """INSERT INTO mention(entity, document, description, quote, selector, recorded_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT(entity, document) DO UPDATE SET description = excluded.description, quote = excluded.quote,
          selector = excluded.selector, recorded_at = excluded.recorded_at""",
        (entity, document, description, quote, _json(selector), at),
    )


def put_relation(
    connection: sqlite3.Connection,
    ends: tuple[int, str, int],
    document: int,
    *,
    at: str,
    reason: str = "",
    quote: str | None = None,
    selector: Mapping[str, Any] | None = None,
    method: str = "deterministic",
    confidence: float | None = None,
) -> int:
    """Insert or update a relation (subject key, predicate, object key) with its evidence; returns its key."""
    row = connection.execute(
        """INSERT INTO relation(subject, predicate, object, reason, recorded_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(subject, predicate, object) DO UPDATE SET reason = excluded.reason,
          recorded_at = excluded.recorded_at RETURNING key""",
        (*ends, reason, at),
    ).fetchone()
    connection.execute(
        """INSERT INTO evidence(relation, document, reason, quote, selector, method, confidence, recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT(relation, document) DO UPDATE SET reason = excluded.reason, quote = excluded.quote,
          selector = excluded.selector, method = excluded.method, confidence = excluded.confidence,
          recorded_at = excluded.recorded_at""",
        (row[0], document, reason, quote, _json(selector), method, confidence, at),
    )
    return int(row[0])


def delete_entities(connection: sqlite3.Connection, keys: Iterable[int]) -> None:
    """Delete entities with everything that hangs on them."""
    connection.execute("DELETE FROM entity WHERE key IN (SELECT value FROM json_each(?))", (numbers(keys),))


def delete_documents(connection: sqlite3.Connection, keys: Iterable[int]) -> None:
    """Delete documents with what they say, and the relations that no other document supports."""
    connection.execute("DELETE FROM document WHERE key IN (SELECT value FROM json_each(?))", (numbers(keys),))
    connection.execute("DELETE FROM relation WHERE key NOT IN (SELECT relation FROM evidence)")


def _json(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)
