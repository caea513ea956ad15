"""Routing prompts to entries: who is found first, who speaks when nobody is asked, and what is injected.

`python -m bench routing`: the sets of a folder whose documents are skills or intents with example prompts. Half of the
prompts (by a hash of their id) were used to choose the formula; the tables show the other half.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.sets import SHARED
from trivium.config import load
from trivium.domains.routing.collection import Collection
from trivium.domains.routing.match import Match, match
from trivium.domains.routing.options import MatchOptions
from trivium.domains.routing.upkeep import bring_up_to_date
from trivium.engine import Engine
from trivium.sources.guidance.roots import extra_root

Row = dict[str, Any]

_EVERYTHING = MatchOptions(limit=5, mode="absolute", threshold=-9.0)


class Prompt(NamedTuple):
    """What is asked; `right` are the ids that answer it, none when nothing should be said."""

    id: str
    text: str
    right: frozenset[str]

    @property
    def is_tuned_on(self) -> bool:
        return hashlib.md5(self.id.encode(), usedforsecurity=False).digest()[0] % 2 == 0


def _lines(path: Path) -> Iterator[Row]:
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rt", encoding="utf-8") if packed.exists() else path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def read_set(folder: Path) -> tuple[list[Row], list[Prompt]]:
    """Documents and prompts of one set."""
    documents = list(_lines(folder / "corpus.jsonl"))
    right: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, gain = line.split("\t")
        if int(gain) > 0:
            right.setdefault(query, set()).add(document)
    prompts = [
        Prompt(row["id"], row["text"], frozenset(right.get(row["id"], ()))) for row in _lines(folder / "queries.jsonl")
    ]
    return documents, prompts


def spread(queries: Sequence[str], count: int) -> list[str]:
    """So many of the queries, those with the smallest hashes: authors write similar ones one after the other."""
    return sorted(queries, key=lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest())[:count]


def write_skills(documents: Sequence[Row], folder: Path, examples: int | None) -> dict[str, str]:
    """One SKILL.md a document; returns folder names to document ids."""
    names = {}
    for number, row in enumerate(documents):
        name = f"{number:05d}"
        names[name] = row["id"]
        queries = row.get("queries") or []
        queries = queries if examples is None else spread(queries, examples)
        fields = {"name": row["title"], "description": row["text"] or row["title"], "queries": queries or None}
        head = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items() if value)
        (folder / name).mkdir(parents=True)
        (folder / name / "SKILL.md").write_text(f"---\n{head}---\n{row.get('body') or ''}\n", encoding="utf-8")
    return names


class Outcome(NamedTuple):
    """What a way of matching gave for one prompt: ids in order, the margin of the best above its floor."""

    prompt: Prompt
    ranked: list[str]
    margin: float


def outcomes(
    collection: Collection, prompts: Sequence[Prompt], names: dict[str, str], options: MatchOptions
) -> list[Outcome]:
    """Rank every prompt."""
    found = []
    for prompt in prompts:
        answer = match(collection, prompt.text, options)
        best = answer.hits[0] if answer.hits else None
        calibrated = 0.0 if best is None else _floor(collection, best.key, answer)
        margin = -9.0 if best is None else best.score - calibrated
        found.append(Outcome(prompt, [_document(hit.path, names) for hit in answer.hits], margin))
    return found


def _floor(collection: Collection, key: int, answer: Match) -> float:
    from trivium.rank.examples import floor
    from trivium.store.sqlite import guidance

    row = guidance.guides(collection.space.store, [key])[key]
    return floor(answer.calibration, row.example_count, row.tightness)


def _document(path: str, names: dict[str, str]) -> str:
    return names[os.path.basename(os.path.dirname(path))]


def hit(found: Sequence[Outcome], k: int) -> float:
    """The share of prompts with an answer that have it among the first k."""
    asked = [one for one in found if one.prompt.right]
    return sum(bool(one.prompt.right & set(one.ranked[:k])) for one in asked) / max(1, len(asked))


def silence_at(found: Sequence[Outcome], recall: float) -> float:
    """The share of prompts without an answer that fall below the margin that so many of the others reach."""
    inside = sorted(one.margin for one in found if one.prompt.right)
    outside = [one.margin for one in found if not one.prompt.right]
    if not outside:
        return float("nan")
    limit = inside[int((1 - recall) * len(inside))]
    return sum(margin < limit for margin in outside) / len(outside)


def injected(
    collection: Collection, prompts: Sequence[Prompt], names: dict[str, str], strangers: Sequence[str] = ()
) -> dict[str, float]:
    """What default matching would put before an agent, and what it takes."""
    from trivium.domains.routing.compile import compile_context

    right = shown = spoken = 0
    silent_rightly: list[bool] = []
    characters: list[int] = []
    latencies: list[float] = []
    for prompt in prompts:
        began = time.process_time()
        answer = match(collection, prompt.text)
        context = compile_context(collection, answer.hits, host="claude")
        latencies.append((time.process_time() - began) * 1e3)
        ids = [_document(one.path, names) for one in answer.hits]
        characters.append(len(context.text))
        if not prompt.right:
            silent_rightly.append(not ids)
            continue
        spoken += bool(ids)
        shown += len(ids)
        right += sum(one in prompt.right for one in ids)
    silent_rightly += [not match(collection, text).hits for text in strangers]
    asked = sum(bool(prompt.right) for prompt in prompts)
    return {
        "precision": right / max(1, shown),
        "recall": right / max(1, asked),
        "spoken": spoken / max(1, asked),
        "silent": sum(silent_rightly) / len(silent_rightly) if silent_rightly else float("nan"),
        "chars": float(statistics.median(characters)),
        "p95_ms": sorted(latencies)[int(0.95 * (len(latencies) - 1))],
    }


# -- the tables


class Case(NamedTuple):
    """One row: a set, how many examples each document has, and which documents there are."""

    name: str
    folder: str
    examples: int | None
    choose: Callable[[Row], bool] | None = None


def _some(row: Row) -> bool:
    """The skills that the prompts were written for, and as many others as make about 200."""
    chance = int(hashlib.md5(row["id"].encode(), usedforsecurity=False).hexdigest(), 16) % 1093
    return bool(row["own"]) or chance < 70


CASES = (
    Case("clinc150, all examples", "clinc150_routing", None),
    Case("clinc150, 5 examples", "clinc150_routing", 5),
    Case("clinc150, descriptions", "clinc150_routing", 0),
    Case("banking77, all examples", "banking77_routing", None),
    Case("banking77, 5 examples", "banking77_routing", 5),
    Case("banking77, descriptions", "banking77_routing", 0),
    Case("metatool", "metatool_routing", None),
    Case("dotnet, all distractors", "dotnet_skill_routing", None),
    Case("dotnet, 200 skills", "dotnet_skill_routing", None, _some),
)


def run_case(case: Case, data: Path, cache: str, *, is_half: bool, strangers: Sequence[str]) -> list[list[str]]:
    """The rows of the three tables."""
    documents, prompts = read_set(data / case.folder)
    documents = [row for row in documents if case.choose is None or case.choose(row)]
    kept = {row["id"] for row in documents}
    prompts = [one._replace(right=one.right & kept) for one in prompts]
    prompts = [one for one in prompts if not is_half or not one.is_tuned_on]
    engine = Engine(load()._replace(cache=cache))
    with tempfile.TemporaryDirectory() as folder:
        names = write_skills(documents, Path(folder), case.examples)
        with Collection(engine, [extra_root(folder, "skills")]) as collection:
            bring_up_to_date(collection)
            ways = {}
            for recipe in ("examples", "nearest", "words"):
                ways[recipe] = outcomes(collection, prompts, names, _EVERYTHING._replace(recipe=recipe))
            said = injected(collection, prompts, names, strangers)
    engine.close()
    count = f"{len(documents)} / {len(prompts)}"
    ranking = [
        case.name,
        count,
        *(f"{hit(ways[way], 1):.3f} / {hit(ways[way], 3):.3f}" for way in ("words", "nearest", "examples")),
    ]
    silence = f"{silence_at(ways['examples'], 0.90):.2f}" if any(not one.right for one in prompts) else "-"
    speech = [
        case.name,
        silence,
        f"{said['precision']:.2f}",
        f"{said['recall']:.2f}",
        f"{said['spoken']:.2f}",
        f"{said['silent']:.2f}",
        f"{said['chars']:.0f}",
        f"{said['p95_ms']:.0f}",
    ]
    return [ranking, speech]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m bench routing", description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--only", help="rows whose name holds this text")
    parser.add_argument("--all", action="store_true", help="all prompts, not only the half that nothing was tuned on")
    parser.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "trivium-bench-routing"))
    options = parser.parse_args(arguments)
    cases = [one for one in CASES if (options.data / one.folder).is_dir() and (options.only or "") in one.name]
    if not cases:
        raise SystemExit(f"No sets in {options.data}")
    foreign = {}
    for folder in dict.fromkeys(one.folder for one in CASES):
        if (options.data / folder).is_dir():
            foreign[folder] = [one.text for one in read_set(options.data / folder)[1][:100]]
    ranking, speech = [], []
    for case in cases:
        # Prompts of another field: no entry of the collection is meant.
        other = "dotnet_skill_routing" if case.folder != "dotnet_skill_routing" else "banking77_routing"
        one, two = run_case(
            case, options.data, options.cache, is_half=not options.all, strangers=foreign.get(other, ())
        )
        print(one, two, file=sys.stderr)
        ranking.append(one)
        speech.append(two)
    print("hit@1 / hit@3:\n")
    print(_table(["set", "entries / prompts", "words alone", "nearest example alone", "default"], ranking))
    print("\nWhat the default would show (`silent`: prompts that need nothing and get nothing):\n")
    heads = ["set", "silence at 0.90 recall", "precision", "recall", "spoken", "silent", "median chars", "p95 CPU ms"]
    print(_table(heads, speech))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
