"""The dense index against one pass of one core over the float32 bytes: fresh process and warm, recall, memory.

`python -m bench dense --rows 1000000 --dim 512`. The rows are clusters with noise, or, with `--seeds FILE.npy` (unit
vectors of real texts, float32), mixtures of two seeds with noise; `--query-vectors FILE.npy` asks with real queries.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.index import dense

Floats = NDArray[np.float32]

_BLOCK = 20_000
_PAGE = 4096

_PASS = """
import json, sys, time
import numpy as np
path, rows, dim, query = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), np.fromfile(sys.argv[4], "f4")
times = []
for _ in range(4):
    wall, cpu = time.perf_counter(), time.process_time()
    if not times:
        matrix = np.memmap(path, "f4", "r", 4096, (rows, dim))
    matrix @ query[:dim]
    times.append(((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3))
print(json.dumps({"first": times[0], "warm": min(times[1:])}))
"""

_SEARCH = """
import time
started = time.perf_counter(), time.process_time()
from trivium.index import dense
imported = time.perf_counter(), time.process_time()
import sys
path, dim, k, data = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), open(sys.argv[4], "rb").read()
queries = [data[at : at + 4 * dim] for at in range(0, len(data), 4 * dim)]
times, found = [], []
matrix = None
for query in queries:
    wall, cpu = time.perf_counter(), time.process_time()
    if matrix is None:
        matrix = dense.Matrix.open(path, identity="bench")
    found.append([key for key, _ in matrix.search(query, k)])
    times.append(((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3))
import json
anonymous = 0
try:
    with open("/proc/self/status") as status:
        anonymous = next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))
except OSError:
    pass
warm = sorted(times[1:])
print(json.dumps({
    "import": (imported[1] - started[1]) * 1e3, "first": times[0], "warm": warm[len(warm) // 2],
    "found": found, "anonymous_mb": anonymous / 1024,
}))
"""


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), "<f4")


def _clusters(count: int, dim: int, seed: int) -> Iterator[Floats]:
    """Blocks of rows around 20,000 centres, some of them tight and some wide."""
    centres = _unit(np.random.default_rng(1).standard_normal((20_000, dim), "f4"))
    chance = np.random.default_rng(seed)
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        width = chance.uniform(0.3, 1.2, (size, 1)).astype("f4") / dim**0.5
        yield _unit(centres[chance.integers(0, len(centres), size)] + width * chance.standard_normal((size, dim), "f4"))


def _mixtures(count: int, seeds: Floats, seed: int) -> Iterator[Floats]:
    """Blocks of rows, each one seed with some of another and noise of a quarter of its length."""
    chance = np.random.default_rng(seed)
    dim = seeds.shape[1]
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        share = chance.uniform(0.6, 1, (size, 1)).astype("f4")
        one, other = (seeds[chance.integers(0, len(seeds), size)] for _ in range(2))
        noise = chance.standard_normal((size, dim), "f4") * (0.25 / dim**0.5)
        yield _unit(share * one + (1 - share) * other + noise)


def _rows(blocks: Iterator[Floats]) -> Iterator[dense.Row]:
    key = 0
    for block in blocks:
        for row in block:
            key += 1
            yield key, row.tobytes()


def _nearest(path: str, rows: int, queries: Floats, k: int) -> list[set[int]]:
    """The keys of the k nearest rows of each query by a plain product over all floats."""
    matrix = np.memmap(path, "f4", "r", _PAGE, (rows, queries.shape[1]))
    scores = np.concatenate([queries @ matrix[at : at + _BLOCK].T for at in range(0, rows, _BLOCK)], axis=1)
    return [set((np.argpartition(-row, k)[:k] + 1).tolist()) for row in scores]


def _child(program: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    one_core = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **one_core})
    return dict(json.loads(done.stdout))


def measure(
    rows: int, dim: int, k: int, queries: Floats, blocks: Iterator[Floats], runs: int, folder: str
) -> list[str]:
    """One line of the table."""
    path = str(Path(folder) / f"{rows}")
    started = time.perf_counter()
    dense.write_matrix(path, _rows(blocks), dim=dim, identity="bench")
    written_s = time.perf_counter() - started
    file = glob.glob(glob.escape(path) + ".*")[0]
    asked = str(Path(folder) / "queries")
    queries.tofile(asked)
    passes, searches = [], []
    for _ in range(runs):
        passes.append(_child(_PASS, file, rows, dim, asked))
        searches.append(_child(_SEARCH, path, dim, k, asked))
    truth = _nearest(file, rows, queries, k)
    hits = sum(len(want & set(got)) for want, got in zip(truth, searches[0]["found"], strict=True))

    def median(results: list[dict[str, Any]], name: str, clock: int) -> float:
        return float(statistics.median(result[name][clock] for result in results))

    pass_wall, pass_cpu = median(passes, "warm", 0), median(passes, "warm", 1)
    first_wall, first_cpu = median(searches, "first", 0), median(searches, "first", 1)
    warm_wall, warm_cpu = median(searches, "warm", 0), median(searches, "warm", 1)
    return [
        f"{rows:,}",
        f"{median(passes, 'first', 0):.1f} / {median(passes, 'first', 1):.1f}",
        f"{pass_wall:.1f} / {pass_cpu:.1f}",
        f"{first_wall:.1f} / {first_cpu:.1f}",
        f"{first_wall / pass_wall:.2f} / {first_cpu / pass_cpu:.2f}",
        f"{warm_wall:.1f} / {warm_cpu:.1f}",
        f"{warm_wall / pass_wall:.2f} / {warm_cpu / pass_cpu:.2f}",
        f"{statistics.median(result['import'] for result in searches):.1f}",
        f"{hits / (k * len(queries)):.4f}",
        f"{max(result['anonymous_mb'] for result in searches):.0f}",
        f"{written_s:.1f}",
    ]


_HEADINGS = (
    *("rows", "float32 pass, first", "float32 pass, warm", "first search", "ratio", "next searches", "ratio"),
    *("import CPU", "recall", "anonymous MB", "write s"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; times are milliseconds, wall / CPU, medians over fresh processes."""
    parser = argparse.ArgumentParser(prog="python -m bench dense", description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--dim", type=int, default=512)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5, help="fresh processes a line")
    parser.add_argument("--seeds", help="unit vectors of real texts (.npy, float32)")
    parser.add_argument("--query-vectors", help="unit vectors of real queries (.npy, float32)")
    parser.add_argument("--folder", help="where the matrices go (default: a temporary folder)")
    options = parser.parse_args(arguments)
    seeds = None if options.seeds is None else _unit(np.load(options.seeds))
    dim = options.dim if seeds is None else seeds.shape[1]
    if options.query_vectors is not None:
        every = _unit(np.load(options.query_vectors))
        queries = every[np.random.default_rng(5).permutation(len(every))[: options.queries]]
    else:
        queries = next(_clusters(options.queries, dim, 3) if seeds is None else _mixtures(options.queries, seeds, 3))
    print(f"dimension {dim}, {len(queries)} queries, k = {options.k}; milliseconds are wall / CPU", file=sys.stderr)
    print("| " + " | ".join(_HEADINGS) + " |")
    print("|" + "---|" * len(_HEADINGS))
    for rows in options.rows:
        blocks = _clusters(rows, dim, 2) if seeds is None else _mixtures(rows, seeds, 2)
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            line = measure(rows, dim, options.k, queries, blocks, options.runs, folder)
        print("| " + " | ".join(line) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
