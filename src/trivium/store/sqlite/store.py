"""The SQLite store: one file a space, every mutation one journal record in the transaction of its effects."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trivium.errors import PayloadError, StoreError
from trivium.model import Record
from trivium.store.base import INDEX_FACTS, Applied
from trivium.store.sqlite import connection as database
from trivium.store.sqlite.connection import AMONG, numbers
from trivium.store.sqlite.opening import open_connection
from trivium.store.sqlite.queries import Queries
from trivium.store.sqlite.vectors import VectorTables


class SqliteStore(Queries, VectorTables):
    """A space in one SQLite file, for one thread. Open it with `open_store`; use it as a context manager or close it.

    `note` says what was noticed when it was opened, such as why it can only be read.
    """

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; safe to call twice."""
        self.connection.close()

    # -- journal

    def append(self, op: str, payload: Mapping[str, Any], *, at: str, actor: str, session: str) -> Applied:
        """Write one record and its effects. `at` is moved behind the newest record when a clock stands still.

        Raises `PayloadError` with every problem when the record could not be folded.
        """
        from trivium.store import records
        from trivium.store.sqlite import journal

        with self.write():
            changed = self._settle()
            at = journal.next_time(self.connection, at)
            record, text = records.make(op, payload, at=at, actor=actor, session=session)
            journal.insert(self.connection, record, text)
            self.queue_line(records.encode(record, text), is_own=True)
            newly_changed, skipped = self._apply(record)
            return Applied(record, tuple(sorted(changed | newly_changed)), tuple(skipped))

    def _apply(self, record: Record) -> tuple[set[int], list[str]]:
        from trivium.store.sqlite.fold import refold

        if record.op == "undo":
            return refold.refold(self.connection)
        from trivium.store.sqlite.fold.apply import Fold

        fold = Fold(self.connection)
        fold.apply(record)
        refold.follow_renames(self.connection, fold.renamed)
        return fold.changed, fold.skipped

    def merge_records(self, records: Iterable[Record]) -> tuple[int, Applied | None]:
        """Take in records of another machine, in any order; returns how many were new and what changed.

        Raises `PayloadError`, and takes in nothing, when one of them is damaged or cannot be folded.
        """
        from trivium.store import records as values
        from trivium.store.sqlite import journal
        from trivium.store.sqlite.fold.refold import refold

        wanted = list(records)
        checked = ((record.id, values.checked(record)) for record in wanted)
        problems = [f"record {identifier}: {problem}" for identifier, problem in checked if isinstance(problem, str)]
        if problems:
            raise PayloadError(
                "Records of the other journal cannot be taken in. Nothing was changed.", details=problems
            )
        with self.write():
            changed = self._settle()
            added = []
            for record in wanted:
                text = values.canonical(record.payload)
                if journal.insert(self.connection, record, text):
                    self.queue_line(values.encode(record, text), is_own=False)
                    added.append(record)
            if not added:
                return 0, None
            newly_changed, skipped = refold(self.connection)
            return len(added), Applied(added[-1], tuple(sorted(changed | newly_changed)), tuple(skipped))

    def rebuild(self) -> Applied | None:
        """Fold the whole journal again and bring the tables to it; None when nothing was ever recorded."""
        from trivium.store.sqlite.fold.refold import refold

        with self.write():
            changed = self._settle()
            newly_changed, skipped = refold(self.connection)
            newest = self.latest(1)
            return Applied(newest[0][0], tuple(sorted(changed | newly_changed)), tuple(skipped)) if newest else None

    def _settle(self) -> set[int]:
        """Once a transaction: if the text journal is not as this database left it, bring the two together."""
        if self._is_settled or self.is_mirror_known():
            return set()
        return self.settle_now()

    def settle_now(self) -> set[int]:
        """Bring text journal and database to the same records, inside a transaction; returns what changed."""
        from trivium.store.sqlite.recovery.reconcile import reconcile

        self._is_settled = True
        changed, missing = reconcile(self.connection, self.path)
        self.note_mirror_sizes()
        for line in missing:
            self.queue_line(line, is_own=True)
        return changed

    def settle(self) -> None:
        """Take in what the text journal holds and the database lost; does not wait, for that is what a writer does."""
        if not self.is_writable or self.is_mirror_known():
            return
        try:
            with self.write(timeout_s=0):
                changed = self._settle()
                if changed:
                    self.drop_meta(*INDEX_FACTS)
                    self.note = "Changes that the database had lost were taken in from its journal file."
        except StoreError as error:
            # A writer that is about to commit has written its line already: then there is nothing to settle.
            if not (isinstance(error.__cause__, sqlite3.Error) and database.is_busy(error.__cause__)):
                self.note = error.message

    def drift(self) -> dict[str, int]:
        """How many rows of each table differ from a fold of the journal; empty when none does."""
        from trivium.store.sqlite.fold import refold

        with self.guard():
            return refold.drift(self.connection)

    def lost(self) -> list[tuple[str, str]]:
        """(record id, effect) for every effect in the journal that found no target."""
        return [(record, effect) for record, effect in self._all("SELECT record, effect FROM lost ORDER BY 1, 2")]

    def records(self, *, key: str | None = None, until: str | None = None) -> Iterator[Record]:
        """Journal records in order; `key` keeps those that speak of an id or address, `until` bounds the time."""
        from trivium.store.sqlite import journal

        with self.guard():
            yield from journal.read(self.connection, key=key, until=until)

    def records_starting_with(self, prefix: str, limit: int = 10) -> list[Record]:
        """Records whose id begins with a text, by id."""
        from trivium.store.sqlite import journal

        with self.guard():
            return journal.starting_with(self.connection, prefix, limit)

    def latest(self, limit: int, *, key: str | None = None) -> list[tuple[Record, bool]]:
        """The newest records first, each with whether it was undone."""
        import itertools

        from trivium.store.sqlite import journal

        with self.guard(), self.read():
            void = journal.void_ids(self.connection)
            newest = journal.read(self.connection, key=key, is_newest_first=True)
            return [(record, record.id in void) for record in itertools.islice(newest, limit)]

    def void_ids(self) -> set[str]:
        """Records that were undone."""
        from trivium.store.sqlite import journal

        with self.guard():
            return journal.void_ids(self.connection)

    def as_of(self, moment: str) -> SqliteStore:
        """The space as it was: a store in memory, folded from the records up to `moment`."""
        from trivium.store.sqlite import journal
        from trivium.store.sqlite.fold.apply import Fold

        past = open_store(":memory:")
        with self.guard(), self.read(), past.write():
            Fold(past.connection, is_from_empty=True).apply_all(journal.effective(self.connection, until=moment))
        past.note = f"as of {moment}"
        return past

    def back_up(self, label: str) -> str:
        """Copy the file beside it while others go on working; returns the path of the copy."""
        from trivium.store.sqlite.recovery.backup import back_up

        return back_up(self.connection, self.path, label=label)

    # -- usage

    def record_shown(self, keys: Iterable[int], *, at: str, timeout_s: float | None = None) -> None:
        """Count that entities were shown. Not knowledge: it has no journal record.

        `timeout_s` bounds the wait for other writers, when an answer must not hang on its own bookkeeping.
        """
        with self.write(timeout_s=timeout_s):
            self.connection.execute(
                f"""INSERT INTO usage(id, shown_count, last_shown_at)
                SELECT id, 1, ? FROM entity WHERE key IN {AMONG}
                ON CONFLICT(id) DO UPDATE SET shown_count = shown_count + 1, last_shown_at = excluded.last_shown_at""",
                (at, numbers(keys)),
            )


def open_store(path: str, *, busy_timeout_s: float = 30.0, is_created: bool = True) -> SqliteStore:
    """Open a space, creating or migrating it; a missing database is built again from its text journals.

    A file that cannot be written is opened for reading; so is one of a newer program (`note` says why). Raises
    `StoreError` when there is nothing to read, or when what is there is damaged or not a store.
    """
    path = path if path == ":memory:" else os.path.abspath(path)
    opened = open_connection(path, busy_timeout_s=busy_timeout_s, is_created=is_created)
    store = SqliteStore(path, opened.connection, is_writable=opened.is_writable, note=opened.note)
    try:
        store.settle()
    except BaseException:
        store.close()
        raise
    return store
