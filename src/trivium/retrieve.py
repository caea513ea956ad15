"""A query in, ordered hits with reasons out: the one pipeline that every road searches with."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from trivium.errors import EmbedderError, UsageError
from trivium.index import graph
from trivium.index.dense import cosine
from trivium.index.space import Space
from trivium.model import Document, Entity, Relation, Vector
from trivium.rank.fuse import DEFAULT_RECIPE, DEFAULT_WEIGHTS, Fused, Weights, recipe_named
from trivium.rank.select import DEFAULT_LIMITS, Limits, Ranking, rank
from trivium.rank.signals import QuerySignals, Signals, freshness, lexical, meaningless_text
from trivium.text.tokens import tokens, words

if TYPE_CHECKING:
    from trivium.embed.base import Embedder

OpenEmbedder = Callable[[], "Embedder | None"]

MIN_CANDIDATES = 50
"""At least so many are asked of each retriever: fusion needs to see past the first page."""

MAX_CANDIDATES = 5_000


Group = Callable[[Collection[int]], "dict[int, int]"]
"""Entity keys to the key of the one thing that each of them stands for: a passage for its note."""


class Request(NamedTuple):
    """What is asked. `now` is UTC ISO 8601; `depth` steps are walked from the hits, at most `max_related` shown.

    `within`: only these entities are candidates, as if nothing else were there. `group`: candidates of one group are
    one hit, and the walk starts from what they stand for; without it, SAME_AS says what is one thing.
    """

    query: str
    now: str
    recipe: str = DEFAULT_RECIPE
    weights: Weights = DEFAULT_WEIGHTS
    limits: Limits = DEFAULT_LIMITS
    half_life_days: float = 180.0
    depth: int = 1
    max_related: int | None = 20
    predicates: Sequence[str] | None = None
    is_traced: bool = False
    within: Collection[int] | None = None
    group: Group | None = None


class Answer(NamedTuple):
    """What was found, and everything needed to say why. Mappings are by entity key."""

    ranking: Ranking
    entities: dict[int, Entity]
    superseded: dict[int, Relation]
    suspicions: dict[int, graph.Suspicion]
    classes: dict[int, int]
    related: list[int]
    distance: dict[int, int]
    relations: list[Relation]
    documents: dict[int, list[Document]]
    notices: list[str]
    trace: dict[str, Any] | None

    @property
    def hits(self) -> list[Fused]:
        """The selected candidates, best first."""
        return self.ranking.hits


class _Found(NamedTuple):
    query: QuerySignals
    bm25: dict[int, float]
    cosines: dict[int, float]
    vector: Vector | None
    trace: dict[str, Any]


def retrieve(space: Space, open_embedder: OpenEmbedder, request: Request) -> Answer:
    """Candidates of every retriever, their signals, the recipe, the selection, the walk. Never writes.

    Without an embedder, or when it fails, words and graph answer and a notice says so.
    """
    if not request.query.strip():
        raise UsageError("The query is empty.")
    recipe_named(request.recipe)
    with space.store.guard():
        notices: list[str] = []
        found = _candidates(space, open_embedder, request, notices)
        named = {entity.key for entity in space.store.resolve(request.query.strip())}
        keys = dict.fromkeys([*found.cosines, *found.bm25])
        groups = None if request.group is None else request.group(keys)
        named = named if groups is None else {key for key in keys if groups.get(key) in named}
        entities = space.store.entities(keys | dict.fromkeys(named))
        signals, superseded = _signals(space, request, found, entities, named)
        classes = graph.same_as(space.store, entities) if groups is None else groups
        ranking = rank(
            signals,
            found.query,
            recipe=request.recipe,
            weights=request.weights,
            limits=request.limits,
            classes=classes,
        )
        answer = _surroundings(space, request, ranking, entities, superseded, classes, notices)
        if request.is_traced:
            answer = answer._replace(trace=_trace(found, signals, answer))
    return answer


# -- candidates


def _candidates(space: Space, open_embedder: OpenEmbedder, request: Request, notices: list[str]) -> _Found:
    wanted = min(max(4 * request.limits.limit, request.limits.limit + 5, MIN_CANDIDATES), MAX_CANDIDATES)
    asked = tokens(request.query)
    trace: dict[str, Any] = {"query_tokens": asked, "candidates_wanted": wanted}
    bm25: dict[int, float] = {}
    query, profile = QuerySignals(), None
    if not space.is_index_current():
        notices.append("The word index is missing or of another version: the answer comes from meaning alone.")
    elif request.recipe != "dense":
        profile = space.lexical.profile(asked)
        bm25 = dict(space.lexical.search(asked, wanted, profile=profile, within=request.within))
        query = QuerySignals(
            bm25_bound=profile.bound,
            known_share=profile.known_share,
            trust=profile.trust,
            script_share=profile.script_share,
            corpus_size=profile.rows,
        )
        trace["document_frequencies"] = profile.frequencies
    vector: Vector | None = None
    cosines: dict[int, float] = {}
    if request.recipe != "lexical":
        vector, cosines, query.noise = _dense(space, open_embedder, request, wanted, bm25, notices)
        if profile is not None and len(cosines) > len(bm25):
            unscored = [key for key in cosines if key not in bm25]
            bm25.update(space.lexical.scores(asked, unscored, profile=profile))
    return _Found(query, bm25, cosines, vector, trace)


def _dense(
    space: Space,
    open_embedder: OpenEmbedder,
    request: Request,
    wanted: int,
    bm25: Iterable[int],
    notices: list[str],
) -> tuple[Vector | None, dict[int, float], float | None]:
    """The query's vector, cosines of the nearest and of those found by words, and its cosine to a meaningless text."""
    try:
        embedder = open_embedder()
        if embedder is None:
            notices.append("No embedder is configured: the answer comes from words and connections.")
            return None, {}, None
        index = space.vectors(embedder.id, embedder.dim)
        if index.is_empty:
            if space.store.entity_count():
                notices.append(f"No text has a vector of {embedder.id} yet: the answer comes from words; reindex.")
            return None, {}, None
        meaningless = meaningless_text(tokens(request.query))
        asked = [request.query, meaningless] if meaningless else [request.query]
        vector, *noise = embedder.embed(asked, is_query=True)
    except EmbedderError as error:
        notices.append(f"Searched without vectors: {error.message}")
        return None, {}, None
    if not space.are_vectors_complete(embedder.id):
        notices.append(f"Some texts have no vector of {embedder.id} yet: they are found by words only until reindexed.")
    if request.within is None:
        cosines = dict(index.search(vector, wanted))
    else:
        near = index.cosines(vector, request.within)
        cosines = dict(sorted(near.items(), key=lambda pair: (-pair[1], pair[0]))[:wanted])
    cosines.update(index.cosines(vector, [key for key in bm25 if key not in cosines]))
    return vector, cosines, cosine(vector, noise[0]) if noise else None


