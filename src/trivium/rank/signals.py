"""What is known about a candidate and about the question, as numbers that a recipe weighs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from trivium.text.tokens import script


class Signals:
    """One candidate: raw measures only, each in its own unit, none depending on the other candidates.

    `key`: the caller's number. `cosines`: one raw cosine in [-1, 1] for each dense retriever, None where it has no
    vector; as many for every candidate. `bm25`: raw, >= 0, 0 without a common word. `lexical`: see `lexical`.
    `graph`: in [0, 1], 0 when not reached. `age_days`: None when unknown. `shown_count`: how often it was used before.
    `size_chars`: length of its record.
    """

    __slots__ = (
        "age_days",
        "bm25",
        "cosines",
        "freshness",
        "graph",
        "is_archived",
        "is_demoted",
        "is_named",
        "key",
        "lexical",
        "reinforcement",
        "shown_count",
        "size_chars",
    )

    def __init__(
        self,
        key: int,
        *,
        cosines: tuple[float | None, ...] = (),
        bm25: float = 0.0,
        lexical: float = 0.0,
        graph: float = 0.0,
        age_days: float | None = None,
        freshness: float = 0.0,
        shown_count: int = 0,
        reinforcement: float = 0.0,
        is_demoted: bool = False,
        is_named: bool = False,
        is_archived: bool = False,
        size_chars: int = 0,
    ) -> None:
        self.key = key
        self.cosines = cosines
        self.bm25 = bm25
        self.lexical = lexical
        self.graph = graph
        self.age_days = age_days
        self.freshness = freshness
        self.shown_count = shown_count
        self.reinforcement = reinforcement
        self.is_demoted = is_demoted
        self.is_named = is_named
        self.is_archived = is_archived
        self.size_chars = size_chars

    @property
    def cosine(self) -> float | None:
        """The cosine of the first dense retriever that has one."""
        return next((cosine for cosine in self.cosines if cosine is not None), None)


_GIBBERISH = "ajskdh"

SPREAD = 0.075
"""Standard deviation of the cosines of a query to unrelated documents, with the default embedder."""

MIN_WORD_SHARE = 0.02
"""Less than this share of what the words of a query could say is no hit by words."""


def meaningless_text(query_tokens: Iterable[str]) -> str | None:
    """A text without meaning: a document must be nearer to the query than it is, else the query means nothing here.

    None for queries in scripts without letters, which are not like it: their one or two characters are nearer to any
    short text than to a long one.
    """
    return None if any(script(token) == "dense" for token in query_tokens) else _GIBBERISH


class QuerySignals:
    """What is known about the question.

    `bm25_bound`: no candidate can score more. `known_share` in [0, 1]: the part of the bound that words of the
    collection have. `trust` in [0, 1]: how much of the query, in the scripts of its known words, is known.
    `script_share` in [0, 1]: the part of the bound that words in those scripts have.
    `noise`: its cosine to `meaningless_text`, None when that was not asked. `spreads`: one for each dense retriever,
    see `SPREAD`; missing ones are taken as that.
    """

    __slots__ = ("bm25_bound", "corpus_size", "known_share", "noise", "script_share", "spreads", "trust")

    def __init__(
        self,
        *,
        bm25_bound: float = 0.0,
        known_share: float = 1.0,
        trust: float = 1.0,
        script_share: float = 1.0,
        corpus_size: int = 0,
        noise: float | None = None,
        spreads: tuple[float, ...] = (),
    ) -> None:
        self.bm25_bound = bm25_bound
        self.known_share = known_share
        self.trust = trust
        self.script_share = script_share
        self.corpus_size = corpus_size
        self.noise = noise
        self.spreads = spreads

    @property
    def known_bound(self) -> float:
        """The most that the known words can score."""
        return self.bm25_bound * self.known_share

    def is_hit_by_words(self, bm25: float) -> bool:
        """Whether this BM25 is more than an accidental word."""
        return bm25 > 0 and bm25 * self.trust >= MIN_WORD_SHARE * self.known_bound


def freshness(age_days: float, half_life_days: float) -> float:
    """2^(-age / half life): 1 for new, 0.5 after one half life."""
    return float(2.0 ** (-max(age_days, 0.0) / half_life_days))


def reinforcement(shown_count: int, most: int) -> float:
    """ln(1 + count) / ln(2 + the greatest count among the candidates): below 1, 0 when nothing was used."""
    return math.log1p(shown_count) / math.log(2 + most) if most > 0 else 0.0


def lexical(
    query_words: Collection[str],
    label: Collection[str],
    description: Collection[str],
    details: Collection[str] = (),
) -> float:
    """Share of the distinct query words found in each field, in [0, 1].

    min(1, 0.5 [any in the label] + 0.3 share in label + 0.15 share in description + 0.05 share in details), all
    arguments being tokens; 0 for a query without words.
    """
    asked = set(query_words)
    if not asked:
        return 0.0
    in_label, in_description, in_details = (
        len(asked.intersection(field)) / len(asked) for field in (label, description, details)
    )
    return min(1.0, 0.5 * (in_label > 0) + 0.3 * in_label + 0.15 * in_description + 0.05 * in_details)
