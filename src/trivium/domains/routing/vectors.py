"""Vectors for the examples of a guidance space: each text is embedded once, in whatever process or project."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from trivium.domains.routing.collection import Collection
from trivium.errors import StoreError
from trivium.index.space import COMPLETE_FOR
from trivium.store.sqlite import guidance

if TYPE_CHECKING:
    from trivium.embed.base import Embedder
    from trivium.model import Vector
    from trivium.store.sqlite.store import SqliteStore

Progress = Callable[[int, int], None]

_BATCH = 512
_HURRIED_BATCH = 16
"""Under a deadline: few enough to be embedded without numpy, and to stop in time."""


class Embedded(NamedTuple):
    """How many texts were given to the embedder, and how many still have no vector."""

    embedded: int
    left: int


def embed_missing(
    collection: Collection,
    embedder: Embedder,
    *,
    deadline: float | None = None,
    on_progress: Progress | None = None,
) -> Embedded:
    """Give every example a vector: one that was made before, for whatever collection, or a new one.

    Each batch is kept as it is made; with a `deadline` (a `time.monotonic()`) it stops there and goes on next time.
    """
    space = collection.space
    if not space.store.is_writable or space.are_vectors_complete(embedder.id):
        return Embedded(0, 0)
    done = 0
    with _seen(collection) as seen:
        missing = _missing(space.store, embedder.id)
        if seen is not None and missing:
            known = dict(seen.vectors_by_hash(embedder.id, missing))
            if known:
                space.store.put_vectors(embedder.id, known.items())
                missing = {name: text for name, text in missing.items() if name not in known}
        for batch in _batches(list(missing.items()), is_hurried=deadline is not None):
            if deadline is not None and time.monotonic() > deadline:
                break
            vectors = embedder.embed([text for _, text in batch])
            made = [(name, vector) for (name, _), vector in zip(batch, vectors, strict=True)]
            space.store.put_vectors(embedder.id, made)
            if seen is not None:
                seen.put_vectors(embedder.id, made)
            done += len(batch)
            if on_progress is not None:
                on_progress(done, len(missing))
        _finish(collection, embedder, is_complete=done == len(missing))
    return Embedded(done, len(missing) - done)


@contextlib.contextmanager
def _seen(collection: Collection) -> Iterator[SqliteStore | None]:
    """The vectors of all collections; None where they cannot be kept."""
    try:
        store = collection.engine.seen_vectors()
    except StoreError:
        yield None
        return
    try:
        yield store if store.is_writable else None
    finally:
        store.close()


def _missing(store: SqliteStore, embedder: str) -> dict[bytes, str]:
    """Texts without a vector by their hash, shortest first: texts of a length are quicker together."""
    rows = [row for row in store.missing_vectors(embedder, store.missing_vector_count(embedder)) if row[1] >= 0]
    texts = guidance.examples(store, {row[0] for row in rows})
    found = {name: texts[entity][ordinal] for entity, ordinal, name, _, _ in rows}
    return dict(sorted(found.items(), key=lambda pair: (len(pair[1]), pair[0])))


def _batches(texts: Sequence[tuple[bytes, str]], *, is_hurried: bool) -> Iterator[Sequence[tuple[bytes, str]]]:
    size = _HURRIED_BATCH if is_hurried else _BATCH
    for at in range(0, len(texts), size):
        yield texts[at : at + size]


def _finish(collection: Collection, embedder: Embedder, *, is_complete: bool) -> None:
    """Middles and tightness of the entries that have all their vectors, and the matrix that makes searching fast."""
    from trivium.index.examples import centre, centre_name, tightness

    space = collection.space
    examples = collection.examples(embedder)
    waiting = guidance.without_centre(space.store, embedder.id)
    made: list[tuple[int, bytes, Vector, float]] = []
    for key in waiting:
        vectors = list(examples.vectors(key).values())
        made.append((key, centre_name(vectors), centre(vectors), tightness(vectors)))
    with space.store.guard(), space.store.write():
        for key, name, vector, _ in made:
            guidance.put_centre(space.store, embedder.id, key, name, vector)
        guidance.set_tightness(space.store, ((value, key) for key, _, _, value in made))
        if is_complete:
            space.store.set_meta(COMPLETE_FOR, embedder.id)
    if space.store.path != ":memory:":
        space.vectors(embedder.id, embedder.dim).pack()
