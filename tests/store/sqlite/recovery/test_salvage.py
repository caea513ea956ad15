"""Salvage: every copy is read as far as it goes, and each damage is named once with what is known of it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from tests.store.lives import register

from trivium.store import mirror
from trivium.store.sqlite.recovery.salvage import salvage
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = str(tmp_path / "concepts.db")
    with open_store(path) as store:
        for number in range(5):
            register(store, f"c{number}", url=f"https://example.org/{number}")
    return path


def test_a_sound_store_is_read_from_every_copy(path: str) -> None:
    with open_store(path) as store:
        copy = store.back_up("x")
        wanted = {record.id for record in store.records()}
    found = salvage(path)
    assert found.records.keys() == wanted
    assert found.sources == {mirror.files(path)[0]: 5, path: 5, copy: 5}
    assert found.is_database_sound
    assert (found.damages, found.losses) == ([], [])


def test_what_was_rolled_back_does_not_come_back_from_a_sound_file(path: str) -> None:
    def fail(store: SqliteStore) -> None:
        with store.write():
            register(store, *(f"big {number}" for number in range(500)), url="https://example.org/big")
            raise KeyboardInterrupt

    with open_store(path) as store:
        # So small a cache that the change is in the log long before it would be committed.
        store.connection.execute("PRAGMA cache_size = 5")
        with pytest.raises(KeyboardInterrupt):
            fail(store)
        assert os.path.getsize(path + "-wal") > 50_000
        found = salvage(path)
    assert len(found.records) == 5
    assert found.sources.keys() == {path, *mirror.files(path)}


def test_a_row_whose_content_was_changed_is_named(path: str) -> None:
    other = sqlite3.connect(path)
    other.execute("UPDATE journal SET payload = replace(payload, 'c3', 'c9') WHERE seq = 4")
    other.execute("UPDATE journal SET payload = 'not JSON' WHERE seq = 5")
    other.execute("UPDATE journal SET id = 'x' WHERE seq = 1")
    other.commit()
    other.close()
    found = salvage(path)
    assert len(found.records) == 5
    assert [one.what.partition(":")[0] for one in found.damages] == ["journal row 1", "journal row 4", "journal row 5"]
    assert found.losses == []
    os.remove(mirror.files(path)[0])
    found = salvage(path)
    assert len(found.records) == 2
    assert len(found.losses) == 3
    assert all("register 2026-03-01T12:00:00" in loss for loss in found.losses)


def test_a_line_that_cannot_be_read_is_named_by_file_and_number(path: str) -> None:
    file = Path(mirror.files(path)[0])
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], lines[2][:100] + b"\n", *lines[3:]]))
    os.remove(path)
    found = salvage(path)
    (loss,) = found.losses
    assert loss.startswith(f"{file}:3: not a complete journal record")
    assert found.damaged_mirrors == [str(file)]


def test_usage_is_read_too(path: str) -> None:
    with open_store(path) as store:
        store.record_shown([store.by_ids(["c1"])["c1"].key], at="2026-03-02T00:00:00.000000Z")
    assert salvage(path).usage == {"c1": (1, "2026-03-02T00:00:00.000000Z")}


def test_nothing_is_nothing(tmp_path: Path) -> None:
    found = salvage(str(tmp_path / "none.db"))
    assert (found.records, found.sources, found.damages) == ({}, {}, [])
