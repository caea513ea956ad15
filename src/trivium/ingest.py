"""Documents in: a change of the journal, the indexes that follow it, and the vectors that are still missing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trivium.index.lexical import LexicalRow
from trivium.index.space import COMPLETE_FOR, INDEX_FACT, INDEX_VERSION, Space
from trivium.model import EntityText, Vector
from trivium.store.base import Applied, PassageRow
from trivium.text.passages import in_context, passages

if TYPE_CHECKING:
    from trivium.embed.base import Embedder

Progress = Callable[[int, int], None]
"""Called with (done, total)."""

_BATCH = 256
_CUT_BATCH = 5_000


def compose(identifier: str, description: str, details: str | None) -> str:
    """The text of an entity that is embedded."""
    return "\n".join(part for part in (identifier, description, details) if part)


def _composed(space: Space, text: EntityText) -> str:
    return compose(text.id if space.is_named else "", text.description, text.details)


def text_hash(text: str) -> bytes:
    """16 bytes of the SHA-256 of a passage: the name of its vector."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def passages_of(text: str) -> list[tuple[str, int, int]]:
    """(passage as it is embedded, start, end) of a composed text; `text[start:end]` is the passage itself."""
    return [(in_context(text, start, end), start, end) for start, end in passages(text)]


def commit(
    space: Space,
    op: str,
    payload: Mapping[str, Any],
    *,
    at: str,
    actor: str,
    session: str,
    vectors: Mapping[bytes, Vector] | None = None,
    embedder_id: str = "",
) -> Applied:
    """Write one journal record, its effects, both indexes and the vectors made for it, in one transaction."""
    with space.store.guard(), space.store.write():
        applied = space.store.append(op, payload, at=at, actor=actor, session=session)
        index(space, applied.changed)
        if vectors:
            space.store.put_vectors(embedder_id, vectors.items())
        complete = space.store.meta(COMPLETE_FOR)
        if complete and space.store.is_vector_missing(complete, applied.changed):
            space.store.set_meta(COMPLETE_FOR, "")
    return applied


def index(space: Space, keys: Iterable[int]) -> None:
    """Bring the lexical index and the passages of some entities up to date, inside a write transaction."""
    wanted = set(keys)
    texts = list(space.store.texts(wanted))
    space.lexical.remove(wanted - {text.key for text in texts})
    space.lexical.put(map(_lexical_row, texts))
    for text in texts:
        space.store.put_passages(text.key, _passage_rows(space, text))


def _lexical_row(text: EntityText) -> LexicalRow:
    label = " ".join((text.id, *text.aliases))
    return LexicalRow(text.key, label, text.description, text.details or "")


def _passage_rows(space: Space, text: EntityText) -> list[PassageRow]:
    composed = _composed(space, text)
    return [
        PassageRow(text.key, ordinal, text_hash(part), start, end)
        for ordinal, (part, start, end) in enumerate(passages_of(composed))
    ]


def ensure_index(space: Space, *, is_forced: bool = False) -> bool:
    """Build the lexical index and the passages when they are missing or of another version.

    True when there was something to index.
    """
    if not is_forced and space.is_index_current():
        return False
    with space.store.guard(), space.store.write():
        if not is_forced and space.is_index_current():
            return False
        space.lexical.create()
        space.lexical.clear()
        keys = [text.key for text in space.store.texts()]
        index(space, keys)
        space.store.set_meta(INDEX_FACT, INDEX_VERSION)
    return bool(keys)


def index_passages(space: Space, keys: Iterable[int]) -> None:
    """Cut entities up for embedders, some thousands in a transaction, where that was put off until it is needed."""
    wanted = list(keys)
    for at in range(0, len(wanted), _CUT_BATCH):
        with space.store.guard(), space.store.write():
            for text in list(space.store.texts(wanted[at : at + _CUT_BATCH])):
                space.store.put_passages(text.key, _passage_rows(space, text))


def new_vectors(
    space: Space, embedder: Embedder, texts: Sequence[str], *, on_progress: Progress | None = None
) -> dict[bytes, Vector]:
    """Vectors of those passages of the texts that have none yet, each text embedded once."""
    parts = {text_hash(part): part for text in texts for part, _, _ in passages_of(text)}
    known = space.store.known_hashes(embedder.id, parts)
    wanted = [name for name in parts if name not in known]
    vectors = embedder.embed([parts[name] for name in wanted], on_progress=on_progress)
    return dict(zip(wanted, vectors, strict=True))


def missing_count(space: Space, embedder_id: str) -> int:
    """How many passages have no vector of this embedder."""
    return space.store.missing_vector_count(embedder_id)


def embed_missing(
    space: Space, embedder: Embedder, *, max_texts: int | None = None, on_progress: Progress | None = None
) -> int:
    """Give vectors to passages that have none, batch by batch, each batch stored as it is made.

    Interrupting loses at most one batch. Returns how many texts were embedded; the matrix is packed at the end.
    """
    index = space.vectors(embedder.id, embedder.dim)
    if space.are_vectors_complete(embedder.id):
        index.pack()
        return 0
    missing = missing_count(space, embedder.id)
    total = missing if max_texts is None else min(missing, max_texts)
    done = 0
    while done < total:
        rows = space.store.missing_vectors(embedder.id, min(_BATCH, total - done))
        if not rows:
            break
        texts = {text.key: _composed(space, text) for text in _texts(space, rows)}
        parts = {name: in_context(texts[entity], start, end) for entity, _, name, start, end in rows}
        vectors = embedder.embed(list(parts.values()))
        space.store.put_vectors(embedder.id, zip(parts, vectors, strict=True))
        done += len(rows)
        if on_progress is not None:
            on_progress(done, total)
    with space.store.guard(), space.store.write():
        if missing_count(space, embedder.id) == 0:
            space.store.set_meta(COMPLETE_FOR, embedder.id)
    index.pack()
    return done


def _texts(space: Space, rows: Iterable[tuple[int, int, bytes, int, int]]) -> list[EntityText]:
    return list(space.store.texts({row[0] for row in rows}))


def reindex(space: Space, embedder: Embedder | None, *, on_progress: Progress | None = None) -> dict[str, int]:
    """Build every derived thing again from the journal: tables, lexical index, passages, vectors, matrix."""
    space.store.rebuild()
    ensure_index(space, is_forced=True)
    counts = {"entities": sum(1 for _ in space.store.texts()), "embedded": 0, "vectors_dropped": 0}
    if embedder is not None:
        counts["vectors_dropped"] = space.store.drop_vectors(except_embedder=embedder.id)
        counts["embedded"] = embed_missing(space, embedder, on_progress=on_progress)
        space.vectors(embedder.id, embedder.dim).pack(is_forced=True)
    return counts
