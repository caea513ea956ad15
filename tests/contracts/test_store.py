"""What every store promises, whatever keeps it: one battery, run on each implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import FixedClock
from tests.strategies import Step, meetings

from trivium.errors import PayloadError, StoreError
from trivium.model import Relation
from trivium.store.base import PassageRow, Store
from trivium.store.sqlite.store import open_store

AT = "2026-03-01T12:00:00.000000Z"
IMPLEMENTATIONS: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: open_store(":memory:"),
    "file": lambda folder: open_store(str(folder / "concepts.db")),
}

MakeStore = Callable[[], Store]


@pytest.fixture(params=IMPLEMENTATIONS)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    """Makes empty stores of one implementation."""
    opened: list[Store] = []

    def run() -> Store:
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(IMPLEMENTATIONS[request.param](folder))
        return opened[-1]

    yield run
    for store in opened:
        store.close()


@pytest.fixture
def store(make: MakeStore) -> Store:
    """A store with two concepts, a relation and their document."""
    made = make()
    register(made, "A", "B", relations=[("A", "DEPENDS_ON", "B")])
    return made


def register(store: Store, *names: str, relations: Any = (), url: str = "https://example.org/") -> Any:
    payload = {
        "reference": {"url": url, "title": "A page"},
        "concepts": [{"id": name, "description": f"what {name} is"} for name in names],
        "relations": [{"subject": s, "predicate": p, "object": o, "reason": "because"} for s, p, o in relations],
    }
    return do(store, "register", payload)


def do(store: Store, op: str, payload: dict[str, Any]) -> Any:
    return store.append(op, payload, at=AT, actor="tester", session="")


def knowledge(store: Store) -> dict[str, Any]:
    """Everything a reader can see, without the store's own numbers."""
    entities = sorted(store.entities(text.key for text in store.texts()).values(), key=lambda one: one.id)
    keys = [one.key for one in entities]
    relations = store.relations(keys)
    evidence, mentions = store.evidence([row.key for row in relations]), store.mentions(keys)
    return {
        "entities": [one._replace(key=0) for one in entities],
        "names": sorted((text.id, text.aliases) for text in store.texts()),
        "relations": sorted((row.subject, row.predicate, row.object, row.reason) for row in relations),
        "evidence": sorted(((row.subject, row.predicate, row.object), evidence[row.key]) for row in relations),
        "mentions": [(one.id, mentions.get(one.key)) for one in entities],
        "documents": [(document._replace(key=0), count) for document, count in store.documents()],
        "lost": store.lost(),
    }


def test_a_record_and_its_effects_are_there_together(store: Store) -> None:
    (record,) = store.records()
    assert (record.op, record.actor, record.at) == ("register", "tester", AT)
    assert [text.id for text in store.texts()] == ["A", "B"]
    (relation,) = store.relations([store.by_ids(["A"])["A"].key])
    assert isinstance(relation, Relation)
    assert (relation.subject, relation.predicate, relation.object) == ("A", "DEPENDS_ON", "B")
    assert store.evidence([relation.key])[relation.key][0].document == "https://example.org/"
    assert store.drift() == {}


def test_what_was_changed_is_said(store: Store) -> None:
    keys = {name: entity.key for name, entity in store.by_ids(["A", "B"]).items()}
    assert register(store, "C").changed == (store.by_ids(["C"])["C"].key,)
    assert do(store, "archive", {"ids": ["A"]}).changed == ()
    assert do(store, "rename", {"id": "A", "new_id": "D"}).changed == (keys["A"],)
    assert set(do(store, "merge", {"into": "D", "ids": ["B"]}).changed) == set(keys.values())
    assert do(store, "delete", {"ids": ["nothing"]}).skipped == ("delete: 'nothing' is not stored",)


