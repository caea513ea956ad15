"""Batches: one payload, arrays and lines, what is kept of them, and that nothing else ever comes out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import PayloadError
from trivium.model import PREDICATES
from trivium.sources.references import (
    ConceptInput,
    ParsedBatch,
    Payload,
    ReferenceInput,
    RelationInput,
    parse_payloads,
)
from trivium.sources.references.decoding import MAX_BYTES
from trivium.sources.references.values import MAX_PROBLEMS

TEXT = json.dumps(
    {
        "reference": {"url": "https://example.com/guide", "title": "Guide"},
        "concepts": [{"id": "Trie", "description": "a tree of prefixes"}],
        "relationships": [{"source": "Trie", "type": "IS_A", "target": "Index", "reason": "the guide says so"}],
    }
)
READ = Payload(
    ReferenceInput("https://example.com/guide", "Guide"),
    (ConceptInput("Trie", "a tree of prefixes"),),
    (RelationInput("Trie", "IS_A", "Index", "the guide says so"),),
)


def test_a_plain_payload_is_read_without_notices() -> None:
    assert parse_payloads(TEXT) == ParsedBatch((READ,), (), (), 0)
    assert parse_payloads(TEXT.encode()) == parse_payloads(json.dumps(json.loads(TEXT), indent=2))


@pytest.mark.parametrize(
    "data", [f"[{TEXT}, {TEXT}]", f"{TEXT}\n{TEXT}", f"\n{TEXT}\r\n\n{TEXT}\n", f"```jsonl\n{TEXT}\n{TEXT}\n```"]
)
def test_arrays_and_lines_are_batches(data: str) -> None:
    assert parse_payloads(data).payloads == (READ, READ)


def test_lines_that_end_in_commas_are_read() -> None:
    batch = parse_payloads(f"{TEXT},\n# the second\n{TEXT}")
    assert batch.payloads == (READ, READ)
    assert batch.notices == (f"trailing comma left out: line 1, column {len(TEXT) + 1}",)


def test_problems_of_a_batch_name_the_payload_and_the_line() -> None:
    broken = TEXT.replace("IS_A", "is_a")
    with pytest.raises(PayloadError) as in_array:
        parse_payloads(f"[{TEXT}, {broken}]")
    assert in_array.value.details[0].startswith("/1/relationships/0/type: ")
    with pytest.raises(PayloadError) as in_lines:
        parse_payloads(f"{TEXT}\n\n{broken}")
    assert in_lines.value.details[0].startswith("/1/relationships/0/type: line 3: ")


def test_lines_that_are_no_json() -> None:
    with pytest.raises(PayloadError) as one:
        parse_payloads(f"{TEXT}\n{TEXT[:40]}\n{TEXT}")
    assert one.value.message.startswith("Invalid JSON: line 2, column 41: the text ends early")
    with pytest.raises(PayloadError) as several:
        parse_payloads(f"oops\n{TEXT[:40]}\n{TEXT}")
    assert several.value.message == "Invalid JSON: 2 of 3 lines cannot be read"
    assert [line[:31] for line in several.value.details] == [
        "/0: Invalid JSON: line 1, colum",
        "/1: Invalid JSON: line 2, colum",
    ]


def test_keep_valid_leaves_out_a_payload_with_a_broken_reference() -> None:
    broken = TEXT.replace("https:", "nowhere ")
    batch = parse_payloads(f"{TEXT}\n{broken}\nno json\n{TEXT}", keep_valid=True)
    assert batch.payloads == (READ, READ)
    assert batch.skipped == 2
    assert [problem.path for problem in batch.problems] == ["/1/reference/url", "/2"]


def test_keep_valid_does_not_make_text_json() -> None:
    with pytest.raises(PayloadError, match="Invalid JSON: "):
        parse_payloads(TEXT[:-1], keep_valid=True)


def test_an_empty_array_holds_no_payload() -> None:
    with pytest.raises(PayloadError) as caught:
        parse_payloads("[]")
    assert caught.value.details == ("(root): holds no payload",)


def test_too_many_problems_are_counted() -> None:
    with pytest.raises(PayloadError) as caught:
        parse_payloads(json.dumps([0] * (MAX_PROBLEMS + 5)))
    assert caught.value.message == f"Schema validation failed: {MAX_PROBLEMS + 5} problems"
    assert len(caught.value.details) == MAX_PROBLEMS + 1
    assert "and 5 more problems" in caught.value.details[-1]


def test_an_input_that_is_too_large_is_refused_before_it_is_read() -> None:
    with pytest.raises(PayloadError, match=r"too large: 64\.0 MiB; at most 64 MiB"):
        parse_payloads(b" " * (MAX_BYTES + 1))


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "[" * 3000 + "]" * 3000, '["' * 9 + "\\" * 99_999])
def test_hostile_nesting_is_an_error_like_any_other(text: str) -> None:
    for keep_valid in (False, True):
        with pytest.raises(PayloadError):
            parse_payloads(text, keep_valid=keep_valid)


NAMES = st.text(st.sampled_from("abcXYZ 09-_./|#éß知識😀"), min_size=1, max_size=12).map(lambda t: f"k{t}k")
PROSE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).map(lambda t: f"{t}.")
CONCEPTS = st.builds(
    ConceptInput,
    NAMES,
    PROSE,
    st.none() | PROSE,
    st.lists(NAMES.map(lambda t: f"alias {t}"), unique=True, max_size=3).map(tuple),
    st.none() | NAMES,
    st.none() | PROSE,
)
RELATIONS = st.builds(
    RelationInput,
    *[NAMES, st.sampled_from(PREDICATES), NAMES.map(lambda t: f"other {t}"), PROSE, st.none() | PROSE],
    *[st.none() | st.floats(0, 1), st.none() | st.sampled_from(["deterministic", "llm", "user"])],
)
MOMENTS = st.none() | st.datetimes().map(lambda d: d.isoformat(timespec="milliseconds") + "Z")
REFERENCES = st.builds(
    ReferenceInput, NAMES.map(lambda t: "https://e.com/" + t.replace(" ", "")), PROSE, MOMENTS, MOMENTS
)
PAYLOADS = st.builds(
    Payload,
    REFERENCES,
    st.lists(CONCEPTS, min_size=1, max_size=4, unique_by=lambda c: " ".join(c.id.casefold().split())).map(tuple),
    st.lists(RELATIONS, max_size=4).map(tuple),
)


def as_json(payload: Payload) -> dict[str, Any]:
    """A payload in the documented spelling, absent values left out."""
    reference = payload.reference
    return {
        "reference": given_only(
            url=reference.url,
            title=reference.title,
            publishedAt=reference.published_at,
            fetchedAt=reference.fetched_at,
        ),
        "concepts": [given_only(**concept._asdict()) for concept in payload.concepts],
        "relationships": [
            given_only(
                source=r.subject,
                type=r.predicate,
                target=r.object,
                reason=r.reason,
                quote=r.quote,
                confidence=r.confidence,
                method=r.method,
            )
            for r in payload.relations
        ],
    }


def given_only(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


@given(PAYLOADS, st.booleans())
def test_a_valid_payload_comes_back_as_it_was(payload: Payload, is_ascii: bool) -> None:
    text = json.dumps(as_json(payload), ensure_ascii=is_ascii)
    assert parse_payloads(text.encode()) == ParsedBatch((payload,), (), (), 0)


@given(st.lists(st.tuples(PAYLOADS, st.booleans()), min_size=1, max_size=5), st.booleans())
def test_keep_valid_keeps_exactly_what_was_not_broken(rows: list[tuple[Payload, bool]], is_lines: bool) -> None:
    batch = [as_json(payload) for payload, _ in rows]
    for item, (_, is_broken) in zip(batch, rows, strict=True):
        if is_broken:
            item["concepts"].append({"id": "", "description": "d"})
            item["relationships"].insert(0, {"source": "a"})
    text = "\n".join(map(json.dumps, batch)) if is_lines else json.dumps(batch)
    read = parse_payloads(text, keep_valid=True)
    assert read.payloads == tuple(payload for payload, _ in rows)
    assert read.skipped == 2 * sum(is_broken for _, is_broken in rows)
    assert all(problem.path.startswith("/") for problem in read.problems)


KNOWN = "reference concepts relationships relations url title publishedAt id description details aliases type quote"
KEYS = st.sampled_from(
    [*KNOWN.split(" "), "source", "subject", "target", "reason", "confidence", "method", "predicate"]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["IS_A", "[1]", "{}", "[", "http://a", "2026-01-01T00:00:00Z", 10**400, "\ud800"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=6)
)


def outcome(data: str | bytes, keep_valid: bool) -> ParsedBatch | None:
    """What a caller gets, None for a PayloadError; anything else fails the test."""
    try:
        return parse_payloads(data, keep_valid=keep_valid)
    except PayloadError as error:
        told = [error.message, *error.details]
    lines = "\n".join(told).encode().decode().split("\n")
    assert all(told)
    assert len(lines) == len(told)
    return None


@given(VALUES, st.booleans())
def test_any_json_is_read_or_refused(value: Any, keep_valid: bool) -> None:
    got = outcome(json.dumps(value), keep_valid)
    if got is not None:
        assert keep_valid or not got.problems
        assert got.problems or not got.skipped


@given(st.text() | st.binary() | st.text(st.sampled_from("{}[]\",:\\/*#` \n1-.eNn'…")), st.booleans())
def test_any_input_is_read_or_refused(data: str | bytes, keep_valid: bool) -> None:
    outcome(data, keep_valid)


@given(PAYLOADS, st.integers(0, 2000), st.integers(0, 30), st.text(st.sampled_from('{}[]",:\\\n x0`'), max_size=3))
def test_a_damaged_payload_is_read_or_refused(payload: Payload, place: int, length: int, new: str) -> None:
    text = json.dumps(as_json(payload), ensure_ascii=False)
    place %= len(text)
    outcome(text[:place] + new + text[place + length :], keep_valid=True)
