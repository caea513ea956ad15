"""Candidates of one question with what words and meaning say about them."""

from __future__ import annotations

from collections.abc import Collection as Keys
from typing import TYPE_CHECKING, NamedTuple

from trivium.index.lexical import WordProfile
from trivium.index.space import Space
from trivium.rank.examples import Near, near, share
from trivium.text.tokens import tokens

if TYPE_CHECKING:
    from trivium.index.examples import ExampleIndex
    from trivium.model import Vector


class Asked(NamedTuple):
    """A question in the forms that are compared; `vector` is None when only words can answer."""

    text: str
    tokens: list[str]
    profile: WordProfile
    vector: Vector | None


class Measured(NamedTuple):
    """What is known of a candidate: its nearness in meaning and its share of words, and the two BM25 behind that."""

    near: Near | None
    words: float
    bm25: float
    bm25_head: float


def asked(space: Space, text: str, vector: Vector | None) -> Asked:
    """A question made ready."""
    terms = tokens(text)
    return Asked(text, terms, space.lexical.profile(terms), vector)


def measure(
    space: Space,
    index: ExampleIndex | None,
    question: Asked,
    count: int,
    within: Keys[int] | None = None,
) -> dict[int, Measured]:
    """The `count` nearest entries by meaning and as many by words, each with every signal; or exactly `within`."""
    terms, profile = question.tokens, question.profile
    bm25: dict[int, float] = {}
    keys: list[int]
    if within is None:
        bm25 = dict(space.lexical.search(terms, count, profile=profile))
        nearest = index.nearest(question.vector, count) if index is not None and question.vector is not None else []
        keys = list(dict.fromkeys([*nearest, *bm25]))
    else:
        keys = list(within)
    unscored = [key for key in keys if key not in bm25]
    if unscored:
        bm25.update(space.lexical.scores(terms, unscored, profile=profile))
    heads = space.lexical.scores(terms, keys, profile=profile, is_head_only=True)
    cosines = index.cosines(question.vector, keys) if index is not None and question.vector is not None else {}
    found = {}
    for key in keys:
        both = (bm25.get(key, 0.0), heads.get(key, 0.0))
        found[key] = Measured(near(cosines.get(key, {})), share(both, profile.bound), *both)
    return found
