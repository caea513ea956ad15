"""Sessions begin, forget and end; what their transcripts prove goes into the ledger."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import pytest

INSTALL = "install dependencies"


@pytest.mark.parametrize(
    ("host", "event", "told", "is_forgotten"),
    [
        ("claude", "PostCompact", {"compact_summary": "short"}, True),
        ("claude", "PreCompact", {"trigger": "auto"}, True),
        ("claude", "SessionStart", {"source": "clear"}, True),
        ("claude", "SessionStart", {"source": "compact"}, True),
        ("claude", "SessionStart", {"source": "resume"}, False),
        ("codex", "PostCompact", {"trigger": "auto"}, True),
        ("codex", "SessionStart", {"source": "resume"}, False),
        ("gemini", "PreCompress", {"trigger": "auto"}, True),
        ("gemini", "SessionStart", {"source": "clear"}, True),
    ],
)
def test_what_the_agent_lost_is_given_again(
    host: str, event: str, told: dict[str, str], is_forgotten: bool, taught: Any
) -> None:
    taught.prompt(INSTALL, host=host)
    taught.run(host, event, {"session_id": "s", "cwd": str(taught.project), **told})
    assert ("Always use pnpm" in taught.prompt(INSTALL, host=host).context) is is_forgotten


def test_claude_watches_the_guidance_and_reads_it_when_it_changes(taught: Any) -> None:
    cwd = str(taught.project)
    answer = taught.run("claude", "SessionStart", {"session_id": "s", "source": "startup", "cwd": cwd}).json
    watched = answer["hookSpecificOutput"]["watchPaths"]
    rules = taught.user / ".claude" / "rules"
    assert str(rules) in watched
    (rules / "new.md").write_text("---\nname: new\nqueries:\n  - sail the harbour\n---\nUse the tide.\n")
    told = {"session_id": "s", "cwd": cwd, "file_path": str(rules / "new.md"), "event": "add"}
    assert taught.run("claude", "FileChanged", told).out == b"{}\n"
    assert "Use the tide." in taught.prompt("sail the harbour").context


def test_old_sessions_are_swept_away(taught: Any) -> None:
    taught.prompt(INSTALL, session="old")
    [old] = (taught.home / "sessions").iterdir()
    past = time.time() - 30 * 86_400
    os.utime(old, (past, past))
    taught.prompt(INSTALL, session="new")
    taught.run("claude", "SessionStart", {"session_id": "x", "source": "startup", "cwd": str(taught.project)})
    assert not old.exists()
    assert list((taught.home / "sessions").iterdir())


def record(kind: str, **message: Any) -> str:
    return json.dumps({"type": kind, "sessionId": "s", "message": message}) + "\n"


def test_the_end_of_a_session_tells_what_became_of_it(taught: Any) -> None:
    skill = taught.user / ".claude" / "skills" / "deploy-shop" / "SKILL.md"
    other = taught.user / ".claude" / "skills" / "chess" / "SKILL.md"
    other.parent.mkdir()
    other.write_text("---\nname: chess\ndescription: Openings.\nqueries:\n  - play a game of chess\n---\nE4.\n")
    taught.prompt("deploy the shop to staging")
    taught.prompt("play a game of chess")
    read = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": str(skill)}}
    transcript = taught.project.parent / "talk.jsonl"
    transcript.write_text(
        record("user", role="user", content="deploy the shop to staging")
        + record("assistant", role="assistant", content=[read])
        + record("user", role="user", content="play a game of chess")
        + record("assistant", role="assistant", content=[{"type": "text", "text": "No."}])
    )
    told = {"session_id": "s", "cwd": str(taught.project), "transcript_path": str(transcript), "reason": "other"}
    assert taught.run("claude", "SessionEnd", told).out == b"{}\n"
    records = taught.ledger()
    verdicts = {one["entry"]: one["outcome"] for one in records if one["record"] == "observed"}
    assert verdicts == {"user-skills/deploy-shop/SKILL.md": "used", "user-skills/chess/SKILL.md": "ignored"}
    [trace] = [one for one in records if one["record"] == "trace"]
    assert (trace["session"], trace["prompts"], trace["tools"]) == ("s", 2, {"Read": 1})


def test_a_session_without_a_transcript_ends_quietly(taught: Any) -> None:
    for told in ({}, {"transcript_path": "/nowhere.jsonl"}):
        reply = taught.run("claude", "SessionEnd", {"session_id": "s", "cwd": str(taught.project), **told})
        assert (reply.status, reply.out) == (0, b"{}\n")
    assert taught.ledger() == []
