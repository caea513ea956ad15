"""Registering: what is stored, what is refused, what is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trivium.api import Memory
from trivium.errors import EvidenceError, PayloadError

Make = Callable[..., dict[str, Any]]


def test_counts_and_kinds(memory: Memory, payload: Make) -> None:
    done = memory.ref.register(payload("https://a.example", {"A": "one", "B": "two"}, ("A", "PART_OF", "B")))
    (registered,) = done.references
    assert (registered.is_new, registered.concepts, registered.vectors) == (True, 2, 2)
    assert registered.relations == {"PART_OF": 1}
    assert not memory.ref.register(payload("https://a.example", {"A": "one"})).references[0].is_new


def test_unresolved_ends_write_nothing(memory: Memory, payload: Make) -> None:
    with pytest.raises(PayloadError) as caught:
        memory.ref.register(
            payload("https://a.example", {"A": "one"}, ("A", "PART_OF", "Ghost"), ("Ghost", "IS_A", "A"))
        )
    assert caught.value.details == ("unresolved id: Ghost", "unresolved id: Ghost")
    assert memory.ref.stats()["concepts"] == 0


def test_valid_records_are_kept_when_asked(memory: Memory, payload: Make) -> None:
    good = payload("https://a.example", {"A": "one"}, ("A", "PART_OF", "Ghost"))
    bad = payload("not an address", {"B": "two"})
    done = memory.ref.register([good, bad], keep_valid=True)
    assert [r.url for r in done.references] == ["https://a.example"]
    assert len(done.problems) >= 2
    assert done.skipped >= 2
    assert memory.ref.stats()["concepts"] == 1


def test_details_are_not_erased(memory: Memory, payload: Make) -> None:
    first = payload("https://a.example", {"A": "one"})
    first["concepts"][0]["details"] = "code"
    memory.ref.register(first)
    memory.ref.register(payload("https://b.example", {"A": "one, newer"}))
    entity = memory.ref.show("A").entity
    assert (entity.description, entity.details) == ("one, newer", "code")


def test_spellings_of_one_name_are_one_concept(memory: Memory, payload: Make) -> None:
    memory.ref.register(payload("https://a.example", {"Thalie": "a muse"}))
    for spelling in ("THALIE", "thalie ", "\uff34halie"):
        done = memory.ref.register(payload("https://a.example", {spelling: "a muse"}))
        assert done.references[0].concepts == 1
    assert memory.ref.stats()["concepts"] == 1
    view = memory.ref.show("tHALIE")
    assert view.entity.id == "Thalie"
    assert "THALIE" in view.aliases


def test_names_that_differ_in_signs_stay_apart(memory: Memory, payload: Make) -> None:
    memory.ref.register(payload("https://a.example", {"C": "one", "C++": "two", "C#": "three"}))
    assert memory.ref.stats()["concepts"] == 3


def test_a_batch_may_name_what_a_later_payload_brings(memory: Memory, payload: Make) -> None:
    first = payload("https://a.example", {"A": "one"}, ("A", "DEPENDS_ON", "B"))
    memory.ref.register([first, payload("https://b.example", {"B": "two"})])
    (relation,) = memory.ref.show("A").relations
    assert (relation.subject, relation.object) == ("A", "B")
    assert memory.ref.show("A").evidence[relation.key][0].document == "https://a.example"


def test_an_archived_concept_is_reported_when_it_comes_back(memory: Memory, payload: Make) -> None:
    memory.ref.register(payload("https://a.example", {"A": "one"}))
    memory.ref.archive(["A"], reason="old")
    assert memory.ref.register(payload("https://a.example", {"A": "one"})).references[0].archived == ("A",)
    assert memory.ref.show("A").entity.archive_reason == "old"


def test_similar_concepts_are_reported_in_and_across_payloads(memory: Memory, payload: Make) -> None:
    text = "state hook for functional components of the React library, returns a pair"
    done = memory.ref.register(payload("https://a.example", {"useState": text, "useStates": text}))
    assert [(s.id, s.existing) for s in done.references[0].similar] == [("useStates", "useState")]
    done = memory.ref.register(payload("https://b.example", {"useStatess": text}))
    assert done.references[0].similar[0].score >= 0.9
    assert not memory.ref.register(payload("https://b.example", {"useStatess": text})).references[0].similar


class TestQuotes:
    SOURCE = "WAL stands for write-ahead log.\nReaders do not block writers.\n"

    def quoted(self, payload: Make, quote: str) -> dict[str, Any]:
        made = payload(
            "https://a.example", {"WAL": "a log", "readers": "those who read"}, ("WAL", "RELATED_TO", "readers")
        )
        made["relationships"][0]["quote"] = quote
        return made

    def test_located(self, memory: Memory, payload: Make) -> None:
        memory.ref.register(self.quoted(payload, "Readers do not block writers."), source=self.SOURCE)
        view = memory.ref.show("WAL")
        (evidence,) = view.evidence[view.relations[0].key]
        assert evidence.quote == "Readers do not block writers."
        assert evidence.selector is not None
        assert self.SOURCE[evidence.selector["start"] : evidence.selector["end"]] == evidence.quote
        assert evidence.selector["line"] == 2

    def test_refused_with_the_nearest_passage(self, memory: Memory, payload: Make) -> None:
        with pytest.raises(EvidenceError) as caught:
            memory.ref.register(self.quoted(payload, "Readers never block the writers."), source=self.SOURCE)
        assert "Readers do not block writers." in caught.value.details[0]
        assert memory.ref.stats()["concepts"] == 0


def test_registering_again_embeds_nothing(memory: Memory, payload: Make) -> None:
    made = payload("https://a.example", {"A": "one", "B": "two"})
    memory.ref.register(made)
    before = memory.ref.stats()["vectors"]
    memory.ref.register(made)
    assert memory.ref.stats()["vectors"] == before == 2
