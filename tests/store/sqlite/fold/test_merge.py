"""Merging: what was said of one is said of the other, and every old name leads there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.store.lives import concept, do, ids, register, relation

from trivium.model import Entity
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    with open_store(":memory:") as opened:
        yield opened
        assert opened.drift() == {}


def entity(store: SqliteStore, name: str) -> Entity:
    return store.by_ids([name])[name]


def test_names_sources_and_counts_are_joined(store: SqliteStore) -> None:
    register(store, concept("A", "of A"), url="https://example.org/a")
    register(store, concept("B", "of B", details="more", type="idea", aliases=["β"]), url="https://example.org/b")
    register(store, "B", url="https://example.org/c")
    key = entity(store, "B").key
    applied = do(store, "merge", {"into": "A", "ids": ["B"]})
    found = entity(store, "A")
    assert (found.description, found.details, found.type, found.touch_count) == ("of A", "more", "idea", 3)
    assert entity(store, "B") == found
    assert next(store.texts([found.key])).aliases == ("B", "β")
    assert [document.uri[-1] for document in store.documents_of([found.key])[found.key]] == ["a", "b", "c"]
    assert applied.changed == tuple(sorted((found.key, key)))
    assert ids(store) == {"A"}


def test_relations_move_without_doubles_and_those_between_the_two_go(store: SqliteStore) -> None:
    register(
        store,
        *"ABCD",
        relations=[
            relation("A", "IS_A", "C", "kept"),
            relation("B", "IS_A", "C", "joins it"),
            relation("D", "PART_OF", "B", "moves"),
            relation("A", "RELATED_TO", "B", "goes"),
            relation("B", "RELATED_TO", "A", "goes"),
            relation("B", "RELATED_TO", "B", "goes"),
        ],
    )
    register(store, relations=[relation("B", "IS_A", "C", "elsewhere")], url="https://example.org/2")
    do(store, "merge", {"into": "A", "ids": ["B"]})
    found = store.relations([entity(store, "A").key])
    assert [(row.subject, row.predicate, row.object, row.reason) for row in found] == [
        ("A", "IS_A", "C", "kept"),
        ("D", "PART_OF", "A", "moves"),
    ]
    assert len(store.evidence([found[0].key])[found[0].key]) == 2


def test_merges_of_merges_lead_to_the_last(store: SqliteStore) -> None:
    register(store, *"ABCD")
    do(store, "merge", {"into": "A", "ids": ["B"]})
    do(store, "merge", {"into": "C", "ids": ["B", "A", "D", "x"]})
    assert {entity(store, name).id for name in "ABCD"} == {"C"}
    assert store.lost()[0][1] == "merge: 'x' is not stored"
    do(store, "rename", {"id": "A", "new_id": "E"})
    assert {entity(store, name).id for name in "ABCDE"} == {"E"}


def test_with_itself_or_nothing_changes_nothing(store: SqliteStore) -> None:
    register(store, "A")
    assert do(store, "merge", {"into": "A", "ids": ["A"]}).changed == ()
    assert do(store, "merge", {"into": "x", "ids": ["A"]}).skipped == ("merge: 'x' is not stored",)
    assert ids(store) == {"A"}


@pytest.mark.parametrize("is_into_withdrawn", [True, False])
def test_one_that_still_has_a_source_speaks_for_both(store: SqliteStore, is_into_withdrawn: bool) -> None:
    into, other = ("gone", "live") if is_into_withdrawn else ("live", "gone")
    register(store, concept("gone", "without source", details="x"), url="https://example.org/gone")
    register(store, concept("live", "with source", details="y"), url="https://example.org/live")
    do(store, "withdraw", {"url": "https://example.org/gone"})
    do(store, "merge", {"into": into, "ids": [other]})
    found = entity(store, into)
    assert (found.withdrawn_at, found.description, found.details) == (None, "with source", "y")


def test_two_without_a_source_stay_withdrawn(store: SqliteStore) -> None:
    register(store, "A", "B")
    do(store, "withdraw", {"url": "https://example.org/page"})
    do(store, "merge", {"into": "A", "ids": ["B"]})
    assert entity(store, "A").withdrawn_at is not None
