"""A vault's costs: real vaults, and 200, 2,000 and 20,000 notes made from them; each command a process of its own."""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import statistics
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.cold import DOCS, Cost, run
from bench.retrieval import write_section

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
VAULTS = ("vault_obsidian_help", "vault_logseq_docs", "vault_foam_docs", "vault_kepano")
MEAN_BYTES = 2_250
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)")


class Row(NamedTuple):
    """One step at one size."""

    step: str
    cost: Cost


def texts(data: Path = DATA) -> list[tuple[str, str]]:
    """(file stem, text) of every note of the real vaults, in a fixed order."""
    import zstandard

    found = []
    for name in VAULTS:
        packed = (data / name / "vault.tar.zst").read_bytes()
        stream = zstandard.ZstdDecompressor().stream_reader(packed).read()
        with tarfile.open(fileobj=io.BytesIO(stream)) as tar:
            for member in sorted(tar.getmembers(), key=lambda one: one.name):
                file = tar.extractfile(member) if member.isfile() and member.name.endswith(".md") else None
                if file is not None:
                    found.append((Path(member.name).stem, file.read().decode(errors="replace")))
    return found


def notes(count: int, data: Path = DATA) -> Iterator[tuple[str, str]]:
    """(path, text) of a vault of any size: copies of the real notes whose wiki links lead to the notes of their copy.

    Long notes are cut, so that the mean is about `MEAN_BYTES`, as in vaults that people write.
    """
    real = texts(data)
    stems = {stem for stem, _ in real}
    for number in range(count):
        stem, text = real[number % len(real)]
        copy = number // len(real)

        def renamed(match: re.Match[str], copy: int = copy) -> str:
            return f"[[{match[1]} {copy}" if match[1] in stems else match[0]

        # Each copy has words of its own, as notes have.
        body = _LINK.sub(renamed, text)[:5_200]
        tail = f"\n\nnote{number} topic{number % 997} item{number % 89}\n"
        yield f"area{number % 200}/{stem} {copy}.md", body + tail


def make(folder: Path, count: int, data: Path = DATA) -> int:
    """Write such a vault with a vocabulary; returns its bytes."""
    size = 0
    for path, text in notes(count, data):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode(errors="replace")
        place.write_bytes(content)
        size += len(content)
    return size


def measure(count: int, rounds: int, data: Path = DATA) -> tuple[int, list[Row]]:
    """Bytes of the vault and the cost of each step."""
    scratch = Path(tempfile.mkdtemp(prefix="trivium-bench-vault-"))
    try:
        vault = scratch / "vault"
        size = make(vault, count, data)
        cache = os.environ.get("TRIVIUM_CACHE") or os.path.join(os.path.expanduser("~"), ".cache", "trivium")
        environment = {**os.environ, "TRIVIUM_HOME": str(scratch / "home"), "TRIVIUM_CACHE": str(scratch / "cache")}
        if os.path.isdir(os.path.join(cache, "use")):
            shutil.copytree(os.path.join(cache, "use"), scratch / "cache" / "use")
        program = [sys.executable, "-m", "trivium", "vault"]
        rows = [Row("first sync", run([*program, "sync", str(vault)], environment))]
        first = next(iter(sorted(vault.rglob("*.md"))))
        steps: list[tuple[str, list[str]]] = [
            ("sync, nothing changed", ["sync", str(vault)]),
            ("search, words", ["search", str(vault), "embed a block in a note", "--recipe", "lexical"]),
            ("search, Japanese", ["search", str(vault), "ノートのリンク", "--recipe", "lexical"]),
            ("entity", ["entity", str(vault), str(first.relative_to(vault))]),
            ("paths", ["paths", str(vault), *_linked(vault)]),
        ]
        for name, arguments in steps:
            costs = [run([*program, *arguments], environment) for _ in range(rounds + 1)][1:]
            rows.append(Row(name, _median(costs)))
        edits = []
        for number in range(rounds):
            with first.open("a", encoding="utf-8") as file:
                file.write(f"\nedit {number}\n")
            edits.append(run([*program, "sync", str(vault)], environment))
        rows.insert(2, Row("sync, one note changed", _median(edits)))
        empty = _median([run([sys.executable, "-c", "pass"], environment) for _ in range(rounds + 1)][1:])
        return size, [Row("python -c pass", empty), *rows]
    finally:
        shutil.rmtree(scratch)


def _linked(vault: Path) -> list[str]:
    """The paths of two notes, the first of which links to the second if any does."""
    by_stem = {path.stem: path for path in sorted(vault.rglob("*.md"))}
    for path in by_stem.values():
        for match in _LINK.finditer(path.read_text(encoding="utf-8", errors="replace")):
            other = by_stem.get(match[1])
            if other is not None and other != path:
                return [str(path.relative_to(vault)), str(other.relative_to(vault))]
    return [str(path.relative_to(vault)) for path in list(by_stem.values())[:2]]


def _median(costs: list[Cost]) -> Cost:
    return Cost(statistics.median(cost.cpu_s for cost in costs), max(cost.peak_mb for cost in costs))


def main(arguments: list[str]) -> int:
    """`python -m bench vault [--notes N[,N]] [--rounds N] [--data DIR] [--write]`."""
    parser = argparse.ArgumentParser(prog="python -m bench vault", description=__doc__)
    parser.add_argument("--notes", default="200,2000,20000", help="sizes of the vaults, comma separated")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args(arguments)
    tables = []
    for count in map(int, options.notes.split(",")):
        size, rows = measure(count, options.rounds, options.data)
        empty = rows[0].cost.cpu_s
        lines = [
            f"| {row.step} | {1000 * row.cost.cpu_s:,.0f} | {row.cost.cpu_s / empty:,.1f} | {row.cost.peak_mb:.0f} |"
            for row in rows
        ]
        title = f"{count:,} notes, {size / 1e6:.1f} MB"
        head = f"{title}\n\n| step | CPU ms | times an empty Python | peak MB |\n|---|---|---|---|\n"
        tables.append(head + "\n".join(lines))
        print(tables[-1], flush=True)
    command = f"python -m bench vault --notes {options.notes} --rounds {options.rounds}"
    about = f"`{command}`: whole processes, medians of {options.rounds} (the first sync once), without vectors.\n\n"
    if options.write:
        write_section(DOCS, "vault", about + "\n\n".join(tables))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
