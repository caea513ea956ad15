"""`reindex` and `prefetch`: what is derived is built again, what is needed later is prepared."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domains.references.upkeep import prefetch, reindex
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Progress
from trivium.surfaces.cli.parser import Parser


def _define_reindex(parser: Parser) -> None:
    parser.description = (
        "Build tables, word index, vectors and vector files again from the journal. Answers stay the same; a vector is "
        "made only for a text that has none of the configured embedder."
    )


def _run_reindex(call: Call) -> int:
    progress = Progress("Embedding")
    try:
        counts = reindex(call.engine, on_progress=progress)
    finally:
        progress.close()

    def lines() -> Iterator[str]:
        yield f"Concepts indexed: {counts['entities']}"
        yield f"Texts embedded: {counts['embedded']}"
        yield f"Unused vectors dropped: {counts['vectors_dropped']}"

    call.answer(lambda: counts, lambda style: lines())
    return 0


def _define_prefetch(parser: Parser) -> None:
    parser.description = (
        "Prepare the configured embedder ahead of its first use: unpack its weights, or fetch them. Run again, it "
        "checks what is there and repairs it."
    )


def _run_prefetch(call: Call) -> int:
    progress = Progress("Preparing")
    try:
        done = prefetch(call.engine, on_progress=progress)
    finally:
        progress.close()

    def lines() -> Iterator[str]:
        yield f"{done['embedder']} {'prepared' if done['is_new'] else 'was prepared already'}."
        yield f"  cache: {done['cache_dir']} ({done['bytes']} bytes)"

    call.answer(lambda: done, lambda style: lines())
    return 0


COMMANDS = {
    "reindex": Command(
        _define_reindex,
        _run_reindex,
        {
            "entities": "concepts indexed",
            "embedded": "texts that were given a vector",
            "vectors_dropped": "vectors of other embedders, or of texts that are gone",
        },
    ),
    "prefetch": Command(
        _define_prefetch,
        _run_prefetch,
        {
            "embedder": "its identity",
            "cache_dir": "where its files are",
            "is_new": "whether anything had to be done",
            "bytes": "how much of the cache is its",
        },
    ),
}
