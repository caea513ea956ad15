"""For each host and event: what it sends, what it is answered, through a process of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from trivium.surfaces.hooks.hosts import NAMES, host_named
from trivium.surfaces.hooks.protocol import SPECIFIC

# How relevant an entry is called changes with the ranking; that is tested elsewhere.
_RELEVANCE = re.compile(r"relevance: \d+%")

PAIRS = [(host, event) for host in NAMES for event in host_named(host).events]

# The keys that a host reads, by host; Codex refuses an answer with any other.
TOP = {
    "claude": {"systemMessage", "decision", "reason", SPECIFIC},
    "codex": {"systemMessage", "decision", "reason", SPECIFIC},
    "gemini": {"systemMessage", "decision", "reason", SPECIFIC},
    "cursor": {"continue", "additional_context", "followup_message"},
}
INNER = {
    "claude": {"hookEventName", "additionalContext", "watchPaths"},
    "codex": {"hookEventName", "additionalContext"},
    "gemini": {"hookEventName", "additionalContext"},
}


@pytest.mark.parametrize(("host", "event"), PAIRS)
def test_golden(host: str, event: str, taught: Any, golden: Callable[[str, str, str], str]) -> None:
    taught.set(hook_tools="on", hook_stop="on", hook_memories="takeover")
    reply = taught.run(host, event, taught.filled(golden(host, event, "in")).encode())
    assert reply.status == 0, reply.err
    assert reply.err == ""
    if host_named(host).events[event].is_silent:
        assert reply.out == b""
        assert golden(host, event, "out").strip() == '""'
        return
    assert reply.out.endswith(b"\n")
    assert reply.out.count(b"\n") == 1
    expected = json.loads(taught.filled(golden(host, event, "out")))
    assert json.loads(_RELEVANCE.sub("", json.dumps(reply.json))) == json.loads(
        _RELEVANCE.sub("", json.dumps(expected))
    )
    assert set(reply.json) <= TOP[host]
    if SPECIFIC in reply.json:
        assert set(reply.json[SPECIFIC]) <= INNER[host]
        assert reply.json[SPECIFIC]["hookEventName"] == event
    assert host_named(host).size(reply.context) <= host_named(host).cap
    assert taught.log() == ""


def test_every_pair_has_its_files(golden: Callable[[str, str, str], str]) -> None:
    for host, event in PAIRS:
        sent = json.loads(golden(host, event, "in"))
        assert sent["hook_event_name"] == event
        assert isinstance(json.loads(golden(host, event, "out")), dict | str)
