"""JSON answers: one object each, the keys that are documented and no others."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.surfaces.cli.verbs import MEMORY, REFERENCES, command

WAL = "https://example.com/wal"

# Arguments with which each command answers on the home of the test.
EXAMPLES: dict[str, list[str]] = {
    "ref types": [],
    "ref register": [],
    "ref search": ["zebra"],
    "ref why-not": ["zebra", "checkpoint"],
    "ref show": ["zebra"],
    "ref list": [],
    "ref references": [],
    "ref neighbors": ["checkpoint"],
    "ref paths": ["checkpoint", "WAL mode"],
    "ref duplicates": [],
    "ref stats": [],
    "ref archive": ["zebra"],
    "ref unarchive": ["zebra"],
    "ref prune": ["--older-than", "1"],
    "ref delete": ["zebra"],
    "ref rename": ["zebra", "Equus quagga"],
    "ref merge": ["zebra", "--into", "checkpoint"],
    "ref unlink": ["checkpoint", "CONSUMES", "WAL mode"],
    "ref withdraw": [WAL],
    "history": [],
    "undo": ["--last", "1"],
    "reindex": [],
    "prefetch": [],
    "doctor": [],
    "config": [],
}

# Keys that `ref stats` explains together with another one.
_BESIDE = {
    "ref stats": {"archived_concepts", "withdrawn_concepts", "relations_by_type", "evidence_with_quote"},
    "ref show": {
        "description", "details", "type", "first_seen_at", "last_seen_at", "touch_count", "shown_count", "is_archived",
        "archived_at", "archive_reason", "is_withdrawn", "withdrawn_at",
    },
}  # fmt: skip


def test_every_command_has_an_example() -> None:
    # Servers are tested as processes, what goes in and out with its files.
    assert set(EXAMPLES) == {*REFERENCES, *MEMORY} - {"console", "mcp", "ref import", "ref export"}


@pytest.mark.parametrize("verb", EXAMPLES)
def test_an_answer_has_the_documented_keys(filled: Any, payload: Any, verb: str) -> None:
    ran = filled(*verb.split(), *EXAMPLES[verb], "--json", stdin=payload)
    assert (ran.status, ran.err) == (0, "")
    answer = ran.json
    assert answer.pop("schema") == f"trivium.{verb.replace(' ', '.')}/1"
    assert answer.pop("notices") == []
    assert set(answer) == set(command(verb).keys) | _BESIDE.get(verb, set())


@pytest.mark.parametrize("verb", EXAMPLES)
def test_text_answers_end_with_one_line_feed_at_least(filled: Any, payload: Any, verb: str) -> None:
    ran = filled(*verb.split(), *EXAMPLES[verb], stdin=payload)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.endswith("\n")
    assert "None" not in ran.out


def test_notices_go_to_the_error_stream_of_people_and_into_json(filled: Any) -> None:
    text = filled("ref", "search", "zebra", "--embedder", "none")
    assert text.err.startswith("WARN: No embedder is configured")
    answer = filled("ref", "search", "zebra", "--embedder", "none", "--json")
    assert answer.err == ""
    assert answer.json["notices"][0].startswith("No embedder is configured")


def test_reading_creates_nothing(cli: Any, files: Any) -> None:
    for argv in (["ref", "search", "x"], ["ref", "list"], ["ref", "stats"], ["history"], ["doctor"], ["reindex"]):
        assert cli(*argv).status == 0
    assert files() == []
