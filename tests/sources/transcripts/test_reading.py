"""Every host's transcripts are read into the same steps, and what cannot be read is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import NotFoundError, UsageError
from trivium.sources.transcripts.reading import HOSTS, MAX_LINE_BYTES, read_transcript
from trivium.sources.transcripts.steps import CALL, INJECTED, PROMPT, REPLY, RESULT, SUMMARY, turns

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "transcripts"
PROMPTS = {
    "claude.jsonl": ["deploy the shop to staging", "use the other Makefile"],
    "codex.jsonl": ["deploy the shop to staging"],
    "gemini.jsonl": ["deploy the shop to staging", "is it up?"],
    "gemini.json": ["deploy the shop to staging"],
    "cursor.jsonl": ["deploy the shop to staging", "is it up?"],
    "cursor.txt": ["deploy the shop to staging"],
}
LAST_REPLIES = {
    "claude.jsonl": "Done: staging runs the new version.",
    "codex.jsonl": "Staging runs the new version.",
    "gemini.jsonl": "Yes, it is up.",
    "gemini.json": "It is deployed.",
    "cursor.jsonl": "Yes, it is up.",
    "cursor.txt": "Staging runs the new version.",
}


@pytest.mark.parametrize("name", sorted(PROMPTS))
def test_prompts_and_replies(name: str) -> None:
    found = read_transcript(str(FIXTURES / name))
    assert found.host == name.partition(".")[0]
    assert [step.text for step in found.steps if step.kind == PROMPT] == PROMPTS[name]
    assert [step.text for step in found.steps if step.kind == REPLY][-1] == LAST_REPLIES[name]
    assert found.problems == []
    assert [turn.prompt for turn in turns(found.steps) if turn.prompt] == PROMPTS[name]


@pytest.mark.parametrize("name", sorted(set(PROMPTS) - {"gemini.json"}))
def test_the_skill_that_was_opened_is_seen(name: str) -> None:
    calls = [step for step in read_transcript(str(FIXTURES / name)).steps if step.kind == CALL]
    assert any("deploy-shop/SKILL.md" in json.dumps(call.arguments) for call in calls)


@pytest.mark.parametrize("name", ["claude.jsonl", "codex.jsonl", "gemini.jsonl"])
def test_what_hooks_added_is_no_prompt(name: str) -> None:
    steps = read_transcript(str(FIXTURES / name)).steps
    added = [step.text for step in steps if step.kind == INJECTED and "trivium-guidance" in step.text]
    assert len(added) == 1
    assert not any("trivium-guidance" in step.text for step in steps if step.kind != INJECTED)


def test_claude_in_detail() -> None:
    found = read_transcript(str(FIXTURES / "claude.jsonl"))
    assert (found.session, found.cwd) == ("5c0f8a52-1d7e-4c11-9a51-0f6d3d1b7a01", "/home/ann/shop")
    assert not any("subagent" in step.text for step in found.steps)
    failed = [step for step in found.steps if step.is_error]
    assert [(step.kind, step.id, step.text) for step in failed] == [(RESULT, "toolu_2", "make: *** no rule")]
    assert [step.text for step in found.steps if step.kind == SUMMARY] == ["Release of the web client"]
    first = turns(found.steps)[1]
    assert first.at == "2026-11-03T09:00:05.000Z"
    assert [step.kind for step in first.steps][:3] == [INJECTED, REPLY, CALL]


def test_codex_in_detail() -> None:
    found = read_transcript(str(FIXTURES / "codex.jsonl"))
    assert (found.session, found.cwd) == ("0199d0aa-77c1-7f10-8a44-3d6a8f3d9b52", "/home/ann/shop")
    calls = [step for step in found.steps if step.kind == CALL]
    assert [call.name for call in calls] == ["shell", "apply_patch"]
    assert calls[1].arguments == {"input": "*** Begin Patch\n*** End Patch"}
    assert [step.text for step in found.steps if step.kind == SUMMARY] == ["The shop was deployed."]


def test_gemini_takes_back_what_was_rewound() -> None:
    found = read_transcript(str(FIXTURES / "gemini.jsonl"))
    assert (found.session, found.cwd) == ("b7e1c3f0-aaaa-4bbb-8ccc-0d1e2f3a4b5c", "/home/ann/shop")
    assert not any("never mind" in step.text for step in found.steps)
    assert [step.text for step in found.steps if step.kind == RESULT] == ["Run make stage."]
    whole = read_transcript(str(FIXTURES / "gemini.json"))
    assert [(step.text, step.is_error) for step in whole.steps if step.kind == RESULT] == [("no rule", True)]


def test_the_end_of_a_long_transcript_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes((FIXTURES / "claude.jsonl").read_bytes())
    found = read_transcript(str(path), max_bytes=1_200)
    assert found.skipped_bytes == path.stat().st_size - 1_200
    assert [step.text for step in found.steps if step.kind == REPLY] == [LAST_REPLIES["claude.jsonl"]]


def test_lines_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    lines = (FIXTURES / "claude.jsonl").read_bytes().split(b"\n")
    lines[1:1] = [b"{nope", b"[1, 2]", b'{"a": "' + b"x" * MAX_LINE_BYTES + b'"}']
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines).rstrip(b"\n") + b'\n{"type": "assist')
    found = read_transcript(str(path))
    assert [problem.line for problem in found.problems] == [2, 3, 4]
    assert [step.text for step in found.steps if step.kind == PROMPT] == PROMPTS["claude.jsonl"]


def test_what_is_no_transcript_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"title": "a note"}\n')
    with pytest.raises(UsageError, match="No known host"):
        read_transcript(str(path))
    with pytest.raises(UsageError, match="Unknown host"):
        read_transcript(str(path), "emacs")
    with pytest.raises(NotFoundError):
        read_transcript(str(tmp_path / "absent.jsonl"))
    assert read_transcript(str(path), "claude").steps == []


KEYS = (
    *("type", "message", "content", "role", "payload", "text", "name", "input", "id", "toolCalls", "result"),
    *("arguments", "output", "$set", "$rewindTo", "messages", "attachment", "sessionId", "isMeta"),
)
KINDS = (
    *("user", "assistant", "message", "response_item", "function_call", "function_call_output"),
    *("attachment", "gemini", "summary", "tool_use"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "message",
                    "content",
                    "role",
                    "payload",
                    "text",
                    "name",
                    "input",
                    "id",
                    "toolCalls",
                    "result",
                    "arguments",
                    "output",
                    "$set",
                    "$rewindTo",
                    "messages",
                    "attachment",
                    "sessionId",
                    "isMeta",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
TYPES = st.sampled_from(KINDS)


@given(st.lists(st.tuples(JSON, TYPES), max_size=5), st.sampled_from(sorted(HOSTS)))
def test_any_records_are_read(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[object, str]], host: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    records = [{**part, "type": kind} if isinstance(part, dict) else part for part, kind in parts]
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    found = read_transcript(str(path), host)
    assert len(found.problems) == sum(not isinstance(record, dict) for record in records)
    assert all(isinstance(step.text, str) and isinstance(step.arguments, dict) for step in found.steps)
