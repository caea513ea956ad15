"""The schema: released steps stand still, and a twin of a table is like the table."""

from __future__ import annotations

import hashlib

from trivium.store.sqlite import schema
from trivium.store.sqlite.store import open_store

# One line a released step. A change of a line here breaks every store that was made with it: append a step instead.
RELEASED = ["initial e2d9cc71"]


def test_released_steps_are_never_edited() -> None:
    steps = [
        f"{name} {hashlib.sha256(chr(10).join(statements).encode()).hexdigest()[:8]}"
        for name, statements in schema.MIGRATIONS
    ]
    assert steps == RELEASED
    assert schema.current_version() == len(RELEASED)


def test_a_new_store_is_of_the_current_version_and_says_whose_it_is() -> None:
    with open_store(":memory:") as store:
        one = store.connection.execute
        assert one("PRAGMA user_version").fetchone() == (schema.current_version(),)
        assert one("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
        assert store.meta("migration.1") == "initial"
        tables = one("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
        assert {name for name, _ in tables} > set(schema.FOLDED)
        assert [name for name, sql in tables if "STRICT" not in sql] == []


def test_twins_have_the_columns_and_constraints_of_the_tables() -> None:
    with open_store(":memory:") as store, store.write():
        one = store.connection.execute
        for statement in schema.twin_statements(store.connection):
            one(statement)
        for table in schema.FOLDED:
            columns = 'SELECT name, type, "notnull", pk FROM pragma_table_info(?, ?)'
            assert one(columns, (table, "temp")).fetchall() == one(columns, (table, "main")).fetchall()
            keys = 'SELECT "table", "from", on_delete FROM pragma_foreign_key_list(?, ?)'
            assert one(keys, (table, "temp")).fetchall() == one(keys, (table, "main")).fetchall()
        # An unqualified name now means the twin.
        one("INSERT INTO lost VALUES ('r', 'e')")
        assert one("SELECT count(*) FROM main.lost").fetchone() == (0,)
