"""Files in play are those that the event, the prompt and the talk so far name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trivium.surfaces.hooks.handling.files import MAX_FILES, TAIL_BYTES, in_play
from trivium.surfaces.hooks.protocol import Event


def event(**values: Any) -> Event:
    made = Event("claude", "UserPromptSubmit", "prompt")
    made.cwd = "/w/sub"
    for key, value in values.items():
        setattr(made, key, value)
    return made


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"tool_input": {"file_path": "/w/src/a.ts"}}, ("src/a.ts",)),
        ({"tool_input": {"path": "../src/b.ts"}}, ("src/b.ts",)),
        ({"tool_input": {"file_path": "/elsewhere/c.ts"}}, ("/elsewhere/c.ts",)),
        ({"tool_input": {"input": "*** Begin Patch\n*** Update File: x/d.py\n@@\n"}}, ("sub/x/d.py",)),
        ({"prompt": "look at src/e.rs and f.py, please. Not e.g. this."}, ("sub/src/e.rs", "sub/f.py")),
        ({"path": "/w/g.md"}, ("g.md",)),
        ({"tool_input": {"file_path": 7}}, ()),
        ({}, ()),
    ],
)
def test_places(values: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert in_play(event(**values), "/w") == expected


def test_the_end_of_a_transcript_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    early = json.dumps({"input": {"file_path": "/w/early.ts"}})
    late = [
        json.dumps({"input": {"file_path": "/w/late one.ts"}}),
        json.dumps({"arguments": json.dumps({"path": "/w/escaped.ts"})}),
        json.dumps({"input": "*** Begin Patch\n*** Add File: patched.py\n"}),
    ]
    path.write_text("\n".join([early, "x" * TAIL_BYTES, *late]))
    found = in_play(event(transcript=str(path)), "/w")
    assert set(found) == {"late one.ts", "escaped.ts", "sub/patched.py"}


def test_not_too_many(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(json.dumps({"file_path": f"/w/{number}.ts"}) for number in range(200)))
    found = in_play(event(transcript=str(path)), "/w")
    assert len(found) == MAX_FILES
    assert found[0] == "199.ts"
