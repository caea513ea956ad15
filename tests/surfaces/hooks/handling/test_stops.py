"""Stop rules ask the agent to go on once, and never twice in a row."""

from __future__ import annotations

import json
from typing import Any

import pytest

STOPS = [("claude", "Stop"), ("claude", "SubagentStop"), ("codex", "Stop"), ("codex", "SubagentStop")]
WORDS = "I left a TODO for later"


@pytest.mark.parametrize(("host", "event"), STOPS)
def test_a_second_stop_in_a_row_is_let_through(host: str, event: str, taught: Any) -> None:
    taught.set(hook_stop="on")
    told = {"session_id": "s", "cwd": str(taught.project), "last_assistant_message": WORDS}
    reply = taught.run(host, event, {**told, "stop_hook_active": False})
    assert reply.json["decision"] == "block"
    assert "Finish what was put off" in reply.json["reason"]
    assert reply.status == 0
    assert taught.run(host, event, {**told, "stop_hook_active": True}).out == b"{}\n"
    assert taught.run(host, event, {**told, "stop_hook_active": "perhaps"}).out == b"{}\n"


def test_it_is_off_until_it_is_asked_for(taught: Any) -> None:
    told = {"session_id": "s", "cwd": str(taught.project), "last_assistant_message": WORDS}
    assert taught.run("claude", "Stop", told).out == b"{}\n"


def test_the_words_of_other_hosts(taught: Any) -> None:
    taught.set(hook_stop="on")
    reply = taught.run(
        "gemini", "AfterAgent", {"session_id": "s", "cwd": str(taught.project), "prompt_response": WORDS}
    )
    assert reply.json["decision"] == "deny"
    told = {"conversation_id": "s", "workspace_roots": [str(taught.project)], "status": "completed"}
    transcript = taught.project.parent / "talk.jsonl"
    transcript.write_text(json.dumps({"role": "assistant", "message": {"content": [{"type": "text", "text": WORDS}]}}))
    reply = taught.run("cursor", "stop", {**told, "loop_count": 0, "transcript_path": str(transcript)})
    assert "Finish what was put off" in reply.json["followup_message"]
    again = taught.run("cursor", "stop", {**told, "loop_count": 1, "transcript_path": str(transcript)})
    assert again.out == b"{}\n"


def test_the_words_in_a_real_transcript(taught: Any) -> None:
    taught.set(hook_stop="on")
    lines = [
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": WORDS}]}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash"}]}},
    ]
    transcript = taught.project.parent / "talk.jsonl"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = {"session_id": "s", "cwd": str(taught.project), "transcript_path": str(transcript)}
    assert taught.run("claude", "Stop", told).json["decision"] == "block"
    assert taught.run("claude", "Stop", {**told, "transcript_path": "/nowhere"}).out == b"{}\n"


def test_words_that_no_rule_is_about(taught: Any) -> None:
    taught.set(hook_stop="on")
    told = {"session_id": "s", "cwd": str(taught.project), "last_assistant_message": "The capital is Ulaanbaatar."}
    assert taught.run("claude", "Stop", told).out == b"{}\n"
    assert taught.ledger() == []
