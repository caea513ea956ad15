"""What a person said is told from what was added to it; steps are joined to the prompt they followed."""

from __future__ import annotations

import pytest

from trivium.sources.transcripts.steps import (
    INJECTED,
    MAX_TEXT_CHARS,
    PROMPT,
    REPLY,
    Step,
    as_object,
    cut,
    said,
    turns,
    words,
)


def test_added_parts_are_separated() -> None:
    found = list(said("<system-reminder>one</system-reminder>do it\n<hook_context>two</hook_context>", 7, "t"))
    assert [(step.kind, step.text, step.line) for step in found] == [
        (INJECTED, "one", 7),
        (INJECTED, "two", 7),
        (PROMPT, "do it", 7),
    ]
    assert [step.kind for step in said("<system-reminder>only this</system-reminder>", 1, "")] == [INJECTED]
    assert [step.text for step in said("a <b>bold</b> word", 1, "")] == ["a <b>bold</b> word"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a", "a"),
        ([{"text": "a"}, "b", {"type": "image"}, 3], "a\nb"),
        ({"text": "a"}, "a"),
        (None, ""),
        ([{"text": 3}], ""),
    ],
)
def test_words(content: object, expected: str) -> None:
    assert words(content) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ("[1]", {"input": [1]}),
        ("*** Begin", {"input": "*** Begin"}),
        ("", {}),
        (7, {}),
    ],
)
def test_objects(value: object, expected: dict[str, object]) -> None:
    assert as_object(value) == expected


def test_long_and_broken_texts_can_be_stored() -> None:
    assert len(cut("x" * (MAX_TEXT_CHARS + 5))) == MAX_TEXT_CHARS
    assert cut("a\ud800b") == "a?b"


def test_turns_begin_with_prompts() -> None:
    steps = [Step(REPLY, "hello", 1), Step(PROMPT, "a", 2), Step(PROMPT, "b", 3), Step(REPLY, "c", 4)]
    assert [(turn.prompt, [step.text for step in turn.steps]) for turn in turns(steps)] == [
        ("", ["hello"]),
        ("a", []),
        ("b", ["c"]),
    ]