# -- signals


def _signals(
    space: Space, request: Request, found: _Found, entities: dict[int, Entity], named: Collection[int]
) -> tuple[list[Signals], dict[int, Relation]]:
    dates = space.store.dates(entities)
    superseded = graph.superseded(space.store, entities)
    asked = set(words(request.query))
    rows = []
    for key, entity in entities.items():
        age = age_days(request.now, dates.get(key) or entity.last_seen_at)
        rows.append(
            Signals(
                key,
                cosines=(found.cosines.get(key),),
                bm25=found.bm25.get(key, 0.0),
                lexical=_lexical(asked, entity) if request.recipe == "weighted" or request.is_traced else 0.0,
                age_days=age,
                freshness=freshness(age, request.half_life_days),
                shown_count=entity.shown_count,
                is_demoted=key in superseded,
                is_named=key in named,
                is_archived=entity.is_hidden,
                size_chars=len(entity.id) + len(entity.description) + len(entity.details or ""),
            )
        )
    return rows, superseded


def _lexical(asked: set[str], entity: Entity) -> float:
    details = words(entity.details) if entity.details else ()
    return lexical(asked, words(entity.id), words(entity.description), details)


def age_days(now: str, then: str) -> float:
    """Days between two UTC ISO 8601 times, 0 when `then` lies ahead."""
    return max(0.0, (_seconds(now) - _seconds(then)) / 86400.0)


def _seconds(moment: str) -> float:
    # Civil days by Howard Hinnant's algorithm: importing datetime costs more than the rest of this function.
    year, month, day = int(moment[0:4]), int(moment[5:7]), int(moment[8:10])
    clock = int(moment[11:13]) * 3600 + int(moment[14:16]) * 60 + float(moment[17:].rstrip("Z") or 0)
    year -= month <= 2
    era, within = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    days = era * 146097 + within * 365 + within // 4 - within // 100 + day_of_year - 719468
    return days * 86400.0 + clock


