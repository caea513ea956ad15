"""A transcript proves what was used, what was passed by, and what was found without us; and nothing else is claimed."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.shapes import entry, shown
from trivium.domains.routing.ledger.outcomes import Known, observe, trace_of
from trivium.sources.transcripts.reading import Transcript
from trivium.sources.transcripts.steps import CALL, PROMPT, REPLY, RESULT, Step

AT = "2026-03-01T13:00:00.000000Z"
DEPLOY = entry("user-skills/deploy/SKILL.md", name="deploy", path="/u/.claude/skills/deploy/SKILL.md")


def call(tool: str, /, **arguments: Any) -> Step:
    return Step(CALL, "", 1, "", tool, arguments)


def talk(*steps: Step) -> Transcript:
    return Transcript("claude", "/t.jsonl", "s", "/w", list(steps), [], 0)


def outcomes(transcript: Transcript, *answers: Any, known: Any = ()) -> list[tuple[str, str, str]]:
    return [(one.entry, one.outcome, one.diagnosis) for one in observe(transcript, answers, known, at=AT)]


@pytest.mark.parametrize(
    "step",
    [
        call("Read", file_path="/u/.claude/skills/deploy/SKILL.md"),
        call("Bash", command="cat ~/.claude/skills/deploy/SKILL.md | head"),
        call("shell", command=["bash", "-lc", "cat .agents/skills/deploy/SKILL.md"]),
        call("Read", path="C:\\Users\\ann\\.claude\\skills\\deploy\\SKILL.md"),
        call("Skill", skill="deploy"),
        call("Skill", command="shop:deploy"),
        call("activate_skill", name="deploy"),
    ],
)
def test_what_was_opened_was_used(step: Step) -> None:
    told = talk(Step(PROMPT, "deploy it", 1), step, Step(REPLY, "done", 2))
    assert [one[:2] for one in outcomes(told, shown("deploy it", DEPLOY))] == [(DEPLOY.id, "used")]


@pytest.mark.parametrize(
    "step",
    [
        call("Read", file_path="/u/.claude/skills/deploy-other/SKILL.md"),
        call("Write", file_path="/x", content="see /u/.claude/skills/deploy/SKILL.md " + "x" * 5_000),
        call("Skill", skill="deploys"),
        call("Bash", command="make deploy"),
    ],
)
def test_what_was_not_opened_was_ignored(step: Step) -> None:
    told = talk(Step(PROMPT, "deploy it", 1), step, Step(REPLY, "deploy is done", 2))
    assert outcomes(told, shown("deploy it", DEPLOY)) == [(DEPLOY.id, "ignored", "never opened")]


def test_a_name_that_nobody_writes_by_chance_is_a_sign() -> None:
    rule = entry("rules/pnpm.md", name="prefer-pnpm", kind="rule", path="/u/.claude/rules/pnpm.md")
    told = talk(Step(PROMPT, "install", 1), Step(REPLY, "As Prefer-pnpm says, I use pnpm.", 2))
    assert outcomes(told, shown("install", rule)) == [(rule.id, "used", "named")]


def test_rules_that_leave_no_trace_are_not_judged() -> None:
    rule = entry("rules/pnpm.md", name="pnpm", kind="rule", path="/u/.claude/rules/pnpm.md")
    told = talk(Step(PROMPT, "install", 1), Step(REPLY, "I use pnpm.", 2))
    assert outcomes(told, shown("install", rule)) == []


def test_it_counts_only_what_came_after_the_showing() -> None:
    told = talk(
        Step(PROMPT, "one", 1),
        call("Skill", skill="deploy"),
        Step(PROMPT, "two", 2),
        Step(REPLY, "no", 3),
    )
    assert ("ignored" in {one[1] for one in outcomes(told, shown("two", DEPLOY))}) is True
    later = talk(Step(PROMPT, "two", 1), Step(REPLY, "no", 2), Step(PROMPT, "three", 3), call("Skill", skill="deploy"))
    assert [one[1] for one in outcomes(later, shown("two", DEPLOY))] == ["used"]


def test_what_the_agent_found_itself_was_missed() -> None:
    known = [Known("user-skills/tests/SKILL.md", "v2", "tests", "skill", "/u/.claude/skills/tests/SKILL.md")]
    told = talk(Step(PROMPT, "run the tests", 1), call("Skill", skill="tests"), call("Skill", skill="tests"))
    [one] = observe(told, [], known, at=AT)
    assert (one.entry, one.outcome, one.version, one.diagnosis) == (known[0].id, "missed", "v2", "ran by Skill")
    assert one.prompt


def test_turns_are_found_by_time_where_the_prompt_was_another() -> None:
    told = talk(
        Step(PROMPT, "first", 1, "2026-03-01T11:00:00.000Z"),
        call("Skill", skill="deploy"),
        Step(PROMPT, "expanded beyond recognition", 2, "2026-03-01T11:59:59.000Z"),
        Step(REPLY, "no", 3),
    )
    assert [one[1] for one in outcomes(told, shown("two", DEPLOY))] == ["ignored"]


def test_a_session_that_ended_before_anything_happened() -> None:
    assert outcomes(talk(), shown("deploy it", DEPLOY)) == []


def test_traces() -> None:
    answers = [shown("a", DEPLOY), shown("b", DEPLOY)]
    told = talk(
        Step(PROMPT, "a", 1, "2026-03-01T11:00:00.000Z"),
        call("Bash"),
        Step(RESULT, "no", 1, is_error=True),
        call("Bash"),
        Step(REPLY, "done", 1, "2026-03-01T11:05:00.000Z"),
    )
    made = trace_of(told, answers, project="/w", at=AT)
    assert made is not None
    assert (made.prompts, made.replies, made.tools, made.failed_calls) == (1, 1, {"Bash": 2}, 1)
    assert (made.started_at, made.ended_at) == ("2026-03-01T11:00:00.000Z", "2026-03-01T11:05:00.000Z")
    assert (made.shown, made.outcome) == ((DEPLOY.id,), "completed")
    cut = trace_of(talk(Step(PROMPT, "a", 1), call("Bash")), [], project="/w", at=AT)
    assert cut is not None
    assert cut.outcome == "unknown"
    assert trace_of(talk(Step(PROMPT, "a", 1), Step(REPLY, "b", 1)), [], project="/w", at=AT) is None
