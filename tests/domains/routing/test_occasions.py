"""Entries speak on the occasions of their kind, or on those that they list, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium.config import load
from trivium.domains.routing.collection import Collection, at
from trivium.domains.routing.occasions import OCCASIONS, consult, has_tool_guidance, standing
from trivium.domains.routing.upkeep import bring_up_to_date
from trivium.engine import Engine
from trivium.sources.guidance.values import KINDS

ASKED = "sail the harbour"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "user" / ".claude" / "rules"
    folder.mkdir(parents=True)
    (tmp_path / "project").mkdir()
    return folder


def write(rules: Path, name: str, head: str) -> None:
    (rules / f"{name}.md").write_text(f"---\nname: {name}\nqueries:\n  - {ASKED} {name}\n{head}---\nText of {name}.\n")


@pytest.fixture
def found(rules: Path, tmp_path: Path) -> Iterator[Collection]:
    engine = Engine(load(embedder="hash"))
    with at(engine, str(tmp_path / "project"), user_home=str(tmp_path / "user")) as collection:
        yield collection


def names(collection: Collection, occasion: str, question: str, **choice: bool) -> set[str]:
    bring_up_to_date(collection)
    hits = consult(
        collection, occasion, question, limit=20, drop_off=9.0, mode="absolute", threshold=0.1, **choice
    ).hits
    return {hit.name for hit in hits}


def test_kinds_have_their_occasions(rules: Path, found: Collection) -> None:
    for kind in KINDS:
        write(rules, kind, f"type: {kind}\n")
    asked = f"{ASKED} skill rule memory workflow tool-guidance stop-rule session-learning"
    assert names(found, "prompt", asked) == set(KINDS) - {"tool-guidance", "stop-rule"}
    assert names(found, "prompt", asked, has_memories=False) == {"skill", "rule", "workflow"}
    assert names(found, "before_tool", asked) == {"tool-guidance"}
    assert names(found, "after_tool", asked) == set()
    assert names(found, "stop", asked) == {"stop-rule"}


def test_who_lists_events_speaks_there_and_nowhere_else(rules: Path, found: Collection) -> None:
    write(rules, "listed", "hooks: [PreToolUse, Stop]\n")
    assert names(found, "before_tool", f"{ASKED} listed") == {"listed"}
    assert names(found, "stop", f"{ASKED} listed") == {"listed"}
    assert names(found, "prompt", f"{ASKED} listed") == set()


def test_rejections_are_named(rules: Path, found: Collection) -> None:
    write(rules, "plain", "")
    for number in range(4):
        write(rules, f"tool{number}", "type: tool-guidance\n")
    bring_up_to_date(found)
    told = consult(found, "before_tool", ASKED, mode="absolute", threshold=0.1, drop_off=9.0)
    assert len(told.hits) == OCCASIONS["before_tool"].limit
    gates = {id.rpartition("/")[2]: gate for id, gate in told.rejected.items()}
    assert gates["plain.md"] == "kind"
    assert list(gates.values()).count("beyond_limit") == 2


def test_standing_entries(rules: Path, found: Collection) -> None:
    write(rules, "zebra", "hooks: SessionStart\n")
    write(rules, "ant", "hooks: [SessionStart]\n")
    write(rules, "gone", "hooks: [SessionStart]\nstatus: retired\n")
    write(rules, "scoped", "hooks: [SessionStart]\npaths: ['*.ts']\n")
    write(rules, "plain", "")
    assert standing(found, "session_start") == []
    bring_up_to_date(found)
    assert [hit.name for hit in standing(found, "session_start")] == ["ant", "zebra"]
    assert standing(found, "subagent_start") == []


def test_guidance_for_tools_is_known_of(rules: Path, found: Collection) -> None:
    assert has_tool_guidance(found)
    write(rules, "plain", "")
    bring_up_to_date(found)
    assert not has_tool_guidance(found)
    write(rules, "plain", "hooks: [PostToolUse]\n")
    bring_up_to_date(found)
    assert has_tool_guidance(found)
    write(rules, "plain", "type: tool-guidance\n")
    bring_up_to_date(found)
    assert has_tool_guidance(found)


def test_a_collection_that_was_never_read_says_nothing(found: Collection) -> None:
    assert consult(found, "prompt", ASKED).hits == ()
