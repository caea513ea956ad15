"""Exchange: a refmesh database comes in whole, and what goes out can be read back."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trivium.api import Memory, open_memory
from trivium.domains.references import exchange
from trivium.engine import Engine
from trivium.errors import NotFoundError, PayloadError, TriviumError, UsageError

Make = Callable[..., dict[str, Any]]

CONCEPTS = [
    ("A", "apples", "code\nhere", "2024-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z", 7, 3, None, None),
    (
        "B",
        "bananas",
        None,
        "2024-01-01T00:00:00.000Z",
        "2025-01-01T00:00:00.000Z",
        1,
        0,
        "2025-02-01T00:00:00.000Z",
        "old",
    ),
    ("C", "cherries", None, "2024-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z", 1, 0, None, None),
]


@pytest.fixture
def refmesh(tmp_path: Path) -> Path:
    path = tmp_path / "refmesh.db"
    with sqlite3.connect(path) as db:
        db.executescript(
            """CREATE TABLE concepts(id TEXT PRIMARY KEY, description TEXT NOT NULL, details TEXT,
              first_seen_at TEXT, last_seen_at TEXT, touch_count INT, access_count INT, archived_at TEXT,
              archive_reason TEXT);
            CREATE TABLE refs(url TEXT PRIMARY KEY, title TEXT, first_seen_at TEXT, last_seen_at TEXT,
              published_at TEXT, fetched_at TEXT);
            CREATE TABLE describes(ref_url TEXT, concept_id TEXT);
            CREATE TABLE edges(source_id TEXT, edge_type TEXT, target_id TEXT, reason TEXT);"""
        )
        db.executemany("INSERT INTO concepts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", CONCEPTS)
        db.execute("INSERT INTO refs VALUES ('https://a.example', 'A page', '', '', '2023-05-05T00:00:00.000Z', NULL)")
        db.executemany("INSERT INTO describes VALUES ('https://a.example', ?)", [("A",), ("B",)])
        db.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?)",
            [
                ("A", "PART_OF", "B", "r1"),
                ("A", "IS_A", "C", "r2"),
                ("A", "NO_SUCH", "C", "x"),
                ("A", "IS_A", "Z", "x"),
            ],
        )
    db.close()
    return path


def engine_of(memory: Memory) -> Engine:
    return memory._engine


def test_a_refmesh_database_comes_in_whole(memory: Memory, refmesh: Path) -> None:
    before = refmesh.read_bytes()
    done = exchange.import_refmesh(engine_of(memory), str(refmesh))
    assert (done.references, done.concepts, done.relations, done.archived) == (2, 3, 2, 1)
    assert sum("NO_SUCH" in loss or "target_id" in loss for loss in done.losses) == 2
    view = memory.ref.show("A")
    assert (view.entity.details, view.entity.touch_count) == ("code\nhere", 7)
    assert view.entity.first_seen_at.startswith("2024-01-01")
    assert {(r.predicate, r.object, r.reason) for r in view.relations} == {("PART_OF", "B", "r1"), ("IS_A", "C", "r2")}
    assert memory.ref.show("B").entity.archive_reason == "old"
    assert memory.ref.search("cherries").hits[0].id == "C"
    again = exchange.import_refmesh(engine_of(memory), str(refmesh))
    assert (again.references, again.unchanged, again.archived) == (0, 2, 0)
    assert memory.ref.show("A").entity.touch_count == 7
    assert refmesh.read_bytes() == before


def test_tables_as_json(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps({"concepts": [{"id": "A", "description": "apples"}, {"id": ""}, 3], "edges": []}))
    done = exchange.import_refmesh(engine_of(memory), str(path))
    assert (done.concepts, len(done.losses)) == (1, 2)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"concepts": 3}', b"\xff\xfe\x00"])
def test_what_is_neither_is_refused(memory: Memory, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(PayloadError):
        exchange.import_refmesh(engine_of(memory), str(path))
    with pytest.raises(NotFoundError):
        exchange.import_refmesh(engine_of(memory), str(tmp_path / "none"))


def test_a_truncated_database_never_crashes(memory: Memory, refmesh: Path) -> None:
    data = refmesh.read_bytes()
    for size in range(100, len(data), 2_000):
        refmesh.write_bytes(data[:size])
        losses: tuple[str, ...] = ("refused",)
        with contextlib.suppress(TriviumError):
            losses = exchange.import_refmesh(engine_of(memory), str(refmesh)).losses
        assert losses


def logical(memory: Memory) -> Any:
    names = [entity.id for entity in memory.ref.list(order="id", limit=500).items]
    views = [memory.ref.show(name) for name in names]
    return [
        (
            v.entity.id,
            v.entity.description,
            v.entity.details,
            v.aliases,
            [(m.document, m.reason) for m in v.mentions],
            sorted((r.subject, r.predicate, r.object, r.reason) for r in v.relations),
        )
        for v in views
    ]


def test_json_lines_can_be_registered_again(memory: Memory, payload: Make, tmp_path: Path) -> None:
    first = payload("https://a.example", {"A": "apples", "B": "bananas"}, ("A", "PART_OF", "C"))
    first["concepts"][0] |= {"details": "x = 1", "aliases": ["Apple"]}
    memory.ref.register(
        [first, payload("https://b.example", {"C": "cherries", "B": "bananas again"}, ("C", "IS_A", "B"))]
    )
    text = "".join(exchange.export(engine_of(memory), "jsonl"))
    with open_memory(str(tmp_path / "other"), embedder="hash") as other:
        assert not other.ref.register(text).problems
        assert logical(other) == logical(memory)


def test_graphml_and_markdown(memory: Memory, payload: Make) -> None:
    made = payload("https://a.example", {"A & <B>": "ap\u200bples", "B": "bananas"}, ("A & <B>", "PART_OF", "B"))
    made["concepts"][1]["details"] = "```\nfence\n```"
    memory.ref.register(made)
    tree = ET.fromstring("".join(exchange.export(engine_of(memory), "graphml")))
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert (len(list(tree.iter(f"{space}node"))), len(list(tree.iter(f"{space}edge")))) == (2, 1)
    page = "".join(exchange.export(engine_of(memory), "markdown"))
    assert "- PART_OF [[B]]" in page
    assert "````\n```\nfence" in page
    with pytest.raises(UsageError):
        exchange.export(engine_of(memory), "csv")


def test_an_empty_memory_exports_nothing(memory: Memory) -> None:
    assert "".join(exchange.export(engine_of(memory), "jsonl")) == ""
