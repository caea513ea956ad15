"""Write transactions: effects in the database and lines in the text journal, both or neither."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator

from trivium.errors import StoreError
from trivium.store.sqlite import connection as database

_SIZE = "mirror."
"""Before the name of a text journal: the fact that says how many bytes of it this database knows."""


class Writer(database.Reader):
    """Runs statements that change the file, one transaction at a time."""

    def __init__(self, path: str, connection: sqlite3.Connection, *, is_writable: bool, note: str = "") -> None:
        super().__init__(connection)
        self.path = path
        self.is_writable = is_writable
        self.note = note
        self._identity = _identity(path)
        self._is_writing = False
        self._is_settled = False
        self._lines: dict[str, list[bytes]] = {}
        self._undo_steps: list[tuple[str, int, int]] = []

    @contextlib.contextmanager
    def write(self, *, timeout_s: float | None = None) -> Iterator[None]:
        """A write transaction; nested uses join the outer one.

        Waits for other processes as long as the store was opened with, or `timeout_s`. Raises `StoreError` on a
        store that is only read, inside `read()`, or when the file was replaced since it was opened.
        """
        if self._is_writing:
            yield
            return
        if not self.is_writable:
            raise StoreError("The store is open for reading only.", hint=self.note)
        with self.guard():
            is_reading = self.connection.in_transaction
        if is_reading:
            raise StoreError("A change cannot begin inside a consistent read.")
        try:
            with self._patience(timeout_s), database.transaction(self.connection, on_failure=self._take_back):
                self._check_place()
                self._is_writing = True
                try:
                    yield
                    self._write_lines()
                finally:
                    self._is_writing = False
        finally:
            self._is_settled = False
            self._lines.clear()
            self._undo_steps.clear()

    @contextlib.contextmanager
    def _patience(self, timeout_s: float | None) -> Iterator[None]:
        if timeout_s is None:
            yield
            return
        (before,) = self._all("PRAGMA busy_timeout")[0]
        database.set_timeout(self.connection, timeout_s)
        try:
            yield
        finally:
            database.set_timeout(self.connection, before / 1000)

    def _check_place(self) -> None:
        # A file that was deleted or replaced can still be written through its old handle, and all of it would be lost.
        if _identity(self.path) != self._identity:
            raise StoreError(
                "The store was moved, replaced or deleted while it was open. Nothing was changed.",
                hint="Open it again.",
            )

    # -- facts about this file

    def meta(self, key: str) -> str | None:
        """One value of the table of facts about this file."""
        row = self._one("SELECT value FROM meta WHERE key = ?", (key,))
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store one such fact, inside the current transaction or one of its own."""
        with self.write():
            self.connection.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", (key, value)
            )

    def drop_meta(self, *keys: str) -> None:
        """Forget facts."""
        with self.write():
            self.connection.executemany("DELETE FROM meta WHERE key = ?", [(key,) for key in keys])

    # -- the text journal

    @property
    def is_mirrored(self) -> bool:
        """Whether there is a text journal: a store in memory has none."""
        return self.path != ":memory:"

    def mirror_path(self) -> str:
        """The text journal of this writer: the records made here."""
        from trivium.store import mirror

        return mirror.own_file(self.path, self.meta("writer") or "unknown")

    def others_path(self) -> str:
        """The text journal of records that were taken in from elsewhere."""
        from trivium.store import mirror

        return mirror.others_file(self.path, self.meta("writer") or "unknown")

    def queue_line(self, line: bytes, *, is_own: bool) -> None:
        """Have a line written to the text journal at the end of the transaction."""
        if self.is_mirrored:
            self._lines.setdefault(self.mirror_path() if is_own else self.others_path(), []).append(line)

    def is_mirror_known(self) -> bool:
        """Whether the text journals are as long as this database left them."""
        from trivium.store import mirror

        if not self.is_mirrored:
            return True
        rows = self._all("SELECT key, value FROM meta WHERE key = 'writer' OR key GLOB 'mirror.*'")
        facts = {str(key): str(value) for key, value in rows}
        writer = facts.get("writer", "unknown")
        paths = (mirror.own_file(self.path, writer), mirror.others_file(self.path, writer))
        return all(facts.get(_fact(path), "0") == str(mirror.size(path)) for path in paths)

    def note_mirror_sizes(self) -> None:
        """Take the text journals as they are for what this database knows of them."""
        from trivium.store import mirror

        for path in (self.mirror_path(), self.others_path()):
            self.set_meta(_fact(path), str(mirror.size(path)))

    def doubt_mirror(self) -> None:
        """Have the next write compare the text journals line by line."""
        self.set_meta(_fact(self.mirror_path()), "unknown")

    def _write_lines(self) -> None:
        from trivium.store import mirror

        for path, lines in self._lines.items():
            try:
                added = mirror.append(path, lines)
            except OSError as error:
                raise StoreError(
                    f"The journal file cannot be written: {path} ({error.strerror}). Nothing was changed.",
                    hint="Make room, or make the folder writable, and try again.",
                ) from error
            self._undo_steps.append(added)
            self.set_meta(_fact(path), str(added.after))

    def _take_back(self) -> None:
        """After a failed commit: cut what was added to the text journals, while nobody else can be adding to them."""
        if not self._undo_steps:
            return
        from trivium.store import mirror

        # What cannot be taken back is settled by the next write.
        with contextlib.suppress(OSError, *database.FAILURES):
            is_lock_lost = not self.connection.in_transaction
            if is_lock_lost:
                self.connection.execute("BEGIN IMMEDIATE")
            for path, before, after in reversed(self._undo_steps):
                if not is_lock_lost or self.meta(_fact(path)) != str(after):
                    mirror.cut(mirror.Appended(path, before, after))


def _fact(path: str) -> str:
    return _SIZE + os.path.basename(path)


def _identity(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
