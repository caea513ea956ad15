"""The payloads of the demo: well formed, connected, in an order that resolves, and as many as their README says."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from trivium.api import open_memory
from trivium.model import PREDICATES, name_key
from trivium.sources.references import parse_payloads

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "payloads"
TOOLS = ("sqlite", "git", "postgresql")
HOSTS = {
    "sqlite": {"www.sqlite.org"},
    "git": {"git-scm.com", "github.com"},
    "postgresql": {"www.postgresql.org"},
}
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")

Payload = dict[str, Any]


def lines(tool: str) -> list[Payload]:
    text = (FOLDER / f"{tool}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


PAYLOADS = {tool: lines(tool) for tool in TOOLS}
IN_ORDER = [(tool, payload) for tool in TOOLS for payload in PAYLOADS[tool]]
CONCEPTS = [concept for _, payload in IN_ORDER for concept in payload["concepts"]]
RELATIONS = [relation for _, payload in IN_ORDER for relation in payload["relationships"]]
HOME_OF = {concept["id"]: tool for tool, payload in IN_ORDER for concept in payload["concepts"]}

every_payload = pytest.mark.parametrize(
    ("tool", "payload"), [pytest.param(t, p, id=f"{t}-{n}") for n, (t, p) in enumerate(IN_ORDER)]
)


@every_payload
def test_a_line_has_exactly_the_documented_keys(tool: str, payload: Payload) -> None:
    assert list(payload) == ["reference", "concepts", "relationships"]
    assert {"url", "title"} <= payload["reference"].keys() <= {"url", "title", "publishedAt"}
    for concept in payload["concepts"]:
        assert {"id", "description"} <= concept.keys() <= {"id", "description", "details"}
    for relation in payload["relationships"]:
        assert relation.keys() == {"source", "type", "target", "reason"}
    texts = chain(payload["reference"].values(), *(c.values() for c in payload["concepts"] + payload["relationships"]))
    assert all(isinstance(text, str) and text and text == text.strip() for text in texts)


@every_payload
def test_a_line_names_a_page_of_its_tool_and_a_date_with_a_zone(tool: str, payload: Payload) -> None:
    address = urlsplit(payload["reference"]["url"])
    assert address.scheme == "https"
    assert address.hostname in HOSTS[tool]
    if published := payload["reference"].get("publishedAt"):
        assert datetime.fromisoformat(published).tzinfo


@every_payload
def test_a_page_gives_a_handful_of_subjects_in_one_sentence_each(tool: str, payload: Payload) -> None:
    assert 3 <= len(payload["concepts"]) <= 15
    stop = "。" if tool == "postgresql" else "."
    for concept in payload["concepts"]:
        assert concept["description"].endswith(stop)
        assert not re.search(r"。.|\. ", concept["description"])
        assert len(concept["description"]) <= 300
        assert bool(JAPANESE.search(concept["description"])) == (tool == "postgresql")
    for relation in payload["relationships"]:
        assert relation["reason"].endswith(stop)
        assert bool(JAPANESE.search(relation["reason"])) == (tool == "postgresql")


def test_every_id_address_description_and_triple_is_the_only_one_of_its_kind() -> None:
    keys = (
        [name_key(concept["id"]) for concept in CONCEPTS],
        [concept["description"] for concept in CONCEPTS],
        [payload["reference"]["url"] for _, payload in IN_ORDER],
        [(r["source"], r["type"], r["target"]) for r in RELATIONS],
    )
    for kind in keys:
        assert [key for key, count in Counter(kind).items() if count > 1] == []


def test_the_ends_of_a_relation_are_known_by_the_time_it_comes() -> None:
    known: set[str] = set()
    for _, payload in IN_ORDER:
        known.update(concept["id"] for concept in payload["concepts"])
        for relation in payload["relationships"]:
            assert {relation["source"], relation["target"]} <= known
            assert relation["source"] != relation["target"]


def test_no_concept_stands_alone() -> None:
    ends = {relation[end] for relation in RELATIONS for end in ("source", "target")}
    assert [concept["id"] for concept in CONCEPTS if concept["id"] not in ends] == []


def test_every_relation_type_is_used_at_least_twice_and_no_other() -> None:
    counts = Counter(relation["type"] for relation in RELATIONS)
    assert set(counts) == set(PREDICATES)
    assert min(counts.values()) >= 2


def test_the_same_name_leads_from_the_alias_to_the_canonical_id_in_one_step() -> None:
    names = {r["source"]: r["target"] for r in RELATIONS if r["type"] == "SAME_AS"}
    assert not names.keys() & set(names.values())


def test_what_took_the_place_of_something_was_not_replaced_itself() -> None:
    newer = {(r["source"], r["target"]) for r in RELATIONS if r["type"] in ("REPLACES", "DEPRECATES")}
    assert not {source for source, _ in newer} & {target for _, target in newer}
    assert {target for _, target in newer}.isdisjoint({"SQLite rollback journal", "git checkout"})


def test_the_readme_counts_what_is_there() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = {row[0]: tuple(map(int, row[1:])) for row in re.findall(r"\| `?(\w+)[^|]*\|[^|]*" + r"\| (\d+) " * 3, text)}
    counted = {
        tool: (len(payloads), sum(len(p["concepts"]) for p in payloads), sum(len(p["relationships"]) for p in payloads))
        for tool, payloads in PAYLOADS.items()
    }
    assert rows == counted | {"all": tuple(map(sum, zip(*counted.values(), strict=True)))}
    joining = [r for r in RELATIONS if HOME_OF[r["source"]] != HOME_OF[r["target"]]]
    assert f"{len(joining)} relations join" in " ".join(text.split())
    same = [r for r in RELATIONS if r["type"] == "SAME_AS"]
    assert f"{len(same)} concepts are other names" in " ".join(text.split())


def test_the_set_is_as_large_as_the_demo_promises() -> None:
    assert len(CONCEPTS) >= 165
    assert len(RELATIONS) >= 280
    assert len(IN_ORDER) >= 24


@pytest.mark.parametrize("tool", TOOLS)
def test_the_reader_of_payloads_finds_nothing_to_repair(tool: str) -> None:
    batch = parse_payloads((FOLDER / f"{tool}.jsonl").read_bytes())
    assert (batch.notices, batch.problems, len(batch.payloads)) == ((), (), len(PAYLOADS[tool]))


def test_registering_the_files_in_order_stores_every_concept_and_relation(tmp_path: Path) -> None:
    with open_memory(str(tmp_path / "demo"), embedder="hash") as memory:
        for tool in TOOLS:
            memory.ref.register((FOLDER / f"{tool}.jsonl").read_bytes())
        stored = memory.ref.stats()
        assert (stored["concepts"], stored["references"], stored["relations"] - len(CONCEPTS)) == (
            len(CONCEPTS),
            len(IN_ORDER),
            len(RELATIONS),
        )


PATHS = [
    ("git reflog", "git unreachable object", "git gc"),
    ("SQLite WAL mode", "SQLite WAL file", "SQLite checkpoint"),
    ("PostgreSQL VACUUM", "PostgreSQL 可視性マップ", "PostgreSQL インデックスオンリースキャン"),
    ("git stash", "git reflog", "git reflog expire"),
    ("PostgreSQL PITR", "PostgreSQL WAL アーカイブ", "PostgreSQL WAL セグメント"),
]


@pytest.mark.parametrize(("start", "middle", "end"), PATHS)
def test_the_questions_of_the_demo_take_two_steps(start: str, middle: str, end: str) -> None:
    pairs = {frozenset((r["source"], r["target"])) for r in RELATIONS}
    assert {frozenset((start, middle)), frozenset((middle, end))} <= pairs
    assert frozenset((start, end)) not in pairs
