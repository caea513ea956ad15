"""Guidance for tools: asked for in the settings, found by what the tool is to do, silent where there is none."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from trivium.surfaces.hooks.handling.tools import asked_by
from trivium.surfaces.hooks.protocol import Event

PUSH = {"tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}}


def told(taught: Any, **more: Any) -> dict[str, Any]:
    return {"session_id": "s", "cwd": str(taught.project), **PUSH, **more}


def test_it_is_off_until_it_is_asked_for(taught: Any) -> None:
    assert taught.run("claude", "PreToolUse", told(taught)).out == b"{}\n"
    assert not taught.home.exists()
    taught.set(hook_tools="on")
    assert "Never push with force" in taught.run("claude", "PreToolUse", told(taught)).context


def test_skills_and_rules_leave_tools_alone_unless_they_say_so(taught: Any) -> None:
    taught.set(hook_tools="on")
    asked = {"tool_name": "Bash", "tool_input": {"command": "deploy the shop to staging"}}
    assert "deploy-shop" not in taught.run("claude", "PreToolUse", told(taught, **asked)).context
    skill = taught.user / ".claude" / "skills" / "deploy-shop" / "SKILL.md"
    skill.write_text(skill.read_text().replace("queries:", "hooks: [PreToolUse]\nqueries:"))
    taught.prompt("unrelated words")
    assert "deploy-shop" in taught.run("claude", "PreToolUse", told(taught, **asked)).context
    assert "deploy-shop" not in taught.prompt("deploy the shop to staging").context


def test_after_a_tool_only_those_that_say_so_speak(taught: Any) -> None:
    taught.set(hook_tools="on")
    assert taught.run("claude", "PostToolUse", told(taught)).out == b"{}\n"
    guide = taught.user / ".claude" / "skills" / "force-push" / "SKILL.md"
    guide.write_text(guide.read_text().replace("queries:", "hooks: [PostToolUse]\nqueries:"))
    taught.prompt("unrelated words")
    assert "Never push with force" in taught.run("claude", "PostToolUse", told(taught)).context
    assert taught.run("claude", "PreToolUse", told(taught)).out == b"{}\n"


def test_a_folder_without_guidance_for_tools_is_remembered(taught: Any) -> None:
    taught.set(hook_tools="on")
    shutil.rmtree(taught.user / ".claude" / "skills" / "force-push")
    quiet = taught.home / "hooks" / "quiet"
    taught.prompt("unrelated words")
    assert len(list(quiet.iterdir())) == 1
    assert taught.run("claude", "PreToolUse", told(taught)).out == b"{}\n"
    guide = taught.user / ".claude" / "rules" / "tool.md"
    guide.write_text("---\nname: push\ntype: tool-guidance\nqueries:\n  - 'using Bash: git push'\n---\nAsk first.\n")
    taught.prompt("unrelated words")
    assert list(quiet.iterdir()) == []
    assert "Ask first." in taught.run("claude", "PreToolUse", told(taught)).context


def test_silence_before_tools_is_not_counted(taught: Any) -> None:
    taught.set(hook_tools="on")
    taught.run("claude", "PreToolUse", told(taught, tool_input={"command": "ls"}))
    assert taught.ledger() == []
    taught.run("claude", "PreToolUse", told(taught))
    [record] = taught.ledger()
    assert record["event"] == "PreToolUse"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Bash", {"description": "Push", "command": "git  push\n-f"}, "using Bash: git push -f"),
        ("Read", {"file_path": "/a.py", "limit": 3}, "using Read: /a.py"),
        ("Grep", {"pattern": "x", "path": "/src"}, "using Grep: /src"),
        ("mcp__db__query", {"sql": "select 1"}, "using mcp__db__query: select 1"),
        ("Bash", {"command": "y" * 500}, "using Bash: " + "y" * 200),
        ("Task", {}, "using Task tool"),
        ("Task", {"a": 3, "b": [], "c": "  "}, "using Task tool"),
    ],
)
def test_a_call_as_a_question(name: str, arguments: dict[str, Any], expected: str) -> None:
    event = Event("claude", "PreToolUse", "before_tool")
    event.tool_name, event.tool_input = name, arguments
    assert asked_by(event) == expected
