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

_ID = re.compile(r"[0-9a-f]{32}")
_LINE_ID = re.compile(rb'"id":\s*"([0-9a-f]{32})"')
_LINE_NAME = re.compile(rb'"(at|op)":\s*"([\w:.-]{1,40})"')


class Damage(NamedTuple):
    """Something that could not be read: where, what of it is known, and the id and time of the record if they are.

    `is_record` is false for damage of a whole copy, of which nobody knows what it held.
    """

    place: str
    what: str
    record: str = ""
    at: str = ""
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
        # A record whose id is what is broken is known by its time: no two of a store have the same.
        times = {record.at for record in self.records.values()}
        lost = [one for one in self.damages if one.is_record and one.record not in self.records and one.at not in times]
        return [one.line for one in lost]

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
                op, at = (names.get(name, b"").decode() for name in (b"op", b"at"))
                what = f"{item} ({op} {at})" if op or at else item
                damages.append(Damage(f"{path}:{number}", what, identifier[1].decode() if identifier else "", at))
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
    except (*database.FAILURES, StoreError):
        return False


def _usage(path: str) -> Iterator[tuple[str, tuple[int, str]]]:
    """How often entities were shown, as far as it can be read."""
    try:
        connection = open_damaged(path)
    except (*database.FAILURES, StoreError):
        return
    try:
        for identifier, count, at in connection.execute("SELECT id, shown_count, last_shown_at FROM usage"):
            if isinstance(identifier, str) and isinstance(count, int) and isinstance(at, str) and count > 0:
                yield identifier, (count, at)
    except database.FAILURES:
        return
    finally:
        connection.close()


def _from_database(path: str, damages: list[Damage]) -> Iterator[Record]:
    try:
        connection = open_damaged(path)
    except (*database.FAILURES, StoreError):
        damages.append(Damage(path, "is not a readable database", is_record=False))
        return
    try:
        yield from _rows(path, connection, damages)
    finally:
        connection.close()


def _rows(path: str, connection: sqlite3.Connection, damages: list[Damage]) -> Iterator[Record]:
    """The journal from its beginning, and where that breaks off also one by one by what its indexes name."""
    seen: set[int] = set()
    bad: list[tuple[int, str, list[object]]] = []
    is_read = False
    try:
        for seq, *columns in connection.execute("SELECT seq, id, at, actor, session, op, payload FROM journal"):
            seen.add(seq)
            item = _checked(columns)
            if isinstance(item, Record):
                yield item
            else:
                bad.append((seq, item, columns))
        is_read = True
    except database.FAILURES:
        pass
    if is_read and not bad:
        return
    named = _named(connection)
    for seq, what, columns in bad:
        damages.append(_damaged_row(path, seq, what, columns, named))
    if is_read:
        return
    if not named:
        damages.append(Damage(path, "the journal cannot be read to its end", is_record=False))
    for seq in sorted(named.keys() - seen):
        yield from _single_row(path, connection, seq, named, damages)


def _single_row(
    path: str, connection: sqlite3.Connection, seq: int, named: dict[int, str], damages: list[Damage]
) -> Iterator[Record]:
    query = "SELECT id, at, actor, session, op, payload FROM journal WHERE seq = ?"
    try:
        row = connection.execute(query, (seq,)).fetchone()
    except database.FAILURES:
        row = None
    if row is None:
        what = f"journal record {named[seq]} cannot be read{_about(connection, seq)}"
        damages.append(Damage(path, what, named[seq]))
        return
    item = _checked(list(row))
    if isinstance(item, Record):
        yield item
    else:
        damages.append(_damaged_row(path, seq, item, list(row), named))


def _damaged_row(path: str, seq: int, what: str, columns: list[object], named: dict[int, str]) -> Damage:
    """The damage of a row: its id is what the index says, for the row's own may be what is broken."""
    identifier, at = named.get(seq, str(columns[0])), str(columns[1])
    known = f" ({columns[4]} {at})" if records.is_moment(at) else ""
    is_record = bool(known) or _ID.fullmatch(identifier) is not None
    return Damage(path, f"journal row {seq}: {what}{known}", identifier, at, is_record)


def _named(connection: sqlite3.Connection) -> dict[int, str]:
    """Row numbers with record ids, from the indexes alone: they lie on other pages than the rows."""
    named: dict[int, str] = {}
    for order in ("id", "id DESC", "at, id", "at DESC, id DESC"):
        try:
            named.update(connection.execute(f"SELECT seq, id FROM journal ORDER BY {order}"))
        except database.FAILURES:
            continue
    return {seq: name for seq, name in named.items() if isinstance(name, str) and _ID.fullmatch(name)}


def _about(connection: sqlite3.Connection, seq: int) -> str:
    try:
        keys = [key for (key,) in connection.execute("SELECT key FROM journal_key WHERE +seq = ? LIMIT 10", (seq,))]
    except database.FAILURES:
        return ""
    return f"; it was about {', '.join(map(repr, keys))}" if keys else ""


def _checked(columns: list[object]) -> Record | str:
    try:
        identifier, at, actor, session, op, payload = map(str, columns)
        return records.checked(journal.decode((identifier, at, actor, session, op, payload)))
    except StoreError:
        return "its content cannot be read"
