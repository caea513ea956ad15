"""The review queue of concepts that may be one: by their names, their aliases and their vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trivium.domains.references.register import SIMILAR_COSINE
from trivium.engine import Engine
from trivium.errors import EmbedderError, UsageError
from trivium.index import graph
from trivium.index.space import Space
from trivium.model import EntityText, name_key


class Pair(NamedTuple):
    """Two concepts that may be one: why, and how sure (1 is a shared name)."""

    first: str
    second: str
    score: float
    reasons: tuple[str, ...]


def duplicates(
    engine: Engine, *, threshold: float = SIMILAR_COSINE, limit: int = 50, is_archived_included: bool = False
) -> tuple[list[Pair], tuple[str, ...]]:
    """Pairs by descending score, with notices about what could not be compared.

    Pairs that are already SAME_AS, or that one replaces, are decided and left out.
    """
    if not -1 <= threshold <= 1:
        raise UsageError(f"threshold must be a cosine from -1 to 1, not {threshold}.")
    if limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}.")
    space = engine.concepts_to_read()
    if space is None:
        return [], ()
    texts = {text.key: text for text in space.store.texts()}
    hidden = {} if is_archived_included else {k: e for k, e in space.store.entities(texts).items() if e.is_hidden}
    texts = {key: text for key, text in texts.items() if key not in hidden}
    scores: dict[tuple[int, int], dict[str, float]] = {}
    for pair, reason in _shared_names(texts.values()):
        scores.setdefault(pair, {})[reason] = 1.0
    notices = _near_vectors(engine, space, texts, threshold, scores)
    for pair in _decided(space, scores):
        del scores[pair]
    pairs = [
        Pair(texts[one].id, texts[other].id, max(why.values()), tuple(sorted(why)))
        for (one, other), why in scores.items()
    ]
    return sorted(pairs, key=lambda pair: (-pair.score, pair.first, pair.second))[:limit], notices


def _shared_names(texts: Iterable[EntityText]) -> Iterable[tuple[tuple[int, int], str]]:
    owners: dict[str, list[int]] = {}
    for text in texts:
        for key in dict.fromkeys(_bare(name) for name in (text.id, *text.aliases)):
            if key:
                owners.setdefault(key, []).append(text.key)
    for name, keys in owners.items():
        for number, one in enumerate(keys[:50]):
            for other in keys[number + 1 : 50]:
                yield (min(one, other), max(one, other)), f"name {name!r}"


def _bare(name: str) -> str:
    """A name without what spellings differ in: case, width, blanks, hyphens, underscores.

    Other signs stay, so that C, C++ and C# are three names.
    """
    return name_key(name).replace(" ", "").replace("-", "").replace("_", "")


def _near_vectors(
    engine: Engine,
    space: Space,
    texts: dict[int, EntityText],
    threshold: float,
    scores: dict[tuple[int, int], dict[str, float]],
) -> tuple[str, ...]:
    try:
        embedder = engine.embedder()
    except EmbedderError as error:
        return (f"Compared by name only: {error.message}",)
    if embedder is None:
        return ("Compared by name only: no embedder is configured.",)
    index = space.vectors(embedder.id, embedder.dim)
    seqs = dict(space.store.entity_vectors(embedder.id, texts))
    vectors = {entity: seqs[entity] for entity in texts if entity in seqs}
    rows = dict(space.store.vectors_by_seq(sorted(vectors.values())))
    keys = list(vectors)
    for start in range(0, len(keys), 1000):
        block = keys[start : start + 1000]
        found = index.search_many([rows[vectors[key]] for key in block], 6)
        for key, ranked in zip(block, found, strict=True):
            for other, cosine in ranked:
                if other != key and other in texts and cosine >= threshold:
                    pair = (min(key, other), max(key, other))
                    scores.setdefault(pair, {})["meaning"] = cosine
    missing = len(texts) - len(vectors)
    return (f"{missing} concepts have no vector yet and were compared by name only.",) if missing else ()


def _decided(space: Space, scores: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    pairs = list(scores)
    keys = {key for pair in pairs for key in pair}
    classes = graph.same_as(space.store, keys)
    linked = {
        (min(r.subject_key, r.object_key), max(r.subject_key, r.object_key))
        for r in space.store.relations(keys, predicates=("REPLACES", "DEPRECATES"))
    }
    return [pair for pair in pairs if classes[pair[0]] == classes[pair[1]] or pair in linked]
