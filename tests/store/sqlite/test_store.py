"""The store as a whole: what it takes in from elsewhere, and that it keeps its protocol."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.lives import START, content, do, ids, register, registration, relation, undo

from trivium.errors import PayloadError
from trivium.model import Record
from trivium.store import mirror, records
from trivium.store.base import Store
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with open_store(str(tmp_path / "concepts.db")) as opened:
        register(opened, "A")
        yield opened
        assert opened.drift() == {}


def foreign(*names: str, url: str = "https://example.org/elsewhere") -> list[Record]:
    with open_store(":memory:") as other:
        for name in names:
            register(other, name, url=url)
        return list(other.records())


def test_the_protocol_is_kept_to_the_letter() -> None:
    promised = {name: one for name, one in vars(Store).items() if inspect.isfunction(one) and name[0] != "_"}
    assert len(promised) > 40
    for name, method in promised.items():
        kept = inspect.signature(getattr(SqliteStore, name)).parameters
        wanted = inspect.signature(method).parameters
        assert [(one.name, one.kind, one.default) for one in kept.values()] == [
            (one.name, one.kind, one.default) for one in wanted.values()
        ], name


class TestTakingIn:
    def test_records_are_taken_in_once_and_in_any_order(self, store: SqliteStore) -> None:
        made = foreign("B", "C", "A")
        count, applied = store.merge_records(reversed(made))
        assert count == 3
        assert applied is not None
        assert ids(store) == {"A", "B", "C"}
        assert store.merge_records(made) == (0, None)
        assert store.merge_records([]) == (0, None)
        assert store.merge_records([*made, *foreign("D")])[0] == 1

    def test_records_of_the_past_change_what_came_later(self, store: SqliteStore) -> None:
        do(store, "archive", {"ids": ["A", "Z"]}, at="2026-03-05T00:00:00.000000Z")
        assert store.lost()
        before = store.by_ids(["A"])["A"]
        with open_store(":memory:") as other:
            do(other, "register", registration(["A", "Z"]), at="2026-01-01T00:00:00.000000Z")
            earlier = list(other.records())
        _, applied = store.merge_records(earlier)
        assert applied is not None
        now = store.by_ids(["A"])["A"]
        assert (now.key, now.first_seen_at) == (before.key, "2026-01-01T00:00:00.000000Z")
        assert store.by_ids(["Z"])["Z"].is_hidden
        assert store.lost() == []

    def test_an_undo_that_arrives_before_what_it_takes_back(self, store: SqliteStore) -> None:
        with open_store(":memory:") as other:
            made = register(other, "B")
            gone = undo(other, made)
        store.merge_records([gone.record])
        assert ids(store) == {"A"}
        store.merge_records([made.record])
        assert ids(store) == {"A"}
        assert store.void_ids() == {made.record.id}

    @pytest.mark.parametrize(
        "change",
        [
            {"id": "0" * 32},
            {"payload": {"reference": {}}},
            {"at": "9999-12-31T23:59:59.999999Z"},
            {"at": "yesterday"},
            {"actor": "someone else"},
            {"payload": {"ids": ["\ud800"]}, "op": "archive"},
        ],
    )
    def test_one_that_is_damaged_keeps_all_out(self, store: SqliteStore, change: dict[str, object]) -> None:
        good, bad = foreign("B", "C")
        before = content(store), [record.id for record in store.records()]
        with pytest.raises(PayloadError) as refused:
            store.merge_records([good, bad._replace(**change)])
        assert len(refused.value.details) == 1
        assert (content(store), [record.id for record in store.records()]) == before

    def test_one_whose_time_was_forged_is_known_by_its_id(self, store: SqliteStore) -> None:
        (made,) = foreign("B")
        forged = made._replace(at="2030-01-01T00:00:00.000000Z")
        assert records.checked(forged) == "content does not fit its id"

    def test_it_follows_that_changes_here_come_after(self, store: SqliteStore) -> None:
        with open_store(":memory:") as ahead:
            do(ahead, "register", registration(["A"]), at="2027-01-01T00:00:00.000000Z")
            store.merge_records(list(ahead.records()))
        assert do(store, "archive", {"ids": ["A"]}).record.at == "2027-01-01T00:00:00.000001Z"


def test_the_past_is_a_store_of_its_own(store: SqliteStore) -> None:
    do(store, "rename", {"id": "A", "new_id": "B"}, at="2026-03-02T00:00:00.000000Z")
    with store.as_of("2026-03-01T23:59:59.999999Z") as past:
        assert ids(past) == {"A"}
        assert "2026-03-01" in past.note
        register(past, "only here")
    with store.as_of("2020") as before_anything:
        assert ids(before_anything) == set()
    assert ids(store) == {"B"}
    assert len(mirror.files(store.path)) == 1


def test_an_undo_says_what_lost_its_target(store: SqliteStore) -> None:
    first = register(store, "B", url="https://example.org/b")
    register(store, "C", relations=[relation("C", "IS_A", "B")], url="https://example.org/c")
    gone = undo(store, first)
    assert gone.skipped == ("relation C -[IS_A]-> B: 'B' is not stored",)
    assert [effect for _, effect in store.lost()] == list(gone.skipped)
    assert undo(store, gone).skipped == ()
    assert store.lost() == []


def test_rebuilding_an_empty_store_is_nothing() -> None:
    with open_store(":memory:") as store:
        assert store.rebuild() is None
        assert list(store.records()) == store.latest(5) == []
        assert store.drift() == {}


def test_what_was_shown_follows_renames_and_counts_what_exists(store: SqliteStore) -> None:
    key = store.by_ids(["A"])["A"].key
    store.record_shown([key, 12345], at=START)
    do(store, "rename", {"id": "A", "new_id": "B"})
    do(store, "rename", {"id": "B", "new_id": "C"})
    store.record_shown([key], at=START)
    assert store.by_ids(["A"])["A"].shown_count == 2
    assert store.connection.execute("SELECT id, shown_count FROM usage").fetchall() == [("C", 2)]
