"""How well each recipe finds what was asked for: nDCG@10, recall@10 and MRR, through the same door that users take."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import trivium
from bench import measures, sets
from trivium.index.space import INDEX_VERSION
from trivium.model import name_key
from trivium.rank.fuse import RECIPES

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parent.parent / "docs" / "benchmarks.md"
DEPTH = 10
_BATCH = 200

CORE = frozenset(
    (
        "scifact",
        "cranfield",
        "tldr_howto",
        "jsquad",
        "jaquad",
        "xquad",
        "astro_docs_xling",
        "obsidian_help_xling",
        "metatool_routing",
    )
)
"""Sets whose mean is reported apart: the ones that recipes are compared on."""

_NAMES = {"lexical": "BM25"}

Memory = trivium.Memory


class Outcome(NamedTuple):
    """What one way of searching gave for one question."""

    task: str
    way: str
    question: str
    is_dev: bool
    ranked: list[str]
    ndcg: float
    recall: float
    reciprocal_rank: float


def main(arguments: list[str]) -> int:
    """`python -m bench retrieval [--data DIR] [--sets a,b] [--max-queries N] [--docs]`."""
    parser = argparse.ArgumentParser(prog="python -m bench retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of sets; default ../shared/data, else the bundled set")
    parser.add_argument("--sets", default="", help="names, with commas between")
    parser.add_argument("--max-queries", type=int, default=300, help="per task, chosen by hash; 0 for all")
    parser.add_argument("--embedder", default=None)
    parser.add_argument("--docs", action="store_true", help="write the table into docs/benchmarks.md as well")
    options = parser.parse_args(arguments)
    folder = options.data or (sets.SHARED if sets.SHARED.is_dir() else sets.SMALL)
    if options.data is None and folder == sets.SMALL:
        print("No ../shared/data beside this repository: measuring the small bundled set,", file=sys.stderr)
        print("which says that nothing is broken, not how good it is. Give another with --data.", file=sys.stderr)
    names = options.sets.split(",") if options.sets else sets.find(folder)
    if not names:
        print(
            f"No sets in {folder}: a set is a folder with corpus.jsonl(.gz), queries.jsonl and qrels.tsv.",
            file=sys.stderr,
        )
        return 2
    outcomes: list[Outcome] = []
    for name in names:
        for task in sets.tasks(folder, name, options.max_queries or None):
            outcomes += _measure(task, name, options.embedder)
            print(f"{task.name}: done", file=sys.stderr)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "retrieval.json").write_text(json.dumps([one._asdict() for one in outcomes], ensure_ascii=False))
    shown = [argument for argument in arguments if argument != "--docs"]
    text = report(outcomes, "python -m bench " + " ".join(["retrieval", *shown]))
    (RESULTS / "retrieval.md").write_text(text)
    print(text)
    if options.docs:
        write_section(DOCS, "retrieval", text)
    return 0


# -- running


def _measure(task: sets.Task, set_name: str, embedder: str | None) -> list[Outcome]:
    outcomes = []
    for scope, documents in task.collections.items():
        questions = [question for question in task.questions if question.scope == scope]
        grep = Grep(documents)
        with Kept(f"{set_name}-{scope}" if scope else set_name, documents, embedder) as (memory, names):
            ways = _ways(memory, names, grep)
            for question in questions:
                for way, search in ways.items():
                    ranked = search(question.text)
                    outcomes.append(
                        Outcome(
                            task.name,
                            way,
                            question.id,
                            question.is_dev,
                            ranked,
                            measures.ndcg(ranked, question.relevance, DEPTH),
                            measures.recall(ranked, question.relevance, DEPTH),
                            measures.reciprocal_rank(ranked, question.relevance, DEPTH),
                        )
                    )
    return outcomes


def _ways(memory: Memory, names: dict[str, str], grep: Grep) -> dict[str, Callable[[str], list[str]]]:
    def by_recipe(query: str, recipe: str, **changes: Any) -> list[str]:
        result = memory.ref.search(query, limit=DEPTH, depth=0, recipe=recipe, **changes)
        return [names[hit.id] for hit in result.hits]

    ways: dict[str, Callable[[str], list[str]]] = {"grep": grep.search}
    for recipe in ("lexical", "dense", *(name for name in RECIPES if name not in ("lexical", "dense"))):
        ways[_NAMES.get(recipe, recipe)] = partial(by_recipe, recipe=recipe, threshold=0.0)
    ways["as shipped"] = partial(by_recipe, recipe="")
    return ways


class Grep:
    """The baseline without an index: most distinct words of the query as substrings, then the shorter document."""

    def __init__(self, documents: Iterable[sets.Document]) -> None:
        self._texts = [(one.id, "\n".join((one.title, one.text, *one.examples)).lower()) for one in documents]

    def search(self, query: str) -> list[str]:
        """The first ids that hold any word."""
        words = {word for word in re.split(r"[\s.,;:!?()\"'`]+", query.lower()) if word}
        found = []
        for name, text in self._texts:
            count = sum(word in text for word in words)
            if count:
                found.append((-count, len(text), name))
        return [name for _, _, name in sorted(found)[:DEPTH]]


class Kept:
    """A store of these documents, kept between runs, with the document id of each concept."""

    def __init__(self, name: str, documents: Sequence[sets.Document], embedder: str | None) -> None:
        content = hashlib.sha256(repr(documents).encode()).hexdigest()[:12]
        safe = re.sub(r"[^\w-]+", "_", f"{name}-{embedder or 'default'}-{content}")
        self._home = RESULTS / "homes" / safe
        self._documents, self._embedder = documents, embedder

    def __enter__(self) -> tuple[Memory, dict[str, str]]:
        mark = self._home / "documents.json"
        if not mark.exists():
            shutil.rmtree(self._home, ignore_errors=True)
            self._home.mkdir(parents=True)
        self._memory = trivium.open(str(self._home), embedder=self._embedder)
        if not mark.exists():
            names = self._register()
            mark.write_text(json.dumps({"index": INDEX_VERSION, "names": names}))
        kept = json.loads(mark.read_text())
        if kept["index"] != INDEX_VERSION:
            self._memory.reindex()
            mark.write_text(json.dumps(kept | {"index": INDEX_VERSION}))
        return self._memory, kept["names"]

    def __exit__(self, *_: object) -> None:
        self._memory.close()

    def _register(self) -> dict[str, str]:
        names: dict[str, str] = {}
        taken: set[str] = set()
        concepts = []
        for document in self._documents:
            if not document.text.strip():
                continue
            title = " ".join((document.title or document.id).split())[:200].strip()
            name, number = title, 1
            while name_key(name) in taken:
                number += 1
                name = f"{title} ({number})"
            taken.add(name_key(name))
            names[name] = document.id
            concepts.append({"id": name, "description": document.text})
            if document.examples:
                concepts[-1]["details"] = "\n\n".join(document.examples)
        for at in range(0, len(concepts), _BATCH):
            reference = {"url": f"https://example.org/{at}", "title": f"Part {at // _BATCH + 1}"}
            self._memory.ref.register(
                {"reference": reference, "concepts": concepts[at : at + _BATCH], "relationships": []}
            )
        return names


# -- reporting


def report(outcomes: Sequence[Outcome], command: str) -> str:
    """The tables as Markdown: nDCG@10 on the reporting half, the mean of both halves, recall@10 and MRR."""
    ways = list(dict.fromkeys(one.way for one in outcomes))
    held = [one for one in outcomes if not one.is_dev]
    parts = [
        f"`{command}` ({time.strftime('%Y-%m-%d', time.gmtime())}).",
        "nDCG@10 on the half of the questions that nothing was tuned on (by a hash of the question id):",
        _table(held, ways, "ndcg"),
        "The other half, on which the default recipe was tuned:",
        _table([one for one in outcomes if one.is_dev], ways, "ndcg"),
        "recall@10, reporting half:",
        _table(held, ways, "recall"),
        "MRR@10, reporting half:",
        _table(held, ways, "reciprocal_rank"),
    ]
    return "\n\n".join(parts) + "\n"


def _table(outcomes: Sequence[Outcome], ways: Sequence[str], measure: str) -> str:
    tasks = list(dict.fromkeys(one.task for one in outcomes))
    values: dict[tuple[str, str], list[float]] = {}
    for one in outcomes:
        values.setdefault((one.task, one.way), []).append(getattr(one, measure))
    rows = [["set", "questions", *ways], ["---", "---:", *("---:" for _ in ways)]]
    means: dict[str, list[float]] = {way: [] for way in ways}
    for task in tasks:
        figures = [sum(found) / len(found) for way in ways for found in [values[task, way]]]
        for way, figure in zip(ways, figures, strict=True):
            means[way].append(figure)
        best = max(figures)
        shown = [f"**{figure:.3f}**" if figure >= best - 5e-4 else f"{figure:.3f}" for figure in figures]
        rows.append([task, str(len(values[task, ways[0]])), *shown])
    rows.append(["mean", "", *(f"{statistics.fmean(found):.3f}" for found in means.values() if found)])
    core = [at for at, task in enumerate(tasks) if task.split()[0] in CORE and " mixed" not in task]
    if core:
        figures = [statistics.fmean(found[at] for at in core) for found in means.values()]
        rows.append(["mean of the core sets", "", *(f"{figure:.3f}" for figure in figures)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write_section(path: Path, name: str, text: str) -> None:
    """Put a text between `<!-- name -->` and `<!-- /name -->` of a file that has both marks."""
    before, opening, rest = path.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, closing, after = rest.partition(f"<!-- /{name} -->")
    if not opening or not closing:
        raise SystemExit(f"{path} has no section {name}")
    path.write_text(before + opening + text + closing + after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
