"""From any bytes to an event or to none, with every oddity told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.surfaces.hooks.hosts import NAMES, host_named
from trivium.surfaces.hooks.protocol import KINDS
from trivium.surfaces.hooks.reading import MAX_BYTES, read_event

CLAUDE = host_named("claude")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def sent(**values: Any) -> bytes:
    return json.dumps(values).encode()


def test_every_field() -> None:
    told = read_event(
        CLAUDE,
        "Stop",
        sent(
            session_id="s",
            cwd="/w",
            transcript_path="/t",
            hook_event_name="Stop",
            stop_hook_active=True,
            last_assistant_message="done",
            reason="r",
        ),
    )
    event = told.event
    assert event is not None
    assert (event.host, event.name, event.kind) == ("claude", "Stop", "stop")
    assert (event.session, event.cwd, event.transcript, event.message) == ("s", "/w", "/t", "done")
    assert event.is_repeat
    assert told.problems == []


@pytest.mark.parametrize(
    ("host", "values", "field", "expected"),
    [
        ("cursor", {"conversation_id": "c", "session_id": "s"}, "session", "c"),
        ("cursor", {"workspace_roots": ["/a", "/b"], "prompt": "p"}, "cwd", "/a"),
        ("cursor", {"workspace_roots": [3, "/b"], "prompt": "p"}, "cwd", "/b"),
        ("cursor", {"tool_input": '{"a": 1}'}, "tool_input", {"a": 1}),
        ("cursor", {"loop_count": 2}, "is_repeat", True),
        ("cursor", {"loop_count": 0}, "is_repeat", False),
        ("gemini", {"prompt_response": "done"}, "message", "done"),
        ("claude", {"tool_input": "ls -l"}, "tool_input", {"input": "ls -l"}),
        ("claude", {"session_id": 12}, "session", "12"),
        ("claude", {"prompt": "a\ud800b"}, "prompt", "a?b"),
        ("claude", {"trigger": "auto"}, "source", "auto"),
    ],
)
def test_names_and_forms_of_the_hosts(host: str, values: dict[str, Any], field: str, expected: Any) -> None:
    event = read_event(host_named(host), next(iter(host_named(host).events)), sent(**values)).event
    assert event is not None
    assert getattr(event, field) == expected


def test_the_event_that_was_fired_counts() -> None:
    told = read_event(CLAUDE, "Stop", sent(hook_event_name="UserPromptSubmit", prompt="p"))
    assert told.event is not None
    assert told.event.name == "UserPromptSubmit"
    assert told.problems == ["the command is for Stop, the input says UserPromptSubmit"]
    unknown = read_event(CLAUDE, "Stop", sent(hook_event_name="Brandnew", session_id="s"))
    assert unknown.event is not None
    assert unknown.event.name == "Stop"
    assert read_event(CLAUDE, "", sent(hook_event_name="Brandnew")).event is None


def test_too_much() -> None:
    told = read_event(CLAUDE, "Stop", b" " * (MAX_BYTES + 1))
    assert told.event is None
    assert not told.is_malformed
    assert "larger than" in told.problems[0]


@given(st.sampled_from(NAMES), st.data())
def test_any_object_is_an_event_or_none(host: str, data: st.DataObject) -> None:
    table = host_named(host)
    names = sorted({name for every in table.fields.values() for name in every})
    values = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=6))
    name = data.draw(st.sampled_from([*table.events, "", "Strange"]))
    told = read_event(table, name, json.dumps(values).encode())
    if told.event is None:
        assert told.problems
        return
    assert told.event.kind in KINDS
    assert told.event.name in table.events
    for key in ("session", "cwd", "prompt", "tool_name", "message"):
        getattr(told.event, key).encode("utf-8")
    assert isinstance(told.event.tool_input, dict)


@given(st.binary(max_size=60))
def test_any_bytes_are_taken(data: bytes) -> None:
    told = read_event(CLAUDE, "Stop", data)
    assert told.event is not None or told.problems
