"""What can be read of a store: its journal records from every copy that is left, and what is lost."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from trivium.errors import StoreError
from trivium.model import Record
from trivium.store import mirror, records
from trivium.store.sqlite import connection as database
from trivium.store.sqlite import journal
from trivium.store.sqlite.recovery.backup import backups
from trivium.store.sqlite.recovery.carve import carve

_LINE_ID = re.compile(rb'"id":\s*"([0-9a-f]{32})"')
_LINE_NAME = re.compile(rb'"(at|op)":\s*"([\w:.-]{1,40})"')


class Damage(NamedTuple):
    """Something that could not be read: where, what of it is known, and the id of the record if that is.

    `is_record` is false for damage of a whole copy, of which nobody knows what it held.
    """

    place: str
    what: str
    record: str = ""
    is_record: bool = True

    @property
    def line(self) -> str:
        """The damage as a line of text."""
        return f"{self.place}: {self.what}"


class Salvage:
    """What was found: records by id, how many each copy held, usage, and everything that could not be read."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.sources: dict[str, int] = {}
        self.damages: list[Damage] = []
        self.usage: dict[str, tuple[int, str]] = {}
        self.damaged_mirrors: list[str] = []
        self.is_database_sound = False

    @property
    def losses(self) -> list[str]:
        """A line for each record that no copy holds whole."""
        return [one.line for one in self.damages if one.is_record and one.record not in self.records]

    def take(self, source: str, found: Iterator[Record]) -> None:
        """Add the records of one copy."""
        count = 0
        for record in found:
            count += 1
            self.records.setdefault(record.id, record)
        self.sources[source] = self.sources.get(source, 0) + count


def salvage(path: str) -> Salvage:
    """Read every journal record that any copy still holds: the text journals, the database, its backups."""
    found = Salvage()
    for file in mirror.files(path):
        before = len(found.damages)
        found.take(file, _from_mirror(file, found.damages))
        if len(found.damages) > before:
            found.damaged_mirrors.append(file)
    if os.path.isfile(path):
        before = len(found.damages)
        found.take(path, _from_database(path, found.damages))
        found.is_database_sound = len(found.damages) == before and _is_sound(path)
        found.usage.update(_usage(path))
    if not found.is_database_sound:
        _carve(found, path)
    for file in backups(path):
        found.take(file, _from_database(file, found.damages))
    return found


def _carve(found: Salvage, path: str) -> None:
    """Rows that the database engine no longer finds, in the file or in what was not yet written into it."""
    if not (os.path.isfile(path) or os.path.isfile(path + "-wal")):
        return
    fresh = {}
    try:
        for record in carve(path):
            if record.id not in found.records:
                fresh[record.id] = record
    except OSError as error:
        found.damages.append(Damage(path, f"cannot be read: {error.strerror}", is_record=False))
    if fresh:
        found.take(f"{path} (raw bytes)", iter(fresh.values()))


def _from_mirror(path: str, damages: list[Damage]) -> Iterator[Record]:
    try:
        for number, line, item in mirror.read_file(path):
            if isinstance(item, Record):
                yield item
            else:
                identifier = _LINE_ID.search(line)
                names = dict(_LINE_NAME.findall(line[:400]))
                known = " ".join(names[name].decode() for name in (b"op", b"at") if name in names)
                what = f"{item} ({known})" if known else item
                damages.append(Damage(f"{path}:{number}", what, identifier[1].decode() if identifier else ""))
    except OSError as error:
        damages.append(Damage(path, f"cannot be read: {error.strerror}", is_record=False))


def open_damaged(path: str) -> sqlite3.Connection:
    """A connection for reading what may be broken: nothing is written, structures are checked as they are read."""
    connection, _ = database.connect_to_read(path, busy_timeout_s=5)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _is_sound(path: str) -> bool:
    try:
        connection = open_damaged(path)
        try:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
        finally:
            connection.close()
    except (sqlite3.Error, StoreError):
        return False


def _usage(path: str) -> Iterator[tuple[str, tuple[int, str]]]:
    """How often entities were shown, as far as it can be read."""
    try:
        connection = open_damaged(path)
    except (sqlite3.Error, StoreError):
        return
    try:
        for identifier, count, at in connection.execute("SELECT id, shown_count, last_shown_at FROM usage"):
            if isinstance(identifier, str) and isinstance(count, int) and isinstance(at, str) and count > 0:
                yield identifier, (count, at)
    except sqlite3.Error:
        return
    finally:
        connection.close()


def _from_database(path: str, damages: list[Damage]) -> Iterator[Record]:
    try:
        connection = open_damaged(path)
    except (sqlite3.Error, StoreError):
        damages.append(Damage(path, "is not a readable database", is_record=False))
        return
    try:
        yield from _rows(path, connection, damages)
    finally:
        connection.close()


def _rows(path: str, connection: sqlite3.Connection, damages: list[Damage]) -> Iterator[Record]:
    """The journal from its beginning, and where that breaks off also one by one by what its indexes name."""
    seen: set[int] = set()
    try:
        for seq, *columns in connection.execute("SELECT seq, id, at, actor, session, op, payload FROM journal"):
            seen.add(seq)
            yield from _checked(path, seq, columns, damages)
        return
    except sqlite3.Error:
        pass
    named = _named(connection)
    if not named:
        damages.append(Damage(path, "the journal cannot be read to its end", is_record=False))
    for seq, identifier in sorted(named.items()):
        if seq in seen:
            continue
        try:
            row = connection.execute(
                "SELECT id, at, actor, session, op, payload FROM journal WHERE seq = ?", (seq,)
            ).fetchone()
        except sqlite3.Error:
            row = None
        if row is None:
            what = f"journal record {identifier} cannot be read{_about(connection, seq)}"
            damages.append(Damage(path, what, identifier))
        else:
            yield from _checked(path, seq, list(row), damages)


def _named(connection: sqlite3.Connection) -> dict[int, str]:
    """Row numbers with record ids, from the indexes alone: they lie on other pages than the rows."""
    named: dict[int, str] = {}
    for order in ("id", "id DESC", "at, id", "at DESC, id DESC"):
        try:
            named.update(connection.execute(f"SELECT seq, id FROM journal ORDER BY {order}"))
        except sqlite3.Error:
            continue
    return {seq: name for seq, name in named.items() if isinstance(seq, int) and isinstance(name, str)}


def _about(connection: sqlite3.Connection, seq: int) -> str:
    try:
        keys = [key for (key,) in connection.execute("SELECT key FROM journal_key WHERE +seq = ? LIMIT 10", (seq,))]
    except sqlite3.Error:
        return ""
    return f"; it was about {', '.join(map(repr, keys))}" if keys else ""


def _checked(path: str, seq: int, columns: list[str], damages: list[Damage]) -> Iterator[Record]:
    try:
        identifier, at, actor, session, op, payload = columns
        item = records.checked(journal.decode((identifier, at, actor, session, op, payload)))
    except StoreError:
        item = "its content cannot be read"
    if isinstance(item, Record):
        yield item
    else:
        damages.append(Damage(path, f"journal row {seq}: {item} ({columns[4]} {columns[1]})", str(columns[0])))
