"""Recovery: whatever is broken, what any copy still holds is there again, and what is lost is named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.lives import concept, content, do, ids, register, relation, undo
from tests.store.sqlite.test_connection import is_plain

from trivium.errors import StoreError, TriviumError
from trivium.model import Record
from trivium.store import mirror
from trivium.store.base import INDEX_FACTS
from trivium.store.sqlite.recovery import check, recover
from trivium.store.sqlite.recovery.restore import rebuild
from trivium.store.sqlite.store import open_store

FILES = ("", "-wal", "-shm")


@pytest.fixture
def path(quick_folder: Path) -> str:
    return str(quick_folder / "home" / "concepts.db")


class Past:
    """A home with a past: the bytes of its files, and every record that was acknowledged."""

    def __init__(self, path: str) -> None:
        self.path = path
        store = open_store(path)
        register(store, "A", "B", relations=[relation("A", "IS_A", "B")])
        register(store, concept("long", "a description that fills pages " * 400), url="https://example.org/long")
        gone = do(store, "delete", {"ids": ["A"]})
        # The first part of the past is in the file, the rest in its log.
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        undo(store, gone)
        register(store, *(f"c{number}" for number in range(30)), url="https://example.org/many")
        store.record_shown([store.by_ids(["B"])["B"].key], at="2026-03-02T00:00:00.000000Z")
        self.content = content(store)
        self.records = [record.id for record in store.records()]
        self.files = {name: Path(path + name).read_bytes() for name in FILES}
        self.journal = Path(store.mirror_path())
        self.lines = self.journal.read_bytes()
        store.close()

    def put_back(self, **changed: bytes | None) -> None:
        """The home as it was when it was cut off, but for the named files."""
        folder = os.path.dirname(self.path)
        shutil.rmtree(folder)
        self.journal.parent.mkdir(parents=True)
        given = {"db": self.files[""], "wal": self.files["-wal"], "shm": None, "journal": self.lines, **changed}
        places = {"db": self.path, "wal": self.path + "-wal", "shm": self.path + "-shm", "journal": self.journal}
        for name, place in places.items():
            data = given[name]
            if data is not None:
                Path(place).write_bytes(data)

    def is_whole(self) -> bool:
        """Whether everything that was acknowledged is there, and the tables are the fold of it."""
        with open_store(self.path) as store:
            return (
                [record.id for record in store.records()] == self.records
                and content(store) == self.content
                and store.drift() == {}
            )


@pytest.fixture
def past(path: str) -> Past:
    return Past(path)


def sampled(size: int, count: int) -> Iterator[int]:
    """Places spread over a file, its first bytes among them."""
    yield from (0, 1, 16, 18, 19, 24, 28, 60, 64, 68, 96, 99, 100, 103)
    yield from (size * number // count + number % 7 for number in range(count))


def answers_or_says_why(path: str) -> bool:
    """Whether every verb either answers or fails in plain words: never with a traceback of something else."""
    try:
        with open_store(path) as store:
            list(store.records())
            store.relations(store.entities(range(50)))
            list(store.texts())
            store.counts()
            store.drift()
            register(store, "new", url="https://example.org/new")
            store.latest(5)
    except TriviumError as error:
        return is_plain(error)
    return True


def test_a_truncated_file_is_recovered_whole_from_its_journal(past: Past) -> None:
    data = past.files[""]
    for size in sorted({0, 1, 15, 16, 99, 100, 512, 4095, 4096, 4097, 8192, *range(0, len(data), len(data) // 12)}):
        past.put_back(db=data[:size])
        assert answers_or_says_why(past.path)
        past.put_back(db=data[:size])
        report = recover(past.path)
        assert report.losses == (), (size, report)
        assert past.is_whole(), size
        assert all(os.path.exists(file) for file in report.set_aside)
        assert os.path.exists(f"{past.path}.damaged-1")


def test_flipped_bytes_are_recovered_whole_from_the_journal(past: Past) -> None:
    for number, place in enumerate(sampled(len(past.files[""]), 30)):
        damaged = bytearray(past.files[""])
        damaged[place] ^= (1, 0x80, 0xFF)[number % 3]
        past.put_back(db=bytes(damaged))
        assert answers_or_says_why(past.path)
        past.put_back(db=bytes(damaged))
        report = recover(past.path)
        assert report.losses == (), (place, report)
        assert past.is_whole(), place


def test_a_damaged_log_is_recovered_whole_from_the_journal(past: Past) -> None:
    log = past.files["-wal"]
    cases = [None, b"", b"x" * 100, *(log[:size] for size in range(1, len(log), len(log) // 6))]
    for place in range(0, len(log), len(log) // 10):
        damaged = bytearray(log)
        damaged[place] ^= 0xFF
        cases.append(bytes(damaged))
    for case in cases:
        past.put_back(wal=case)
        assert answers_or_says_why(past.path)
        past.put_back(wal=case)
        assert recover(past.path).losses == ()
        assert past.is_whole()


def test_damage_at_every_byte_of_the_last_line_is_made_good_by_the_database(past: Past) -> None:
    past.put_back()
    with open_store(past.path) as store:
        do(store, "archive", {"ids": ["B"], "reason": "known by heart"})
        wanted = [record.id for record in store.records()]
        whole = past.journal.read_bytes()
        start = whole.rstrip(b"\n").rfind(b"\n") + 1
        for place in range(start, len(whole)):
            past.journal.write_bytes(whole[:place])
            store.settle()
            assert store.note == ""
            assert held(past.journal) >= set(wanted), place
            damaged = bytearray(whole)
            damaged[place] ^= 0xFF
            past.journal.write_bytes(bytes(damaged))
            store.settle()
            assert [record.id for record in store.records()] == wanted
            assert held(past.journal) >= set(wanted[:-1]), place
        past.journal.write_bytes(whole[:start] + whole[start + 9 :])
    assert recover(past.path).losses == ()
    with open_store(past.path) as store:
        assert [record.id for record in store.records()] == wanted
        assert store.drift() == {}


def held(journal: Path) -> set[str]:
    return {item.id for _, _, item in mirror.read_file(str(journal)) if isinstance(item, Record)}


def test_a_damaged_line_is_mended_and_the_old_file_kept(past: Past) -> None:
    damaged = past.lines[:-50] + b"#" + past.lines[-49:]
    past.put_back(journal=damaged)
    report = recover(past.path)
    assert report.losses == ()
    assert len(report.damages) == 1
    assert past.is_whole()
    assert Path(f"{past.journal}.damaged-1").read_bytes() == damaged
    assert [finding.code for finding in check(past.path) if finding.level in ("warning", "error")] == []
    mended = [item for _, _, item in mirror.read_file(str(past.journal))]
    assert sorted(item.id for item in mended if isinstance(item, Record)) == sorted(past.records)
    assert len(mended) == len(past.records)


def test_without_a_journal_the_bytes_of_the_file_give_what_they_hold(past: Past) -> None:
    data, log = past.files[""], past.files["-wal"]
    for place in range(0, len(data), 4096):
        damaged = data[:place] + b"\xaa" * 4096 + data[place + 4096 :]
        past.put_back(db=damaged, journal=None)
        found = set(past.records) - set(recovered(past))
        # One page of the file is lost: what was in the log is in it still, and most of the rest.
        assert len(found) <= 3, place
        with open_store(past.path) as store:
            assert store.drift() == {}
    # Not even a page that can be read as one: the rows are found by their shape.
    past.put_back(db=b"\xaa" * 4096 + data[4096:], wal=log, journal=None)
    assert set(recovered(past)) == set(past.records)


def recovered(past: Past) -> list[str]:
    try:
        recover(past.path)
    except StoreError:
        return []
    with open_store(past.path) as store:
        return [record.id for record in store.records()]


def test_a_backup_gives_what_no_other_copy_holds(past: Past) -> None:
    past.put_back()
    with open_store(past.path) as store:
        copy = store.back_up("by-hand")
        register(store, "after", url="https://example.org/after")
        whole = content(store)
    os.remove(past.path)
    shutil.rmtree(past.journal.parent)
    Path(past.path).write_bytes(b"rubbish")
    report = recover(past.path)
    assert report.sources[copy] == len(past.records)
    with open_store(past.path) as store:
        assert content(store) == past.content != whole
        assert store.drift() == {}


def test_what_is_lost_is_named(past: Past) -> None:
    lines = past.lines.splitlines(keepends=True)
    lines[1] = lines[1].replace(b"fills pages", b"fills PAGES", 1)
    past.put_back(db=None, wal=None, journal=b"".join(lines))
    with open_store(past.path) as store:
        assert "1 could not be read" in store.note
        assert "register 2026-03-01T12:00:00.000001Z" in store.note
        assert "long" not in ids(store)
        assert "A" in ids(store)
        assert store.drift() == {}


def test_a_row_that_is_lost_is_named_by_what_it_was_about(past: Past) -> None:
    past.put_back()
    with open_store(past.path) as store:
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(Path(past.path).read_bytes())
    # The first overflow page of the long record.
    place = data.find(b"fills pages " * 1, data.find(b"a description that fills pages") + 20_000 % len(data))
    data[place : place + 5] = b"\0\0\0\0\0"
    past.put_back(db=bytes(data), wal=None, journal=None)
    report = recover(past.path)
    (loss,) = report.losses
    assert "register 2026-03-01T12:00:00.000001Z" in loss
    with open_store(past.path) as store:
        assert len(list(store.records())) == len(past.records) - 1


def test_nothing_to_recover_is_an_error_and_moves_nothing(path: str) -> None:
    os.makedirs(os.path.dirname(path))
    Path(path).write_bytes(b"rubbish")
    with pytest.raises(StoreError, match="nothing to recover") as raised:
        recover(path)
    assert raised.value.details
    assert Path(path).read_bytes() == b"rubbish"


def test_recovering_again_keeps_every_old_file(past: Past) -> None:
    past.put_back(db=b"rubbish", wal=None)
    assert f"{past.path}.damaged-1" in recover(past.path).set_aside
    assert f"{past.path}.damaged-2" in recover(past.path).set_aside
    assert past.is_whole()
    assert Path(f"{past.path}.damaged-1").read_bytes() == b"rubbish"


def test_usage_and_writer_survive_and_the_indexes_are_to_be_built(past: Past) -> None:
    past.put_back()
    with open_store(past.path) as store:
        writer = store.meta("writer")
        store.set_meta(INDEX_FACTS[0], "1.1")
        store.set_meta(INDEX_FACTS[1], "use")
        store.connection.execute("DELETE FROM relation")
    recover(past.path)
    with open_store(past.path) as store:
        assert store.by_ids(["B"])["B"].shown_count == 1
        assert store.meta("writer") == writer
        assert [store.meta(fact) for fact in INDEX_FACTS] == [None, None]
    assert past.is_whole()


def test_a_store_that_someone_writes_to_is_not_pulled_away(past: Past) -> None:
    past.put_back()
    with open_store(past.path) as other:
        recover(past.path)
        # The old file is set aside: writing to it is refused, so nothing is lost unseen.
        with pytest.raises(StoreError, match="replaced"):
            register(other, "late")
    assert past.is_whole()


def test_rebuilding_what_is_there_does_nothing(past: Past) -> None:
    past.put_back()
    assert rebuild(past.path) == ""
    assert past.is_whole()


def test_journals_of_several_writers_are_one_past(past: Past) -> None:
    other = Path(past.journal.parent.parent.parent, "other.db")
    with open_store(str(other)) as store:
        register(store, "X", url="https://example.org/x")
        lines = Path(store.mirror_path()).read_bytes()
    past.put_back(db=None, wal=None)
    (past.journal.parent / "elsewhere-1.jsonl").write_bytes(lines)
    with open_store(past.path) as store:
        assert "X" in ids(store)
        assert len(list(store.records())) == len(past.records) + 1
        # Neither of them is this store's own: it begins one of its own.
        register(store, "Y", url="https://example.org/y")
        assert len(mirror.files(past.path)) == 3


@pytest.mark.slow
def test_recovering_twice_at_once_while_others_write_loses_nothing(path: str) -> None:
    writer = """
