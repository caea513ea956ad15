"""Calls: what each tool answers, who may change something, and that no failure gets out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.config import load
from trivium.engine import Engine
from trivium.surfaces.mcp.answers import DEFAULT_CHARS, dumped
from trivium.surfaces.mcp.calls import Calls
from trivium.surfaces.mcp.tools import TOOLS

from .conftest import PAYLOAD


def rows(calls: Calls, name: str, **arguments: Any) -> list[dict[str, Any]]:
    outcome = calls.call(name, arguments)
    assert not outcome.is_error, outcome.page
    found: list[dict[str, Any]] = outcome.page["items"]
    return found


def failure(calls: Calls, name: str, **arguments: Any) -> dict[str, Any]:
    outcome = calls.call(name, arguments)
    assert outcome.is_error, outcome.page
    found: dict[str, Any] = outcome.page["error"]
    return found


def test_registering_says_what_was_stored(calls: Calls) -> None:
    (done,) = rows(calls, "register", **PAYLOAD)
    assert (done["concepts"], done["relations"], done["is_new"]) == (3, {"CONSUMES": 1, "REPLACES": 1}, True)
    (again,) = rows(calls, "register", **PAYLOAD)
    assert "is_new" not in again


def test_registering_takes_json_in_texts(calls: Calls) -> None:
    arguments = {name: json.dumps(value) for name, value in PAYLOAD.items() if name != "source_text"}
    (done,) = rows(calls, "register", **arguments)
    assert done["concepts"] == 3


def test_registering_refuses_with_every_place(calls: Calls) -> None:
    wrong = {**PAYLOAD, "concepts": [{"id": "a"}, {"description": "b"}]}
    outcome = calls.call("register", wrong)
    assert (outcome.is_error, outcome.page["error"]["code"]) == (True, "payload")
    told = " ".join(row["text"] for row in outcome.page["items"])
    assert "/concepts/0" in told
    assert "/concepts/1" in told
    assert rows(calls, "status")[0].get("concepts", 0) == 0


def test_a_quote_that_is_not_there_is_refused(calls: Calls) -> None:
    concepts = [{"id": "a", "description": "b", "quote": "not on that page"}]
    assert failure(calls, "register", **{**PAYLOAD, "concepts": concepts, "relationships": []})["code"] == "evidence"


def test_recall_marks_what_is_superseded(filled: Calls) -> None:
    found = {row["id"]: row for row in rows(filled, "recall", query="older way pages") if row["kind"] == "concept"}
    assert found["rollback journal"]["superseded_by"] == "WAL mode"
    assert found["rollback journal"]["sources"] == ["https://www.sqlite.org/wal.html"]


def test_recall_says_why_something_is_missing(filled: Calls) -> None:
    (absence,) = rows(filled, "recall", query="checkpoint", expected="WAL mode", limit="1")
    assert (absence["kind"], absence["gate"]) == ("absence", "below_threshold")


def test_showing_concepts_and_sources(filled: Calls) -> None:
    view = rows(filled, "show", id="wal MODE")
    assert [row["kind"] for row in view] == ["concept", "mention", "relation", "relation"]
    assert (view[1]["quote"], view[1]["line"]) == ("Readers do not block the writer.", 2)
    source, *described = rows(filled, "show", id="https://www.sqlite.org/wal.html")
    assert source["title"] == "Write-Ahead Logging"
    assert {row["id"] for row in described} == {"WAL mode", "checkpoint", "rollback journal"}
    assert failure(filled, "show", id="https://www.sqlite.org/wall.html")["code"] == "not_found"


def test_connecting(filled: Calls) -> None:
    around = rows(filled, "connect", id="WAL mode")
    assert [row["id"] for row in around if row["kind"] == "related"] == ["checkpoint", "rollback journal"]
    (path,) = rows(filled, "connect", id="checkpoint", to="rollback journal")
    assert path["ids"] == ["checkpoint", "WAL mode", "rollback journal"]
    assert rows(filled, "connect", id="checkpoint", to="rollback journal", types=["replaces"]) == []
    assert failure(filled, "connect", id="WAL mode", types="REPLACE")["hint"] == "Did you mean REPLACES?"


def test_curating_can_be_undone(filled: Calls) -> None:
    (change,) = rows(filled, "curate", action="archive", ids="checkpoint", reason="old")
    assert not [row for row in rows(filled, "recall", query="checkpoint", depth=0) if row["id"] == "checkpoint"]
    newest = rows(filled, "history", id="checkpoint")[0]
    assert newest["id"] == change["id"]
    rows(filled, "curate", action="undo", ids=[change["id"]])
    assert rows(filled, "recall", query="checkpoint", depth=0)[0]["id"] == "checkpoint"
    rows(filled, "curate", action="rename", ids=["checkpoint"], new_id="WAL checkpoint")
    assert rows(filled, "show", id="checkpoint")[0]["id"] == "WAL checkpoint"
    assert failure(filled, "curate", action="rename", ids=["WAL checkpoint"])["code"] == "usage"
    assert failure(filled, "curate", action="delete", ids=["WAL checkpoint"])["code"] == "usage"


def test_showing_is_counted_where_it_happened(filled: Calls) -> None:
    rows(filled, "recall", query="checkpoint", limit=1)
    with_count = Engine(load())
    space = with_count.concepts_to_read()
    assert space is not None
    assert space.store.by_ids(["checkpoint"])["checkpoint"].shown_count == 1
    with_count.close()


def test_who_is_not_trusted_only_reads(filled: Calls) -> None:
    refused = filled.call("curate", {"action": "archive", "ids": "checkpoint"}, is_trusted=False)
    assert (refused.is_error, refused.page["error"]["code"]) == (True, "conflict")
    assert not filled.call("show", {"id": "checkpoint"}, is_trusted=False).is_error
    reading = Calls(Engine(load()), is_read_only=True)
    assert reading.call("register", PAYLOAD).page["error"]["code"] == "conflict"


def test_a_defect_is_told_and_the_next_call_answered(filled: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(desk: object, values: object) -> dict[str, Any]:
        raise ZeroDivisionError("a defect of the program\x1b[2J")

    monkeypatch.setitem(TOOLS, "status", TOOLS["status"]._replace(run=broken))
    error = failure(filled, "status")
    assert (error["code"], "ZeroDivisionError" in error["message"]) == ("unexpected", True)
    assert "\x1b" not in error["message"]
    assert rows(filled, "show", id="checkpoint")


def test_a_damaged_store_is_told(filled: Calls, home: Any) -> None:
    for file in home.glob("concepts.db*"):
        file.write_bytes(b"not a database at all" * 500)
    assert failure(filled, "recall", query="checkpoint")["code"] == "store"


def test_long_refusals_fit_as_well(filled: Calls) -> None:
    outcome = filled.call("show", {"id": "n\x01" * 40_000, "max_chars": 1_000})
    assert outcome.is_error
    assert len(dumped(outcome.page)) <= 1_000
    many = {**PAYLOAD, "concepts": [{"id": f"c{number}"} for number in range(300)]}
    outcome = filled.call("register", many)
    assert len(dumped(outcome.page)) <= DEFAULT_CHARS
    assert filled.call("more", {"handle": outcome.page["more"]}).page["items"]


ARGUMENTS = st.dictionaries(
    st.sampled_from(["query", "id", "to", "limit", "depth", "max_chars", "ids", "action", "handle", "as_of", "types"]),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.lists(st.text(max_size=5)),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(st.sampled_from([name for name, tool in TOOLS.items() if tool.is_reading and name != "status"]), ARGUMENTS)
def test_whatever_is_sent_an_object_comes_back_that_fits(filled: Calls, name: str, arguments: dict[str, Any]) -> None:
    outcome = filled.call(name, arguments)
    assert outcome.page.get("error", {}).get("code") != "unexpected"
    asked = arguments.get("max_chars")
    most = asked if isinstance(asked, int) and 1_000 <= asked <= 40_000 else DEFAULT_CHARS
    assert len(dumped(outcome.page)) <= most
