"""Backups: whole copies of a live store, numbered, the newest five kept, nobody else's touched."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from tests.store.lives import content, ids, register
from tests.store.sqlite.test_connection import is_plain

from trivium.errors import StoreError
from trivium.store.sqlite.recovery.backup import KEPT, back_up_beside, backups
from trivium.store.sqlite.store import open_store


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "home" / "concepts.db")


def test_a_copy_is_whole_and_stands_alone(path: str) -> None:
    with open_store(path) as store:
        register(store, "A", "B")
        copy = store.back_up("by-hand")
        register(store, "C")
        wanted = {"A", "B"}
    assert os.path.basename(copy) == "concepts-000001-by-hand.db"
    assert os.listdir(os.path.dirname(copy)) == ["concepts-000001-by-hand.db"]
    other = sqlite3.connect(f"file:{copy}?mode=ro", uri=True)
    assert {row[0] for row in other.execute("SELECT id FROM entity")} == wanted
    other.close()
    with open_store(copy) as opened:
        assert ids(opened) == wanted
        assert opened.drift() == {}


def test_a_copy_is_made_while_another_holds_the_write_lock(path: str) -> None:
    with open_store(path) as store:
        register(store, "A")
        before = content(store)
        with store.write():
            register(store, "B")
            copy = back_up_beside(path, label="meanwhile")
    with open_store(copy) as opened:
        assert content(opened) == before


def test_the_newest_five_are_kept_and_others_left_alone(path: str) -> None:
    with open_store(path) as store:
        made = [store.back_up(f"b{number}") for number in range(KEPT + 3)]
    folder = os.path.dirname(made[0])
    foreign = ["concepts-old-000001-x.db", "concepts-12-x.db", "vault-000001-x.db", "notes.txt"]
    for name in foreign:
        Path(folder, name).touch()
    with open_store(path) as store:
        made.append(store.back_up("last"))
    assert backups(path) == made[-KEPT:]
    assert set(os.listdir(folder)) == {*map(os.path.basename, made[-KEPT:]), *foreign}


def test_a_name_with_digits_is_no_number(tmp_path: Path) -> None:
    path = str(tmp_path / "vault-123456.db")
    with open_store(path) as store:
        names = [os.path.basename(store.back_up("x")) for _ in range(2)]
    assert names == ["vault-123456-000001-x.db", "vault-123456-000002-x.db"]
    assert [os.path.basename(copy) for copy in backups(path)] == names


def test_damage_is_not_copied_over_good_copies(path: str) -> None:
    with open_store(path) as store:
        register(store, *(f"c{number}" for number in range(50)))
        good = store.back_up("good")
    data = bytearray(Path(path).read_bytes())
    for place in range(4096 * 3, len(data), 4096):
        data[place : place + 2000] = b"\xaa" * 2000
    Path(path).write_bytes(data)
    with pytest.raises(StoreError) as raised:
        back_up_beside(path, label="bad")
    assert is_plain(raised.value)
    assert backups(path) == [good]
    assert os.listdir(os.path.dirname(good)) == [os.path.basename(good)]


def test_there_are_none_where_there_is_no_folder(path: str) -> None:
    assert backups(path) == []
