"""Data sets with gold answers, read from a folder, cut into tasks: one collection with the questions asked of it."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SMALL = Path(__file__).parent / "small"
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"


class Document(NamedTuple):
    """What is registered: `examples` are questions that its author gave for it."""

    id: str
    title: str
    text: str
    examples: tuple[str, ...]


class Question(NamedTuple):
    """What is asked, and the gain of each document that answers it. `scope` names the collection it is asked of."""

    id: str
    text: str
    scope: str
    relevance: dict[str, int]

    @property
    def is_dev(self) -> bool:
        """Whether it belongs to the half that recipes are tuned on: by a hash of its id."""
        return hashlib.md5(self.id.encode(), usedforsecurity=False).digest()[0] % 2 == 0


class Task(NamedTuple):
    """One row of the table. `collections`: scope to documents; most tasks have one, conversations one each."""

    name: str
    collections: dict[str, list[Document]]
    questions: list[Question]


def find(folder: Path) -> list[str]:
    """Names of the sets in a folder."""
    return sorted(path.parent.name for path in folder.glob("*/queries.jsonl") if (path.parent / "qrels.tsv").exists())


def tasks(folder: Path, name: str, max_queries: int | None = None) -> Iterator[Task]:
    """The tasks of one set: one a query language, and one for each `qrels_to_<lang>.tsv` and query language.

    Documents and queries that name a `conversation` are kept apart by it; where documents are in several languages,
    a query is asked of those in its own, of those in `<lang>`, and, `mixed`, of the latter beside those in its own
    language that answer nothing. Queries without an answer are left out.
    """
    path = folder / name
    rows, queries = list(_lines(path / "corpus.jsonl")), list(_lines(path / "queries.jsonl"))
    languages = {row.get("lang", "") for row in rows}
    yield from _by_language(name, rows, queries, _qrels(path / "qrels.tsv"), max_queries, is_split=len(languages) > 1)
    for extra in sorted(path.glob("qrels_to_*.tsv")):
        target = extra.stem.removeprefix("qrels_to_")
        if target in languages:
            kept = [row for row in rows if row.get("lang") == target]
            foreign = [query for query in queries if query.get("lang") != target]
            gold = _qrels(extra)
            yield from _by_language(f"{name} to {target}", kept, foreign, gold, max_queries, is_split=False)
            answers = {document for found in _qrels(path / "qrels.tsv").values() for document in found}
            for language in sorted({query["lang"] for query in foreign}):
                others = [row for row in rows if row.get("lang") == language and row["id"] not in answers]
                asked = [query for query in foreign if query["lang"] == language]
                title = f"{name} mixed, to {target}"
                yield from _by_language(title, kept + others, asked, gold, max_queries, is_split=False)


def _by_language(
    name: str,
    rows: list[dict[str, Any]],
    queries: list[dict[str, Any]],
    qrels: dict[str, dict[str, int]],
    max_queries: int | None,
    *,
    is_split: bool,
) -> Iterator[Task]:
    collections: dict[str, list[Document]] = defaultdict(list)
    for row in rows:
        collections[_scope(row, is_split)].append(
            Document(row["id"], row.get("title") or "", row["text"], tuple(row.get("queries", ())))
        )
    languages = sorted({query.get("lang", "") for query in queries})
    for language in languages:
        asked = [
            Question(query["id"], query["text"], _scope(query, is_split), qrels[query["id"]])
            for query in queries
            if query.get("lang", "") == language and any(gain > 0 for gain in qrels.get(query["id"], {}).values())
        ]
        if max_queries is not None and len(asked) > max_queries:
            asked = sorted(asked, key=lambda one: hashlib.md5(one.id.encode(), usedforsecurity=False).hexdigest()[1:])
            asked = asked[:max_queries]
        scopes = {question.scope for question in asked}
        if asked:
            yield Task(
                f"{name} {language}" if language else name,
                {scope: documents for scope, documents in collections.items() if scope in scopes},
                asked,
            )


def _scope(row: dict[str, Any], is_split: bool) -> str:
    return str(row.get("conversation") or (row.get("lang", "") if is_split else ""))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rt", encoding="utf-8") if packed.exists() else path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    with path.open(encoding="utf-8") as stream:
        next(stream)
        for line in stream:
            query, document, gain = line.rstrip("\n").split("\t")
            found[query][document] = int(gain)
    return found
