"""One connection: paths with odd characters, failures in plain words, snapshots that hold still."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from tests.store.lives import register
from tests.strategies import texts

from trivium.errors import ConflictError, StoreError, TriviumError, UsageError
from trivium.store.sqlite import connection as database
from trivium.store.sqlite.store import open_store

SQL_WORDS = re.compile(r"\b(sqlite|sql|locked|constraint|table|column|pragma|malformed|syntax|readonly)\b")


def is_plain(error: TriviumError) -> bool:
    """Whether an error speaks to people: no word of the database engine, and a sentence."""
    text = " ".join((error.message, *error.details, error.hint)).casefold()
    return error.message.endswith(".") and not SQL_WORDS.search(text)


def failure(connection: sqlite3.Connection, statement: str) -> TriviumError:
    with pytest.raises(TriviumError) as raised, database.guard():
        connection.execute(statement).fetchall()
    return raised.value


@pytest.mark.parametrize(
    "name", ["a b", "50%", "what?", "#1", "日本", "a%20b", "x'y", 'q"q', "&mode=ro", "back\\slash"]
)
def test_any_folder_name_will_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / "concepts.db"
    with open_store(str(path)) as store:
        register(store, "A")
    assert path.is_file()
    with open_store(str(path)) as store:
        assert store.entity_count() == 1


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM nothing",
        "SELEC 1",
        "INSERT INTO t VALUES (NULL)",
        "INSERT INTO t VALUES (1), (1)",
        "SELECT cast(zeroblob(1) AS TEXT) || char(1), CAST(x'ff' AS TEXT)",
        "SELECT zeroblob(2000000000)",
        "SELECT abs(-9223372036854775808)",
    ],
)
def test_no_failure_speaks_the_language_of_the_engine(statement: str) -> None:
    connection = database.connect(":memory:", is_writable=True, busy_timeout_s=0)
    connection.execute("CREATE TABLE t(x INTEGER NOT NULL UNIQUE) STRICT")
    assert is_plain(failure(connection, statement))
    connection.close()


@given(texts())
def test_a_damaged_message_is_a_plain_one(text: str) -> None:
    assert is_plain(database.translate(sqlite3.OperationalError(text)))


def test_what_the_schema_refuses_is_a_conflict() -> None:
    connection = database.connect(":memory:", is_writable=True, busy_timeout_s=0)
    connection.execute("CREATE TABLE t(x INTEGER NOT NULL)")
    assert isinstance(failure(connection, "INSERT INTO t VALUES (NULL)"), ConflictError)
    connection.close()
    assert failure(connection, "SELECT 1").message == "The store is closed."


def test_a_full_disk_says_so() -> None:
    connection = database.connect(":memory:", is_writable=True, busy_timeout_s=0)
    connection.execute("PRAGMA max_page_count = 3")
    connection.execute("CREATE TABLE t(x)")
    error = failure(connection, "INSERT INTO t VALUES (zeroblob(100000))")
    assert error.message == "The store cannot be written: the disk is full. Nothing was changed."
    connection.close()


def test_a_text_that_is_not_unicode_is_the_fault_of_the_request(tmp_path: Path) -> None:
    with open_store(":memory:") as store:
        with pytest.raises(UsageError, match="not valid Unicode"):
            store.document("\udcff")
        assert store.resolve("\udcff") == []


def test_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="folder is missing") as raised:
        database.connect(str(tmp_path / "none" / "x.db"), is_writable=False, busy_timeout_s=0)
    assert is_plain(raised.value)


def test_a_snapshot_sees_one_state_while_others_write(tmp_path: Path) -> None:
    path = str(tmp_path / "concepts.db")
    with open_store(path) as reader, open_store(path) as writer:
        register(writer, "A")
        with reader.read():
            assert reader.entity_count() == 1
            register(writer, "B")
            with reader.read():
                assert reader.entity_count() == 1
        assert reader.entity_count() == 2


def test_a_failed_transaction_leaves_nothing_and_can_be_followed_by_another() -> None:
    connection = database.connect(":memory:", is_writable=True, busy_timeout_s=0)
    connection.execute("CREATE TABLE t(x)")
    called = []

    def interrupted() -> None:
        with database.transaction(connection, on_failure=lambda: called.append(connection.in_transaction)):
            connection.execute("INSERT INTO t VALUES (1)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert called == [True]
    with database.transaction(connection):
        connection.execute("INSERT INTO t VALUES (2)")
    assert connection.execute("SELECT x FROM t").fetchall() == [(2,)]
    connection.close()


def test_a_step_is_repeated_while_others_are_in_the_way() -> None:
    tries = []

    def step() -> None:
        tries.append(1)
        if len(tries) < 3:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorname = "SQLITE_BUSY"
            raise error

    database.retry(step, 5.0)
    assert len(tries) == 3
    tries.clear()
    with pytest.raises(sqlite3.OperationalError):
        database.retry(step, -1.0)


def test_any_number_of_keys_is_one_parameter() -> None:
    connection = database.connect(":memory:", is_writable=True, busy_timeout_s=0)
    query = f"SELECT count(*) FROM json_each('[1,2,3]') WHERE value IN {database.AMONG}"
    assert connection.execute(query, (database.numbers(range(300_000)),)).fetchone() == (3,)
    assert connection.execute(query, (database.numbers([]),)).fetchone() == (0,)
    assert connection.execute(f"SELECT 'é\"' IN {database.AMONG}", (database.names(['é"']),)).fetchone() == (1,)
    connection.close()
