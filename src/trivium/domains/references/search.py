"""Asking the concept space: what matches, what surrounds it, where it comes from, and why something is absent."""

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from trivium.domains.references.browse import check_predicates
from trivium.domains.references.curate import find
from trivium.engine import Engine
from trivium.errors import StoreError, UsageError
from trivium.index.space import Space
from trivium.model import Document, Entity, Evidence, Relation
from trivium.rank.fuse import DEFAULT_RECIPE, Fused, Weights
from trivium.rank.select import DEFAULT_THRESHOLD, GATES, Limits
from trivium.retrieve import Answer, OpenEmbedder, Request, retrieve

_SHOWN_PATIENCE_S = 0.2
"""So long the count of what was shown waits for other writers; the answer is out, and nobody waits for the count."""


class SearchOptions(NamedTuple):
    """How to search. Weights are shares in [0, 1]; `threshold` is a raw cosine in [-1, 1]."""

    depth: int = 1
    limit: int = 5
    threshold: float = DEFAULT_THRESHOLD
    recipe: str = ""
    freshness_weight: float = 0.0
    half_life_days: float = 180.0
    max_age_days: float | None = None
    demote_deprecated: float = 0.5
    reinforcement_weight: float = 0.0
    lexical_weight: float = 0.3
    bm25_weight: float = 0.3
    is_archived_included: bool = False
    max_related: int | None = 20
    budget_chars: int | None = None
    drop_off: float | None = None
    predicates: tuple[str, ...] | None = None
    as_of: str = ""
    is_traced: bool = False


class Hit(NamedTuple):
    """A concept that matches. `score` is final; `parts` sum to it before the demotion factor."""

    id: str
    description: str
    details: str | None
    type: str | None
    score: float
    parts: dict[str, float]
    cosine: float | None
    bm25: float
    lexical: float
    freshness: float
    age_days: float
    reinforcement: float
    shown_count: int
    is_demoted: bool
    is_archived: bool
    reasons: tuple[str, ...]
    same_as: tuple[str, ...]
    superseded_by: str | None
    suspect: tuple[str, ...]
    references: tuple[str, ...]


class Related(NamedTuple):
    """A concept near the hits: `distance` in steps."""

    id: str
    description: str
    details: str | None
    distance: int


class Shown(NamedTuple):
    """A relation of the answer with its newest evidence."""

    subject: str
    predicate: str
    object: str
    reason: str
    evidence: tuple[Evidence, ...]


class SearchResult(NamedTuple):
    """The answer to one query."""

    query: str
    recipe: str
    hits: tuple[Hit, ...]
    related: tuple[Related, ...]
    relations: tuple[Shown, ...]
    references: tuple[Document, ...]
    notices: tuple[str, ...]
    keys: tuple[int, ...]
    trace: dict[str, Any] | None


class WhyNot(NamedTuple):
    """Why a concept is not in the answer: the first gate that rejected it, or its place when it is there."""

    id: str
    gate: str | None
    explanation: str
    rank: int | None
    score: float | None
    cosine: float | None
    bm25: float
    best_score: float | None


def check(options: SearchOptions) -> None:
    """Raise `UsageError` for the first option that cannot be, in the order of the fields."""
    shares = ("freshness_weight", "demote_deprecated", "reinforcement_weight", "lexical_weight", "bm25_weight")
    if options.depth < 0:
        raise UsageError(f"depth must be an integer of at least 0, not {options.depth}.")
    if options.limit < 1:
        raise UsageError(f"limit must be an integer of at least 1, not {options.limit}.")
    if not -1 <= options.threshold <= 1:
        raise UsageError(f"threshold must be a cosine from -1 to 1, not {options.threshold}.")
    for name in shares:
        if not 0 <= getattr(options, name) <= 1:
            raise UsageError(f"{name.replace('_', '-')} must be from 0 to 1, not {getattr(options, name)}.")
    if not 0 < options.half_life_days < float("inf"):
        raise UsageError(f"half-life must be a number of days above 0, not {options.half_life_days}.")
    if options.max_age_days is not None and not options.max_age_days >= 0:
        raise UsageError(f"max-age must be a number of days of at least 0, not {options.max_age_days}.")
    if options.freshness_weight + options.reinforcement_weight > 1 + 1e-9:
        raise UsageError("freshness-weight and reinforcement-weight must not sum to more than 1.")
    if options.max_related is not None and options.max_related < 0:
        raise UsageError(f"max-related must be at least 0, not {options.max_related}.")
    if options.budget_chars is not None and options.budget_chars < 1:
        raise UsageError(f"budget-chars must be at least 1, not {options.budget_chars}.")
    if options.drop_off is not None and not 0 <= options.drop_off <= 1:
        raise UsageError(f"drop-off must be from 0 to 1, not {options.drop_off}.")
    check_predicates(options.predicates)


