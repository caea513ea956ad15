"""Searching: what matches, what surrounds it, and why something is absent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.api import Memory, open_memory
from trivium.errors import NotFoundError, UsageError

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def filled(memory: Memory, payload: Make) -> Memory:
    memory.ref.register(
        payload(
            "https://a.example",
            {
                "useState": "state hook of React",
                "React Hooks": "umbrella of all hooks",
                "Class components": "older way to keep state",
                "Redux": "グローバルな状態管理のための公式ツール",
                "Mixins": "oldest way to share behaviour",
            },
            ("useState", "PART_OF", "React Hooks"),
            ("React Hooks", "REPLACES", "Class components"),
            ("Redux", "DEPENDS_ON", "Class components"),
            ("Class components", "RELATED_TO", "Mixins"),
        )
    )
    return memory


def ids(result: Any) -> list[str]:
    return [hit.id for hit in result.hits]


def test_parts_explain_the_score(filled: Memory) -> None:
    for recipe in ("calibrated", "weighted", "rrf", "lexical", "dense"):
        for hit in filled.ref.search("state hook", recipe=recipe, threshold=-1.0).hits:
            factor = 0.5 if hit.is_demoted else 1.0
            assert hit.score == pytest.approx(sum(hit.parts.values()) * factor)


def test_superseded_and_suspect_are_marked_with_the_chain(filled: Memory) -> None:
    result = filled.ref.search("状態管理", limit=1, depth=0)
    (hit,) = result.hits
    assert hit.id == "Redux"
    assert hit.suspect[0] == "Redux -[DEPENDS_ON]-> Class components"
    assert "REPLACES" in hit.suspect[1]
    old = next(h for h in filled.ref.search("older way to keep state", depth=0).hits if h.id == "Class components")
    assert (old.is_demoted, old.superseded_by) == (True, "React Hooks")


def test_depth_and_related(filled: Memory) -> None:
    near = filled.ref.search("useState", limit=1, depth=1)
    assert {r.id for r in near.related} == {"React Hooks"}
    far = filled.ref.search("useState", limit=1, depth=2)
    assert {r.id: r.distance for r in far.related} == {"React Hooks": 1, "Class components": 2}
    capped = filled.ref.search("useState", limit=1, depth=3, max_related=1)
    assert len(capped.related) == 1
    assert {r.uri for r in near.references} == {"https://a.example"}


def test_searching_writes_nothing(filled: Memory) -> None:
    result = filled.ref.search("useState", limit=1)
    assert filled.ref.show("useState").entity.shown_count == 0
    filled.ref.record_shown(result)
    assert filled.ref.show("useState").entity.shown_count == 1
    assert filled.ref.show("React Hooks").entity.shown_count == 0


def test_same_as_collapses(filled: Memory, payload: Make) -> None:
    filled.ref.register(
        payload("https://b.example", {"state hook": "state hook of React"}, ("state hook", "SAME_AS", "useState"))
    )
    result = filled.ref.search("state hook of React", limit=5, depth=0)
    assert len({"useState", "state hook"} & set(ids(result))) == 1
    first = result.hits[0]
    assert {first.id, *first.same_as} == {"useState", "state hook"}
    gone = ({"useState", "state hook"} - {first.id}).pop()
    assert filled.ref.why_not("state hook of React", gone).gate == "same_as"


class TestWhyNot:
    def test_each_gate(self, filled: Memory, clock: Any) -> None:
        ref = filled.ref
        assert ref.why_not("useState", "useState").rank == 1
        assert ref.why_not("hooks", "Mixins", limit=1).gate in {"below_threshold", "beyond_limit"}
        assert ref.why_not("state", "React Hooks", threshold=1.0).gate == "below_threshold"
        assert ref.why_not("older way to keep state", "Class components", demote_deprecated=0.0).gate == "demoted"
        assert ref.why_not("way", "Class components", limit=1).gate == "beyond_limit"
        clock.seconds += 5 * 3600
        assert ref.why_not("useState", "useState", max_age_days=0.1).gate == "max_age"
        ref.archive(["useState"])
        assert ref.why_not("useState", "useState").gate == "archived"
        assert ref.why_not("useState", "useState", recipe="lexical").gate == "archived"
        assert ref.why_not("oldest", "Redux", recipe="lexical").gate == "not_retrieved"
        assert ref.why_not("Mixins", "Mixins", budget_chars=3).gate == "budget"

    def test_unknown_concept(self, filled: Memory) -> None:
        with pytest.raises(NotFoundError) as caught:
            filled.ref.why_not("state", "useStat")
        assert "near: useState" in caught.value.details


def test_budget_is_never_exceeded(filled: Memory) -> None:
    for budget in range(1, 200, 7):
        hits = filled.ref.search("state", threshold=-1.0, budget_chars=budget).hits
        assert sum(len(h.id) + len(h.description) + len(h.details or "") for h in hits) <= budget


def test_as_of(filled: Memory, payload: Make) -> None:
    moment = filled.history()[0].record.at
    filled.ref.register(payload("https://c.example", {"Signals": "fine-grained state"}))
    assert "Signals" in ids(filled.ref.search("fine-grained state"))
    past = filled.ref.search("fine-grained state", as_of=moment, threshold=-1.0)
    assert "Signals" not in ids(past)
    assert past.hits
    assert all(hit.cosine is not None for hit in past.hits)


def test_without_an_embedder_words_answer(tmp_path: Path, payload: Make) -> None:
    with open_memory(str(tmp_path / "h"), embedder="none") as memory:
        memory.ref.register(payload("https://a.example", {"A": "a zebra"}))
        result = memory.ref.search("zebra")
        assert ids(result) == ["A"]
        assert any("words" in notice for notice in result.notices)


def test_another_embedder_never_mixes(tmp_path: Path, payload: Make) -> None:
    home = str(tmp_path / "h")
    with open_memory(home, embedder="hash:64") as memory:
        memory.ref.register(payload("https://a.example", {"A": "a zebra"}))
    with open_memory(home, embedder="hash:128") as memory:
        result = memory.ref.search("zebra")
        assert (ids(result), result.hits[0].cosine) == (["A"], None)
        assert any("reindex" in notice for notice in result.notices)
        memory.ref.register(payload("https://b.example", {"B": "a giraffe"}))
        result = memory.ref.search("zebra")
        assert result.hits[0].cosine is not None
        assert not result.notices


def test_an_empty_store_creates_no_file(tmp_path: Path) -> None:
    home = tmp_path / "h"
    with open_memory(str(home), embedder="none") as memory:
        assert memory.ref.search("anything").hits == ()
        with pytest.raises(UsageError):
            memory.ref.search("  ")
    assert not home.exists()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(min_size=1, max_size=60).filter(lambda text: bool(text.strip())))
def test_any_text_is_a_safe_query(filled: Memory, query: str) -> None:
    filled.ref.search(query, recipe="lexical")


@pytest.mark.parametrize(
    "query", ["状", "状態", "ツール", "useState", "use_state", 'a AND "', "NEAR(", "*", "C++", "🦓 -x:y"]
)
def test_literal_queries(filled: Memory, query: str) -> None:
    result = filled.ref.search(query)
    if query in ("状", "状態", "ツール"):
        assert ids(result)[0] == "Redux"


def test_what_is_asked_for_by_name_comes_first(filled: Memory, payload: Make) -> None:
    made = payload(
        "https://d.example", {"mixin": "Mixins Mixins Mixins share behaviour"}, ("mixin", "REPLACES", "Mixins")
    )
    made["concepts"][0]["aliases"] = ["trait"]
    filled.ref.register(made)
    asked = filled.ref.search("mixins").hits[0]
    assert (asked.id, asked.is_demoted, asked.parts["name"]) == ("Mixins", True, 2.0)
    assert filled.ref.search("trait").hits[0].id == "mixin"