def test_anything_can_be_undone_and_that_too(store: Store) -> None:
    changes: list[tuple[str, dict[str, Any]]] = [
        ("archive", {"ids": ["A"], "reason": "r"}),
        ("delete", {"ids": ["A", "B"]}),
        ("rename", {"id": "A", "new_id": "C"}),
        ("merge", {"into": "A", "ids": ["B"]}),
        ("withdraw", {"url": "https://example.org/"}),
        ("unlink", {"relations": [{"subject": "A", "predicate": "DEPENDS_ON", "object": "B"}]}),
    ]
    for op, payload in changes:
        before = knowledge(store)
        change = do(store, op, payload)
        after = knowledge(store)
        assert before != after
        undone = do(store, "undo", {"targets": [change.record.id]})
        assert knowledge(store) == before
        again = do(store, "undo", {"targets": [undone.record.id]})
        assert knowledge(store) == after
        do(store, "undo", {"targets": [again.record.id]})
        assert knowledge(store) == before
        assert store.drift() == {}


def test_the_past_can_be_looked_at(store: Store) -> None:
    then = knowledge(store)
    at = [record.at for record in store.records()][-1]
    do(store, "delete", {"ids": ["A"]})
    past = store.as_of(at)
    assert knowledge(past) == then
    past.close()
    assert [text.id for text in store.texts()] == ["B"]


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    before = knowledge(store), list(store.records())

    def fail() -> None:
        with store.write():
            register(store, "C")
            store.set_meta("fact", "x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert (knowledge(store), list(store.records())) == before
    assert store.meta("fact") is None
    with pytest.raises(PayloadError):
        do(store, "register", {})
    with store.read(), pytest.raises(StoreError):
        register(store, "C")
    assert (knowledge(store), list(store.records())) == before


def test_rebuilding_gives_the_same(store: Store) -> None:
    do(store, "merge", {"into": "A", "ids": ["B"]})
    before = knowledge(store)
    store.rebuild()
    assert knowledge(store) == before


def test_what_was_shown_is_counted_and_no_record(store: Store) -> None:
    key = store.by_ids(["A"])["A"].key
    store.record_shown([key, 999], at=AT)
    store.record_shown([key], at=AT, timeout_s=1)
    assert store.by_ids(["A"])["A"].shown_count == 2
    assert sum(1 for _ in store.records()) == 1


def test_vectors_are_kept_by_text_and_embedder(store: Store) -> None:
    key = store.by_ids(["A"])["A"].key
    store.put_passages(key, [PassageRow(key, 0, b"t" * 16, 0, 1)])
    assert [row[2] for row in store.missing_vectors("e", 9)] == [b"t" * 16]
    store.put_vectors("e", [(b"t" * 16, b"vector")])
    assert store.missing_vector_count("e") == 0
    ((seq, data),) = store.vectors_after("e", 0)
    assert data == b"vector"
    assert store.vector_owners([seq]) == [(seq, key, 0)]
    assert store.drop_vectors(except_embedder="f") == 1


@pytest.mark.parametrize("kind", ["memory"])
@given(meeting=meetings(max_size=10), chance=st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_two_stores_that_exchange_records_hold_the_same(
    kind: str, meeting: list[tuple[int, Step | None]], chance: Any
) -> None:
    stores = [IMPLEMENTATIONS[kind](Path()) for _ in range(2)]
    clocks = FixedClock(), FixedClock("2026-02-01T00:00:00.000000Z")
    for number, step in [*meeting, (0, None), (1, None)]:
        here, there = stores[number], stores[1 - number]
        if step is None:
            records = list(there.records())
            chance.shuffle(records)
            here.merge_records(records)
        elif step.op != "undo":
            here.append(step.op, step.payload, at=clocks[number].advance(seconds=1), actor="", session="")
        elif known := [record.id for record in here.records()]:
            targets = [known[-place] for place in step.undone if place <= len(known)]
            here.append("undo", {"targets": targets}, at=clocks[number].advance(seconds=1), actor="", session="")
    first, second = map(knowledge, stores)
    assert first == second
    assert [store.drift() for store in stores] == [{}, {}]
    for store in stores:
        store.close()
