"""Checking: each kind of trouble has its finding, and a sound store has none."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.lives import register, relation, undo

from trivium.store import mirror, records
from trivium.store.sqlite.recovery import Finding, check
from trivium.store.sqlite.recovery.examine import _size
from trivium.store.sqlite.store import open_store


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = str(tmp_path / "concepts.db")
    with open_store(path) as store:
        register(store, "A", "B", relations=[relation("A", "IS_A", "B")])
    return path


def troubles(path: str) -> list[str]:
    found = check(path)
    assert all(isinstance(one, Finding) and one.level in ("ok", "note", "warning", "error") for one in found)
    assert all(one.hint for one in found if one.level in ("warning", "error"))
    return sorted(one.code for one in found if one.level in ("warning", "error"))


def changed(path: str, *statements: str) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        other.execute(statement)
    other.close()


def test_a_sound_store_has_nothing_wrong(path: str) -> None:
    before = Path(path).read_bytes()
    assert troubles(path) == []
    assert [one.code for one in check(path)] == [
        "version", "structure", "journal", "tables", "mirror", "size", "backups",
    ]  # fmt: skip
    assert Path(path).read_bytes() == before


def test_a_store_in_use_can_be_checked(path: str) -> None:
    with open_store(path) as store, store.write():
        register(store, "C")
        assert troubles(path) == []


TROUBLES: list[tuple[tuple[str, ...], list[str]]] = [
    (("UPDATE entity SET description = 'x'",), ["tables"]),
    (("PRAGMA foreign_keys = ON", "DELETE FROM relation"), ["tables"]),
    (("PRAGMA foreign_keys = OFF", "DELETE FROM document"), ["references", "tables"]),
    (("UPDATE journal SET actor = 'someone else'",), ["journal"]),
    (("UPDATE journal SET payload = '{'",), ["journal", "tables"]),
    (("PRAGMA user_version = 99",), ["version"]),
    (("PRAGMA application_id = 7",), ["version"]),
    (("PRAGMA writable_schema = ON", "DELETE FROM sqlite_master WHERE name = 'relation_object'"), ["structure"]),
]


@pytest.mark.parametrize(("statements", "wanted"), TROUBLES)
def test_each_trouble_is_found(path: str, statements: tuple[str, ...], wanted: list[str]) -> None:
    changed(path, *statements)
    assert troubles(path) == wanted


def test_a_text_journal_that_differs(path: str) -> None:
    file = Path(mirror.files(path)[0])
    line = file.read_bytes()
    file.write_bytes(b"")
    assert troubles(path) == ["mirror_behind"]
    with open_store(":memory:") as other:
        made = register(other, "X").record
    file.write_bytes(line + records.encode(made))
    assert troubles(path) == ["mirror_ahead"]
    file.write_bytes(line + b"<<<<<<< HEAD\n")
    assert troubles(path) == ["mirror_damaged"]
    shutil.rmtree(file.parent)
    assert troubles(path) == ["mirror_behind"]


def broken(data: bytes) -> bytes:
    return data[:4096] + b"\xaa" * (len(data) - 4096)


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: b"rubbish", lambda data: data[:3000], broken])
def test_a_file_that_is_broken_is_described_and_never_a_crash(path: str, damage: Callable[[bytes], bytes]) -> None:
    Path(path).write_bytes(damage(Path(path).read_bytes()))
    assert troubles(path)


def test_a_missing_file(path: str, tmp_path: Path) -> None:
    os.remove(path)
    (found,) = check(path)
    assert (found.level, found.code) == ("error", "missing")
    (found,) = check(str(tmp_path / "nothing" / "concepts.db"))
    assert found.level == "note"


def test_effects_without_a_target_and_backups_are_worth_a_note(path: str) -> None:
    with open_store(path) as store:
        first = next(store.records())
        register(store, "C", relations=[relation("C", "IS_A", "A")], url="https://example.org/c")
        store.append("undo", {"targets": [first.id]}, at=first.at, actor="", session="")
        copy = store.back_up("x")
    notes = {one.code: one for one in check(path)}
    assert notes["lost"].level == "note"
    assert notes["backups"].message.endswith(f"{copy}.")
    assert troubles(path) == []


def test_a_file_that_is_mostly_empty_is_worth_a_note(path: str) -> None:
    with open_store(path) as store:
        store.put_vectors("e", ((bytes([number]) * 16, b"x" * 1_000_000) for number in range(40)))
        store.drop_vectors(except_embedder="none")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (found,) = _size(path, store.connection)
    assert found.level == "note"
    assert "times what it holds" in found.message


def test_a_derived_space_has_no_journal_to_be_measured_by(path: str) -> None:
    changed(path, "PRAGMA foreign_keys = ON", "DELETE FROM journal", "DELETE FROM meta WHERE key GLOB 'mirror.*'")
    shutil.rmtree(mirror.folder(path))
    assert troubles(path) == []


def test_undone_changes_are_no_trouble(path: str) -> None:
    with open_store(path) as store:
        undo(store, register(store, "C"))
    assert troubles(path) == []
