"""Curating: every change is a record, and every record can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trivium.api import Memory
from trivium.errors import AmbiguousError, ConflictError, NotFoundError, UsageError

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def filled(memory: Memory, payload: Make) -> Memory:
    memory.ref.register(payload("https://a.example", {"A": "apples", "B": "bananas"}, ("A", "PART_OF", "B")))
    memory.ref.register(
        payload("https://b.example", {"B": "bananas, newer", "C": "cherries"}, ("B", "DEPENDS_ON", "C"))
    )
    return memory


def state(memory: Memory) -> Any:
    page = memory.ref.list(order="id", is_archived_included=True)
    rows = []
    for e in page.items:
        relations = [(r.subject, r.predicate, r.object, r.reason) for r in memory.ref.show(e.id).relations]
        rows.append((e[1:5], e.archived_at, e.archive_reason, e.withdrawn_at, e.touch_count, relations))
    return rows


@pytest.mark.parametrize(
    "change",
    [
        lambda ref: ref.archive(["A", "B"], reason="old"),
        lambda ref: ref.delete(["A", "B", "C"]),
        lambda ref: ref.rename("A", "Z"),
        lambda ref: ref.merge("A", ["B", "C"]),
        lambda ref: ref.withdraw("https://a.example"),
        lambda ref: ref.unlink("A", "PART_OF", "B"),
        lambda ref: ref.prune(older_than_days=0, max_touches=9, is_applied=True),
    ],
)
def test_every_change_can_be_undone_and_redone(filled: Memory, change: Callable[[Any], Any]) -> None:
    before = state(filled)
    change(filled.ref)
    after = state(filled)
    assert after != before
    undone = filled.undo(last=1)
    assert state(filled) == before
    filled.undo([undone.record])
    assert state(filled) == after
    assert filled.ref.search("apples").query == "apples"


def test_search_follows_undo(filled: Memory) -> None:
    filled.ref.delete(["A"])
    assert "A" not in [h.id for h in filled.ref.search("apples").hits]
    filled.undo(last=1)
    first = filled.ref.search("apples").hits[0]
    assert (first.id, first.cosine is not None) == ("A", True)


def test_archive_keeps_the_first_reason(filled: Memory) -> None:
    filled.ref.archive(["A"], reason="first")
    filled.ref.archive(["A"])
    assert filled.ref.show("A").entity.archive_reason == "first"
    filled.ref.archive(["A"], reason="second")
    assert filled.ref.show("A").entity.archive_reason == "second"
    filled.ref.unarchive(["A"])
    assert filled.ref.show("A").entity.archived_at is None


def test_renamed_and_merged_ids_still_lead_there(filled: Memory, payload: Make) -> None:
    filled.ref.rename("A", "Apples")
    filled.ref.merge("Apples", ["C"])
    assert filled.ref.show("A").entity.id == filled.ref.show("C").entity.id == "Apples"
    filled.ref.register(payload("https://c.example", {"D": "dates"}, ("D", "RELATED_TO", "C")))
    assert filled.ref.show("D").relations[0].object == "Apples"
    with pytest.raises(ConflictError):
        filled.ref.rename("D", "B")


def test_withdrawing_takes_only_what_the_source_supports(filled: Memory) -> None:
    filled.ref.withdraw("https://b.example")
    b, c = filled.ref.show("B"), filled.ref.show("C")
    assert b.entity.description == "bananas"
    assert c.entity.withdrawn_at is not None
    assert [(r.subject, r.predicate) for r in b.relations] == [("A", "PART_OF")]
    with pytest.raises(NotFoundError) as caught:
        filled.ref.withdraw("https://a.exampl")
    assert caught.value.details == ("near: https://a.example",)


def test_names_are_never_guessed(filled: Memory, payload: Make) -> None:
    made = payload("https://c.example", {"X": "one", "Y": "two"})
    for concept in made["concepts"]:
        concept["aliases"] = ["both"]
    filled.ref.register(made)
    with pytest.raises(AmbiguousError) as caught:
        filled.ref.archive(["both"])
    assert set(caught.value.details) == {"X", "Y"}


def test_prune(filled: Memory, clock: Any) -> None:
    dry = filled.ref.prune(older_than_days=0)
    assert [e.id for e in dry.candidates] == ["A", "C"]
    assert filled.ref.stats()["concepts"] == 3
    filled.ref.prune(older_than_days=0, max_touches=2, is_applied=True)
    stats = filled.ref.stats()
    assert (stats["concepts"], stats["references"]) == (0, 0)
    assert filled.ref.prune(older_than_days=1e9).candidates == ()
    with pytest.raises(UsageError):
        filled.ref.prune(older_than_days=-1)


def test_history_follows_a_concept_through_its_names(filled: Memory) -> None:
    filled.ref.rename("A", "Apples")
    filled.ref.archive(["Apples"], reason="x")
    assert [event.summary for event in filled.history("Apples")] == [
        "archive Apples (x)",
        "rename A to Apples",
        "register https://a.example: 2 concepts, 1 relations",
    ]


def test_undo_refuses_what_it_cannot_do(filled: Memory) -> None:
    with pytest.raises(NotFoundError):
        filled.undo(["ffff"])
    with pytest.raises(UsageError):
        filled.undo()
    first = filled.history()[-1].record.id
    filled.undo([first[:8]])
    with pytest.raises(UsageError):
        filled.undo([first])


def test_duplicates_queue(memory: Memory, payload: Make) -> None:
    memory.ref.register(
        payload(
            "https://a.example", {"write-ahead log": "a log", "Write Ahead Log": "journal file", "C": "x", "C++": "y"}
        )
    )
    pairs, _ = memory.ref.duplicates(threshold=0.99)
    assert [(p.first, p.second) for p in pairs] == [("write-ahead log", "Write Ahead Log")]
    memory.ref.register(
        payload("https://a.example", {}, ("write-ahead log", "SAME_AS", "Write Ahead Log"))
        | {"concepts": [{"id": "C", "description": "x"}]}
    )
    assert memory.ref.duplicates(threshold=0.99)[0] == []
