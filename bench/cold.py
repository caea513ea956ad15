"""What one command costs, process start to exit, as a multiple of an empty Python in the same run."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench import corpus
from bench.retrieval import write_section

DOCS = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"

VERBS: dict[str, list[str]] = {
    "--help": ["--help"],
    "ref types": ["ref", "types", "--json"],
    "ref archive": ["ref", "archive", "Kafka"],
    "ref show": ["ref", "show", "Kafka"],
    "ref stats": ["ref", "stats", "--json"],
    "ref search, words": ["ref", "search", "how does kafka split the log", "--json", "--recipe", "lexical"],
    "ref search": ["ref", "search", "how does kafka split the log", "--json"],
    "ref search, Japanese": ["ref", "search", "ログの分割と圧縮", "--json"],
}


class Cost(NamedTuple):
    """CPU seconds (user + system) and the greatest resident size of one process."""

    cpu_s: float
    peak_mb: float


def run(command: Sequence[str], environment: dict[str, str]) -> Cost:
    """Run a command once; its output is read and thrown away. Raises when it fails."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {output.decode()[:400]}")
    unit = 1024 * 1024 if platform.system() == "Darwin" else 1024
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def measure(home: str, verbs: dict[str, list[str]], rounds: int) -> list[tuple[str, float, float, float]]:
    """(verb, CPU s, multiple of an empty Python, peak MB): medians; each round runs every command once."""
    environment = {**os.environ, "TRIVIUM_HOME": home}
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    commands |= {name: [sys.executable, "-m", "trivium", *arguments] for name, arguments in verbs.items()}
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            costs[name].append(run(command, environment))
    kept = {name: every[1:] for name, every in costs.items()}
    empty = statistics.median(cost.cpu_s for cost in kept["python -c pass"])
    return [
        (
            name,
            statistics.median(cost.cpu_s for cost in every),
            statistics.median(cost.cpu_s for cost in every) / empty,
            max(cost.peak_mb for cost in every),
        )
        for name, every in kept.items()
    ]


def prepared(home: str, concepts: int) -> dict[str, list[str]]:
    """Make the store if it is not there; returns the verbs with an id that it holds."""
    if not os.path.exists(os.path.join(home, "concepts.db")):
        corpus.main(["--concepts", str(concepts), "--home", home])
    identifier = next(corpus.concepts(1))["id"]
    return {
        name: [identifier if argument == "Kafka" else argument for argument in arguments]
        for name, arguments in VERBS.items()
    }


def main(arguments: list[str]) -> int:
    """`python -m bench cold [--concepts N[,N]] [--rounds N] [--homes DIR] [--write]`."""
    parser = argparse.ArgumentParser(prog="python -m bench cold", description=__doc__)
    parser.add_argument("--concepts", default="10000", help="sizes of the stores, comma separated")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--homes", help="keep the stores here; a temporary folder otherwise")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.concepts.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.homes or scratch
        tables = []
        for size in sizes:
            home = os.path.join(folder, f"concepts-{size}")
            rows = measure(home, prepared(home, size), options.rounds)
            lines = [f"| {n} | {1000 * cpu:.1f} | {ratio:.1f} | {peak:.0f} |" for n, cpu, ratio, peak in rows]
            head = f"{size:,} concepts\n\n| command | CPU ms | times an empty Python | peak MB |\n|---|---|---|---|\n"
            tables.append(head + "\n".join(lines))
    command = f"python -m bench cold --concepts {options.concepts} --rounds {options.rounds}"
    about = f"`{command}`: whole processes, warm page cache, medians of {options.rounds}, commands in turn.\n\n"
    text = about + "\n\n".join(tables)
    print(text)
    if options.write:
        write_section(DOCS, "cold start", text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