import sys
from trivium.errors import StoreError
from trivium.store.sqlite.store import open_store
store, done = open_store(sys.argv[1]), 0
while done < 60:
    payload = {"reference": {"url": "u", "title": ""}, "concepts": [], "relations": []}
    payload["concepts"].append({"id": f"{sys.argv[2]} {done}", "description": "d"})
    try:
        made = store.append("register", payload, at="2026-03-01T12:00:00.000000Z", actor="", session="")
    except StoreError as error:
        assert "replaced" in error.message, error.message
        store.close()
        store = open_store(sys.argv[1])
    else:
        print(made.record.id, flush=True)
        done += 1
"""
    recoverer = """
import sys
from trivium.store.sqlite.recovery import recover
for _ in range(3):
    assert recover(sys.argv[1]).losses == ()
"""
    with open_store(path) as store:
        acknowledged = [register(store, "A").record.id]

    def start(code: str, name: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code, path, name]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    children = [start(writer, "one"), start(writer, "two"), start(recoverer, ""), start(recoverer, "")]
    for child in children:
        said, error = child.communicate()
        assert (error, child.returncode) == ("", 0)
        acknowledged += said.split()
    assert len(acknowledged) == 121
    with open_store(path) as store:
        assert sorted(record.id for record in store.records()) == sorted(acknowledged)
        assert store.drift() == {}