# -- surroundings


def _surroundings(
    space: Space,
    request: Request,
    ranking: Ranking,
    entities: dict[int, Entity],
    superseded: dict[int, Relation],
    classes: dict[int, int],
    notices: list[str],
) -> Answer:
    store = space.store
    hits = [one.signals.key for one in ranking.hits]
    suspicions = graph.suspects(store, hits) if hits else {}
    walk = graph.Walk({}, [], False)
    if hits:
        walk = graph.expand(
            store,
            hits,
            depth=request.depth,
            predicates=request.predicates,
            is_hidden_included=request.limits.include_archived,
        )
    related = [key for key in walk.distance if key not in set(hits)]
    related, relations = _nearest(related, walk, ranking, request.max_related)
    if walk.is_cut:
        notices.append(f"The walk stopped at {len(walk.distance)} concepts: ask for less depth.")
    missing = [key for key in related if key not in entities]
    entities = {**entities, **store.entities(missing)} if missing else entities
    documents = store.documents_of([*hits, *related]) if hits else {}
    return Answer(
        ranking,
        entities,
        superseded,
        suspicions,
        classes,
        related,
        walk.distance,
        relations,
        documents,
        notices,
        None,
    )


def _nearest(
    related: list[int], walk: graph.Walk, ranking: Ranking, most: int | None
) -> tuple[list[int], list[Relation]]:
    """The related concepts closest to the hits by personalised PageRank, and the relations among what is shown."""
    if most is None or len(related) <= most:
        return related, walk.relations
    seeds = {one.signals.key: max(one.final, 1e-6) for one in ranking.hits}
    scores = graph.pagerank(walk.relations, seeds)
    order = {key: number for number, key in enumerate(related)}
    chosen = sorted(related, key=lambda key: (-scores.get(key, 0.0), order[key]))[:most]
    kept = {*chosen, *seeds}
    return chosen, [r for r in walk.relations if r.subject_key in kept and r.object_key in kept]


# -- trace


def _trace(found: _Found, signals: Sequence[Signals], answer: Answer) -> dict[str, Any]:
    trace = dict(found.trace)
    if found.vector is not None:
        trace["query_embedding"] = _embedding(found.vector)
    scored = {one.signals.key: one for one in answer.ranking.considered}
    names = answer.entities
    trace["lexical_hits"] = [{"id": names[k].id, "bm25": v} for k, v in found.bm25.items() if k in names]
    trace["dense_hits"] = [
        {"id": names[k].id, "cosine": v}
        for k, v in sorted(found.cosines.items(), key=lambda pair: -pair[1])
        if k in names
    ]
    trace["query"] = {
        name: getattr(found.query, name) for name in ("bm25_bound", "known_share", "trust", "noise", "corpus_size")
    }
    rows = [_candidate(one, scored.get(one.key), answer) for one in signals]
    trace["candidates"] = sorted(rows, key=lambda row: (row["gate"] is not None, -(row["score"] or 0.0)))
    levels: dict[int, list[str]] = {}
    for key, distance in answer.distance.items():
        levels.setdefault(distance, []).append(names[key].id if key in names else str(key))
    trace["traversal"] = [{"level": level, "ids": ids} for level, ids in sorted(levels.items())]
    return trace


def _embedding(vector: Vector) -> dict[str, Any]:
    from array import array

    numbers = array("f", vector)
    norm = sum(value * value for value in numbers) ** 0.5
    return {"dim": len(numbers), "norm": norm, "preview": list(numbers[:8]), "full": list(numbers)}


def _candidate(one: Signals, fused: Fused | None, answer: Answer) -> dict[str, Any]:
    return {
        "id": answer.entities[one.key].id,
        "gate": answer.ranking.rejected.get(one.key),
        "score": None if fused is None else fused.final,
        "parts": {} if fused is None else fused.parts,
        "cosine": one.cosine,
        "bm25": one.bm25,
        "lexical": one.lexical,
        "freshness": one.freshness,
        "age_days": one.age_days,
        "reinforcement": one.reinforcement,
        "shown_count": one.shown_count,
        "is_demoted": one.is_demoted,
        "is_archived": one.is_archived,
    }
