"""The append-only journal in the database: records in one order on every machine, by time and then by id."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta

from trivium.errors import StoreError
from trivium.model import Record
from trivium.store import records
from trivium.store.sqlite.connection import RECOVER_HINT

_COLUMNS = "id, at, actor, session, op, payload"
Row = tuple[str, str, str, str, str, str]


def next_time(connection: sqlite3.Connection, now: str) -> str:
    """`now`, or one microsecond after the latest record when a clock stands behind it.

    What is appended is therefore always last in the order of the fold, so that applying it is folding it.
    """
    row = connection.execute("SELECT max(at) FROM journal").fetchone()
    latest: str | None = row[0]
    if latest is None or now > latest:
        return now
    moment = datetime.fromisoformat(latest) + timedelta(microseconds=1)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def insert(connection: sqlite3.Connection, record: Record, text: str) -> bool:
    """Write a record (`text` is its payload as canonical JSON) with the keys it speaks of; False when it is there."""
    cursor = connection.execute(
        f"INSERT OR IGNORE INTO journal({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", (*record[:5], text)
    )
    if cursor.rowcount == 0:
        return False
    seq = cursor.lastrowid
    connection.executemany(
        "INSERT OR IGNORE INTO journal_key(key, seq) VALUES (?, ?)", ((key, seq) for key in records.keys_of(record))
    )
    return True


def decode(row: Row) -> Record:
    """A record from its columns. Raises `StoreError` when the payload cannot be read."""
    try:
        payload = json.loads(row[5])
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"The journal is damaged: record {row[0]} cannot be read.", hint=RECOVER_HINT) from error
    return Record(row[0], row[1], row[2], row[3], row[4], payload)


def read(
    connection: sqlite3.Connection,
    *,
    key: str | None = None,
    until: str | None = None,
    is_newest_first: bool = False,
) -> Iterator[Record]:
    """Records in the order of the fold, or the other way round."""
    where, values = [], []
    if key is not None:
        where.append("seq IN (SELECT seq FROM journal_key WHERE key = ?)")
        values.append(key)
    if until is not None:
        where.append("at <= ?")
        values.append(until)
    order = "at DESC, id DESC" if is_newest_first else "at, id"
    condition = f"WHERE {' AND '.join(where)}" if where else ""
    for row in connection.execute(f"SELECT {_COLUMNS} FROM journal {condition} ORDER BY {order}", values):
        yield decode(row)


def starting_with(connection: sqlite3.Connection, prefix: str, limit: int) -> list[Record]:
    """Records whose id begins with `prefix`, at most `limit`, by id."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM journal WHERE id >= ? AND substr(id, 1, ?) = ? ORDER BY id LIMIT ?",
        (prefix, len(prefix), prefix, limit),
    ).fetchall()
    return [decode(row) for row in rows]


def ids(connection: sqlite3.Connection) -> set[str]:
    """The id of every record."""
    return {identifier for (identifier,) in connection.execute("SELECT id FROM journal")}


def void_ids(connection: sqlite3.Connection, *, until: str | None = None) -> set[str]:
    """The records that an undo took back: an undo that was itself undone takes nothing back."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM journal WHERE op = 'undo' AND at <= ? ORDER BY at DESC, id DESC", (until or "9999",)
    ).fetchall()
    void: set[str] = set()
    for row in rows:
        record = decode(row)
        if record.id not in void:
            void.update(record.payload["targets"])
    return void


def effective(connection: sqlite3.Connection, *, until: str | None = None) -> Iterator[Record]:
    """The records that count, in the order of the fold."""
    void = void_ids(connection, until=until)
    return (record for record in read(connection, until=until) if record.id not in void and record.op != "undo")
