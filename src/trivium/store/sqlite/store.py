"""The SQLite store: one file a space, every mutation one journal record in the transaction of its effects."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from trivium.errors import StoreError, StoreVersionError
from trivium.model import Document, Entity, EntityText, Evidence, Record, Relation, Vector
from trivium.store.base import Applied, PassageRow
from trivium.store.sqlite import connection as database
from trivium.store.sqlite import queries
from trivium.store.sqlite.schema import MIGRATIONS, SCHEMA_VERSION


class SqliteStore:
    """A space in one SQLite file. Open it with `open_store`; use it as a context manager or close it."""

    def __init__(self, path: str, connection: sqlite3.Connection, *, is_writable: bool, note: str = "") -> None:
        self.path = path
        self.connection = connection
        self.is_writable = is_writable
        self.note = note
        self._unmirrored: list[Record] = []

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; safe to call twice."""
        self.connection.close()

    def guard(self) -> contextlib.AbstractContextManager[None]:
        """Failures of the database inside become `StoreError`."""
        return database.guard()

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        """A write transaction; nested uses join the outer one. Raises `StoreError` on a read-only store."""
        if self.connection.in_transaction:
            yield
            return
        if not self.is_writable:
            raise StoreError("The store is open for reading only.", hint=self.note)
        with database.transaction(self.connection):
            try:
                yield
                self._mirror()
            finally:
                self._unmirrored.clear()

    def _mirror(self) -> None:
        if not self._unmirrored or self.path == ":memory:":
            return
        from trivium.store.sqlite import mirror

        try:
            mirror.append(self.mirror_path(), self._unmirrored)
        except OSError as error:
            raise StoreError(
                f"The journal file cannot be written: {self.mirror_path()} ({error.strerror}). Nothing was changed."
            ) from error

    def mirror_path(self) -> str:
        """The text journal of this writer."""
        writer = self.meta("writer") or "unknown"
        name = os.path.splitext(os.path.basename(self.path))[0]
        return os.path.join(os.path.dirname(self.path), "journal", name, f"{writer}.jsonl")

    # -- meta

    def meta(self, key: str) -> str | None:
        """One value of the table of facts about this file."""
        row = self._one("SELECT value FROM meta WHERE key = ?", (key,))
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store one such fact, inside the current transaction or one of its own."""
        with self.write():
            self.connection.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    # -- journal

    def append(self, op: str, payload: Mapping[str, Any], *, at: str, actor: str, session: str) -> Applied:
        """Write one record and its effects. `at` is moved behind the newest record when a clock stands still."""
        from trivium.store.sqlite import journal
        from trivium.store.sqlite.fold import Fold
        from trivium.store.sqlite.refold import refold

        with self.write():
            at = journal.next_time(self.connection, at)
            content = dict(payload)
            record = Record(journal.record_id(at, actor, session, op, content), at, actor, session, op, content)
            journal.insert(self.connection, record)
            self._unmirrored.append(record)
            if op == "undo":
                changed, skipped = refold(self.connection)
            else:
                fold = Fold(self.connection)
                fold.apply(record)
                changed, skipped = fold.changed, fold.skipped
            return Applied(record, tuple(sorted(changed)), tuple(skipped))

    def merge_records(self, records: Iterable[Record]) -> tuple[int, Applied | None]:
        """Take in records of another machine, in any order; returns how many were new and what changed."""
        from trivium.store.sqlite import journal
        from trivium.store.sqlite.refold import refold

        with self.write():
            added = [record for record in records if journal.insert(self.connection, record)]
            if not added:
                return 0, None
            self._unmirrored.extend(added)
            changed, skipped = refold(self.connection)
            return len(added), Applied(added[-1], tuple(sorted(changed)), tuple(skipped))

    def rebuild(self) -> Applied | None:
        """Fold the whole journal again and bring the tables to it."""
        from trivium.store.sqlite.refold import refold

        with self.write():
            changed, skipped = refold(self.connection)
            newest = self.latest(1)
            return Applied(newest[0][0], tuple(sorted(changed)), tuple(skipped)) if newest else None

    def drift(self) -> dict[str, int]:
        """Rows of each table that differ from the fold of the journal."""
        from trivium.store.sqlite import refold

        with database.guard():
            return refold.drift(self.connection)

    def records(self, *, key: str | None = None, until: str | None = None) -> Iterator[Record]:
        """Journal records in order; `key` keeps those that speak of an id or address, `until` bounds the time."""
        from trivium.store.sqlite import journal

        with database.guard():
            yield from journal.read(self.connection, key=key, until=until)

    def latest(self, limit: int, *, key: str | None = None) -> list[tuple[Record, bool]]:
        """The newest records first, each with whether it was undone."""
        import itertools

        from trivium.store.sqlite import journal

        with database.guard():
            void = journal.void_ids(self.connection)
            newest = journal.read(self.connection, key=key, is_newest_first=True)
            return [(record, record.id in void) for record in itertools.islice(newest, limit)]

    def void_ids(self) -> set[str]:
        """Records that were undone."""
        from trivium.store.sqlite import journal

        with database.guard():
            return journal.void_ids(self.connection)

    def as_of(self, moment: str) -> SqliteStore:
        """The space as it was: a store in memory, folded from the records up to `moment`."""
        from trivium.store.sqlite import journal
        from trivium.store.sqlite.fold import Fold

        past = open_store(":memory:", busy_timeout_s=1)
        with database.guard(), past.write():
            Fold(past.connection).apply_all(journal.effective(self.connection, until=moment))
        past.note = f"as of {moment}"
        return past

    # -- graph

    def resolve(self, name: str) -> list[Entity]:
        """What a name means: the exact id, or everything whose id or alias folds to it."""
        with database.guard():
            return queries.resolve(self.connection, name)

    def similar_ids(self, name: str) -> list[str]:
        """At most five ids that look like the name."""
        with database.guard():
            return queries.similar_ids(self.connection, name)

    def entities(self, keys: Iterable[int]) -> dict[int, Entity]:
        """Entities by key."""
        with database.guard():
            return queries.entities(self.connection, keys)

    def by_ids(self, ids: Sequence[str]) -> dict[str, Entity]:
        """Entities by exact id, following renames and merges."""
        with database.guard():
            return queries.by_ids(self.connection, ids)

    def by_name_keys(self, names: Iterable[str]) -> dict[str, list[Entity]]:
        """Entities by `model.name_key` of their ids and aliases."""
        with database.guard():
            return queries.by_name_keys(self.connection, names)

    def page(self, *, order: str, limit: int, offset: int, is_hidden_included: bool) -> tuple[int, list[Entity]]:
        """One page of entities with their total."""
        with database.guard():
            return queries.page(
                self.connection,
                order=order,
                limit=limit,
                offset=offset,
                is_hidden_included=is_hidden_included,
            )

    def texts(self, keys: Iterable[int] | None = None) -> Iterator[EntityText]:
        """The searched fields of entities."""
        with database.guard():
            yield from queries.texts(self.connection, keys)

    def relations(
        self,
        keys: Iterable[int],
        *,
        predicates: Sequence[str] | None = None,
        direction: str = "both",
        is_hidden_included: bool = True,
    ) -> list[Relation]:
        """Relations that touch the keys, in one statement."""
        with database.guard():
            return queries.relations(
                self.connection,
                keys,
                predicates=predicates,
                direction=direction,
                is_hidden_included=is_hidden_included,
            )

    def evidence(self, relation_keys: Iterable[int]) -> dict[int, list[Evidence]]:
        """Evidence by relation key, newest first."""
        with database.guard():
            return queries.evidence(self.connection, relation_keys)

    def mentions(self, keys: Iterable[int]) -> dict[int, list[Evidence]]:
        """What each document says of an entity, newest first."""
        with database.guard():
            return queries.mentions(self.connection, keys)

    def documents_of(self, keys: Iterable[int]) -> dict[int, list[Document]]:
        """Documents by entity key."""
        with database.guard():
            return queries.documents_of(self.connection, keys)

    def document(self, uri: str) -> Document | None:
        """One document by its address."""
        with database.guard():
            return queries.document(self.connection, uri)

    def documents(self) -> list[tuple[Document, int]]:
        """All documents with how many entities each describes."""
        with database.guard():
            return queries.documents(self.connection)

    def dates(self, keys: Iterable[int]) -> dict[int, str]:
        """Newest publication date by entity key."""
        with database.guard():
            return queries.dates(self.connection, keys)

    def prunable(self, *, before: str, max_touches: int, is_archived_included: bool) -> list[Entity]:
        """Entities that nobody came back to."""
        with database.guard():
            return queries.prunable(
                self.connection,
                before=before,
                max_touches=max_touches,
                is_archived_included=is_archived_included,
            )

    def counts(self) -> dict[str, Any]:
        """How much of everything there is."""
        with database.guard():
            return queries.counts(self.connection)

    # -- usage

    def record_shown(self, keys: Iterable[int], *, at: str) -> None:
        """Count that entities were shown. Not knowledge: it has no journal record."""
        with self.write():
            self.connection.execute(
                """INSERT INTO usage(entity, shown_count, last_shown_at)
                SELECT value, 1, ? FROM json_each(?) JOIN entity ON entity.key = value WHERE true
                ON CONFLICT(entity) DO UPDATE SET shown_count = shown_count + 1, last_shown_at = excluded.last_shown_at""",
                (at, queries.numbers(keys)),
            )

    # -- vectors

    def put_passages(self, entity: int, passages: Sequence[PassageRow]) -> None:
        """Replace the passages of an entity."""
        with self.write():
            self.connection.execute("DELETE FROM passage WHERE entity = ?", (entity,))
            self.connection.executemany("INSERT INTO passage VALUES (?, ?, ?, ?, ?)", passages)

    def missing_vectors(self, embedder: str, limit: int) -> list[tuple[int, int, bytes, int, int]]:
        """Passages whose text has no vector of this embedder, each text once."""
        with database.guard():
            return self.connection.execute(
                """SELECT entity, ordinal, text_hash, start, end FROM passage p
                WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.embedder = ? AND v.text_hash = p.text_hash)
                GROUP BY text_hash LIMIT ?""",
                (embedder, limit),
            ).fetchall()

    def missing_vector_count(self, embedder: str) -> int:
        """How many different passage texts have no vector of this embedder."""
        row = self._one(
            """SELECT count(DISTINCT text_hash) FROM passage p
            WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.embedder = ? AND v.text_hash = p.text_hash)""",
            (embedder,),
        )
        return 0 if row is None else int(row[0])

    def is_vector_missing(self, embedder: str, entities: Iterable[int]) -> bool:
        """Whether a passage of these entities has no vector of this embedder."""
        row = self._one(
            """SELECT 1 FROM passage p WHERE p.entity IN (SELECT value FROM json_each(?)) AND NOT EXISTS
            (SELECT 1 FROM vector v WHERE v.embedder = ? AND v.text_hash = p.text_hash) LIMIT 1""",
            (queries.numbers(entities), embedder),
        )
        return row is not None

    def entity_count(self) -> int:
        """How many entities there are."""
        row = self._one("SELECT count(*) FROM entity")
        return 0 if row is None else int(row[0])

    def has_vectors(self, embedder: str) -> bool:
        """Whether any text has a vector of this embedder."""
        return self._one("SELECT 1 FROM vector WHERE embedder = ? LIMIT 1", (embedder,)) is not None

    def passage_hashes(self) -> set[bytes]:
        """The hashes of every passage."""
        with database.guard():
            return {row[0] for row in self.connection.execute("SELECT DISTINCT text_hash FROM passage")}

    def vectors_by_hash(self, embedder: str, hashes: Iterable[bytes]) -> Iterator[tuple[bytes, Vector]]:
        """(text hash, vector) for those of the texts that this embedder has seen."""
        query = "SELECT data FROM vector WHERE embedder = ? AND text_hash = ?"
        for text_hash in hashes:
            row = self._one(query, (embedder, text_hash))
            if row is not None:
                yield text_hash, row[0]

    def last_vector(self) -> int:
        """The highest sequence number of any vector."""
        row = self._one("SELECT coalesce(max(seq), 0) FROM vector")
        return 0 if row is None else int(row[0])

    def known_hashes(self, embedder: str, hashes: Iterable[bytes]) -> set[bytes]:
        """Those of the text hashes that have a vector of this embedder."""
        query = "SELECT 1 FROM vector WHERE embedder = ? AND text_hash = ?"
        return {text_hash for text_hash in set(hashes) if self._one(query, (embedder, text_hash))}

    def put_vectors(self, embedder: str, vectors: Iterable[tuple[bytes, Vector]]) -> None:
        """Store vectors by the hash of their text; a text is never stored twice for one embedder."""
        with self.write():
            self.connection.executemany(
                "INSERT OR IGNORE INTO vector(embedder, text_hash, data) VALUES (?, ?, ?)",
                ((embedder, text_hash, data) for text_hash, data in vectors),
            )

    def vectors_after(self, embedder: str, seq: int, *, is_used_only: bool = False) -> Iterator[tuple[int, Vector]]:
        """(sequence number, vector) of one embedder, ascending, from behind `seq`."""
        used = "AND EXISTS (SELECT 1 FROM passage p WHERE p.text_hash = v.text_hash)" if is_used_only else ""
        with database.guard():
            yield from self.connection.execute(
                f"SELECT seq, data FROM vector v WHERE embedder = ? AND seq > ? {used} ORDER BY seq",
                (embedder, seq),
            )

    def vectors_by_seq(self, seqs: Iterable[int]) -> list[tuple[int, Vector]]:
        """(sequence number, vector) for some sequence numbers, ascending."""
        with database.guard():
            return self.connection.execute(
                "SELECT seq, data FROM vector WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq",
                (queries.numbers(seqs),),
            ).fetchall()

    def vector_span(self, embedder: str) -> tuple[int, int]:
        """How many vectors an embedder has and the highest sequence number among them."""
        row = self._one("SELECT count(*), coalesce(max(seq), 0) FROM vector WHERE embedder = ?", (embedder,))
        return (0, 0) if row is None else (row[0], row[1])

    # CROSS JOIN keeps the order written: from the few that are asked about to what belongs to them.

    def vector_owners(self, seqs: Iterable[int]) -> list[tuple[int, int, int]]:
        """(sequence number, entity key, passage ordinal) of vectors; a vector no text uses has no row."""
        with database.guard():
            return self.connection.execute(
                """SELECT v.seq, p.entity, p.ordinal FROM json_each(?) AS asked
                CROSS JOIN vector v ON v.seq = asked.value CROSS JOIN passage p ON p.text_hash = v.text_hash""",
                (queries.numbers(seqs),),
            ).fetchall()

    def entity_vectors(self, embedder: str, keys: Iterable[int]) -> list[tuple[int, int]]:
        """(entity key, sequence number) of the vectors of some entities."""
        with database.guard():
            return self.connection.execute(
                """SELECT p.entity, v.seq FROM json_each(?) AS asked CROSS JOIN passage p ON p.entity = asked.value
                CROSS JOIN vector v ON v.embedder = ? AND v.text_hash = p.text_hash""",
                (queries.numbers(keys), embedder),
            ).fetchall()

    def drop_vectors(self, *, except_embedder: str) -> int:
        """Delete vectors of other embedders and of texts that are gone; returns how many."""
        with self.write():
            return self.connection.execute(
                """DELETE FROM vector WHERE embedder <> ?
                OR text_hash NOT IN (SELECT text_hash FROM passage)""",
                (except_embedder,),
            ).rowcount

    def _one(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        with database.guard():
            row: tuple[Any, ...] | None = self.connection.execute(query, values).fetchone()
            return row


def open_store(path: str, *, busy_timeout_s: float = 30.0, is_created: bool = True) -> SqliteStore:
    """Open a space, creating or migrating it.

    A file that cannot be written is opened for reading; so is one of a newer program (`note` says why). Raises
    `StoreError` when there is nothing to read.
    """
    if path != ":memory:" and is_created:
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            if not os.path.exists(path):
                raise StoreError(
                    f"The folder {os.path.dirname(path)} cannot be created: {error.strerror}.",
                    hint="Set TRIVIUM_HOME to a folder that can be written.",
                ) from error
    note = _read_only_reason(path)
    if note:
        return _open_for_reading(path, busy_timeout_s, note)
    connection = database.connect(path, is_writable=True, busy_timeout_s=busy_timeout_s)
    try:
        with database.guard():
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            note = f"It was written by a newer version (schema {version}, this one knows {SCHEMA_VERSION})."
            return SqliteStore(path, connection, is_writable=False, note=note)
        if version < SCHEMA_VERSION:
            _migrate(path, connection, version)
        with database.guard():
            connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return SqliteStore(path, connection, is_writable=True)


def _read_only_reason(path: str) -> str:
    if path == ":memory:":
        return ""
    folder = os.path.dirname(path)
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            return f"The file {path} is read-only."
        if not os.access(folder, os.W_OK):
            return f"The folder {folder} is read-only."
    elif not os.access(folder, os.W_OK):
        raise StoreError(
            f"The folder {folder} cannot be written and holds no store.",
            hint="Set TRIVIUM_HOME to a folder that can be written.",
        )
    return ""


def _open_for_reading(path: str, busy_timeout_s: float, note: str) -> SqliteStore:
    connection = database.connect(path, is_writable=False, busy_timeout_s=busy_timeout_s)
    try:
        connection.execute("SELECT count(*) FROM meta").fetchone()
    except sqlite3.OperationalError:
        # Reading a WAL file wants a shared-memory file beside it; where none can be made, the file as it stands is read.
        connection.close()
        with database.guard():
            connection = sqlite3.connect(
                f"file:{database.quote_path(path)}?immutable=1",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
            connection.execute("SELECT count(*) FROM meta").fetchone()
    with database.guard():
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version < SCHEMA_VERSION:
        connection.close()
        raise StoreVersionError(
            f"The store has schema {version} and must be brought to {SCHEMA_VERSION}, but it cannot be written.",
            hint=note,
        )
    return SqliteStore(path, connection, is_writable=False, note=note)


def _migrate(path: str, connection: sqlite3.Connection, version: int) -> None:
    with database.guard():
        if path != ":memory:" and version == 0:
            connection.execute("PRAGMA journal_mode = WAL")
    if version > 0:
        from trivium.store.sqlite.backup import back_up

        back_up(connection, path, label=f"before-schema-{SCHEMA_VERSION}")
    with database.transaction(connection):
        # Another process may have done it while this one waited for the lock.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for number, (name, statements) in enumerate(MIGRATIONS[version:], version + 1):
            for statement in statements:
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES (?, ?)", (f"migration.{number}", name))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        if version == 0:
            connection.execute("INSERT INTO meta VALUES ('writer', ?)", (_writer_name(),))


def _writer_name() -> str:
    import platform
    import secrets

    host = "".join(c if c.isalnum() or c in "-_" else "-" for c in platform.node())[:40] or "host"
    return f"{host}-{secrets.token_hex(4)}"
