"""Effects: what each operation does to the tables, and what it does when its target is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.store.lives import concept, content, do, ids, register, registration, relation

from trivium.errors import StoreError
from trivium.model import Entity, Record
from trivium.store import records
from trivium.store.sqlite.fold.apply import Fold
from trivium.store.sqlite.store import SqliteStore, open_store


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    with open_store(":memory:") as opened:
        yield opened
        assert opened.drift() == {}


def entity(store: SqliteStore, name: str) -> Entity:
    return store.by_ids([name])[name]


def aliases(store: SqliteStore, name: str) -> tuple[str, ...]:
    return next(store.texts([entity(store, name).key])).aliases


class TestRegister:
    def test_again_replaces_words_and_keeps_what_is_left_out(self, store: SqliteStore) -> None:
        register(store, concept("A", "old", details="kept", type="idea"), published_at="2025-01-01T00:00:00.000Z")
        first = entity(store, "A")
        again = register(store, concept("A", "new", quote="q"), title="Another title")
        now = entity(store, "A")
        assert (now.description, now.details, now.type, now.touch_count) == ("new", "kept", "idea", 2)
        assert (now.key, now.first_seen_at, now.last_seen_at) == (first.key, first.first_seen_at, again.record.at)
        document = store.document("https://example.org/page")
        assert document is not None
        assert (document.title, document.published_at) == ("Another title", "2025-01-01T00:00:00.000Z")
        assert again.changed == (now.key,)

    def test_the_same_again_changes_no_searched_text(self, store: SqliteStore) -> None:
        register(store, concept("A", aliases=["b"]))
        assert register(store, concept("A", aliases=["b"])).changed == ()

    def test_a_quote_goes_with_its_own_place(self, store: SqliteStore) -> None:
        key = register(store, concept("A", quote="one", selector={"start": 1})).changed[0]
        register(store, concept("A"))
        (kept,) = store.mentions([key])[key]
        assert (kept.quote, kept.selector) == ("one", {"start": 1})
        register(store, concept("A", quote="two"))
        (replaced,) = store.mentions([key])[key]
        assert (replaced.quote, replaced.selector) == ("two", None)

    def test_relations_gather_evidence_by_document(self, store: SqliteStore) -> None:
        for number, reason in enumerate(("first", "second")):
            row = relation("A", "IS_A", "B", reason, confidence=0.5, method="user")
            register(store, "A", "B", relations=[row], url=f"https://example.org/{number}")
        (found,) = store.relations([entity(store, "A").key])
        assert found.reason == "second"
        evidence = store.evidence([found.key])[found.key]
        assert [(one.document[-1], one.reason, one.method, one.confidence) for one in evidence] == [
            ("1", "second", "user", 0.5),
            ("0", "first", "user", 0.5),
        ]

    def test_an_end_that_is_not_stored_is_named(self, store: SqliteStore) -> None:
        applied = register(store, "A", relations=[relation("A", "IS_A", "nowhere")])
        assert applied.skipped == ("relation A -[IS_A]-> nowhere: 'nowhere' is not stored",)
        assert store.lost() == [(applied.record.id, applied.skipped[0])]

    def test_an_id_is_no_alias_of_itself(self, store: SqliteStore) -> None:
        register(store, concept("A", aliases=["A", "b", "b"]))
        assert aliases(store, "A") == ("b",)

    def test_a_self_relation_is_allowed(self, store: SqliteStore) -> None:
        register(store, "A", relations=[relation("A", "RELATED_TO", "A")])
        assert len(store.relations([entity(store, "A").key])) == 1


class TestArchive:
    def test_keeps_the_first_reason_until_another_is_given(self, store: SqliteStore) -> None:
        register(store, "A")
        do(store, "archive", {"ids": ["A"], "reason": "old"})
        do(store, "archive", {"ids": ["A"]})
        assert entity(store, "A").archive_reason == "old"
        do(store, "archive", {"ids": ["A"], "reason": "older"})
        assert entity(store, "A").archive_reason == "older"
        register(store, "A")
        assert entity(store, "A").is_hidden
        do(store, "unarchive", {"ids": ["A"]})
        assert (entity(store, "A").archived_at, entity(store, "A").archive_reason) == (None, None)

    def test_of_what_is_gone_is_named_and_the_rest_done(self, store: SqliteStore) -> None:
        register(store, "A")
        assert do(store, "archive", {"ids": ["x", "A"]}).skipped == ("archive: 'x' is not stored",)
        assert entity(store, "A").is_hidden
        assert do(store, "unarchive", {"ids": ["x"]}).skipped == ("unarchive: 'x' is not stored",)


class TestDelete:
    def test_takes_documents_that_describe_nothing_else(self, store: SqliteStore) -> None:
        register(store, "A", url="https://example.org/only")
        register(store, "A", "B", url="https://example.org/both")
        row = relation("B", "IS_A", "C")
        register(store, "C", relations=[row], url="https://example.org/evidence")
        do(store, "delete", {"ids": ["A", "C"]})
        assert [document.uri for document, _ in store.documents()] == ["https://example.org/both"]
        assert store.relations([entity(store, "B").key]) == []

    def test_a_deleted_id_is_free_again(self, store: SqliteStore) -> None:
        register(store, concept("A", details="old"))
        do(store, "rename", {"id": "A", "new_id": "B"})
        do(store, "delete", {"ids": ["A"]})
        register(store, "A", "B")
        assert entity(store, "A").key != entity(store, "B").key
        assert entity(store, "A").details is None


class TestRename:
    def test_leads_from_every_old_id(self, store: SqliteStore) -> None:
        register(store, concept("A", aliases=["C"]))
        do(store, "rename", {"id": "A", "new_id": "B"})
        do(store, "rename", {"id": "A", "new_id": "C"})
        assert {entity(store, name).id for name in "ABC"} == {"C"}
        assert aliases(store, "C") == ("A", "B")
        assert [found.id for found in store.resolve("a")] == ["C"]

    def test_there_and_back(self, store: SqliteStore) -> None:
        register(store, "A")
        do(store, "rename", {"id": "A", "new_id": "B"})
        do(store, "rename", {"id": "B", "new_id": "A"})
        assert ids(store) == {"A"}
        assert aliases(store, "A") == ("B",)

    def test_to_a_taken_id_is_named(self, store: SqliteStore) -> None:
        register(store, "A", "B")
        assert do(store, "rename", {"id": "A", "new_id": "B"}).skipped == ("rename: 'B' is taken",)
        assert do(store, "rename", {"id": "x", "new_id": "y"}).skipped == ("rename: 'x' is not stored",)
        assert do(store, "rename", {"id": "A", "new_id": "A"}).changed == ()
        assert ids(store) == {"A", "B"}

    def test_registering_an_old_id_means_the_renamed_entity(self, store: SqliteStore) -> None:
        register(store, "A")
        do(store, "rename", {"id": "A", "new_id": "B"})
        register(store, concept("A", "fresh words"), relations=[relation("A", "IS_A", "B")])
        assert ids(store) == {"B"}
        assert entity(store, "B").description == "fresh words"


class TestWithdraw:
    def test_gives_the_words_of_the_newest_source_left(self, store: SqliteStore) -> None:
        for number in (1, 2, 3):
            more = {"details": "of the first"} if number == 1 else {}
            row = relation("A", "IS_A", "B", f"reason {number}")
            concepts = [concept("A", f"words {number}", **more), "B"]
            do(store, "register", registration(concepts, [row], url=f"https://example.org/{number}"))
        applied = do(store, "withdraw", {"url": "https://example.org/3"})
        found = entity(store, "A")
        assert (found.description, found.details) == ("words 2", "of the first")
        assert [row.reason for row in store.relations([found.key])] == ["reason 2"]
        assert found.key in applied.changed
        do(store, "withdraw", {"url": "https://example.org/1"})
        assert entity(store, "A").details is None

    def test_hides_what_only_it_supported_until_it_is_registered_again(self, store: SqliteStore) -> None:
        register(store, "A", "B", relations=[relation("A", "IS_A", "B")])
        do(store, "withdraw", {"url": "https://example.org/page"})
        assert entity(store, "A").is_hidden
        assert store.relations([entity(store, "A").key]) == []
        assert store.documents() == []
        register(store, "A", url="https://example.org/other")
        assert not entity(store, "A").is_hidden

    def test_of_what_is_not_stored_is_named(self, store: SqliteStore) -> None:
        assert do(store, "withdraw", {"url": "urn:x"}).skipped == ("withdraw: 'urn:x' is not stored",)


def test_unlinking_takes_one_relation(store: SqliteStore) -> None:
    register(store, "A", "B", relations=[relation("A", "IS_A", "B"), relation("A", "PART_OF", "B")])
    link = {"subject": "A", "predicate": "IS_A", "object": "B"}
    assert do(store, "unlink", {"relations": [link]}).skipped == ()
    assert [row.predicate for row in store.relations([entity(store, "A").key])] == ["PART_OF"]
    gone = do(store, "unlink", {"relations": [link, {**link, "object": "x"}]})
    assert gone.skipped == ("unlink: there is no relation A -[IS_A]-> B", "unlink: 'x' is not stored")


def test_an_operation_of_a_newer_program_is_kept_and_passed_over(store: SqliteStore) -> None:
    register(store, "A")
    before = content(store)
    payload = {"ids": ["A"]}
    at = "2026-05-01T00:00:00.000000Z"
    newer = Record(records.record_id(at, "", "", "transmute", payload), at, "", "", "transmute", payload)
    count, applied = store.merge_records([newer])
    assert count == 1
    assert applied is not None
    assert applied.skipped == ("operation 'transmute' is not known to this version",)
    assert {**content(store), "lost": []} == before
    assert newer in list(store.records())


@pytest.mark.parametrize(
    ("op", "payload"),
    [
        ("register", {"reference": {"url": "u"}}),
        ("archive", {"ids": None}),
        ("rename", {"id": "A"}),
        ("unlink", {"relations": [1]}),
    ],
)
def test_a_damaged_record_is_an_error_that_says_which(store: SqliteStore, op: str, payload: dict[str, Any]) -> None:
    register(store, "A")

    def apply() -> None:
        with store.write():
            Fold(store.connection).apply(Record("abc", "2026-05-01T00:00:00.000000Z", "", "", op, payload))

    with pytest.raises(StoreError, match="record abc") as raised:
        apply()
    assert raised.value.hint
