"""Write transactions: database and text journal together or not at all, whoever fails and whenever."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.lives import content, do, ids, register, undo
from tests.store.sqlite.test_connection import is_plain

from trivium.errors import PayloadError, StoreError
from trivium.model import Record
from trivium.store import mirror, records
from trivium.store.sqlite.store import SqliteStore, open_store

resource = pytest.importorskip("resource", reason="limits of this system make its disk full")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "home" / "concepts.db")


@pytest.fixture
def store(path: str) -> Iterator[SqliteStore]:
    with open_store(path) as opened:
        register(opened, "A")
        yield opened


def mirrored(store: SqliteStore) -> list[str]:
    """The ids of the records in the text journals."""
    found = [item for file in mirror.files(store.path) for _, _, item in mirror.read_file(file)]
    return [item.id if isinstance(item, Record) else "?" for item in found]


def recorded(store: SqliteStore) -> list[str]:
    return [record.id for record in store.records()]


class TestTransaction:
    def test_what_is_nested_is_one(self, store: SqliteStore) -> None:
        with store.write():
            register(store, "B")
            with store.write():
                register(store, "C")
            with open_store(store.path) as other:
                assert ids(other) == {"A"}
        assert ids(store) == {"A", "B", "C"}
        assert mirrored(store) == recorded(store)

    def test_a_failure_takes_everything_back(self, store: SqliteStore) -> None:
        before = content(store), recorded(store), mirrored(store)

        def fail() -> None:
            with store.write():
                register(store, "B")
                store.set_meta("x", "y")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        assert (content(store), recorded(store), mirrored(store)) == before
        assert store.meta("x") is None
        register(store, "C")
        assert mirrored(store) == recorded(store)

    def test_a_refused_record_leaves_nothing(self, store: SqliteStore) -> None:
        before = content(store), recorded(store), mirrored(store)
        with pytest.raises(PayloadError):
            do(store, "register", {"reference": {}})
        with pytest.raises(PayloadError):
            do(store, "archive", {"ids": ["\ud800"]})
        assert (content(store), recorded(store), mirrored(store)) == before

    def test_nothing_is_written_inside_a_read(self, store: SqliteStore) -> None:
        with store.read(), pytest.raises(StoreError, match="inside a consistent read"):
            register(store, "B")
        register(store, "B")

    def test_a_closed_store_says_so(self, path: str) -> None:
        store = open_store(path)
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            register(store, "A")

    def test_facts_are_kept_replaced_and_forgotten(self, store: SqliteStore) -> None:
        store.set_meta("a", "1")
        store.set_meta("a", "2")
        store.set_meta("b", "3")
        assert (store.meta("a"), store.meta("b"), store.meta("c")) == ("2", "3", None)
        store.drop_meta("a", "c")
        assert store.meta("a") is None

    def test_a_file_that_was_replaced_is_not_written_any_more(self, store: SqliteStore, tmp_path: Path) -> None:
        os.rename(store.path, tmp_path / "elsewhere.db")
        with pytest.raises(StoreError, match="moved, replaced or deleted"):
            register(store, "B")
        with open_store(store.path) as rebuilt:
            assert ids(rebuilt) == {"A"}
            with pytest.raises(StoreError, match="replaced"):
                register(store, "B")
            register(rebuilt, "C")
            assert ids(rebuilt) == {"A", "C"}


class TestTextJournal:
    def test_every_record_is_a_line_of_it(self, store: SqliteStore) -> None:
        undo(store, register(store, "B"))
        assert mirrored(store) == recorded(store)
        assert mirror.files(store.path) == [store.mirror_path()]

    def test_what_comes_from_elsewhere_is_kept_apart(self, store: SqliteStore) -> None:
        with open_store(":memory:") as other:
            register(other, "B")
            records = list(other.records())
        added, applied = store.merge_records(records)
        assert added == 1
        assert applied is not None
        assert store.merge_records(records) == (0, None)
        own, others = store.mirror_path(), store.others_path()
        assert [item.id for _, _, item in mirror.read_file(others)] == [records[0].id]
        assert records[0].id not in [item.id for _, _, item in mirror.read_file(own)]

    @pytest.mark.parametrize("obstacle", ["folder", "full", "device"])
    def test_nothing_is_done_when_it_cannot_be_written(self, store: SqliteStore, obstacle: str) -> None:
        file = Path(store.mirror_path())
        before, text = content(store), file.read_bytes()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        try:
            if obstacle == "full":
                # Room for a part of the line, and for what the database writes meanwhile.
                big = 4 << 20
                file.write_bytes(text + b"\n" * big)
                do(store, "archive", {"ids": ["A"]})
                before, text = content(store), file.read_bytes()
                resource.setrlimit(resource.RLIMIT_FSIZE, (len(text) + 20, limits[1]))
            else:
                file.unlink()
                file.mkdir() if obstacle == "folder" else file.symlink_to("/dev/full")
            with pytest.raises(StoreError, match="journal file cannot be written") as raised:
                register(store, "B")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert is_plain(raised.value)
        assert content(store) == before
        if obstacle == "full":
            assert file.read_bytes() == text
        elif obstacle == "folder":
            file.rmdir()
        else:
            file.unlink()
        register(store, "C")
        assert ids(store) == {"A", "C"}
        assert set(recorded(store)) <= set(mirrored(store))

    def test_a_commit_that_fails_is_taken_back_from_it(self, store: SqliteStore) -> None:
        before = mirrored(store), recorded(store)

        def fail() -> None:
            with store.write():
                register(store, "B")
                # A promise that only the commit finds broken.
                store.connection.execute("PRAGMA defer_foreign_keys = ON")
                store.connection.execute("INSERT INTO passage VALUES (999, 0, x'00', 0, 0)")

        with pytest.raises(Exception, match="Nothing was changed"):
            fail()
        assert (mirrored(store), recorded(store)) == before
        register(store, "C")
        assert mirrored(store) == recorded(store)

    def test_a_full_disk_changes_nothing(self, store: SqliteStore) -> None:
        before = content(store), mirrored(store)
        (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
        store.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="disk is full") as raised:
            register(store, *(f"c{number}" for number in range(2_000)))
        assert is_plain(raised.value)
        assert (content(store), mirrored(store)) == before
        store.connection.execute("PRAGMA max_page_count = 1000000")
        register(store, "B")
        assert mirrored(store) == recorded(store)

    def test_a_disk_that_fails_at_any_byte_loses_nothing_that_was_acknowledged(self, path: str) -> None:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        acknowledged: list[str] = []
        refused: list[StoreError] = []
        for room in range(0, 60_000, 1_500):
            with open_store(path) as store:
                size = max(os.path.getsize(path + suffix) for suffix in ("", "-wal"))
                resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, limits[1]))
                try:
                    acknowledged.append(register(store, f"c{room}", "shared").record.id)
                except StoreError as error:
                    refused.append(error)
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        with open_store(path) as store:
            assert recorded(store) == acknowledged
            assert mirrored(store) == acknowledged
            assert store.drift() == {}
        assert all(map(is_plain, refused))
        assert acknowledged
        assert refused


class TestSettling:
    def test_lines_that_the_database_lacks_are_taken_in(self, store: SqliteStore) -> None:
        # What a writer leaves that is killed between its line and its commit.
        with open_store(":memory:") as other:
            register(other, "B")
            lines = list(other.records())
        mirror.append(store.mirror_path(), map(records.encode, lines))
        with open_store(store.path) as opened:
            assert ids(opened) == {"A", "B"}
            assert "taken in" in opened.note
            assert opened.drift() == {}
        with open_store(store.path) as opened:
            assert opened.note == ""
        # A store that is open already sees it, too, and the next write says what changed.
        mirror.append(store.mirror_path(), [records.encode(newer(store, "C"))])
        applied = do(store, "archive", {"ids": ["A"]})
        assert ids(store) == {"A", "B", "C"}
        assert store.by_ids(["C"])["C"].key in applied.changed
        assert mirrored(store) == recorded(store)

    @pytest.mark.parametrize("left", [0, 1, 100])
    def test_lines_that_it_lost_are_written_again(self, store: SqliteStore, left: int) -> None:
        register(store, "B")
        file = Path(store.mirror_path())
        file.write_bytes(file.read_bytes()[:left])
        register(store, "C")
        assert sorted(one for one in mirrored(store) if one != "?") == sorted(recorded(store))
        with open_store(store.path) as opened:
            assert opened.note == ""

    def test_a_folder_that_was_deleted_is_made_again(self, store: SqliteStore) -> None:
        import shutil

        shutil.rmtree(mirror.folder(store.path))
        register(store, "B")
        assert sorted(mirrored(store)) == sorted(recorded(store))

    def test_hostile_lines_are_passed_over(self, store: SqliteStore) -> None:
        with open(store.mirror_path(), "ab") as stream:
            stream.write(b'{"id":"x"}\n[[[[\n<<<<<<< HEAD\n\xff\xfe\n{"at":1}')
        register(store, "B")
        assert ids(store) == {"A", "B"}
        assert [one for one in mirrored(store) if one != "?"] == recorded(store)

    def test_a_line_without_its_commit_is_not_waited_for(self, store: SqliteStore, path: str) -> None:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with open(store.mirror_path(), "ab") as stream:
            stream.write(b"a writer is about to commit this\n")
        started = time.monotonic()
        with open_store(path) as reader:
            assert ids(reader) == {"A"}
            assert reader.note == ""
        holder.close()
        assert time.monotonic() - started < 20


def newer(store: SqliteStore, name: str) -> Record:
    with open_store(":memory:") as other:
        other.merge_records(list(store.records()))
        return register(other, name, url="https://example.org/newer").record


class TestWaiting:
    @pytest.fixture
    def held(self, store: SqliteStore) -> Iterator[sqlite3.Connection]:
        other = sqlite3.connect(store.path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN EXCLUSIVE")
        yield other
        other.close()

    def test_readers_do_not_wait_and_writers_do(self, store: SqliteStore, held: sqlite3.Connection) -> None:
        with open_store(store.path, busy_timeout_s=0) as reader:
            assert ids(reader) == {"A"}
            assert [text.id for text in reader.texts()] == ["A"]
        threading.Timer(3.0, held.rollback).start()
        register(store, "B")
        assert not held.in_transaction
        assert ids(store) == {"A", "B"}

    def test_whoever_waits_too_long_is_told_so(self, store: SqliteStore, held: sqlite3.Connection) -> None:
        with open_store(store.path, busy_timeout_s=0.05) as hasty, pytest.raises(StoreError, match="busy") as raised:
            register(hasty, "B")
        assert is_plain(raised.value)
        assert "busy_timeout_s" in raised.value.hint
        with pytest.raises(StoreError, match="busy"):
            store.record_shown([1], at="2026-03-01T12:00:00.000000Z", timeout_s=0)
        # The patience of one write is not that of the next.
        assert store.connection.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
