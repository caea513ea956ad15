"""What registering costs: concepts per CPU second and peak memory, in one payload and in many."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from bench import corpus
from bench.cold import DOCS, run
from bench.retrieval import write_section

SHAPES = {"one payload of 1,000": 1000, "100 payloads of 10": 10}


def measure(folder: Path, name: str, size: int) -> str:
    """One row: a fresh store, 1,000 concepts with two relations each, the whole process."""
    file = folder / f"{size}.jsonl"
    payloads = corpus.payloads(1000, size)
    file.write_text("".join(json.dumps(payload) + "\n" for payload in payloads), encoding="utf-8")
    environment = {**os.environ, "TRIVIUM_HOME": str(folder / f"home-{size}")}
    trivium = [sys.executable, "-m", "trivium"]
    run([*trivium, "prefetch"], environment)
    cost = run([*trivium, "ref", "register", "--file", str(file)], environment)
    again = run([*trivium, "ref", "register", "--file", str(file)], environment)
    rates = f"{1000 / cost.cpu_s:.0f} | {1000 / again.cpu_s:.0f} | {max(cost.peak_mb, again.peak_mb):.0f}"
    return f"| {name} | {rates} |"


def main(arguments: list[str]) -> int:
    """`python -m bench registering [--write]`."""
    parser = argparse.ArgumentParser(prog="python -m bench registering", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(Path(folder), name, size) for name, size in SHAPES.items()]
    text = (
        "`python -m bench registering`: whole processes with the default embedder, a fresh store each.\n\n"
        "| 1,000 concepts, 2 relations each | new, per CPU s | again, per CPU s | peak MB |\n|---|---|---|---|\n"
    ) + "\n".join(rows)
    print(text)
    if options.write:
        write_section(DOCS, "registering", text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
