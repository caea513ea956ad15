"""Bringing the text journal and the database to the same records after one of them lost some."""

from __future__ import annotations

import sqlite3

from trivium.model import Record
from trivium.store import mirror, records
from trivium.store.sqlite import journal
from trivium.store.sqlite.fold.refold import refold


def reconcile(connection: sqlite3.Connection, path: str) -> tuple[set[int], list[bytes]]:
    """Take in what only the text journals hold, inside the caller's transaction.

    A line without a row is a commit that was lost with the end of the write-ahead log, or that was never
    acknowledged because its writer was killed; keeping it is right for both. Returns the keys of entities whose
    searched text changed, and the lines of records that no text journal holds.
    """
    held: set[str] = set()
    is_new = False
    for file in mirror.files(path):
        for _, _, item in mirror.read_file(file):
            if isinstance(item, Record):
                held.add(item.id)
                is_new |= journal.insert(connection, item, records.canonical(item.payload))
    changed = refold(connection).changed if is_new else set()
    if journal.ids(connection) <= held:
        return changed, []
    return changed, [records.encode(record) for record in journal.read(connection) if record.id not in held]