def search(engine: Engine, query: str, options: SearchOptions) -> SearchResult:
    """Find concepts. Has no side effect; an empty store gives an empty answer."""
    check(options)
    if not query.strip():
        raise UsageError("The query is empty.")
    with _space(engine, options) as (space, open_embedder):
        if space is None:
            return SearchResult(query, _recipe(engine, options), (), (), (), (), (), (), None)
        answer = retrieve(space, open_embedder, _request(engine, query, options))
        return _result(engine, space, query, options, answer)


def record_shown(engine: Engine, result: SearchResult) -> None:
    """Count the hits as shown. A store that cannot be written now loses the count, never the answer."""
    space = engine.concepts_to_read()
    if space is None or not result.keys or not space.store.is_writable:
        return
    with contextlib.suppress(StoreError):
        space.store.record_shown(result.keys, at=engine.clock(), timeout_s=_SHOWN_PATIENCE_S)


def why_not(engine: Engine, query: str, name: str, options: SearchOptions) -> WhyNot:
    """The first gate that kept a concept out of the answer to a query, or its place in it."""
    check(options)
    if not query.strip():
        raise UsageError("The query is empty.")
    with _space(engine, options) as (space, open_embedder):
        entity = find(space, name)
        assert space is not None
        answer = retrieve(space, open_embedder, _request(engine, query, options))
        return _why_not(space, open_embedder, query, entity, answer)


def _why_not(space: Space, open_embedder: OpenEmbedder, query: str, entity: Entity, answer: Answer) -> WhyNot:
    hits = [one.signals.key for one in answer.hits]
    best = answer.hits[0].final if answer.hits else None
    scored = next((one for one in answer.ranking.considered if one.signals.key == entity.key), None)
    score = None if scored is None else scored.final
    cosine = None if scored is None else scored.signals.cosine
    bm25 = 0.0 if scored is None else scored.signals.bm25
    if entity.key in hits:
        place = hits.index(entity.key) + 1
        return WhyNot(entity.id, None, f"It is hit {place}.", place, score, cosine, bm25, best)
    gate = answer.ranking.rejected.get(entity.key, "not_retrieved")
    if cosine is None:
        cosine = _cosine(space, open_embedder, query, entity)
    explanation = f"{GATES[gate][0].upper()}{GATES[gate][1:]}."
    if gate == "same_as":
        stands = next(key for key in hits if answer.classes.get(key) == answer.classes.get(entity.key))
        explanation += f" It is {answer.entities[stands].id!r}."
    if gate == "not_retrieved" and entity.is_hidden:
        explanation += " It is archived or withdrawn as well."
    return WhyNot(entity.id, gate, explanation, None, score, cosine, bm25, best)


def _cosine(space: Space, open_embedder: OpenEmbedder, query: str, entity: Entity) -> float | None:
    from trivium.errors import EmbedderError

    try:
        embedder = open_embedder()
        if embedder is None:
            return None
        index = space.vectors(embedder.id, embedder.dim)
        return index.cosines(embedder.embed([query], is_query=True)[0], [entity.key]).get(entity.key)
    except EmbedderError:
        return None


