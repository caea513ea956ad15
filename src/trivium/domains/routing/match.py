"""From a prompt to the entries that matter to it, each with its reasons, and from an absence to its gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from trivium.domains.routing.collection import Collection
from trivium.domains.routing.gates import GATES, Question, first_gate
from trivium.domains.routing.options import DEFAULTS, MatchOptions, check
from trivium.domains.routing.prompts import windows
from trivium.domains.routing.scoring import Asked, Measured, asked, measure
from trivium.errors import EmbedderError, NotFoundError, UsageError
from trivium.rank.examples import Calibration, Near, parts, relevance
from trivium.store.sqlite import guidance

if TYPE_CHECKING:
    from trivium.embed.base import Embedder
    from trivium.index.examples import ExampleIndex
    from trivium.store.sqlite.guidance import GuideRow

OpenEmbedder = Callable[[], "Embedder | None"]

_CANDIDATES = 20
_FEW = 200
"""So many entries of the kinds asked for are all scored, without a search."""


class Hit(NamedTuple):
    """An entry that matters. `score` is the sum of `parts`; `floor` what it had to reach.

    `query` is the example of the entry that is nearest, with its `ordinal` (-1 when only words spoke); `cosine` is to
    that. `relevance` in [0, 1] is for people. `version` changes with the entry's text.
    """

    key: int
    id: str
    name: str
    kind: str
    description: str
    one_liner: str
    root: str
    path: str
    section: str
    line: int
    origin: str
    score: float
    floor: float
    relevance: float
    parts: dict[str, float]
    cosine: float | None
    words: float
    query: str
    ordinal: int
    asked: str
    version: str


class Match(NamedTuple):
    """The answer to a prompt. `rejected`: id to the first gate that a candidate did not pass."""

    prompt: str
    hits: tuple[Hit, ...]
    rejected: dict[str, str]
    considered: tuple[Hit, ...]
    calibration: Calibration
    notices: tuple[str, ...]


class WhyNot(NamedTuple):
    """Why an entry is not in the answer, or its place in it: `gate` is None when it is there."""

    id: str
    gate: str | None
    explanation: str
    rank: int | None
    hit: Hit
    best: Hit | None


class _Scored(NamedTuple):
    row: GuideRow
    measured: Measured
    parts: dict[str, float]
    score: float
    asked: str


def match(collection: Collection, prompt: str, options: MatchOptions = DEFAULTS) -> Match:
    """The entries that matter to a prompt, best first. Has no side effect; a blank prompt matches nothing.

    Without an embedder, or without vectors, words answer and a notice says so.
    """
    check(options)
    return _match(collection, prompt, options, also=())


def why_not(collection: Collection, prompt: str, name: str, options: MatchOptions = DEFAULTS) -> WhyNot:
    """The first gate that kept an entry out of the answer to a prompt, or its place in it."""
    check(options)
    row = find(collection, name)
    found = _match(collection, prompt, options, also=(row.entity,))
    hit = next((one for one in found.considered if one.key == row.entity), None)
    if hit is None:
        raise UsageError("The prompt is empty.")
    place = next((place for place, one in enumerate(found.hits, 1) if one.key == row.entity), None)
    best = found.hits[0] if found.hits else None
    if place is not None:
        return WhyNot(row.id, None, f"It is hit {place}.", place, hit, best)
    gate = found.rejected[row.id]
    return WhyNot(row.id, gate, f"{GATES[gate][0].upper()}{GATES[gate][1:]}.", None, hit, best)


def find(collection: Collection, name: str) -> GuideRow:
    """The entry of this id, or of this name when only one has it. Raises `NotFoundError` or `AmbiguousError`."""
    store = collection.space.store
    with store.guard():
        rows = guidance.guides_named(store, name) if collection.is_current() else []
        if len(rows) == 1:
            return rows[0]
        if rows:
            from trivium.errors import AmbiguousError

            raise AmbiguousError(f"{name!r} is the name of {len(rows)} entries.", details=[row.id for row in rows])
        import difflib

        every = guidance.all_guides(store) if collection.is_current() else []
        names = {key: row.id for row in every for key in (row.name, row.id)}
        near = [names[key] for key in difflib.get_close_matches(name, names, n=5, cutoff=0.5)]
    raise NotFoundError(f"There is no entry {name!r}.", details=list(dict.fromkeys(near)))


# -- steps


def _match(collection: Collection, prompt: str, options: MatchOptions, also: Sequence[int]) -> Match:
    space = collection.space
    notices: list[str] = []
    texts = windows(prompt)
    with space.store.guard():
        if not texts or not collection.is_current():
            return Match(prompt, (), {}, (), collection.calibration(), ())
        questions, index = _questions(collection, texts, options, notices)
        calibration = collection.calibration()
        has_vectors = index is not None
        recipe = options.recipe if has_vectors else "words"
        question = Question(options, collection, calibration, recipe)
        scored = _candidates(collection, index, questions, question, also)
        return _select(collection, prompt, scored, question, notices)


def _questions(
    collection: Collection, texts: Sequence[str], options: MatchOptions, notices: list[str]
) -> tuple[list[Asked], ExampleIndex | None]:
    space = collection.space
    vectors: Sequence[bytes | None] = [None] * len(texts)
    index = None
    if options.recipe != "words":
        try:
            embedder = collection.engine.embedder()
            if embedder is None:
                notices.append("No embedder is configured: the answer comes from words.")
            elif not space.store.has_vectors(embedder.id):
                notices.append(f"No example has a vector of {embedder.id} yet: the answer comes from words.")
            else:
                vectors = embedder.embed(texts, is_query=True)
                index = collection.examples(embedder)
                if not space.are_vectors_complete(embedder.id):
                    notices.append("Some examples have no vector yet: their entries are found by words until then.")
        except EmbedderError as error:
            notices.append(f"Matched without vectors: {error.message}")
    return [asked(space, text, vector) for text, vector in zip(texts, vectors, strict=True)], index


def _candidates(
    collection: Collection,
    index: ExampleIndex | None,
    questions: Sequence[Asked],
    question: Question,
    also: Sequence[int],
) -> list[_Scored]:
    """Scored entries, best first: enough of them that no better one is missed behind those that do not qualify."""
    store, options = collection.space.store, question.options
    total, _ = guidance.shape(store)
    within = guidance.keys_of_kinds(store, options.kinds, _FEW) if options.kinds or total <= _FEW else None
    count = max(_CANDIDATES, 2 * options.limit)
    while True:
        scored = _scored(collection, index, questions, question, count, within, also)
        passing = {(one.row.kind, one.row.name) for one in scored if question.gate(one.row) is None}
        if within is not None or len(passing) > options.limit or count >= total:
            return scored
        count = min(4 * count, total)


def _scored(
    collection: Collection,
    index: ExampleIndex | None,
    questions: Sequence[Asked],
    question: Question,
    count: int,
    within: Sequence[int] | None,
    also: Sequence[int],
) -> list[_Scored]:
    space, recipe = collection.space, question.recipe
    best: dict[int, _Scored] = {}
    for one in questions:
        measured = measure(space, index, one, count, within)
        missing = [key for key in also if key not in measured]
        if missing:
            measured.update(measure(space, index, one, count, missing))
        rows = guidance.guides(space.store, measured)
        for key, row in rows.items():
            found = measured[key]
            made = parts(recipe, found.near, found.words, row.example_count, row.boost)
            scored = _Scored(row, found, made, sum(made.values()), one.text)
            if key not in best or scored.score > best[key].score:
                best[key] = scored
    return sorted(best.values(), key=lambda one: (-one.score, one.row.id))


def _select(
    collection: Collection, prompt: str, scored: Sequence[_Scored], question: Question, notices: list[str]
) -> Match:
    rejected: dict[str, str] = {}
    chosen: list[_Scored] = []
    state = question.begin()
    for one in scored:
        gate = first_gate(question, state, one.row, one.measured, one.score)
        if gate is None:
            chosen.append(one)
        else:
            rejected[one.row.id] = gate
    texts = guidance.examples(collection.space.store, [one.row.entity for one in scored])
    hits = {one.row.entity: _hit(one, question, texts[one.row.entity]) for one in scored}
    return Match(
        prompt,
        tuple(hits[one.row.entity] for one in chosen),
        rejected,
        tuple(hits.values()),
        question.calibration,
        tuple(dict.fromkeys(notices)),
    )


def _hit(one: _Scored, question: Question, examples: Sequence[str]) -> Hit:
    row, nearness = one.row, one.measured.near
    ordinal = -1 if nearness is None else nearness.ordinal
    return Hit(
        row.entity,
        row.id,
        row.name,
        row.kind,
        row.description,
        row.one_liner,
        row.root,
        row.path,
        row.section,
        row.line,
        row.origin,
        one.score,
        question.floor(row),
        _relevance(one, question.recipe, nearness),
        one.parts,
        None if nearness is None else nearness.best,
        one.measured.words,
        examples[ordinal] if 0 <= ordinal < len(examples) else "",
        ordinal,
        one.asked,
        row.content_hash.hex(),
    )


def _relevance(one: _Scored, recipe: str, nearness: Near | None) -> float:
    if recipe == "examples":
        return relevance(one.score, one.row.example_count)
    if recipe == "nearest" and nearness is not None:
        return max(0.0, min(1.0, one.score))
    return one.measured.words
