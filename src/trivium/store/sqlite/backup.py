"""Online backups, the integrity check, and what can be saved from a damaged file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from trivium.errors import StoreError
from trivium.model import Record
from trivium.store.sqlite import connection as database
from trivium.store.sqlite import journal, mirror

_KEPT_BACKUPS = 5


class Salvage(NamedTuple):
    """What recovery found: records by id, and one line for each thing that could not be read."""

    records: dict[str, Record]
    sources: dict[str, int]
    losses: list[str]


def back_up(connection: sqlite3.Connection, path: str, *, label: str) -> str:
    """Copy a live database beside it, atomically; the oldest copies beyond five are removed. Returns the path."""
    folder = os.path.join(os.path.dirname(path), "backups")
    name = os.path.splitext(os.path.basename(path))[0]
    try:
        os.makedirs(folder, exist_ok=True)
        number = 1 + max((_number(entry) for entry in os.listdir(folder)), default=0)
        target = os.path.join(folder, f"{name}-{number:06d}-{label}.db")
        with database.guard():
            copy = sqlite3.connect(target + ".part")
            try:
                connection.backup(copy)
            finally:
                copy.close()
        os.replace(target + ".part", target)
        for old in backups(path)[:-_KEPT_BACKUPS]:
            os.remove(old)
    except OSError as error:
        raise StoreError(
            f"The backup could not be written in {folder}: {error.strerror}. Nothing was changed."
        ) from error
    return target


def _number(entry: str) -> int:
    part = entry.rsplit(".db", 1)[0].split("-")
    return next((int(piece) for piece in part if piece.isdigit() and len(piece) == 6), 0)


def backups(path: str) -> list[str]:
    """The backups of a database, oldest first."""
    folder = os.path.join(os.path.dirname(path), "backups")
    name = os.path.splitext(os.path.basename(path))[0] + "-"
    if not os.path.isdir(folder):
        return []
    names = [entry for entry in os.listdir(folder) if entry.startswith(name) and entry.endswith(".db")]
    return [os.path.join(folder, entry) for entry in sorted(names, key=_number)]


def integrity(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the file, at most 20 lines; empty when nothing is."""
    try:
        problems = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error:
        return ["The file is damaged: its pages cannot be read."]
    found = [] if problems == ["ok"] else [f"damaged: {problem}" for problem in problems]
    if orphans:
        found.append(f"{len(orphans)} rows refer to rows that do not exist")
    return found


def salvage(path: str) -> Salvage:
    """Read every journal record that any copy still holds: the database, its text journals, its backups."""
    found = Salvage({}, {}, [])
    folder, name = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    journals = os.path.join(folder, "journal", name)
    if os.path.isdir(journals):
        for entry in sorted(os.listdir(journals)):
            if entry.endswith(".jsonl"):
                _add(
                    found,
                    os.path.join(journals, entry),
                    _from_mirror(os.path.join(journals, entry), found.losses),
                )
    for file in [path, *reversed(backups(path))]:
        if os.path.exists(file):
            _add(found, file, _from_database(file, found.losses))
    return found


def _add(found: Salvage, source: str, records: Iterator[Record]) -> None:
    count = 0
    for record in records:
        count += 1
        found.records.setdefault(record.id, record)
    found.sources[source] = count


def _from_mirror(path: str, losses: list[str]) -> Iterator[Record]:
    for number, item in mirror.read_file(path):
        if isinstance(item, str):
            losses.append(f"{path}:{number}: {item}")
        else:
            yield item


def _from_database(path: str, losses: list[str]) -> Iterator[Record]:
    """Rows of the journal one by one from both ends, so that one broken page costs only what lies on it."""
    try:
        with database.guard():
            connection = sqlite3.connect(f"file:{database.quote_path(path)}?mode=ro", uri=True)
    except StoreError as error:
        losses.append(f"{path}: {error.message}")
        return
    try:
        seen: set[int] = set()
        for order in ("ASC", "DESC"):
            try:
                for seq, *columns in connection.execute(
                    f"SELECT seq, id, at, actor, session, op, payload FROM journal ORDER BY seq {order}"
                ):
                    if seq in seen:
                        break
                    seen.add(seq)
                    item = _checked(columns)
                    if isinstance(item, str):
                        losses.append(f"{path}: journal row {seq}: {item}")
                    else:
                        yield item
                else:
                    return
            except sqlite3.Error:
                losses.append(f"{path}: the journal cannot be read to its end")
    finally:
        connection.close()


def _checked(columns: list[str]) -> Record | str:
    try:
        record = journal.decode((columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]))
        wanted = journal.record_id(record.at, record.actor, record.session, record.op, record.payload)
    except (ValueError, TypeError):
        return "not a complete journal record"
    return record if record.id == wanted else "content does not fit its id"
