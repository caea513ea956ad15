"""Making a sound store from whatever copies are left; nothing that was there is deleted."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trivium.errors import StoreError
from trivium.model import Record
from trivium.store import mirror, records
from trivium.store.sqlite import connection as database
from trivium.store.sqlite.recovery.salvage import Salvage, salvage


class RecoveryReport(NamedTuple):
    """What recovery did.

    `sources` are the copies with the number of sound records in each, `damages` what could not be read, `losses`
    those records that no copy holds, `set_aside` the new names of damaged files, `skipped` effects that found no
    target when the records were folded.
    """

    path: str
    records: int
    sources: dict[str, int]
    damages: tuple[str, ...]
    losses: tuple[str, ...]
    set_aside: tuple[str, ...]
    skipped: tuple[str, ...]


def recover(path: str) -> RecoveryReport:
    """Fold every readable record of the database, its text journals and its backups into a fresh store at `path`.

    The old files are kept beside it as `<file>.damaged-<n>`. Indexes are left to be built by who needs them.
    Raises `StoreError` when no copy holds a record, or when the folder cannot be written.
    """
    from trivium.store.sqlite.store import open_store

    path = os.path.abspath(path)
    with _alone(path):
        with _writers_waiting(path):
            found = salvage(path)
            if not found.records:
                raise StoreError(
                    "There is nothing to recover: no copy of the store holds a readable record.",
                    details=[one.line for one in found.damages],
                )
            fresh, skipped = _build(path, found)
            # First the text journals: were this to stop half way, the next opening would rebuild from them.
            set_aside = _mend_mirrors(path, found)
            _complete_mirrors(path, found)
            set_aside += _set_aside(path, ("", "-wal", "-shm"))
            os.replace(fresh, path)
        with open_store(path) as store, store.write():
            store.settle_now()
    damages = tuple(one.line for one in found.damages)
    return RecoveryReport(
        path, len(found.records), found.sources, damages, tuple(found.losses), tuple(set_aside), tuple(skipped)
    )


def rebuild(path: str) -> str:
    """Make the database again when its file is gone and its text journals are not; returns what to tell about it.

    Several processes may come here at once: the first one does it.
    """
    path = os.path.abspath(path)
    with _alone(path):
        if os.path.exists(path):
            return ""
        found = salvage(path)
        fresh, _ = _build(path, found)
        _set_aside(path, ("-wal", "-shm"))
        os.replace(fresh, path)
    note = f"The database file was missing: it was built again from {len(found.records)} records of its journal."
    losses = found.losses
    return f"{note} {len(losses)} could not be read: {'; '.join(losses[:3])}" if losses else note


@contextlib.contextmanager
def _alone(path: str) -> Iterator[None]:
    """Only one process at a time. The lock ends with its process; the file stays, for others may be waiting at it."""
    try:
        lock = database.connect(path + ".lock", is_writable=True, busy_timeout_s=120)
        try:
            with database.guard():
                lock.execute("BEGIN EXCLUSIVE")
            yield
        finally:
            lock.close()
    except OSError as error:
        raise StoreError(f"The store cannot be made anew: {error.strerror} ({error.filename}).") from error


@contextlib.contextmanager
def _writers_waiting(path: str) -> Iterator[None]:
    """Other processes cannot write to the old file meanwhile, as far as it still takes a lock."""
    # Where an open file cannot be renamed, whoever has it open keeps it from being moved at all.
    if not os.path.isfile(path) or os.path.getsize(path) == 0 or os.name == "nt":
        yield
        return
    try:
        connection = database.connect(path, is_writable=True, busy_timeout_s=30)
    except StoreError:
        yield
        return
    try:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except database.FAILURES as error:
            if isinstance(error, sqlite3.Error) and database.is_busy(error):
                raise database.translate(error) from error
        yield
    finally:
        connection.close()


def _build(path: str, found: Salvage) -> tuple[str, list[str]]:
    """A closed store file beside `path` that holds what was found; returns it with the effects that found no target."""
    from trivium.store.sqlite import journal
    from trivium.store.sqlite.fold.apply import Fold
    from trivium.store.sqlite.store import open_store

    fresh = f"{path}.{os.getpid()}.fresh"
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(fresh + suffix):
            os.remove(fresh + suffix)
    with open_store(fresh) as store, store.write():
        for record in sorted(found.records.values(), key=lambda record: (record.at, record.id)):
            journal.insert(store.connection, record, records.canonical(record.payload))
        fold = Fold(store.connection, is_from_empty=True)
        fold.apply_all(journal.effective(store.connection))
        store.connection.executemany(
            "INSERT INTO usage VALUES (?, ?, ?)", ((key, *value) for key, value in found.usage.items())
        )
        writers = mirror.writers(path)
        if len(writers) == 1:
            store.set_meta("writer", writers[0])
        store.doubt_mirror()
    return fresh, fold.skipped


def _number(name: str) -> int:
    digits = name.partition(".damaged-")[2].partition("-")[0]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _set_aside(path: str, suffixes: Iterable[str]) -> list[str]:
    number = 1 + max((_number(name) for name in os.listdir(os.path.dirname(path))), default=0)
    moved = []
    for suffix in suffixes:
        if os.path.exists(path + suffix):
            target = f"{path}.damaged-{number}{suffix}"
            os.replace(path + suffix, target)
            moved.append(target)
    return moved


def _mend_mirrors(path: str, found: Salvage) -> list[str]:
    """Write text journals that hold unreadable lines anew without them, keeping the old file under another name."""
    kept = []
    for file in found.damaged_mirrors:
        lines = _sound_lines(mirror.read_file(file))
        number = 1
        while os.path.exists(f"{file}.damaged-{number}"):
            number += 1
        shutil.copy2(file, f"{file}.damaged-{number}")
        with open(file + ".part", "wb") as stream:
            stream.writelines(lines)
        os.replace(file + ".part", file)
        kept.append(f"{file}.damaged-{number}")
    return kept


def _sound_lines(read: Iterable[tuple[int, bytes, Record | str]]) -> list[bytes]:
    return [records.encode(item) for _, _, item in read if isinstance(item, Record)]


def _complete_mirrors(path: str, found: Salvage) -> None:
    """Write what no text journal holds to one of them."""
    held = {item.id for file in mirror.files(path) for _, _, item in mirror.read_file(file) if isinstance(item, Record)}
    missing = [record for identifier, record in found.records.items() if identifier not in held]
    if missing:
        writer = next(iter(mirror.writers(path)), "recovered")
        mirror.append(mirror.own_file(path, writer), map(records.encode, missing))
