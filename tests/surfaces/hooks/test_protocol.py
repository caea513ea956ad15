"""Answers take the form that each host reads, with nothing in it that the host does not know."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.surfaces.hooks.encoding import LATE, encoded, late, neutral
from trivium.surfaces.hooks.hosts import NAMES, host_named
from trivium.surfaces.hooks.protocol import KINDS, Answer, encode


def carried(event: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "C"}, "systemMessage": "N"}


def made(host: str, event: str) -> dict[str, Any]:
    table = host_named(host)
    answer = Answer("C", again="A", notice="N")
    answer.watch = ["/w"]
    return encode(table, event, table.events[event], answer)


@pytest.mark.parametrize(
    ("host", "event", "expected"),
    [
        (
            "claude",
            "UserPromptSubmit",
            {
                "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "C"},
                "systemMessage": "N",
            },
        ),
        (
            "claude",
            "SessionStart",
            {
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": "C",
                    "watchPaths": ["/w"],
                },
                "systemMessage": "N",
            },
        ),
        ("claude", "Stop", {"decision": "block", "reason": "A", "systemMessage": "N"}),
        ("claude", "PreCompact", {"systemMessage": "N"}),
        ("claude", "SessionEnd", {"systemMessage": "N"}),
        ("codex", "SessionStart", carried("SessionStart")),
        ("codex", "PostCompact", {"systemMessage": "N"}),
        ("codex", "Interrupt", {"systemMessage": "N"}),
        ("gemini", "BeforeAgent", carried("BeforeAgent")),
        ("gemini", "AfterAgent", {"decision": "deny", "reason": "A", "systemMessage": "N"}),
        ("gemini", "BeforeToolSelection", {}),
        ("cursor", "sessionStart", {"additional_context": "C"}),
        ("cursor", "beforeSubmitPrompt", {"continue": True}),
        ("cursor", "preToolUse", {}),
        ("cursor", "stop", {"followup_message": "A"}),
    ],
)
def test_forms(host: str, event: str, expected: dict[str, Any]) -> None:
    assert made(host, event) == expected


@pytest.mark.parametrize("host", NAMES)
def test_answers_without_words(host: str) -> None:
    table = host_named(host)
    for name, rule in table.events.items():
        assert rule.kind in KINDS
        assert encoded(table, name, rule, Answer()) == neutral(rule)
        assert late(table, rule) in (neutral(rule), f'{{"{table.notice}": "{LATE}"}}\n'.encode())
        assert 0 < rule.deadline_s <= 3


def test_sizes_are_counted_as_the_hosts_count() -> None:
    assert host_named("claude").size("a\U0001f600\u3042") == 4
    assert host_named("codex").size("a\U0001f600\u3042") == 8


def test_other_hosts_are_not_known() -> None:
    with pytest.raises(KeyError):
        host_named("emacs")
