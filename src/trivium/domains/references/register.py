"""Registering what was read: payloads in, concepts and relations with their evidence stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from trivium import ingest
from trivium.engine import Engine
from trivium.errors import EmbedderError, EvidenceError, PayloadError
from trivium.index.space import Space
from trivium.model import Entity, Vector, name_key
from trivium.sources.references import ConceptInput, Payload, RelationInput, parse_payloads
from trivium.text.quotes import find_quote, nearest

if TYPE_CHECKING:
    from trivium.embed.base import Embedder

SIMILAR_COSINE = 0.9
"""New concepts this near to a stored one are reported as possible duplicates."""

_LATER_TEXTS = 2_000
"""So many texts without a vector are caught up with after a registration; the rest waits for the next one."""


class Similar(NamedTuple):
    """A new concept that may be a stored one, or another new one, under a second name."""

    id: str
    existing: str
    score: float


class Registered(NamedTuple):
    """What one payload did. Counts are of input rows."""

    url: str
    title: str
    is_new: bool
    record: str
    concepts: int
    mentions: int
    vectors: int
    relations: dict[str, int]
    similar: tuple[Similar, ...]
    aliased: tuple[tuple[str, str], ...]
    archived: tuple[str, ...]


class Registration(NamedTuple):
    """What a batch did: `problems` are what was left out when valid records were kept."""

    references: tuple[Registered, ...]
    problems: tuple[str, ...]
    notices: tuple[str, ...]
    skipped: int


def register(
    engine: Engine,
    data: bytes | str,
    *,
    source: str | None = None,
    is_valid_kept: bool = False,
    on_progress: ingest.Progress | None = None,
) -> Registration:
    """Store a payload, an array of payloads or JSON lines.

    `source` is the text that was read: every quote must stand in it verbatim, and is stored with its place. Raises
    `PayloadError` with every problem, or `EvidenceError`; nothing is written then. With `is_valid_kept` what is valid
    is stored and the rest reported. Registering the same payload again changes nothing but counters and dates.
    """
    batch = parse_payloads(data, keep_valid=is_valid_kept)
    notices = list(batch.notices)
    problems = [str(problem) for problem in batch.problems]
    prepared, dropped = _prepare(engine.concepts_to_read(), batch.payloads, source, is_valid_kept)
    problems += dropped
    if problems and not prepared:
        raise PayloadError("No record is valid. Nothing was stored.", details=problems)
    space = engine.concepts
    engine.require_writable(space)
    if ingest.ensure_index(space):
        notices.append("The word index was built anew.")
    embedder, made, notice = _embedded(engine, space, prepared, on_progress)
    if notice:
        notices.append(notice)
    done = [_store(engine, space, payload, embedder, made) for payload in prepared]
    if embedder is not None:
        try:
            ingest.embed_missing(space, embedder, max_texts=_LATER_TEXTS, on_progress=on_progress)
        except EmbedderError as error:
            notices.append(f"Stored, but some texts have no vector yet: {error.message}")
    return Registration(tuple(done), tuple(problems), tuple(notices), batch.skipped + len(dropped))


def _embedded(
    engine: Engine, space: Space, prepared: Sequence[_Prepared], on_progress: ingest.Progress | None
) -> tuple[Embedder | None, _Made, str]:
    """Everything that is computed before anything is written; without an embedder the texts alone, with a notice."""
    try:
        embedder = engine.embedder()
        return embedder, _vectors(space, embedder, prepared, on_progress), ""
    except EmbedderError as error:
        return None, _vectors(space, None, prepared, None), f"Stored without vectors: {error.message}"


class _Prepared(NamedTuple):
    reference: dict[str, Any]
    concepts: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    aliased: tuple[tuple[str, str], ...]


def _prepare(
    space: Space | None, payloads: Sequence[Payload], source: str | None, is_valid_kept: bool
) -> tuple[list[_Prepared], list[str]]:
    """Names resolved, quotes located, relation ends checked: everything that can be refused is refused here."""
    names = _canonical_names(space, payloads)
    prepared: list[_Prepared] = []
    unresolved: list[str] = []
    unfounded: list[str] = []
    for payload in payloads:
        concepts: list[dict[str, Any]] = []
        relations: list[dict[str, Any]] = []
        for concept in payload.concepts:
            row, problem = _concept_row(concept, names, source)
            unfounded += [problem] if problem else []
            concepts += [row] if not problem else []
        for relation in payload.relations:
            missing = [end for end in (relation.subject, relation.object) if end not in names]
            row, problem = _relation_row(relation, names, source)
            unresolved += [f"unresolved id: {end}" for end in missing]
            unfounded += [problem] if problem else []
            relations += [row] if not problem and not missing else []
        prepared.append(_Prepared(_reference_row(payload, source), concepts, relations, _aliased(payload, names)))
    if unresolved and not is_valid_kept:
        raise PayloadError(
            "Relations name concepts that are neither in the payload nor stored.",
            details=unresolved,
            hint="Add them to the concepts, or register the source that describes them first.",
        )
    if unfounded and not is_valid_kept:
        raise EvidenceError("Quotes do not stand verbatim in the source.", details=unfounded)
    return _in_order(space, prepared), unresolved + unfounded


def _canonical_names(space: Space | None, payloads: Sequence[Payload]) -> dict[str, str]:
    """Each known name of a batch with the id it is stored under: spellings of one name are one concept."""
    own = [concept.id for payload in payloads for concept in payload.concepts]
    ends = [end for payload in payloads for r in payload.relations for end in (r.subject, r.object)]
    wanted = list(dict.fromkeys([*own, *ends]))
    stored: dict[str, Entity] = {}
    folded: dict[str, list[Entity]] = {}
    if space is not None:
        stored = space.store.by_ids(wanted)
        folded = space.store.by_name_keys(name_key(name) for name in wanted if name not in stored)
    declared = {name_key(name): name for name in reversed(own)}
    names: dict[str, str] = {}
    for name in wanted:
        key = name_key(name)
        if name in stored:
            names[name] = stored[name].id
        elif len(found := folded.get(key, [])) == 1:
            names[name] = found[0].id
        elif key in declared:
            names[name] = declared[key]
    return names


def _in_order(space: Space | None, prepared: Sequence[_Prepared]) -> list[_Prepared]:
    """Relations whose end a later payload brings are stored behind it, as a second registration of their source."""
    brought = {c["id"]: place for place, p in reversed(list(enumerate(prepared))) for c in p.concepts}
    for identifier in space.store.by_ids(list(brought)) if space is not None else ():
        brought[identifier] = -1
    now: list[_Prepared] = []
    later: list[_Prepared] = []
    for place, payload in enumerate(prepared):
        ready: list[dict[str, Any]] = []
        waiting: list[dict[str, Any]] = []
        for relation in payload.relations:
            last = max(brought.get(relation["subject"], -1), brought.get(relation["object"], -1))
            (waiting if last > place else ready).append(relation)
        if payload.concepts or ready:
            now.append(payload._replace(relations=ready))
        if waiting:
            later.append(_Prepared(payload.reference, [], waiting, ()))
    return now + later


def _aliased(payload: Payload, names: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((c.id, names[c.id]) for c in payload.concepts if names[c.id] != c.id)


def _reference_row(payload: Payload, source: str | None) -> dict[str, Any]:
    given = payload.reference
    row: dict[str, Any] = {"url": given.url, "title": given.title}
    if given.published_at:
        row["published_at"] = given.published_at
    if given.fetched_at:
        row["fetched_at"] = given.fetched_at
    if source is not None:
        row["content_hash"] = _content_hash(source)
    return row


def _content_hash(source: str) -> str:
    import hashlib

    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def _concept_row(concept: ConceptInput, names: Mapping[str, str], source: str | None) -> tuple[dict[str, Any], str]:
    identifier = names[concept.id]
    row: dict[str, Any] = {"id": identifier, "description": concept.description}
    if concept.details:
        row["details"] = concept.details
    if concept.type:
        row["type"] = concept.type
    aliases = [*concept.aliases, *([concept.id] if identifier != concept.id else [])]
    if aliases:
        row["aliases"] = aliases
    return row, _quote(row, concept.quote, source, f"concept {concept.id}")


def _relation_row(relation: RelationInput, names: Mapping[str, str], source: str | None) -> tuple[dict[str, Any], str]:
    row: dict[str, Any] = {
        "subject": names.get(relation.subject, relation.subject),
        "predicate": relation.predicate,
        "object": names.get(relation.object, relation.object),
        "reason": relation.reason,
    }
    if relation.method:
        row["method"] = relation.method
    if relation.confidence is not None:
        row["confidence"] = relation.confidence
    what = f"relation {relation.subject} -[{relation.predicate}]-> {relation.object}"
    return row, _quote(row, relation.quote, source, what)


def _quote(row: dict[str, Any], quote: str | None, source: str | None, what: str) -> str:
    """Put a quote and its place into a row; returns what is wrong with it."""
    if not quote:
        return ""
    row["quote"] = quote
    if source is None:
        return ""
    match = find_quote(source, quote)
    if match is None:
        close = nearest(source, quote)
        near = f" The nearest passage (line {close.line}) is: {_clip(close.text)!r}" if close is not None else ""
        return f"{what}: quote not found: {_clip(quote)!r}.{near}"
    row["quote"] = source[match.start : match.end]
    row["selector"] = {
        "start": match.start,
        "end": match.end,
        "line": match.line,
        "prefix": match.prefix,
        "suffix": match.suffix,
        "content_hash": _content_hash(source),
    }
    return ""


def _clip(text: str, most: int = 300) -> str:
    return text if len(text) <= most else text[:most] + "…"


class _Made(NamedTuple):
    """What was computed for a whole batch before anything is written."""

    texts: dict[str, str]
    vectors: dict[bytes, Vector]
    similar: dict[str, Similar]


def _vectors(
    space: Space, embedder: Embedder | None, prepared: Sequence[_Prepared], on_progress: ingest.Progress | None
) -> _Made:
    concepts = [concept for payload in prepared for concept in payload.concepts]
    before = space.store.by_ids([concept["id"] for concept in concepts])
    texts = {concept["id"]: _composed(concept, before.get(concept["id"])) for concept in concepts}
    if embedder is None or not texts:
        return _Made(texts, {}, {})
    vectors = ingest.new_vectors(space, embedder, list(texts.values()), on_progress=on_progress)
    fresh = {identifier: text for identifier, text in texts.items() if identifier not in before}
    return _Made(texts, vectors, _similar(space, embedder, fresh, vectors))


def _store(engine: Engine, space: Space, payload: _Prepared, embedder: Embedder | None, made: _Made) -> Registered:
    ids = [concept["id"] for concept in payload.concepts]
    before = space.store.by_ids(ids)
    hashes = {ingest.text_hash(part) for i in ids for part, _, _ in ingest.passages_of(made.texts[i])}
    is_new = space.store.document(payload.reference["url"]) is None
    content = {"reference": payload.reference, "concepts": payload.concepts, "relations": payload.relations}
    applied = ingest.commit(
        space,
        "register",
        content,
        at=engine.clock(),
        actor=engine.settings.actor,
        session=engine.settings.session,
        vectors={name: made.vectors[name] for name in hashes if name in made.vectors},
        embedder_id="" if embedder is None else embedder.id,
    )
    counts: dict[str, int] = {}
    for relation in payload.relations:
        counts[relation["predicate"]] = counts.get(relation["predicate"], 0) + 1
    return Registered(
        url=payload.reference["url"],
        title=payload.reference["title"],
        is_new=is_new,
        record=applied.record.id,
        concepts=len(ids),
        mentions=len(ids),
        vectors=0 if embedder is None else len(ids),
        relations=counts,
        similar=tuple(made.similar[i] for i in ids if i in made.similar and i not in before),
        aliased=payload.aliased,
        archived=tuple(entity.id for entity in before.values() if entity.archived_at),
    )


def _composed(concept: Mapping[str, Any], stored: Entity | None) -> str:
    details = concept.get("details") or (stored.details if stored else None)
    return ingest.compose(concept["id"], concept["description"], details)


def _similar(
    space: Space, embedder: Embedder, fresh: Mapping[str, str], vectors: Mapping[bytes, Vector]
) -> dict[str, Similar]:
    """The nearest stored or sibling concept of each new one, where it is near enough to be the same."""
    first = {i: vectors.get(ingest.text_hash(ingest.passages_of(text)[0][0])) for i, text in fresh.items()}
    known = {identifier: vector for identifier, vector in first.items() if vector is not None}
    if not known:
        return {}
    found = space.vectors(embedder.id, embedder.dim).search_many(list(known.values()), 3)
    labels = space.store.entities({key for ranked in found for key, _ in ranked})
    pairs: dict[str, Similar] = {}
    for identifier, ranked in zip(known, found, strict=True):
        for key, cosine in ranked:
            if cosine >= SIMILAR_COSINE and labels[key].id != identifier:
                pairs.setdefault(identifier, Similar(identifier, labels[key].id, cosine))
    return {**_siblings(known), **pairs}


def _siblings(known: Mapping[str, Vector]) -> dict[str, Similar]:
    from trivium.index import dense

    names = list(known)
    rows = [(number, known[name]) for number, name in enumerate(names)]
    pairs = {}
    for number, vector in rows[1:]:
        earlier = dense.scan(rows[:number], vector, 1)
        if earlier and earlier[0][1] >= SIMILAR_COSINE:
            pairs[names[number]] = Similar(names[number], names[earlier[0][0]], earlier[0][1])
    return pairs
