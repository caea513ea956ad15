"""Asking a vault: passages by words and meaning, one hit a note, with the line to open."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from trivium.domains.vault.freshness import freshness
from trivium.domains.vault.vault import Vault
from trivium.errors import UsageError
from trivium.model import Entity
from trivium.rank.fuse import DEFAULT_RECIPE, Fused
from trivium.rank.select import DEFAULT_THRESHOLD, Limits
from trivium.retrieve import Answer, Request, retrieve
from trivium.sources.vault.names import key as name_of
from trivium.store.sqlite.notes import reading
from trivium.store.sqlite.notes.rows import NoteRow
from trivium.text.tokens import words

SNIPPET_CHARS = 240


class SearchOptions(NamedTuple):
    """How to search. Filters must all hold; dates are ISO 8601, `since` and `until` inclusive; properties `key` or
    `key=value`. `is_boolean` reads AND, OR, NOT, brackets, "phrases" and prefix* and searches by words alone."""

    limit: int = 10
    threshold: float = DEFAULT_THRESHOLD
    recipe: str = ""
    tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    kind: str | None = None
    since: str | None = None
    until: str | None = None
    is_boolean: bool = False
    budget_chars: int | None = None
    is_traced: bool = False


class NoteHit(NamedTuple):
    """A note that matches with its best passage: `id` is `path:line`, `parts` sum to `score`."""

    id: str
    hash: str
    path: str
    title: str
    heading: str
    line: int
    snippet: str
    text: str
    score: float
    parts: dict[str, float]
    cosine: float | None
    bm25: float
    reasons: tuple[str, ...]


class SearchResult(NamedTuple):
    """The answer to one query; `is_current` is False when the index is behind the files, as `notices` say."""

    query: str
    recipe: str
    hits: tuple[NoteHit, ...]
    is_current: bool
    notices: tuple[str, ...]
    trace: dict[str, object] | None


def search(vault: Vault, query: str, options: SearchOptions = SearchOptions()) -> SearchResult:  # noqa: B008 (immutable)
    """Find notes. Has no side effect; an empty query finds nothing in a boolean search, else it is refused."""
    if options.limit < 0:
        raise UsageError(f"limit must be an integer of at least 0, not {options.limit}.")
    if not -1 <= options.threshold <= 1:
        raise UsageError(f"threshold must be a cosine from -1 to 1, not {options.threshold}.")
    if not query.strip() and not options.is_boolean:
        raise UsageError("The query is empty.")
    space = vault.space()
    within = _within(vault, options)
    asked, recipe = query, options.recipe or vault.engine.settings.recipe or DEFAULT_RECIPE
    if options.is_boolean:
        asked, within = _boolean(vault, query, within)
        recipe = "lexical"
    if options.limit == 0 or (within is not None and not within):
        now = freshness(vault)
        return SearchResult(query, recipe, (), now.is_current, now.notices, None)
    request = Request(
        asked or query,
        vault.engine.clock(),
        recipe=recipe,
        limits=Limits(
            threshold=0.0 if options.is_boolean else options.threshold,
            limit=options.limit,
            budget_chars=options.budget_chars,
        ),
        depth=0,
        within=within,
        group=lambda keys: {key: part.note for key, part in reading.parts(space.store.connection, keys).items()},
        is_traced=options.is_traced,
    )
    answer = retrieve(space, vault.engine.embedder, request)
    hits = _hits(vault, query, answer)
    if options.is_boolean and within is not None:
        hits += _unranked(vault, query, within, {hit.path for hit in hits}, options.limit - len(hits))
    now = freshness(vault, [hit.path for hit in hits])
    notices = (*vault.notices, *now.notices, *(_told(one) for one in answer.notices))
    return SearchResult(query, recipe, tuple(hits), now.is_current, tuple(dict.fromkeys(notices)), answer.trace)


def _told(notice: str) -> str:
    return notice.replace("; reindex.", "; run vault embed.").replace("until reindexed", "until vault embed is done")


# -- filters


def conditions(options: SearchOptions) -> list[tuple[str, str, str]]:
    """The filters as conditions on facets."""
    found = [("tag", "below", name_of(tag.removeprefix("#"))) for tag in options.tags]
    for given in options.properties:
        name, sign, value = given.partition("=")
        found.append((f"property {name_of(name)}", "=" if sign else "has", name_of(value)))
    if options.kind:
        found.append(("type", "=", name_of(options.kind)))
    found += [("date", ">=", options.since)] if options.since else []
    found += [("date", "<=", options.until)] if options.until else []
    return found


def _within(vault: Vault, options: SearchOptions) -> set[int] | None:
    """The parts of the notes that pass the filters, None when there is no filter."""
    wanted = conditions(options)
    connection = vault.space().store.connection
    notes: set[int] | None = reading.matching(connection, wanted) if wanted else None
    if options.folders:
        places = [folder.strip("/") for folder in options.folders]
        below = {
            note
            for one in places
            for note in reading.matching(connection, [("folder", "below" if one else "has", one)])
        }
        notes = below if notes is None else notes & below
    return None if notes is None else {part.key for part in reading.parts_of(connection, notes)}


def _boolean(vault: Vault, query: str, within: set[int] | None) -> tuple[str, set[int]]:
    from trivium.domains.vault import boolean

    space = vault.space()
    connection = space.store.connection

    def notes_of(keys: Collection[int]) -> set[int]:
        return {part.note for part in reading.parts(connection, keys).values()}

    everything = {note.key for note in reading.notes(connection)}
    with space.store.guard():
        found = boolean.run(query, space.lexical, notes_of, everything)
    keys = {part.key for part in reading.parts_of(connection, found.notes)}
    return found.positive, keys if within is None else keys & within


# -- hits


def _hits(vault: Vault, query: str, answer: Answer) -> list[NoteHit]:
    connection = vault.space().store.connection
    places = reading.parts(connection, [one.signals.key for one in answer.hits])
    notes = reading.notes_by_key(connection, {place.note for place in places.values()})
    asked = set(words(query))
    made = []
    for one in answer.hits:
        place = places[one.signals.key]
        made.append(_hit(notes[place.note], place, answer.entities[one.signals.key], asked, one))
    return made


def _unranked(vault: Vault, query: str, within: set[int], there: set[str], most: int) -> list[NoteHit]:
    """Notes that fit a boolean query without a word to rank them by, by path, each with its first part."""
    store = vault.space().store
    first: dict[int, reading.Part] = {}
    for part in sorted(reading.parts(store.connection, within).values(), key=lambda part: part.start):
        first.setdefault(part.note, part)
    notes = [note for note in reading.notes_by_key(store.connection, first).values() if note.path not in there]
    chosen = sorted(notes, key=lambda note: note.path)[: max(0, most)]
    entities = store.entities([first[note.key].key for note in chosen])
    asked = set(words(query))
    return [_hit(note, first[note.key], entities[first[note.key].key], asked, None) for note in chosen]


def _hit(note: NoteRow, place: reading.Part, entity: Entity, asked: set[str], one: Fused | None) -> NoteHit:
    text = entity.details or ""
    down, shown = snippet(text, asked)
    line = place.line + down
    signals = None if one is None else one.signals
    return NoteHit(
        f"{note.path}:{line}",
        note.hash,
        note.path,
        note.title,
        entity.description,
        line,
        shown,
        text,
        0.0 if one is None else one.final,
        {} if one is None else one.parts,
        None if signals is None else signals.cosine,
        0.0 if signals is None else signals.bm25,
        () if one is None else _reasons(one),
    )


def snippet(text: str, asked: set[str]) -> tuple[int, str]:
    """How many lines down the best line of a passage is, and that line with what follows it, cut to a glance."""
    lines = text.split("\n")
    scores = [len(asked.intersection(words(line[:4000]))) - 0.5 * line.lstrip().startswith("#") for line in lines]
    best = max(range(len(lines)), key=lambda at: (scores[at] if lines[at].strip() else -1.0, -at))
    shown = lines[best].strip()
    if len(shown) > SNIPPET_CHARS:
        shown = _around(shown, asked)
    elif scores[best] > 0 or len(lines) > 1:
        for line in lines[best + 1 :]:
            if len(shown) + len(line) + 1 > SNIPPET_CHARS:
                break
            shown += "\n" + line.rstrip() if line.strip() else ""
    return best, shown


def _around(line: str, asked: set[str]) -> str:
    """The stretch of a long line that holds most of the words asked for."""
    step = SNIPPET_CHARS // 2
    starts = range(0, min(len(line), 20_000), step)
    best = max(starts, key=lambda at: (len(asked.intersection(words(line[at : at + SNIPPET_CHARS]))), -at))
    shown = line[best : best + SNIPPET_CHARS].strip()
    return ("…" if best else "") + shown + ("…" if best + SNIPPET_CHARS < len(line) else "")


def _reasons(one: Fused) -> tuple[str, ...]:
    found = []
    if one.signals.bm25 > 0:
        found.append(f"words: BM25 {one.signals.bm25:.2f}")
    if one.signals.cosine is not None:
        found.append(f"meaning: cosine {one.signals.cosine:.2f}")
    return tuple(found)
