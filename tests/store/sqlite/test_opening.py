"""Opening: what is new is made, what is old is migrated, what is gone is rebuilt, what is broken is named."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.store.lives import content, do, ids, register
from tests.store.sqlite.test_connection import is_plain

from trivium.errors import StoreError, StoreVersionError
from trivium.store import mirror
from trivium.store.base import INDEX_FACTS
from trivium.store.sqlite import schema
from trivium.store.sqlite.recovery.backup import backups
from trivium.store.sqlite.store import SqliteStore, open_store

FIXTURES = Path(__file__).parents[2] / "fixtures" / "stores"
OnlyReading = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "home" / "concepts.db")


def filled(path: str) -> None:
    with open_store(path) as store:
        register(store, "A", "B")
        do(store, "rename", {"id": "A", "new_id": "C"})
        store.record_shown([store.by_ids(["C"])["C"].key], at="2026-03-02T00:00:00.000000Z")


def refused(path: str) -> StoreError:
    with pytest.raises(StoreError) as raised:
        open_store(path)
    assert is_plain(raised.value)
    return raised.value


class TestNew:
    def test_a_store_is_made_with_its_folder(self, path: str) -> None:
        with open_store(path) as store:
            assert (store.is_writable, store.note, store.entity_count()) == (True, "", 0)
            assert store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert store.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert os.stat(os.path.dirname(path)).st_mode & 0o077 == 0

    def test_none_is_made_when_that_is_not_wanted(self, path: str) -> None:
        with pytest.raises(StoreError, match="There is no store"):
            open_store(path, is_created=False)
        assert not os.path.exists(os.path.dirname(path))

    def test_a_writer_killed_at_the_very_beginning_is_in_nobodys_way(self, path: str) -> None:
        os.makedirs(os.path.dirname(path))
        Path(path).touch()
        with open_store(path) as store:
            register(store, "A")

    def test_many_processes_may_be_the_first(self, path: str) -> None:
        code = (
            "import sys; from trivium.store.sqlite.store import open_store\n"
            "with open_store(sys.argv[1]) as store:\n"
            "    for n in range(3):\n"
            "        url, at = {'url': sys.argv[2]}, '2026-03-01T12:00:00.000000Z'\n"
            "        store.append('withdraw', url, at=at, actor='', session='')"
        )
        children = [
            subprocess.Popen([sys.executable, "-c", code, path, str(n)], stderr=subprocess.PIPE) for n in range(6)
        ]
        errors = [child.communicate()[1] for child in children]
        assert errors == [b""] * 6
        with open_store(path) as store:
            assert sum(1 for _ in store.records()) == 18
            assert len({record.at for record in store.records()}) == 18


class TestBroken:
    @pytest.mark.parametrize("garbage", [b"x", b"not a database " * 1000, b"SQLite format 3\0", b"\0" * 8192])
    def test_a_file_that_is_no_database(self, path: str, garbage: bytes) -> None:
        filled(path)
        Path(path).write_bytes(garbage)
        assert refused(path).hint

    def test_an_empty_file_beside_a_journal(self, path: str) -> None:
        filled(path)
        Path(path).write_bytes(b"")
        error = refused(path)
        assert "empty" in error.message
        assert error.hint

    def test_a_folder_in_its_place(self, path: str) -> None:
        os.makedirs(path)
        refused(path)

    def test_a_database_of_another_program_is_not_touched(self, path: str) -> None:
        os.makedirs(os.path.dirname(path))
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE concepts(id)")
        other.close()
        before = Path(path).read_bytes()
        assert "another program" in refused(path).message
        assert Path(path).read_bytes() == before

    @pytest.mark.parametrize("statement", ["PRAGMA application_id = 1", "PRAGMA user_version = 0"])
    def test_a_header_that_does_not_say_what_it_is(self, path: str, statement: str) -> None:
        filled(path)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute(statement)
        other.close()
        assert "damaged" in refused(path).message


class TestGone:
    def test_a_deleted_database_is_rebuilt_from_its_journal(self, path: str) -> None:
        filled(path)
        with open_store(path) as store:
            before, writer = content(store), store.meta("writer")
            store.set_meta(INDEX_FACTS[0], "1.1")
        for suffix in ("", "-wal", "-shm"):
            Path(path + suffix).unlink(missing_ok=True)
        with open_store(path) as store:
            assert content(store) == before
            assert store.drift() == {}
            assert "built again from 2 records" in store.note
            assert store.meta("writer") == writer
            # Whoever keeps the indexes sees that they are to be built.
            assert [store.meta(fact) for fact in INDEX_FACTS] == [None, None]
            register(store, "D")
        with open_store(path) as store:
            assert store.note == ""
            assert ids(store) == {"B", "C", "D"}
        assert len(mirror.files(path)) == 1

    def test_it_is_rebuilt_even_if_none_is_to_be_made(self, path: str) -> None:
        filled(path)
        os.remove(path)
        with open_store(path, is_created=False) as store:
            assert ids(store) == {"B", "C"}

    def test_an_old_log_is_not_played_into_the_new_file(self, path: str) -> None:
        store = open_store(path)
        register(store, "A")
        log = Path(path + "-wal").read_bytes()
        store.close()
        os.remove(path)
        Path(path + "-wal").write_bytes(log)
        with open_store(path) as store:
            assert ids(store) == {"A"}
        assert Path(path + ".damaged-1-wal").read_bytes() == log

    def test_a_log_alone_gives_back_what_is_in_it(self, path: str) -> None:
        store = open_store(path)
        register(store, "A")
        log = Path(path + "-wal").read_bytes()
        store.close()
        shutil.rmtree(os.path.dirname(path))
        os.makedirs(os.path.dirname(path))
        Path(path + "-wal").write_bytes(log)
        with open_store(path) as store:
            assert ids(store) == {"A"}
        assert sum(1 for _ in mirror.read_file(mirror.files(path)[0])) == 1

    def test_many_processes_may_rebuild_at_once(self, path: str) -> None:
        filled(path)
        os.remove(path)
        code = (
            "import sys; from trivium.store.sqlite.store import open_store\n"
            "with open_store(sys.argv[1]) as store: print(store.entity_count())"
        )
        children = [
            subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(5)
        ]
        assert [child.communicate() for child in children] == [(b"2\n", b"")] * 5
        # Nothing half-made is left over.
        left = {name for name in os.listdir(os.path.dirname(path)) if not name.startswith("concepts.db-")}
        assert left == {"concepts.db", "concepts.db.lock", "journal"}

    def test_a_log_that_was_deleted_is_made_good_from_the_journal(self, path: str) -> None:
        filled(path)
        store = open_store(path)
        register(store, "D")
        whole = content(store)
        file = Path(path).read_bytes()
        store.close()
        # As if the log had been deleted while the last change stood in it alone.
        Path(path).write_bytes(file)
        for suffix in ("-wal", "-shm"):
            Path(path + suffix).unlink(missing_ok=True)
        with open_store(path) as store:
            assert "had lost" in store.note
            assert content(store) == whole
            assert store.drift() == {}


class TestReadOnly:
    def test_a_folder_that_cannot_be_written_is_read(self, open_folder: Path, only_reading: OnlyReading) -> None:
        path = str(open_folder / "concepts.db")
        filled(path)
        with only_reading(), open_store(path) as store:
            assert not store.is_writable
            assert "read-only" in store.note
            assert ids(store) == {"B", "C"}
            assert store.drift() == {}
            with store.as_of("9") as past:
                assert ids(past) == {"B", "C"}
            with pytest.raises(StoreError, match="reading only") as raised:
                register(store, "D")
            assert raised.value.hint == store.note
            with pytest.raises(StoreError):
                store.record_shown([1], at="2026-03-01T12:00:00.000000Z")
        assert sorted(os.listdir(open_folder)) == ["concepts.db", "journal"]

    def test_a_log_that_cannot_be_read_there_is_mentioned(self, open_folder: Path, only_reading: OnlyReading) -> None:
        path = str(open_folder / "concepts.db")
        filled(path)
        store = open_store(path)
        register(store, "D")
        saved = {suffix: Path(path + suffix).read_bytes() for suffix in ("", "-wal")}
        store.close()
        for suffix, data in saved.items():
            Path(path + suffix).write_bytes(data)
        Path(path + "-shm").unlink(missing_ok=True)
        with only_reading(), open_store(path) as store:
            assert ids(store) == {"B", "C"}
            assert "newest changes" in store.note

    def test_an_empty_folder_that_cannot_be_written_is_an_error(
        self, open_folder: Path, only_reading: OnlyReading
    ) -> None:
        for path in (open_folder / "concepts.db", open_folder / "home" / "concepts.db"):
            with only_reading():
                assert "TRIVIUM_HOME" in refused(str(path)).hint


class TestVersions:
    def test_a_newer_store_is_only_read(self, path: str) -> None:
        filled(path)
        with open_store(path) as store:
            store.connection.execute(f"PRAGMA user_version = {schema.current_version() + 1}")
        before = Path(path).read_bytes()
        with open_store(path) as store:
            assert not store.is_writable
            assert "newer version" in store.note
            assert ids(store) == {"B", "C"}
            with pytest.raises(StoreError, match="reading only"):
                register(store, "D")
        assert Path(path).read_bytes() == before

    def test_an_older_store_that_cannot_be_written_says_so(
        self, open_folder: Path, only_reading: OnlyReading, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = str(open_folder / "concepts.db")
        filled(path)
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("next", ("CREATE TABLE later(x) STRICT",))))
        with only_reading(), pytest.raises(StoreVersionError) as raised:
            open_store(path)
        assert is_plain(raised.value)

    @pytest.mark.parametrize("name", sorted(file.name for file in FIXTURES.glob("*.db")))
    def test_a_store_of_every_released_schema_opens_and_is_what_it_was(self, path: str, name: str) -> None:
        os.makedirs(os.path.dirname(path))
        shutil.copyfile(FIXTURES / name, path)
        with open_store(path) as store:
            assert store.connection.execute("PRAGMA user_version").fetchone() == (schema.current_version(),)
            assert check_fixture(store)
            assert store.drift() == {}
            register(store, "new")
            undone = next(record for record, _ in store.latest(20) if record.op == "delete")
            do(store, "undo", {"targets": [undone.id]})
            assert "Deleted" in ids(store)
            assert store.drift() == {}

    def test_a_migration_is_backed_up_and_folds_again(self, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        filled(path)
        old = schema.current_version()
        with open_store(path) as store:
            before = content(store)
            # What the old program did not fold: the new one does.
            store.connection.execute("UPDATE entity SET touch_count = 7")
        step = ("add a colour", ("ALTER TABLE entity ADD COLUMN colour TEXT",))
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
        with open_store(path) as store:
            assert store.connection.execute("PRAGMA user_version").fetchone() == (old + 1,)
            assert store.meta(f"migration.{old + 1}") == "add a colour"
            assert content(store) == before
            register(store, "D")
            undone = do(store, "undo", {"targets": [store.latest(1)[0][0].id]})
            assert undone.skipped == ()
            assert store.drift() == {}
        (copy,) = backups(path)
        assert f"before-schema-{old + 1}" in copy
        with open_store(path):
            assert backups(path) == [copy]
        # The way back: the program before the step opens the backup.
        monkeypatch.undo()
        shutil.copyfile(copy, path)
        shutil.rmtree(mirror.folder(path))
        with open_store(path) as store:
            assert store.connection.execute("SELECT max(touch_count) FROM entity").fetchone() == (7,)

    def test_a_migration_that_fails_changes_nothing(self, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        filled(path)
        step = ("broken", ("CREATE TABLE later(x) STRICT", "CREATE TABLE later(x) STRICT"))
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
        refused(path)
        monkeypatch.undo()
        with open_store(path) as store:
            assert store.is_writable
            assert ids(store) == {"B", "C"}
            assert store.connection.execute("SELECT name FROM sqlite_master WHERE name = 'later'").fetchall() == []

    def test_no_migration_without_its_backup(self, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        filled(path)
        Path(os.path.dirname(path), "backups").write_text("in the way")
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("next", ())))
        assert "backup" in refused(path).message
        monkeypatch.undo()
        with open_store(path) as store:
            assert store.is_writable


def check_fixture(store: SqliteStore) -> bool:
    """What `fixtures/stores` holds in each of its files."""
    canonical = store.by_ids(["Write-ahead log"])["Write-ahead log"]
    assert ids(store) == {"Write-ahead log", "Checkpoint", "分離水準"}
    assert canonical.shown_count == 2
    assert store.by_ids(["WAL"])["WAL"].key == canonical.key
    assert [row.predicate for row in store.relations([canonical.key])] == ["DEPENDS_ON"]
    assert store.by_ids(["Checkpoint"])["Checkpoint"].archive_reason == "known by heart"
    assert [record.op for record in store.records()] == ["register", "register", "rename", "merge", "archive", "delete"]
    return True


def test_a_store_stays_where_it_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("concepts.db") as store:
        monkeypatch.chdir("/")
        register(store, "A")
        assert store.path == str(tmp_path / "concepts.db")
    assert len(mirror.files(store.path)) == 1