@contextlib.contextmanager
def _space(engine: Engine, options: SearchOptions) -> Iterator[tuple[Space | None, OpenEmbedder]]:
    if options.as_of:
        from trivium.domains.references.history import as_of

        with as_of(engine, options.as_of) as past:
            yield past, engine.embedder
        return
    space = engine.concepts_to_read()
    if space is not None and space.store.is_writable:
        from trivium import ingest

        if ingest.ensure_index(space):
            engine.notices.append("The word index was built anew.")
    yield space, engine.embedder


def _recipe(engine: Engine, options: SearchOptions) -> str:
    return options.recipe or engine.settings.recipe or DEFAULT_RECIPE


def _request(engine: Engine, query: str, options: SearchOptions) -> Request:
    return Request(
        query,
        engine.clock(),
        recipe=_recipe(engine, options),
        weights=Weights(
            freshness=options.freshness_weight,
            reinforcement=options.reinforcement_weight,
            lexical=options.lexical_weight,
            bm25=options.bm25_weight,
            demote=options.demote_deprecated,
        ),
        limits=Limits(
            threshold=options.threshold,
            limit=options.limit,
            max_age_days=options.max_age_days,
            drop_off=options.drop_off,
            budget_chars=options.budget_chars,
            include_archived=options.is_archived_included,
        ),
        half_life_days=options.half_life_days,
        depth=options.depth,
        max_related=options.max_related,
        predicates=options.predicates,
        is_traced=options.is_traced,
    )


def _result(engine: Engine, space: Space, query: str, options: SearchOptions, answer: Answer) -> SearchResult:
    evidence = space.store.evidence([relation.key for relation in answer.relations]) if answer.relations else {}
    shown = [*(one.signals.key for one in answer.hits), *answer.related]
    documents = {document.uri: document for key in shown for document in answer.documents.get(key, ())}
    notices = [*engine.notices, *answer.notices]
    return SearchResult(
        query,
        _recipe(engine, options),
        tuple(_hit(answer, one) for one in answer.hits),
        tuple(_related(answer, key) for key in answer.related),
        tuple(
            Shown(r.subject, r.predicate, r.object, r.reason, tuple(evidence.get(r.key, ()))) for r in answer.relations
        ),
        tuple(documents.values()),
        tuple(dict.fromkeys(notices)),
        tuple(one.signals.key for one in answer.hits),
        answer.trace,
    )


def _related(answer: Answer, key: int) -> Related:
    entity = answer.entities[key]
    return Related(entity.id, entity.description, entity.details, answer.distance[key])


def _hit(answer: Answer, one: Fused) -> Hit:
    signals = one.signals
    entity = answer.entities[signals.key]
    kind = answer.classes.get(signals.key)
    twins = [
        other.id
        for key, other in answer.entities.items()
        if key != signals.key and kind is not None and answer.classes.get(key) == kind
    ]
    suspicion = answer.suspicions.get(signals.key)
    superseded = answer.superseded.get(signals.key)
    return Hit(
        entity.id,
        entity.description,
        entity.details,
        entity.type,
        one.final,
        one.parts,
        signals.cosine,
        signals.bm25,
        signals.lexical,
        signals.freshness,
        signals.age_days or 0.0,
        signals.reinforcement,
        signals.shown_count,
        signals.is_demoted,
        signals.is_archived,
        _reasons(one),
        tuple(twins),
        None if superseded is None else superseded.subject,
        () if suspicion is None else (*(_line(r) for r in suspicion.chain), suspicion.cause),
        tuple(document.uri for document in answer.documents.get(signals.key, ())),
    )


def _reasons(one: Fused) -> tuple[str, ...]:
    signals = one.signals
    reasons = []
    if signals.is_named:
        reasons.append("name: it is what was asked for")
    if signals.bm25 > 0:
        reasons.append(f"words: BM25 {signals.bm25:.2f}")
    if signals.cosine is not None:
        reasons.append(f"meaning: cosine {signals.cosine:.2f}")
    if signals.is_demoted:
        reasons.append("demoted: superseded")
    return tuple(reasons)


def _line(relation: Relation) -> str:
    return f"{relation.subject} -[{relation.predicate}]-> {relation.object}"
