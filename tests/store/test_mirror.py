"""The text journals: whole lines or none, read as far as they can be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.store.lives import START

from trivium.model import Record
from trivium.store import mirror, records

resource = pytest.importorskip("resource", reason="limits of this system make its disk full")


def line(name: str) -> bytes:
    return records.encode(records.make("archive", {"ids": [name]}, at=START, actor="", session="")[0])


def read(path: Path) -> list[str]:
    return [item.payload["ids"][0] if isinstance(item, Record) else "?" for _, _, item in mirror.read_file(str(path))]


def test_a_database_has_its_text_journals_beside_it(tmp_path: Path) -> None:
    database = str(tmp_path / "concepts.db")
    own, others = mirror.own_file(database, "me-1"), mirror.others_file(database, "me-1")
    assert own == str(tmp_path / "journal" / "concepts" / "me-1.jsonl")
    assert mirror.files(database) == []
    mirror.append(own, [line("A")])
    mirror.append(others, [line("B")])
    mirror.append(mirror.own_file(database, "you-2"), [line("C")])
    mirror.append(mirror.own_file(str(tmp_path / "vault.db"), "me-1"), [line("D")])
    assert [os.path.basename(file) for file in mirror.files(database)] == [
        "me-1.jsonl",
        "me-1.others.jsonl",
        "you-2.jsonl",
    ]
    assert mirror.writers(database) == ["me-1", "you-2"]


def test_what_is_no_file_is_no_journal(tmp_path: Path) -> None:
    folder = tmp_path / "journal" / "concepts"
    (folder / "folder.jsonl").mkdir(parents=True)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "note.txt").write_text("x")
    assert mirror.files(str(tmp_path / "concepts.db")) == []


def test_lines_are_added_and_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    mirror.append(str(path), [line("A")])
    added = mirror.append(str(path), [line("B"), line("C")])
    assert read(path) == ["A", "B", "C"]
    assert (added.before, added.after) == (len(line("A")), os.path.getsize(path))
    mirror.cut(added)
    assert read(path) == ["A"]


def test_what_others_added_behind_is_not_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    added = mirror.append(str(path), [line("A")])
    mirror.append(str(path), [line("B")])
    mirror.cut(added)
    assert read(path) == ["A", "B"]


@pytest.mark.parametrize("rest", [1, 10, -1])
def test_the_rest_of_a_killed_writer_is_one_bad_line(tmp_path: Path, rest: int) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(line("A") + line("B")[:rest])
    mirror.append(str(path), [line("C")])
    # A line that lacks only its end is whole.
    assert read(path) == ["A", "B" if rest == -1 else "?", "C"]


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    mirror.append(str(path), [line("A")])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = path.read_bytes()
    for room in (0, 1, len(line("B")) - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, limits[1]))
        try:
            with pytest.raises(OSError, match="large"):
                mirror.append(str(path), [line("B")])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert path.read_bytes() == before


def test_every_line_is_read_whatever_stands_between(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    a, b = line("A"), line("B")
    merged = b"\xef\xbb\xbf" + a + b"<<<<<<< HEAD\n" + b.replace(b"\n", b"\r\n") + b"=======\n\n \n" + a + b"\x00\xff\n"
    path.write_bytes(merged)
    assert read(path) == ["A", "?", "B", "?", "A", "?"]
    assert [number for number, _, item in mirror.read_file(str(path)) if isinstance(item, str)] == [2, 4, 8]


def test_a_folder_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(OSError, match="directory"):
        mirror.append(str(tmp_path / "x.jsonl"), [line("A")])
    assert mirror.size(str(tmp_path / "missing")) == 0
