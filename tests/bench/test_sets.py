"""Reading sets: languages, conversations, second gold files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from bench import sets


def write(folder: Path, corpus: list[dict[str, Any]], queries: list[dict[str, Any]], **gold: str) -> None:
    folder.mkdir()
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in corpus)
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    for name, rows in gold.items():
        (folder / f"{name}.tsv").write_text("query-id\tdoc-id\trelevance\n" + rows)


def test_languages_and_a_second_gold_file(tmp_path: Path) -> None:
    corpus = [{"id": f"{lang}1", "title": "", "text": "x", "lang": lang} for lang in ("en", "de")]
    corpus.append({"id": "de2", "title": "", "text": "y", "lang": "de"})
    queries = [{"id": f"q{lang}", "text": "?", "lang": lang} for lang in ("en", "de")]
    write(tmp_path / "two", corpus, queries, qrels="qen\ten1\t1\nqde\tde1\t1\n", qrels_to_en="qde\ten1\t2\n")
    assert sets.find(tmp_path) == ["two"]
    found = {task.name: task for task in sets.tasks(tmp_path, "two")}
    assert list(found) == ["two de", "two en", "two to en de", "two mixed, to en de"]
    assert [one.id for one in found["two de"].collections["de"]] == ["de1", "de2"]
    across = found["two to en de"]
    assert [one.id for one in across.collections[""]] == ["en1"]
    assert across.questions[0].relevance == {"en1": 2}
    mixed = found["two mixed, to en de"]
    assert [one.id for one in mixed.collections[""]] == ["en1", "de2"]


def test_conversations_are_kept_apart_and_unanswerable_questions_left_out(tmp_path: Path) -> None:
    corpus = [{"id": name, "text": "x", "conversation": name[0], "queries": ["say"]} for name in ("a1", "a2", "b1")]
    queries = [{"id": f"q{name}", "text": "?", "conversation": name} for name in ("a", "b", "c")]
    write(tmp_path / "talk", corpus, queries, qrels="qa\ta1\t1\nqb\tb1\t0\n")
    (task,) = sets.tasks(tmp_path, "talk")
    assert {scope: [one.id for one in found] for scope, found in task.collections.items()} == {"a": ["a1", "a2"]}
    assert task.collections["a"][0].examples == ("say",)
    assert [question.id for question in task.questions] == ["qa"]


def test_a_sample_is_the_same_each_time(tmp_path: Path) -> None:
    queries = [{"id": f"q{number}", "text": "?"} for number in range(50)]
    gold = "".join(f"q{number}\td\t1\n" for number in range(50))
    write(tmp_path / "many", [{"id": "d", "title": "t", "text": "x"}], queries, qrels=gold)
    samples = [[one.id for task in sets.tasks(tmp_path, "many", 10) for one in task.questions] for _ in range(2)]
    assert samples[0] == samples[1]
    assert len(samples[0]) == 10
    halves = {one.is_dev for task in sets.tasks(tmp_path, "many") for one in task.questions}
    assert halves == {True, False}


def test_the_bundled_set_is_whole() -> None:
    assert sets.find(sets.SMALL) == ["workshop"]
    for task in sets.tasks(sets.SMALL, "workshop"):
        known = {document.id for documents in task.collections.values() for document in documents}
        assert all(set(question.relevance) <= known for question in task.questions)
