"""What a prompt brings up, in which form, how often, and what is written down about it."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from trivium.surfaces.hooks.handling.prompts import MAX_CHARS, shortened

DEPLOY = "deploy the shop to staging"
INSTALL = "install dependencies"


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_what_was_shown_is_shown_shorter(host: str, taught: Any) -> None:
    first, second, other = (taught.prompt(INSTALL, session, host) for session in ("s", "s", "t"))
    assert "Always use pnpm" in first.context
    assert "Rule reminder: prefer-pnpm" in second.context
    assert "Always use pnpm" not in second.context
    assert other.context == first.context


def test_a_skill_is_told_of_and_then_given(taught: Any) -> None:
    assert "Run `make stage`" not in taught.prompt(DEPLOY).context
    assert "Run `make stage`" in taught.prompt(DEPLOY).context


def test_memories_are_left_to_the_host_unless_asked_for(taught: Any) -> None:
    assert taught.prompt("when can I deploy").context.count("Only on Tuesdays") == 0
    taught.set(hook_memories="takeover")
    assert "Only on Tuesdays" in taught.prompt("when can I deploy").context


def test_nothing_is_said_where_nothing_bears_on_it(taught: Any) -> None:
    assert taught.prompt("what is the capital of Mongolia").out == b"{}\n"
    [record] = taught.ledger()
    assert "entries" not in record
    assert record["prompt_chars"] == 31


def test_without_a_session_nothing_is_remembered(taught: Any) -> None:
    assert taught.prompt(INSTALL, session="").context == taught.prompt(INSTALL, session="").context
    assert not (taught.home / "sessions").exists()


def test_the_ledger_says_what_was_shown(taught: Any) -> None:
    reply = taught.prompt(DEPLOY)
    [record] = taught.ledger()
    assert (record["record"], record["session"], record["host"]) == ("shown", "s", "claude")
    assert record["project"] == str(taught.project)
    assert record["chars"] == len(reply.context)
    assert record["prompt"] != DEPLOY
    assert DEPLOY not in json.dumps({**record, "entries": []})
    [entry] = record["entries"]
    assert (entry["name"], entry["kind"], entry["level"]) == ("deploy-shop", "skill", "teaser")
    assert entry["query"] == DEPLOY
    kept = taught.home / "ledger" / "texts" / entry["text"][:2] / entry["text"]
    assert kept.read_text() in reply.context


def test_a_change_of_a_file_is_seen_by_the_next_prompt(taught: Any) -> None:
    taught.prompt(INSTALL)
    rule = taught.user / ".claude" / "rules" / "pnpm.md"
    rule.write_text(rule.read_text().replace("Always use pnpm", "Never use npm"))
    assert "Never use npm" in taught.prompt(INSTALL).context
    rule.unlink()
    assert taught.prompt(INSTALL).out == b"{}\n"


def test_what_nobody_asked_is_not_answered(taught: Any) -> None:
    for text in ("", "  ", "<task-notification>deploy the shop to staging</task-notification>"):
        assert taught.prompt(text).out == b"{}\n"
    assert taught.ledger() == []


def test_the_cap_of_the_host_holds(taught: Any) -> None:
    for number in range(4):
        rule = taught.user / ".claude" / "rules" / f"big{number}.md"
        rule.write_text(
            f"---\nname: big-{number}\nqueries:\n  - sort out the harbour\n---\n" + "A line of text. 長い\n" * 300
        )
    for host in ("claude", "codex", "gemini"):
        context = taught.prompt("sort out the harbour", host=host).context
        assert context
        assert len(context.encode("utf-16-le")) // 2 <= 9_500
        assert len(context.encode()) <= 9_600 or host != "codex"


def test_a_rule_that_had_no_room_was_not_shown(taught: Any) -> None:
    rule = taught.user / ".claude" / "rules" / "pnpm.md"
    small = rule.read_text()
    rule.write_text(small + "X" * 9_000)
    assert "X" * 100 not in taught.prompt(INSTALL).context
    rule.write_text(small)
    assert "Always use pnpm" in taught.prompt(INSTALL).context


def test_rules_on_files_speak_when_such_a_file_is_in_play(taught: Any) -> None:
    rule = taught.user / ".claude" / "rules" / "types.md"
    rule.write_text("---\nname: types\nqueries:\n  - change the parser\npaths:\n  - 'src/**/*.ts'\n---\nNo any.\n")
    assert "No any." not in taught.prompt("change the parser").context
    assert "No any." in taught.prompt("change the parser in src/a/parser.ts", session="t").context
    transcript = taught.project.parent / "talk.jsonl"
    call = {"type": "tool_use", "name": "Read", "input": {"file_path": str(taught.project / "src" / "b.ts")}}
    transcript.write_text(json.dumps({"type": "assistant", "message": {"content": [call]}}) + "\n")
    told = {"session_id": "u", "prompt": "change the parser", "cwd": str(taught.project)}
    reply = taught.run("claude", "UserPromptSubmit", {**told, "transcript_path": str(transcript)})
    assert "No any." in reply.context


def test_an_embedder_that_is_not_ready_is_not_waited_for(taught: Any) -> None:
    taught.set(embedder="use")
    assert "deploy-shop" in taught.prompt(DEPLOY).context
    assert not list((taught.home.parent / "cache").glob("use*"))


def test_cursor_gets_it_with_the_next_tool_result(taught: Any) -> None:
    cwd = str(taught.project)
    assert taught.prompt(DEPLOY, host="cursor").json == {"continue": True}
    assert taught.ledger() == []
    told = {"conversation_id": "s", "tool_name": "Read", "tool_input": {}, "cwd": cwd}
    first, second = (taught.run("cursor", "postToolUse", told) for _ in range(2))
    assert "deploy-shop" in first.context
    assert second.out == b"{}\n"
    [record] = taught.ledger()
    assert [entry["name"] for entry in record["entries"]] == ["deploy-shop"]
    taught.prompt(DEPLOY, host="cursor")
    assert "make stage" in taught.run("cursor", "postToolUse", told).context
    assert taught.run("cursor", "postToolUse", {**told, "conversation_id": "other"}).out == b"{}\n"


def test_cursor_without_a_tool_call_has_seen_nothing(taught: Any) -> None:
    taught.prompt(DEPLOY, host="cursor")
    taught.prompt(INSTALL, host="cursor")
    [record] = taught.ledger()
    assert "entries" not in record
    assert record["left"] == ["user-skills/deploy-shop/SKILL.md"]
    taught.run("cursor", "sessionEnd", {"conversation_id": "s", "reason": "completed"})


def test_long_prompts_keep_both_ends() -> None:
    text = "begin " + "x" * MAX_CHARS + " end"
    assert shortened("short") == "short"
    assert shortened(text).startswith("begin ")
    assert shortened(text).endswith(" end")
    assert len(shortened(text)) == MAX_CHARS + 2


def test_files_of_a_session_id_stay_in_their_folder(taught: Any) -> None:
    taught.prompt(INSTALL, session="../../../../out")
    assert [path.suffix for path in (taught.home / "sessions").iterdir()] == [".jsonl"]
    assert not any("out" in name for _, _, names in os.walk(taught.home.parent) for name in names if "hook" not in name)
