"""Journal records: named by their content, refused when they could not be folded, one line each."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.lives import START, concept, registration, relation
from tests.strategies import Step, histories, texts

from trivium.errors import PayloadError
from trivium.model import Record
from trivium.store import records


def made(op: str = "archive", payload: dict[str, Any] | None = None, at: str = START) -> Record:
    return records.make(op, payload or {"ids": ["A"]}, at=at, actor="me", session="s")[0]


@given(histories(), texts(), texts())
def test_a_line_gives_back_its_record(history: list[Step], actor: str, session: str) -> None:
    for step in history:
        payload = step.payload or {"targets": ["0" * 32]}
        record, text = records.make(step.op, payload, at=START, actor=actor, session=session)
        line = records.encode(record, text)
        assert line == records.encode(record)
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        assert records.decode(line) == record


def test_the_id_is_the_same_whatever_the_order_of_the_keys() -> None:
    assert records.record_id(START, "a", "s", "op", {"x": 1, "y": [2]}) == records.record_id(
        START, "a", "s", "op", {"y": [2], "x": 1}
    )
    # What is hashed is a promise to other machines: a change of it is a change of every id.
    text = '["2026-03-01T12:00:00.000000Z","a","s","archive",{"ids":["é"],"reason":""}]'
    wanted = hashlib.sha256(text.encode()).hexdigest()[:32]
    assert records.record_id(START, "a", "s", "archive", {"reason": "", "ids": ["é"]}) == wanted


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_reason(line: bytes) -> None:
    assert isinstance(records.decode(line), str)


@given(st.integers(0, 400), st.binary(max_size=3), st.integers(0, 4))
def test_a_line_with_other_bytes_is_never_taken_for_a_record(place: int, other: bytes, removed: int) -> None:
    line = records.encode(made("register", registration([concept("A", details="é")], [relation("A", "IS_A", "A")])))
    changed = line[:place] + other + line[place + removed :]
    found = records.decode(changed)
    assert isinstance(found, str) or found == records.decode(line)


HOSTILE = [
    b"{}",
    b"[]",
    b"null",
    b"1e999",
    b'{"id":1,"at":2,"actor":3,"session":4,"op":5,"payload":6}',
    b"[" * 100_000,
    b'{"id":' * 50_000,
    b"<<<<<<< HEAD",
    b"\xff\xfe{\x00}\x00",
    b'{"id":"","at":"","actor":"","session":"","op":"","payload":{}}',
]


@pytest.mark.parametrize("line", HOSTILE)
def test_hostile_lines_are_refused(line: bytes) -> None:
    assert isinstance(records.decode(line), str)


@pytest.mark.parametrize(
    ("op", "payload"),
    [
        ("register", {}),
        ("register", {"reference": {"urn": "x"}, "concepts": [], "relations": []}),
        ("register", registration([{"id": "", "description": "d"}])),
        ("register", registration([{"id": "A", "description": None}])),
        ("register", registration([concept("A", aliases="B")])),
        ("register", registration([concept("A", selector=[])])),
        ("register", registration(["A"], [relation("A", "IS_A", "A", confidence=10**400)])),
        ("register", registration(["A"], [relation("A", "IS_A", "A", confidence=True)])),
        ("register", registration(["A"], published_at="soon")),
        ("register", registration(["A"], fetched_at="2026-02-30T00:00:00Z")),
        ("archive", {"ids": "A"}),
        ("delete", {"ids": [1]}),
        ("rename", {"id": "A"}),
        ("merge", {"into": None, "ids": []}),
        ("withdraw", {"url": {}}),
        ("unlink", {"relations": [["A", "IS_A", "B"]]}),
        ("undo", {"targets": [None]}),
    ],
)
def test_what_cannot_be_folded_is_refused_from_here_and_from_elsewhere(op: str, payload: dict[str, Any]) -> None:
    with pytest.raises(PayloadError) as refused:
        made(op, payload)
    assert refused.value.details
    forged = Record(records.record_id(START, "me", "s", op, payload), START, "me", "s", op, payload)
    assert isinstance(records.checked(forged), str)
    assert isinstance(records.decode(json.dumps(forged._asdict()).encode()), str)


def test_every_problem_is_named_with_its_place() -> None:
    with pytest.raises(PayloadError) as refused:
        made("register", registration([{"id": 1}, concept("A", details=2)]))
    assert refused.value.details == (
        "payload/concepts/0/id: must be a text that is not empty",
        "payload/concepts/0/description: is missing",
        "payload/concepts/1/details: must be a text",
    )


@pytest.mark.parametrize(
    "at",
    [
        "",
        "2026-03-01",
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00.000000",
        "2026-02-30T12:00:00.000000Z",
        "2026-03-01T12:00:00.000000Z\n",
        "٢026-03-01T12:00:00.000000Z",
        "9999-12-31T23:59:59.999999Z",
    ],
)
def test_a_time_that_none_can_follow_or_that_is_none_is_refused(at: str) -> None:
    assert not records.is_moment(at)
    with pytest.raises(PayloadError):
        made(at=at)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_text_that_is_not_unicode_is_refused(text: str) -> None:
    with pytest.raises(PayloadError, match="recorded") as refused:
        made("archive", {"ids": [text]})
    assert "surrogate" in refused.value.details[0]
    line = b'{"id":"0","at":"%s","actor":"","session":"","op":"archive","payload":{"ids":["\\ud800"]}}' % START.encode()
    assert records.decode(line) == "not a complete journal record"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_values_that_json_does_not_have_are_refused(value: object) -> None:
    with pytest.raises(PayloadError):
        made("archive", {"ids": ["A"], "more": value})


def test_an_operation_of_a_newer_program_is_kept_but_not_made() -> None:
    payload = {"anything": [1, {"x": None}]}
    with pytest.raises(PayloadError, match="recorded") as refused:
        made("transmute", payload)
    assert refused.value.details == ("operation 'transmute' is not known",)
    newer = Record(records.record_id(START, "", "", "transmute", payload), START, "", "", "transmute", payload)
    assert records.decode(records.encode(newer)) == newer
    assert records.keys_of(newer) == []


def test_keys_are_what_a_record_speaks_of_each_once() -> None:
    payload = registration(["A", "B"], [relation("A", "IS_A", "B"), relation("C", "IS_A", "A")], url="https://e.org/")
    assert records.keys_of(made("register", payload)) == ["https://e.org/", "A", "B", "C"]
    assert records.keys_of(made("merge", {"into": "A", "ids": ["B", "A"]})) == ["B", "A"]
    assert records.keys_of(made("rename", {"id": "A", "new_id": "B"})) == ["A", "B"]
    assert records.keys_of(made("undo", {"targets": ["1", "1"]})) == ["1"]


@pytest.mark.parametrize("line", [b"\xef\xbb\xbf%s", b"%s\r", b"  %s"])
def test_what_an_editor_adds_around_a_line_does_no_harm(line: bytes) -> None:
    record = made()
    assert records.decode(line % records.encode(record).strip()) == record
