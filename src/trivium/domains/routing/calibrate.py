"""When a collection speaks: measured with its own queries, and with prompts that call for none of it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from trivium.domains.routing.collection import Collection
from trivium.domains.routing.scoring import Asked, Measured, asked, measure
from trivium.domains.routing.unrelated import UNRELATED
from trivium.ingest import text_hash
from trivium.rank.examples import Calibration, calibrated, near, parts, share
from trivium.sources.guidance.values import ACTIVE
from trivium.store.sqlite import guidance

if TYPE_CHECKING:
    from trivium.embed.base import Embedder
    from trivium.index.examples import ExampleIndex
    from trivium.model import Vector

SAMPLE = 200
"""Own queries that are tried: more change the floors by less than the choice of them does."""

_CANDIDATES = 20
_STALE_SHARE = 0.2
_LEAST = 20
"""Fewer scores than this, where time ended the measuring, say too little."""


def is_stale(collection: Collection) -> bool:
    """Whether a fifth of the entries or more came or went since the last measurement."""
    entries, _ = guidance.shape(collection.space.store)
    known = collection.calibration().entries
    return entries > 0 and abs(entries - known) >= max(1.0, _STALE_SHARE * known)


def calibrate(collection: Collection, embedder: Embedder, *, deadline: float | None = None) -> Calibration | None:
    """Measure the floors of a collection whose vectors are complete, and keep them.

    With a `deadline` (a `time.monotonic()`) as much is tried as there is time for; None when that was too little.
    """
    space = collection.space
    index = collection.examples(embedder)
    with space.store.guard():
        half = None if deadline is None else (time.monotonic() + deadline) / 2
        own = _own_scores(collection, index, half)
        single, several, words = _unrelated_scores(collection, index, embedder, deadline)
        if deadline is not None and (len(words) < _LEAST or (len(own) < _LEAST and time.monotonic() > deadline)):
            return None
        entries, _ = guidance.shape(space.store)
        found = calibrated(own, single, several, words, tightness=guidance.mean_tightness(space.store), entries=entries)
    if space.store.is_writable:
        collection.set_calibration(found)
    return found


def _own_scores(collection: Collection, index: ExampleIndex, deadline: float | None) -> list[float]:
    """Scores of queries to their own entries, as if these did not hold them, where no other entry scores more."""
    space = collection.space
    sample = guidance.example_sample(space.store, SAMPLE)
    texts = guidance.examples(space.store, {entity for entity, _ in sample})
    scores = []
    for entity, ordinal in sample:
        if _is_over(deadline):
            break
        vector = index.vectors(entity).get(ordinal)
        if vector is None:
            continue
        question = asked(space, texts[entity][ordinal], vector)
        measured = measure(space, index, question, _CANDIDATES)
        measured[entity] = _without(collection, index, question, entity, ordinal)
        made = _scores(collection, measured)
        if entity in made and made[entity] == max(made.values()):
            scores.append(made[entity])
    return scores


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() > deadline


def _without(collection: Collection, index: ExampleIndex, question: Asked, entity: int, ordinal: int) -> Measured:
    """What an entry would be to one of its queries if it did not hold it."""
    assert question.vector is not None
    cosines = dict(index.cosines(question.vector, [entity])[entity])
    cosines.pop(ordinal)
    centre = cosines.get(guidance.CENTRE)
    if centre:
        cosines[guidance.CENTRE] = _centre_without(centre, 1.0 + sum(cosines.values()) - centre)
    lexical, profile = collection.space.lexical, question.profile
    both = tuple(
        lexical.scores(question.tokens, [entity], profile=profile, is_head_only=is_head, without=question.tokens).get(
            entity, 0.0
        )
        for is_head in (False, True)
    )
    return Measured(near(cosines), share(both, profile.bound), *both)


def _centre_without(cosine: float, product: float) -> float:
    """The cosine of a unit vector x to the sum s of some others.

    `cosine` is that of x to s + x, `product` the dot product of x and s + x; so |s + x| = product / cosine.
    """
    square = (product / cosine) ** 2 - 2 * product + 1
    return (product - 1) / math.sqrt(square) if square > 1e-9 else cosine


def _scores(collection: Collection, measured: Mapping[int, Measured]) -> dict[int, float]:
    """Scores of active entries by the default recipe, without boosts: an author's wish is no measurement."""
    rows = guidance.guides(collection.space.store, measured)
    return {
        key: sum(parts("examples", found.near, found.words, rows[key].example_count, 0.0).values())
        for key, found in measured.items()
        if rows[key].status == ACTIVE
    }


def _unrelated_scores(
    collection: Collection, index: ExampleIndex, embedder: Embedder, deadline: float | None
) -> tuple[list[float], list[float], list[float]]:
    """The best scores of each unrelated prompt: of entries with one example, of those with several, and of words."""
    space = collection.space
    single: list[float] = []
    several: list[float] = []
    words: list[float] = []
    for text, vector in zip(UNRELATED, _vectors(collection, embedder), strict=True):
        if _is_over(deadline):
            break
        measured = measure(space, index, asked(space, text, vector), _CANDIDATES)
        made = _scores(collection, measured)
        rows = guidance.guides(space.store, made)
        for is_single, found in ((True, single), (False, several)):
            best = [score for key, score in made.items() if (rows[key].example_count < 2) == is_single]
            if best:
                found.append(max(best))
        words.append(max((measured[key].words for key in made), default=0.0))
    return single, several, words


def _vectors(collection: Collection, embedder: Embedder) -> list[Vector]:
    """The vectors of the unrelated prompts, kept with those of all texts that were ever embedded."""
    from trivium.errors import StoreError

    names = [text_hash(text) for text in UNRELATED]
    known: dict[bytes, Vector] = {}
    try:
        seen = collection.engine.seen_vectors()
    except StoreError:
        return list(embedder.embed(UNRELATED))
    try:
        known = dict(seen.vectors_by_hash(embedder.id, names))
        missing = [(name, text) for name, text in zip(names, UNRELATED, strict=True) if name not in known]
        if missing:
            made = dict(zip((name for name, _ in missing), embedder.embed([text for _, text in missing]), strict=True))
            known.update(made)
            if seen.is_writable:
                seen.put_vectors(embedder.id, made.items())
    finally:
        seen.close()
    return [known[name] for name in names]
