"""Carving: journal rows found by their shape in bytes that are no database any more."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.store.lives import concept, do, register

from trivium.model import Record
from trivium.store.sqlite.recovery.carve import carve
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "concepts.db")


def fill(store: SqliteStore) -> list[Record]:
    """Records that fit a page and ones that do not, with fields of all lengths."""
    for length in (1, 100, 3_900, 4_000, 4_061, 4_062, 4_100, 8_200, 40_000):
        register(store, concept("é" * 3, "x" * length), url=f"https://example.org/{length}")
    do(store, "archive", {"ids": ["é" * 3]})
    store.append("unarchive", {"ids": ["a"]}, at="2026-03-01T12:00:00.000000Z", actor="", session="")
    store.append("delete", {"ids": ["b"]}, at="2026-03-01T12:00:00.000000Z", actor="名" * 70, session="s" * 200)
    return list(store.records())


def carved(path: str) -> dict[str, Record]:
    return {record.id: record for record in carve(path)}


def test_every_record_is_found_in_the_file(path: str) -> None:
    with open_store(path) as store:
        wanted = {record.id: record for record in fill(store)}
    assert carved(path) == wanted


def test_every_record_is_found_in_the_log_and_across_both(path: str) -> None:
    store = open_store(path)
    first = fill(store)
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    register(store, concept("long", "y" * 30_000))
    wanted = {record.id: record for record in store.records()}
    assert carved(path) == wanted
    # The log alone: what was written after the checkpoint.
    log = Path(path + "-wal").read_bytes()
    store.close()
    Path(path).unlink()
    Path(path + "-wal").write_bytes(log)
    assert carved(path).keys() >= wanted.keys() - {record.id for record in first}


@pytest.mark.parametrize("size", [512, 1024, 8192, 65536])
def test_pages_of_any_size(path: str, size: int) -> None:
    with open_store(path) as store:
        wanted = {record.id for record in fill(store)}
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute(f"PRAGMA page_size = {size}")
    other.execute("VACUUM")
    other.close()
    assert carved(path).keys() == wanted


def test_a_broken_header_hides_nothing(path: str) -> None:
    with open_store(path) as store:
        wanted = {record.id for record in fill(store)}
    data = Path(path).read_bytes()
    Path(path).write_bytes(b"\xaa" * 100 + data[100:])
    assert carved(path).keys() == wanted


def test_a_record_with_one_other_bit_is_none(path: str) -> None:
    with open_store(path) as store:
        register(store, concept("A", "unmistakable"))
    data = Path(path).read_bytes()
    Path(path).write_bytes(data.replace(b"unmistakable", b"unmistakaBle"))
    assert carved(path) == {}


@pytest.mark.parametrize("data", [b"", b"\0\x4d\x43", b"\x08\0\x4d\x43" * 50_000, b"\x09\0\x4d\x43" + b"\xff" * 9])
def test_bytes_of_any_other_kind_hold_nothing(path: str, data: bytes) -> None:
    Path(path).write_bytes(data)
    assert carved(path) == {}
    Path(path).unlink()
    assert carved(path) == {}


def test_pages_that_point_at_each_other_end(path: str) -> None:
    with open_store(path) as store:
        register(store, concept("A", "z" * 50_000))
    data = bytearray(Path(path).read_bytes())
    # Every page says that the second one follows it.
    for place in range(4096, len(data), 4096):
        data[place : place + 4] = (2).to_bytes(4, "big")
    Path(path).write_bytes(data)
    assert carved(path) == {}
