"""Reconciling: after it, database and text journals hold the same records."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.lives import content, ids, register

from trivium.model import Record
from trivium.store import mirror, records
from trivium.store.sqlite.recovery.reconcile import reconcile
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    with open_store(str(tmp_path / "concepts.db")) as opened:
        register(opened, "A")
        yield opened


def settled(store: SqliteStore) -> tuple[set[int], list[bytes]]:
    with store.write():
        return reconcile(store.connection, store.path)


def test_what_agrees_is_left_alone(store: SqliteStore) -> None:
    before = content(store)
    assert settled(store) == (set(), [])
    assert content(store) == before


def test_both_sides_give_what_the_other_lacks(store: SqliteStore) -> None:
    (kept,) = store.records()
    with open_store(":memory:") as other:
        made = register(other, "B", url="https://example.org/b").record
    Path(store.mirror_path()).write_bytes(records.encode(made) + b"not a record\n")
    changed, missing = settled(store)
    assert ids(store) == {"A", "B"}
    assert changed == {store.by_ids(["B"])["B"].key}
    assert [item for item in map(records.decode, missing) if isinstance(item, Record)] == [kept]
    assert store.drift() == {}


def test_it_is_right_in_any_order_of_the_files(store: SqliteStore) -> None:
    with open_store(":memory:") as other:
        for number in range(5):
            register(other, f"c{number}", url=f"https://example.org/{number}")
        made = list(other.records())
        wanted = ids(other) | {"A"}
    folder = mirror.folder(store.path)
    for number, record in enumerate(reversed(made)):
        mirror.append(f"{folder}/w{number}.jsonl", [records.encode(record)])
    settled(store)
    assert ids(store) == wanted
    assert store.drift() == {}
