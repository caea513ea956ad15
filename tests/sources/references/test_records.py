"""Records: every problem at its pointer, twins, and what is kept when something is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trivium.errors import PayloadError
from trivium.sources.references import (
    ConceptInput,
    Payload,
    ReferenceInput,
    RelationInput,
    parse_payloads,
)

REFERENCE = {"url": "https://example.com/guide", "title": "Guide"}
CONCEPTS = [{"id": "Trie", "description": "a tree of prefixes"}, {"id": "Index", "description": "finds rows"}]
RELATIONS = [{"source": "Trie", "type": "IS_A", "target": "Index", "reason": "the guide says so"}]
VALID: dict[str, Any] = {"reference": REFERENCE, "concepts": CONCEPTS, "relationships": RELATIONS}
READ = Payload(
    ReferenceInput("https://example.com/guide", "Guide"),
    (ConceptInput("Trie", "a tree of prefixes"), ConceptInput("Index", "finds rows")),
    (RelationInput("Trie", "IS_A", "Index", "the guide says so"),),
)


def test_every_problem_is_told_not_only_the_first() -> None:
    payload = {"reference": {"url": "x", "date": 3}, "concepts": [{}, {"id": 1}], "relationships": [{"type": "is a"}]}
    with pytest.raises(PayloadError) as caught:
        parse_payloads(json.dumps(payload))
    assert caught.value.message == f"Schema validation failed: {len(caught.value.details)} problems"
    pointers = [line.partition(": ")[0] for line in caught.value.details]
    assert pointers == [
        *["/reference", "/reference/date", "/reference/url"],
        *["/concepts/0", "/concepts/0", "/concepts/1", "/concepts/1/id"],
        *["/relationships/0"] * 3,
        "/relationships/0/type",
    ]


def with_ids(*ids: str) -> dict[str, Any]:
    """A payload of concepts with these ids."""
    return {**VALID, "concepts": [{"id": name, "description": "d"} for name in ids], "relationships": []}


@pytest.mark.parametrize(
    ("ids", "details"),
    [
        (("A", "B", "A", "A"), ("A",)),
        (("A", "a"), ("A = a",)),
        (("THALIE", "Thalie", "thalie ", "Ｔhalie", "other"), ("THALIE = Thalie = thalie = Ｔhalie",)),
        (("é", "e\u0301", "x", "x"), ("é", "x")),
        (("two words", "two   words"), ("two words = two   words",)),
        (("Straße", "STRASSE"), ("Straße = STRASSE",)),
    ],
)
def test_twins_in_one_payload_are_refused(ids: tuple[str, ...], details: tuple[str, ...]) -> None:
    with pytest.raises(PayloadError) as caught:
        parse_payloads(json.dumps(with_ids(*ids)))
    assert caught.value.message == "Duplicate concept ids"
    assert caught.value.details == details


def test_twins_of_a_batch_say_where() -> None:
    with pytest.raises(PayloadError) as caught:
        parse_payloads(json.dumps([VALID, with_ids("A", "B", "A")]))
    assert caught.value.details == ("A (/1/concepts/0/id, /1/concepts/2/id)",)


def test_the_same_id_in_two_payloads_is_no_twin() -> None:
    assert len(parse_payloads(json.dumps([VALID, VALID])).payloads) == 2


def test_twins_beside_another_problem_are_lines_among_others() -> None:
    payload = with_ids("A", "a")
    payload["extra"] = 1
    with pytest.raises(PayloadError) as caught:
        parse_payloads(json.dumps(payload))
    assert caught.value.message == "Schema validation failed: 2 problems"
    assert caught.value.details[1].startswith('/concepts/1/id: Duplicate concept id "a", given first at /concepts/0/id')


def test_keep_valid_keeps_the_first_of_twins() -> None:
    batch = parse_payloads(json.dumps(with_ids("A", "B", "a")), keep_valid=True)
    assert [concept.id for concept in batch.payloads[0].concepts] == ["A", "B"]
    assert (batch.skipped, [problem.path for problem in batch.problems]) == (1, ["/concepts/2/id"])


def test_keep_valid_leaves_out_single_records() -> None:
    wrong = {**RELATIONS[0], "type": "isa"}
    payload = {
        **VALID,
        "concepts": [*CONCEPTS, {"id": "Bad", "description": ""}],
        "relationships": [wrong, *RELATIONS],
    }
    batch = parse_payloads(json.dumps(payload), keep_valid=True)
    assert batch.payloads == (READ,)
    assert batch.skipped == 2
    assert [problem.path for problem in batch.problems] == ["/concepts/2/description", "/relationships/0/type"]
    assert batch.problems[1].hint == "did you mean IS_A?"


@pytest.mark.parametrize(
    ("value", "concepts", "relations"),
    [
        ({**VALID, "relationships": {}}, 2, 0),
        ({**VALID, "relations": []}, 2, 0),
        ({**VALID, "concepts": "Trie"}, 0, 1),
        ({**VALID, "notes": "x"}, 2, 1),
        ({"reference": REFERENCE, "concepts": CONCEPTS}, 2, 0),
        ({"reference": REFERENCE, "relations": RELATIONS}, 0, 1),
    ],
)
def test_keep_valid_keeps_the_other_sections(value: dict[str, Any], concepts: int, relations: int) -> None:
    batch = parse_payloads(json.dumps(value), keep_valid=True)
    (payload,) = batch.payloads
    assert (len(payload.concepts), len(payload.relations), batch.skipped) == (concepts, relations, 1)
    assert len(batch.problems) == 1


def test_keep_valid_drops_a_payload_of_which_nothing_is_left() -> None:
    batch = parse_payloads(json.dumps({**VALID, "concepts": [3], "relationships": []}), keep_valid=True)
    assert (batch.payloads, batch.skipped, len(batch.problems)) == ((), 1, 1)


def test_both_spellings_of_every_key_read_alike() -> None:
    full = {
        "reference": {
            "url": "urn:isbn:0-306-40615-2",
            "title": "T",
            "publishedAt": "2024-02-29T23:00:00.5-01:00",
            "fetchedAt": "2026-01-01T00:00:00Z",
        },
        "concepts": [{"id": "A", "description": "d", "aliases": ["a1", "A", "a1"], "type": "tool", "quote": "q"}],
        "relationships": [
            {
                "source": "A",
                "type": "SAME_AS",
                "target": "B",
                "reason": "r",
                "quote": "q",
                "confidence": 1,
                "method": "user",
            }
        ],
    }
    text = json.dumps(full)
    twins = text
    for name, twin in [
        *[("publishedAt", "published_at"), ("fetchedAt", "fetched_at"), ("relationships", "relations")],
        *[("source", "subject"), ("target", "object"), ('type": "SAME', 'predicate": "SAME')],
    ]:
        twins = twins.replace(f'"{name}', f'"{twin}')
    assert twins != text
    assert parse_payloads(text) == parse_payloads(twins)
    assert parse_payloads(text).payloads == (
        Payload(
            ReferenceInput("urn:isbn:0-306-40615-2", "T", "2024-03-01T00:00:00.500Z", "2026-01-01T00:00:00.000Z"),
            (ConceptInput("A", "d", None, ("a1",), "tool", "q"),),
            (RelationInput("A", "SAME_AS", "B", "r", "q", 1.0, "user"),),
        ),
    )


def test_a_relation_of_a_concept_to_itself_is_told() -> None:
    batch = parse_payloads(json.dumps({**VALID, "relationships": [{**RELATIONS[0], "target": "Trie"}]}))
    assert batch.notices == ('relation of a concept to itself: /relationships/0: "Trie"',)


def test_notices_of_one_kind_are_told_together() -> None:
    concepts = [{"id": f"c{n}", "description": "d", "details": None} for n in range(12)]
    batch = parse_payloads(json.dumps({**VALID, "concepts": concepts}))
    assert len(batch.notices) == 6
    assert batch.notices[-1] == "null read as not given: and 7 more"
