"""The append-only journal: records named by their content, in one order on every machine."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from trivium.model import Record

_COLUMNS = "id, at, actor, session, op, payload"


def record_id(at: str, actor: str, session: str, op: str, payload: Mapping[str, Any]) -> str:
    """The first 32 hexadecimal digits of the SHA-256 of the record's canonical JSON."""
    text = json.dumps([at, actor, session, op, payload], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def next_time(connection: sqlite3.Connection, now: str) -> str:
    """`now`, or one microsecond after the latest record when a clock stands behind it."""
    row = connection.execute("SELECT max(at) FROM journal").fetchone()
    latest: str | None = row[0]
    if latest is None or now > latest:
        return now
    moment = datetime.strptime(latest, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC) + timedelta(microseconds=1)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def insert(connection: sqlite3.Connection, record: Record) -> bool:
    """Write a record with the keys it speaks of; False when it is there already."""
    cursor = connection.execute(
        f"INSERT OR IGNORE INTO journal({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        (*record[:5], json.dumps(record.payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))),
    )
    if cursor.rowcount == 0:
        return False
    connection.executemany(
        "INSERT OR IGNORE INTO journal_key(key, seq) VALUES (?, ?)",
        ((key, cursor.lastrowid) for key in keys_of(record)),
    )
    return True


def keys_of(record: Record) -> list[str]:
    """The entity ids, document addresses and record ids that a record speaks of, each once."""
    payload = record.payload
    keys: dict[str, None] = {}
    if reference := payload.get("reference"):
        keys[reference["url"]] = None
    for concept in payload.get("concepts", ()):
        keys[concept["id"]] = None
    for relation in payload.get("relations", ()):
        keys[relation["subject"]] = None
        keys[relation["object"]] = None
    for field in ("ids", "targets"):
        for value in payload.get(field, ()):
            keys[value] = None
    for field in ("id", "new_id", "into", "url"):
        if field in payload:
            keys[payload[field]] = None
    return list(keys)


def decode(row: tuple[str, str, str, str, str, str]) -> Record:
    """A record from its columns."""
    return Record(row[0], row[1], row[2], row[3], row[4], json.loads(row[5]))


def read(
    connection: sqlite3.Connection,
    *,
    key: str | None = None,
    until: str | None = None,
    is_newest_first: bool = False,
) -> Iterator[Record]:
    """Records in the order of the fold: by time, then by id."""
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


def void_ids(connection: sqlite3.Connection, *, until: str | None = None) -> set[str]:
    """The records that an undo took back: an undo that was itself undone takes nothing back."""
    rows = connection.execute(
        "SELECT id, payload FROM journal WHERE op = 'undo' AND at <= ? ORDER BY at DESC, id DESC",
        (until or "9999",),
    ).fetchall()
    void: set[str] = set()
    for identifier, payload in rows:
        if identifier not in void:
            void.update(json.loads(payload)["targets"])
    return void


def effective(connection: sqlite3.Connection, *, until: str | None = None) -> Iterable[Record]:
    """The records that count, in the order of the fold."""
    void = void_ids(connection, until=until)
    return (record for record in read(connection, until=until) if record.id not in void and record.op != "undo")
