"""The journal: one order, no clock that runs back, and undo records that void earlier ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.store.lives import do, ids, register, undo

from trivium.errors import StoreError
from trivium.store.sqlite import journal
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    with open_store(":memory:") as opened:
        yield opened


def test_time_never_stands_still_or_runs_back(store: SqliteStore) -> None:
    given = [
        "2026-03-01T12:00:00.000000Z",
        "2026-03-01T12:00:00.000000Z",
        "2026-02-01T12:00:00.000000Z",
        "2026-03-01T12:00:00.999999Z",
        "2026-03-01T11:00:00.000000Z",
    ]
    times = [do(store, "withdraw", {"url": "u"}, at=at).record.at for at in given]
    assert times == [
        "2026-03-01T12:00:00.000000Z",
        "2026-03-01T12:00:00.000001Z",
        "2026-03-01T12:00:00.000002Z",
        "2026-03-01T12:00:00.999999Z",
        "2026-03-01T12:00:01.000000Z",
    ]
    assert [record.at for record in store.records()] == times


def test_there_is_room_behind_the_latest_time_that_a_record_may_have(store: SqliteStore) -> None:
    latest = "8999-12-31T23:59:59.999998Z"
    do(store, "withdraw", {"url": "u"}, at=latest)
    assert do(store, "withdraw", {"url": "u"}).record.at == "8999-12-31T23:59:59.999999Z"


def test_a_record_is_stored_once(store: SqliteStore) -> None:
    record = register(store, "A").record
    with store.write():
        assert not journal.insert(store.connection, record, "{}")
    assert list(store.records()) == [record]


def test_records_are_found_by_what_they_speak_of(store: SqliteStore) -> None:
    first = register(store, "A", "B", url="https://example.org/1")
    second = do(store, "rename", {"id": "A", "new_id": "C"})
    third = undo(store, second)
    assert [one.id for one in store.records(key="A")] == [first.record.id, second.record.id]
    assert [one.id for one in store.records(key="C")] == [second.record.id]
    assert [one.id for one in store.records(key="https://example.org/1")] == [first.record.id]
    assert [one.id for one in store.records(key=second.record.id)] == [third.record.id]
    assert list(store.records(key="a")) == []
    assert [one.id for one in store.records(until=second.record.at)] == [first.record.id, second.record.id]


def test_records_are_found_by_the_beginning_of_their_id(store: SqliteStore) -> None:
    made = sorted(register(store, str(number)).record.id for number in range(40))
    for prefix in ("", made[0][:1], made[0][:6], made[-1], "g", "%", "_"):
        wanted = [one for one in made if one.startswith(prefix)]
        assert [one.id for one in store.records_starting_with(prefix, limit=100)] == wanted
    assert len(store.records_starting_with("", limit=3)) == 3


def test_an_undo_of_an_undo_brings_back(store: SqliteStore) -> None:
    first = register(store, "A")
    gone = undo(store, first)
    back = undo(store, gone)
    assert ids(store) == {"A"}
    assert store.void_ids() == {gone.record.id}
    undo(store, back)
    assert ids(store) == set()
    assert [is_void for _, is_void in store.latest(10)] == [False, True, False, True]


def test_an_undo_of_what_is_not_there_does_nothing(store: SqliteStore) -> None:
    register(store, "A")
    assert do(store, "undo", {"targets": ["0" * 32]}).changed == ()
    assert ids(store) == {"A"}


def test_latest_counts_from_the_end(store: SqliteStore) -> None:
    made = [register(store, str(number)).record for number in range(5)]
    assert [record for record, _ in store.latest(2)] == made[:-3:-1]
    assert [record for record, _ in store.latest(9, key="0")] == made[:1]


@pytest.mark.parametrize("payload", ["{", "", "null null", "[" * 100_000])
def test_a_broken_payload_is_damage(store: SqliteStore, payload: str) -> None:
    register(store, "A")
    store.connection.execute("UPDATE journal SET payload = ?", (payload,))
    for ask in (lambda: list(store.records()), store.rebuild, store.drift, lambda: store.latest(1)):
        with pytest.raises(StoreError, match="damaged"):
            ask()
    assert ids(store) == {"A"}
