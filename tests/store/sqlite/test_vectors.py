"""Vectors: one a text and embedder, found by text, number or owner, and missed where they are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.store.lives import do, register

from trivium.store.base import PassageRow
from trivium.store.sqlite.store import SqliteStore, open_store


def name(number: int) -> bytes:
    return number.to_bytes(16, "big")


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    """Entities 1 to 3: the first has passages 1 and 2, the second 2 (the same text) and 3, the third none."""
    with open_store(":memory:") as opened:
        register(opened, "A", "B", "C")
        opened.put_passages(1, [PassageRow(1, 0, name(1), 0, 5), PassageRow(1, 1, name(2), 4, 9)])
        opened.put_passages(2, [PassageRow(2, 0, name(2), 0, 5), PassageRow(2, 1, name(3), 5, 8)])
        yield opened


def test_each_text_is_missing_once_and_in_order(store: SqliteStore) -> None:
    assert [row[2] for row in store.missing_vectors("e", 9)] == [name(1), name(2), name(3)]
    assert store.missing_vectors("e", 1) == [(1, 0, name(1), 0, 5)]
    assert [row[2] for row in store.missing_vectors("e", 9, after=name(1))] == [name(2), name(3)]
    assert store.missing_vector_count("e") == 3
    store.put_vectors("e", [(name(2), b"v2")])
    assert [row[2] for row in store.missing_vectors("e", 9)] == [name(1), name(3)]
    assert store.missing_vector_count("e") == 2
    assert store.missing_vector_count("other") == 3
    assert store.is_vector_missing("e", [1])
    assert not store.is_vector_missing("e", [3])
    assert store.passage_hashes() == {name(1), name(2), name(3)}


def test_going_on_behind_the_last_one_reaches_every_text() -> None:
    with open_store(":memory:") as store:
        register(store, "A")
        store.put_passages(1, [PassageRow(1, number, name(number * 7 % 1000), 0, 1) for number in range(1, 1000)])
        after, seen = b"", []
        while rows := store.missing_vectors("e", 64, after=after):
            seen += [row[2] for row in rows]
            after = seen[-1]
        assert seen == sorted(set(seen))
        assert len(seen) == 999


def test_a_text_has_one_vector_an_embedder(store: SqliteStore) -> None:
    store.put_vectors("e", [(name(1), b"first"), (name(1), b"second")])
    store.put_vectors("f", [(name(1), b"other")])
    assert list(store.vectors_by_hash("e", [name(1), name(9)])) == [(name(1), b"first")]
    assert store.known_hashes("e", [name(1), name(2)]) == {name(1)}
    assert (store.has_vectors("e"), store.has_vectors("g")) == (True, False)


def test_numbers_grow_and_are_never_given_again(store: SqliteStore) -> None:
    store.put_vectors("e", [(name(1), b"1"), (name(2), b"2")])
    store.put_vectors("f", [(name(1), b"f")])
    store.put_vectors("e", [(name(3), b"3"), (name(8), b"8")])
    (first, _), (second, _), (third, _), (fourth, _) = list(store.vectors_after("e", 0))
    assert [data for _, data in store.vectors_after("e", second)] == [b"3", b"8"]
    assert [data for _, data in store.vectors_after("e", 0, is_used_only=True)] == [b"1", b"2", b"3"]
    assert store.vector_span("e") == (4, fourth)
    assert store.vector_span("none") == (0, 0)
    assert store.vectors_by_seq([third, first]) == [(first, b"1"), (third, b"3")]
    assert store.drop_vectors(except_embedder="e") == 2
    assert store.last_vector() == third
    store.put_vectors("e", [(name(9), b"9")])
    assert store.last_vector() > fourth


def test_owners_are_all_that_use_a_text(store: SqliteStore) -> None:
    store.put_vectors("e", [(name(1), b"1"), (name(2), b"2"), (name(8), b"8")])
    one, two, unused = (seq for seq, _ in store.vectors_after("e", 0))
    assert sorted(store.vector_owners([one, two, unused])) == [(one, 1, 0), (two, 1, 1), (two, 2, 0)]
    assert sorted(store.entity_vectors("e", [1, 2, 3])) == [(1, one), (1, two), (2, two)]
    assert store.entity_vectors("f", [1, 2, 3]) == []


def test_passages_go_with_their_entity_and_are_replaced_as_a_whole(store: SqliteStore) -> None:
    store.put_passages(1, [PassageRow(1, 0, name(5), 0, 1)])
    assert store.passage_hashes() == {name(2), name(3), name(5)}
    do(store, "delete", {"ids": ["B"]})
    assert store.passage_hashes() == {name(5)}


def test_what_comes_late_is_read_without_walking_through_the_rest(store: SqliteStore) -> None:
    asked: list[str] = []
    store.connection.set_trace_callback(asked.append)
    list(store.vectors_after("e", 5))
    store.connection.set_trace_callback(None)
    (row,) = store.connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}")
    assert "INTEGER PRIMARY KEY (rowid>?)" in row[3]
