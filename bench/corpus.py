"""Make a store of N realistic concepts with relations and vectors, for timing."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import trivium
from trivium.model import PREDICATES

_PRODUCTS = [
    "Kafka",
    "Redis",
    "Postgres",
    "SQLite",
    "Git",
    "React",
    "Vue",
    "Django",
    "Flask",
    "Rust",
    "Go",
    "Python",
    "Node",
    "Nginx",
    "Envoy",
    "Linux",
    "Docker",
]
_THINGS = [
    "index",
    "log",
    "buffer",
    "cache",
    "queue",
    "stream",
    "broker",
    "replica",
    "shard",
    "cursor",
    "snapshot",
    "transaction",
    "lock",
    "pool",
    "worker",
    "scheduler",
    "router",
    "proxy",
    "parser",
    "compiler",
    "loader",
    "bundle",
    "hook",
    "component",
    "store",
    "reducer",
    "session",
    "token",
    "cookie",
    "header",
    "socket",
    "channel",
    "topic",
    "partition",
    "offset",
    "commit",
    "branch",
    "merge",
    "rebase",
    "tag",
    "blob",
    "tree",
    "object",
    "heap",
    "page",
    "segment",
    "checkpoint",
    "vacuum",
    "trigger",
    "view",
    "table",
    "column",
    "row",
    "key",
    "value",
    "schema",
    "migration",
    "query",
    "planner",
    "join",
    "filter",
    "aggregate",
    "window",
    "function",
    "operator",
]
_QUALITIES = [
    "incremental",
    "persistent",
    "distributed",
    "local",
    "remote",
    "lazy",
    "eager",
    "concurrent",
    "atomic",
    "ordered",
    "sparse",
    "dense",
    "virtual",
    "shared",
    "private",
    "public",
    "cached",
    "buffered",
    "encrypted",
    "signed",
    "compressed",
    "replicated",
    "partitioned",
    "immutable",
    "mutable",
    "nested",
    "flat",
]
_VERBS = [
    "stores",
    "reads",
    "writes",
    "splits",
    "merges",
    "keeps",
    "drops",
    "sends",
    "receives",
    "orders",
    "locks",
    "releases",
    "rebuilds",
    "verifies",
    "compresses",
    "copies",
    "moves",
    "tracks",
    "limits",
    "batches",
    "retries",
    "schedules",
    "resolves",
    "parses",
    "compiles",
    "renders",
    "caches",
    "evicts",
    "flushes",
]
_WHY = (
    "so that readers do not block writers",
    "without holding a lock",
    "before the commit returns",
    "when memory runs low",
    "after a crash",
    "in the order in which they arrived",
    "across machines",
    "until the next checkpoint",
    "as the documentation recommends",
    "with bounded memory",
)


def concepts(count: int, seed: int = 7) -> Iterator[dict[str, str]]:
    """Concepts whose words follow the skewed frequencies of prose: a few products and things are everywhere."""
    chance = random.Random(seed)
    products, things = _skewed(_PRODUCTS), _skewed(_THINGS)
    for number in range(count):
        product = chance.choices(*products)[0]
        thing, other = chance.choices(*things, k=2)
        quality, verb = chance.choice(_QUALITIES), chance.choice(_VERBS)
        name = f"{product} {quality} {thing} {number}"
        text = (
            f"{quality.capitalize()} {thing} of {product} that {verb} every {other} of a {chance.choice(_THINGS)} "
            f"and {chance.choice(_VERBS)} the {chance.choice(_QUALITIES)} {chance.choice(_THINGS)} "
            f"{chance.choice(_WHY)}"
        )
        row = {"id": name, "description": text}
        if number % 4 == 0:
            row["details"] = f"{product.lower()}.{thing}_{other}(limit={number % 97}, mode='{quality}')"
        yield row


def _skewed(words: list[str]) -> tuple[list[str], list[float]]:
    return words, [1 / rank for rank in range(1, len(words) + 1)]


def payloads(count: int, size: int = 500) -> Iterator[dict[str, Any]]:
    """Registrations of `size` concepts, each concept with two relations to earlier ones of any payload."""
    chance = random.Random(11)
    known: list[str] = []
    batch: list[dict[str, str]] = []
    for row in concepts(count):
        batch.append(row)
        known.append(row["id"])
        if len(batch) == size or len(known) == count:
            number = len(known) // size
            yield {
                "reference": {"url": f"https://example.org/docs/{number}", "title": f"Page {number}"},
                "concepts": batch,
                "relationships": [
                    {"source": c["id"], "type": chance.choice(PREDICATES[:12]), "target": target, "reason": "see there"}
                    for c in batch
                    for target in chance.sample(known, min(2, len(known)))
                    if target != c["id"]
                ],
            }
            batch = []


def main(arguments: list[str]) -> int:
    """`python -m bench corpus --concepts N --home DIR`."""
    parser = argparse.ArgumentParser(prog="python -m bench corpus", description=__doc__)
    parser.add_argument("--concepts", type=int, required=True)
    parser.add_argument("--home", required=True)
    parser.add_argument("--embedder", default=None, help="another embedder than the configured one")
    options = parser.parse_args(arguments)
    before, done = time.process_time(), 0
    with trivium.open(options.home, embedder=options.embedder) as memory:
        for payload in payloads(options.concepts):
            memory.ref.register(payload)
            done += len(payload["concepts"])
            print(f"\r{done:,} of {options.concepts:,} concepts", end="", file=sys.stderr)
        print(file=sys.stderr)
        stats = memory.ref.stats()
    spent = time.process_time() - before
    print(f"{stats['concepts']:,} concepts, {stats['relations']:,} relations, {stats['vectors']:,} vectors")
    print(f"{spent:.1f} CPU s, {done / spent:.0f} concepts per CPU s, {stats['size_bytes'] / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
