"""Refolding: the tables are a fold of the journal, whatever happened and in whatever order it became known."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FixedClock
from tests.store.lives import concept, content, do, ids, lived, register, relation, searched, take, undo
from tests.strategies import Step, histories, meetings

from trivium.store.sqlite.fold import refold
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def store() -> SqliteStore:
    return open_store(":memory:")


def differing(before: dict[int, object], after: dict[int, object]) -> set[int]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


@given(histories())
def test_tables_are_the_fold_of_the_journal_after_every_change(history: list[Step]) -> None:
    store, clock = open_store(":memory:"), FixedClock()
    for step in history:
        before = searched(store)
        applied = take(store, step, clock)
        assert store.drift() == {}
        if applied is not None:
            # Whoever keeps an index by these keys misses nothing.
            assert differing(before, searched(store)) <= set(applied.changed)
    store.close()


@given(histories())
def test_rebuilding_changes_nothing(history: list[Step]) -> None:
    store = lived(history)
    before, texts, lost = content(store), searched(store), store.lost()
    rebuilt = store.rebuild()
    assert (content(store), searched(store), store.lost()) == (before, texts, lost)
    assert rebuilt is None or (rebuilt.changed, rebuilt.skipped) == ((), ())
    store.close()


@given(histories())
def test_a_moment_of_the_past_is_what_was_there_then(history: list[Step]) -> None:
    store, clock = open_store(":memory:"), FixedClock()
    moments = []
    for step in history:
        applied = take(store, step, clock)
        if applied is not None:
            moments.append((applied.record.at, content(store)))
    for at, then in moments:
        with store.as_of(at) as past:
            assert content(past) == then
    store.close()


@given(histories())
def test_names_lead_to_one_entity_and_every_relation_has_evidence(history: list[Step]) -> None:
    store = lived(history)
    one = store.connection.execute
    names = [row[0] for row in one("SELECT id FROM entity UNION ALL SELECT alias FROM alias WHERE kind = 'redirect'")]
    assert len(names) == len(set(names))
    assert one("SELECT count(*) FROM relation WHERE key NOT IN (SELECT relation FROM evidence)").fetchone() == (0,)
    assert one(
        "SELECT count(*) FROM entity WHERE withdrawn_at IS NULL AND key NOT IN (SELECT entity FROM mention)"
    ).fetchone() == (0,)
    assert one("PRAGMA foreign_key_check").fetchall() == []
    store.close()


@given(histories(max_size=8))
def test_undoing_everything_leaves_nothing_and_undoing_that_brings_it_back(history: list[Step]) -> None:
    store, clock = lived(history), FixedClock("2026-04-01T00:00:00.000000Z")
    before = content(store)
    targets = [record.id for record, is_void in store.latest(100) if not is_void and record.op != "undo"]
    if targets:
        all_gone = store.append("undo", {"targets": targets}, at=clock(), actor="", session="")
        assert not any(rows for table, rows in content(store).items())
        store.append("undo", {"targets": [all_gone.record.id]}, at=clock(), actor="", session="")
    assert content(store) == before
    assert store.drift() == {}
    store.close()


@given(meetings(), st.randoms(use_true_random=False))
def test_two_machines_come_to_hold_the_same(meeting: list[tuple[int, Step | None]], chance: random.Random) -> None:
    machines = (open_store(":memory:"), open_store(":memory:"))
    # Their clocks do not agree: one stands an hour behind the other.
    clocks = (FixedClock(), FixedClock("2026-03-01T11:00:00.000000Z"))
    for number, step in meeting:
        here, there = machines[number], machines[1 - number]
        if step is None:
            here.merge_records(shuffled(there, chance))
        else:
            take(here, step, clocks[number])
    for here, there in (machines, machines[::-1]):
        here.merge_records(shuffled(there, chance))
    late = open_store(":memory:")
    late.merge_records(shuffled(machines[0], chance))
    assert content(machines[0]) == content(machines[1]) == content(late)
    assert all(store.drift() == {} for store in (*machines, late))
    for store in (*machines, late):
        store.close()


def shuffled(store: SqliteStore, chance: random.Random) -> list:
    records = list(store.records())
    chance.shuffle(records)
    return records


def test_records_of_one_moment_have_one_order_on_every_machine() -> None:
    first, second = open_store(":memory:"), open_store(":memory:")
    register(first, concept("A", "as the first says"), url="https://example.org/1")
    register(second, concept("A", "as the second says"), url="https://example.org/2")
    first.merge_records(list(second.records()))
    second.merge_records(list(first.records()))
    assert content(first) == content(second)
    # Both mentions are of one moment: which words are left must not hang on the order of arrival.
    for store in (first, second):
        register(store, concept("A", "for a while"), url="https://example.org/0")
        do(store, "withdraw", {"url": "https://example.org/0"})
        assert store.by_ids(["A"])["A"].description == "as the second says"
        assert store.drift() == {}


class TestUndo:
    def test_gives_back_what_a_bulk_delete_took(self, store: SqliteStore) -> None:
        names = [f"c{number}" for number in range(50)]
        register(store, *names, relations=[relation(a, "IS_A", b) for a, b in pairwise(names)])
        before, relations = content(store), store.relations(store.entities(range(100)))
        gone = do(store, "delete", {"ids": names})
        assert store.entity_count() == 0
        back = undo(store, gone)
        assert content(store) == before
        assert len(back.changed) == 50
        assert [row[3:] for row in store.relations(store.entities(range(200)))] == [row[3:] for row in relations]

    def test_keeps_the_number_of_an_entity_that_was_renamed(self, store: SqliteStore) -> None:
        register(store, "A", "B")
        key = store.by_ids(["A"])["A"].key
        store.record_shown([key], at="2026-03-02T00:00:00.000000Z")
        renamed = do(store, "rename", {"id": "A", "new_id": "C"})
        assert store.by_ids(["C"])["C"].shown_count == 1
        store.record_shown([key], at="2026-03-03T00:00:00.000000Z")
        undone = undo(store, renamed)
        entity = store.by_ids(["A"])["A"]
        assert (entity.key, entity.shown_count) == (key, 2)
        assert key in undone.changed
        undo(store, undone)
        entity = store.by_ids(["A"])["A"]
        assert (entity.key, entity.id, entity.shown_count) == (key, "C", 2)

    def test_keeps_how_often_a_deleted_entity_was_shown(self, store: SqliteStore) -> None:
        register(store, "A", "B")
        store.record_shown([store.by_ids(["A"])["A"].key], at="2026-03-02T00:00:00.000000Z")
        gone = do(store, "delete", {"ids": ["A"]})
        undo(store, gone)
        assert store.by_ids(["A"])["A"].shown_count == 1

    def test_parts_what_a_merge_made_one(self, store: SqliteStore) -> None:
        register(store, concept("A", "one", aliases=["α"]), concept("B", "two", details="more"))
        store.record_shown([store.by_ids(["B"])["B"].key], at="2026-03-02T00:00:00.000000Z")
        before = content(store)
        merged = do(store, "merge", {"into": "A", "ids": ["B"]})
        assert store.by_ids(["B"])["B"].id == "A"
        undo(store, merged)
        assert content(store) == before
        assert store.by_ids(["B"])["B"].shown_count == 1

    def test_names_only_the_effects_that_lose_their_target_now(self, store: SqliteStore) -> None:
        first = register(store, "A", url="https://example.org/1")
        second = register(store, "B", url="https://example.org/2")
        register(store, "C", relations=[relation("C", "IS_A", "A"), relation("C", "IS_A", "B")])
        do(store, "archive", {"ids": ["A"]})
        assert set(undo(store, first).skipped) == {
            "relation C -[IS_A]-> A: 'A' is not stored",
            "archive: 'A' is not stored",
        }
        assert undo(store, second).skipped == ("relation C -[IS_A]-> B: 'B' is not stored",)
        assert len(store.lost()) == 3
        undo(store, *[])
        assert store.drift() == {}

    def test_of_a_middle_record_lists_relations_as_if_it_had_never_been(self, store: SqliteStore) -> None:
        register(store, "A", "B", "C", relations=[relation("A", "IS_A", "B"), relation("B", "IS_A", "C")])
        gone = do(store, "delete", {"ids": ["A"]})
        register(store, "D", relations=[relation("D", "IS_A", "C")], url="https://example.org/2")
        undo(store, gone)
        listed = [(row.subject, row.object) for row in store.relations(store.entities(range(20)))]
        assert listed == [("A", "B"), ("B", "C"), ("D", "C")]


def test_drift_is_counted_by_table(store: SqliteStore) -> None:
    register(store, "A", "B", relations=[relation("A", "IS_A", "B")])
    store.connection.execute("UPDATE entity SET description = 'changed behind the journal' WHERE id = 'A'")
    store.connection.execute("DELETE FROM relation")
    assert store.drift() == {"entity": 2, "relation": 1, "evidence": 1}
    applied = store.rebuild()
    assert store.drift() == {}
    assert applied is not None
    assert applied.changed == (store.by_ids(["A"])["A"].key,)


def test_looking_for_drift_leaves_no_trace(store: SqliteStore) -> None:
    register(store, "A")
    assert store.drift() == {}
    assert store.connection.execute("SELECT name FROM temp.sqlite_master").fetchall() == []
    assert ids(store) == {"A"}


def test_refolding_writes_only_what_differs(store: SqliteStore) -> None:
    register(store, *(f"c{number}" for number in range(100)))
    change = register(store, "c1", url="https://example.org/2")
    before = store.connection.total_changes
    written = []
    store.connection.set_trace_callback(written.append)
    undo(store, change)
    store.connection.set_trace_callback(None)
    # Of a hundred entities one is written again; the rest of the changes are in the fold beside the tables.
    assert store.connection.total_changes - before < 700
    assert any("INSERT INTO main.entity" in statement for statement in written)


def test_a_fold_needs_no_more_than_it_says(store: SqliteStore) -> None:
    register(store, "A")
    with store.write():
        changed, skipped = refold.refold(store.connection)
    assert (changed, skipped) == (set(), [])
