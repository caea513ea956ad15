"""Reading the graph: right answers, one statement a question, any number of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from tests.conftest import FixedClock
from tests.store.lives import concept, do, lived, register, registration, relation
from tests.strategies import Step, histories, names, texts

from trivium.errors import StoreError
from trivium.model import PREDICATES, name_key
from trivium.store.sqlite.store import SqliteStore, open_store

MANY = 100_000


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    with open_store(":memory:") as opened:
        register(
            opened,
            concept("Write-ahead log", "a log", aliases=["WAL", "先行書き込みログ"]),
            concept("Checkpoint", "copies"),
            concept("wal", "another thing"),
            relations=[
                relation("Write-ahead log", "DEPENDS_ON", "Checkpoint", quote="q", selector={"start": 1}),
                relation("wal", "IS_A", "Checkpoint"),
            ],
            published_at="2025-01-01T00:00:00.000Z",
        )
        register(opened, "Checkpoint", url="https://example.org/2", published_at="2026-01-01T00:00:00.000Z")
        register(opened, "alone", url="https://example.org/3")
        yield opened


def key(store: SqliteStore, name: str) -> int:
    return store.by_ids([name])[name].key


def statements(store: SqliteStore, ask: Callable[[], Any]) -> list[str]:
    """The statements that a question takes, but for the brackets of a consistent read."""
    seen: list[str] = []
    store.connection.set_trace_callback(seen.append)
    try:
        found = ask()
        if isinstance(found, Iterator):
            list(found)
    finally:
        store.connection.set_trace_callback(None)
    return [one for one in seen if one not in ("BEGIN", "ROLLBACK")]


class TestNames:
    def test_an_exact_id_is_meant_alone(self, store: SqliteStore) -> None:
        assert [one.id for one in store.resolve("wal")] == ["wal"]

    def test_else_everything_that_folds_to_it(self, store: SqliteStore) -> None:
        assert {one.id for one in store.resolve("WAL")} == {"Write-ahead log", "wal"}
        assert [one.id for one in store.resolve("  write-AHEAD   log ")] == ["Write-ahead log"]
        assert [one.id for one in store.resolve("先行書き込みログ")] == ["Write-ahead log"]
        assert store.resolve("nothing") == []
        assert store.resolve("") == []

    def test_ids_are_exact_and_follow_renames(self, store: SqliteStore) -> None:
        do(store, "rename", {"id": "Checkpoint", "new_id": "checkpointing"})
        found = store.by_ids(["Checkpoint", "checkpointing", "CHECKPOINT", "WAL", "wal"])
        assert {name: one.id for name, one in found.items()} == {
            "Checkpoint": "checkpointing",
            "checkpointing": "checkpointing",
            "wal": "wal",
        }
        assert store.by_ids([]) == {}

    def test_name_keys_list_all_that_share_them(self, store: SqliteStore) -> None:
        found = store.by_name_keys(["wal", "checkpoint", "none"])
        assert {name: {one.id for one in many} for name, many in found.items()} == {
            "wal": {"Write-ahead log", "wal"},
            "checkpoint": {"Checkpoint"},
        }

    @pytest.mark.parametrize("name", ["wal\0junk", "\0", "wal\ud800", "'", '"', "%", "]", "\\"])
    def test_a_name_that_is_not_stored_is_not_found(self, store: SqliteStore, name: str) -> None:
        assert store.by_ids([name]) == {}
        assert store.resolve(name) == []
        assert store.by_name_keys([name]) == {}

    @given(names(), texts(min_size=1))
    def test_every_name_is_found_by_itself_and_by_its_key(self, name: str, alias: str) -> None:
        with open_store(":memory:") as store:
            register(store, concept(name, aliases=[alias]))
            assert [one.id for one in store.resolve(name)] == [name]
            assert [one.id for one in store.by_name_keys([name_key(alias)])[name_key(alias)]] == [name]

    def test_similar_ids_are_close_ones_first_then_those_that_hold_the_name(self, store: SqliteStore) -> None:
        register(store, "Checkpoints of old", "Chekpoint", "zzz")
        assert set(store.similar_ids("Checkpont")[:2]) == {"Chekpoint", "Checkpoint"}
        assert store.similar_ids("ahead") == ["Write-ahead log"]
        assert store.similar_ids("qqqq") == []
        assert store.similar_ids("") == []


class TestEntities:
    def test_pages(self, store: SqliteStore) -> None:
        store.record_shown([key(store, "alone")], at="2026-03-02T00:00:00.000000Z")
        do(store, "archive", {"ids": ["wal"]})
        listed = {
            order: [one.id for one in store.page(order=order, limit=9, offset=0, is_hidden_included=False)[1]]
            for order in ("id", "last_seen", "touch", "shown")
        }
        assert listed == {
            "id": ["Checkpoint", "Write-ahead log", "alone"],
            "last_seen": ["alone", "Checkpoint", "Write-ahead log"],
            "touch": ["Checkpoint", "Write-ahead log", "alone"],
            "shown": ["alone", "Checkpoint", "Write-ahead log"],
        }
        total, items = store.page(order="id", limit=2, offset=1, is_hidden_included=True)
        assert (total, [one.id for one in items]) == (4, ["Write-ahead log", "alone"])

    def test_texts_are_what_is_searched(self, store: SqliteStore) -> None:
        (text,) = store.texts([key(store, "Write-ahead log")])
        assert (text.id, text.description, text.details) == ("Write-ahead log", "a log", None)
        assert text.aliases == ("WAL", "先行書き込みログ")
        assert [one.key for one in store.texts()] == sorted(one.key for one in store.texts())
        assert list(store.texts([])) == []

    def test_prunable_is_old_and_hardly_touched(self, store: SqliteStore) -> None:
        late = "2027-01-01T00:00:00.000000Z"
        do(store, "archive", {"ids": ["alone"]})

        def found(**more: Any) -> list[str]:
            choice = {"before": late, "max_touches": 1, "is_archived_included": False, **more}
            return [one.id for one in store.prunable(**choice)]

        assert found() == ["Write-ahead log", "wal"]
        assert found(max_touches=2) == ["Write-ahead log", "wal", "Checkpoint"]
        assert found(is_archived_included=True) == ["Write-ahead log", "wal", "alone"]
        assert found(before="2020-01-01T00:00:00.000000Z") == []


class TestRelations:
    def test_by_side_type_and_visibility(self, store: SqliteStore) -> None:
        hub, log = key(store, "Checkpoint"), key(store, "Write-ahead log")

        def found(keys: list[int], **choice: Any) -> list[str]:
            return [row.subject for row in store.relations(keys, **choice)]

        assert found([hub]) == ["Write-ahead log", "wal"]
        assert found([hub, log]) == ["Write-ahead log", "wal"]
        assert found([hub], direction="out") == []
        assert found([hub], direction="in") == ["Write-ahead log", "wal"]
        assert found([hub], predicates=["IS_A"]) == ["wal"]
        assert found([hub], predicates=[]) == []
        assert found([]) == []
        do(store, "archive", {"ids": ["wal"]})
        assert found([hub], is_hidden_included=False) == ["Write-ahead log"]
        # The end that is asked about may itself be hidden.
        assert found([key(store, "wal")], is_hidden_included=False) == ["wal"]

    @given(histories())
    def test_they_are_what_a_plain_loop_finds(self, history: list[Step]) -> None:
        with lived(history, FixedClock()) as store:
            everything = store.connection.execute("SELECT key, subject, object, predicate FROM relation").fetchall()
            hidden = {one for one, entity in store.entities(range(99)).items() if entity.is_hidden}
            for asked in ([1], [1, 3], [2, 4, 5]):
                for predicates in (None, PREDICATES[:2]):
                    for is_hidden_included in (True, False):
                        wanted = [
                            row[0]
                            for row in everything
                            if (predicates is None or row[3] in predicates)
                            and any(
                                one in asked and (is_hidden_included or other not in hidden)
                                for one, other in ((row[1], row[2]), (row[2], row[1]))
                            )
                        ]
                        found = store.relations(asked, predicates=predicates, is_hidden_included=is_hidden_included)
                        assert [row.key for row in found] == sorted(wanted)

    def test_evidence_has_its_document_and_place(self, store: SqliteStore) -> None:
        relations = store.relations([key(store, "Checkpoint")])
        found = store.evidence([row.key for row in relations])
        (one,) = found[relations[0].key]
        assert (one.document, one.quote, one.selector) == ("https://example.org/page", "q", {"start": 1})
        assert store.evidence([]) == {}


class TestDocuments:
    def test_of_entities_and_their_newest_date(self, store: SqliteStore) -> None:
        one, other = key(store, "Checkpoint"), key(store, "alone")
        found = store.documents_of([one, other])
        assert [document.uri for document in found[one]] == ["https://example.org/2", "https://example.org/page"]
        assert store.dates([one, other]) == {one: "2026-01-01T00:00:00.000Z"}
        assert [(document.uri, count) for document, count in store.documents()] == [
            ("https://example.org/2", 1),
            ("https://example.org/3", 1),
            ("https://example.org/page", 3),
        ]
        assert store.document("https://example.org/none") is None

    def test_mentions_are_newest_first(self, store: SqliteStore) -> None:
        one = key(store, "Checkpoint")
        assert [found.reason for found in store.mentions([one])[one]] == ["what it is", "copies"]


def test_counts(store: SqliteStore) -> None:
    do(store, "archive", {"ids": ["wal"]})
    found = store.counts()
    assert (found["concepts"], found["archived_concepts"], found["references"], found["records"]) == (4, 1, 3, 4)
    assert (found["relations"], found["evidence"], found["evidence_with_quote"]) == (7, 2, 1)
    assert found["relations_by_type"]["DESCRIBES"] == 5
    assert store.entity_count() == 4


def test_each_question_is_one_statement(store: SqliteStore) -> None:
    keys = [one.key for one in store.texts()]
    relations = [row.key for row in store.relations(keys)]
    questions: list[Callable[[], Any]] = [
        lambda: store.relations(keys),
        lambda: store.relations(keys, predicates=["IS_A", "PART_OF"], direction="in", is_hidden_included=False),
        lambda: store.entities(keys),
        lambda: store.texts(keys),
        store.texts,
        lambda: store.evidence(relations),
        lambda: store.mentions(keys),
        lambda: store.documents_of(keys),
        store.documents,
        lambda: store.dates(keys),
        lambda: store.by_ids(["wal"]),
        lambda: store.vector_owners(keys),
        lambda: store.entity_vectors("e", keys),
        lambda: store.vectors_by_seq(keys),
    ]
    assert [len(statements(store, ask)) for ask in questions] == [1] * len(questions)
    # Names that are not ids cost one question for redirects and one for where they lead.
    assert len(statements(store, lambda: store.by_ids(["wal", "x", "y", "z"]))) == 3


def test_a_hundred_thousand_keys_are_one_question(store: SqliteStore) -> None:
    keys = range(MANY)
    asked = [f"name {number}" for number in keys]
    assert len(store.entities(keys)) == 4
    assert len(store.relations(keys)) == 2
    assert len(store.relations(keys, direction="out", predicates=PREDICATES)) == 2
    assert len(list(store.texts(keys))) == 4
    assert len(store.documents_of(keys)) == len(store.mentions(keys)) == 4
    assert len(store.dates(keys)) == 3
    assert len(store.evidence(keys)) == 2
    assert store.by_ids([*asked, "wal"]).keys() == {"wal"}
    assert store.by_name_keys([*asked, "wal"]).keys() == {"wal"}
    assert store.vector_owners(keys) == store.entity_vectors("e", keys) == store.vectors_by_seq(keys) == []
    assert not store.is_vector_missing("e", keys)
    store.record_shown(keys, at="2026-03-02T00:00:00.000000Z")
    assert {one.shown_count for one in store.entities(keys).values()} == {1}


@pytest.mark.slow
def test_a_hundred_thousand_entities_are_archived_deleted_and_brought_back() -> None:
    with open_store(":memory:") as store:
        every = [f"c{number}" for number in range(MANY)]
        do(store, "register", registration(concept(name, "d") for name in every))
        assert do(store, "archive", {"ids": every}).skipped == ()
        assert store.counts()["archived_concepts"] == MANY
        gone = do(store, "delete", {"ids": every})
        assert (store.entity_count(), len(gone.changed)) == (0, MANY)
        back = do(store, "undo", {"targets": [gone.record.id]})
        assert (store.entity_count(), len(back.changed), back.skipped) == (MANY, MANY, ())


def test_a_broken_value_is_damage(store: SqliteStore) -> None:
    store.connection.execute("UPDATE evidence SET selector = '{'")
    with pytest.raises(StoreError, match="damaged"):
        store.evidence(range(9))
