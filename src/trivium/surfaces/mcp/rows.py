"""What is known as rows of an answer: one flat object each, told apart by `kind`, without what is empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trivium.domains.references.browse import ConceptView, FoundPath, Neighbourhood
from trivium.domains.references.documents import DocumentView
from trivium.domains.references.history import Event
from trivium.domains.references.register import Registered, Registration
from trivium.domains.references.search import SearchResult, WhyNot
from trivium.domains.references.upkeep import Check
from trivium.model import Document, Entity, Evidence, Relation
from trivium.surfaces.mcp.answers import Row


def row(kind: str, **fields: Any) -> Row:
    """A row without its empty fields."""
    return {"kind": kind, **{name: value for name, value in fields.items() if value not in (None, "", [], (), False)}}


def notices(lines: Iterable[str]) -> list[Row]:
    """What went less well than it should have."""
    return [row("notice", text=line) for line in lines]


def concept(entity: Entity, **more: Any) -> Row:
    """One concept."""
    return row(
        "concept",
        id=entity.id,
        type=entity.type,
        text=entity.description,
        details=entity.details,
        is_archived=entity.archived_at is not None,
        archive_reason=entity.archive_reason,
        is_withdrawn=entity.withdrawn_at is not None,
        **more,
    )


def relation(one: Relation, evidence: Sequence[Evidence] = ()) -> Row:
    """One relation with what proves it."""
    return row(
        "relation",
        subject=one.subject,
        predicate=one.predicate,
        object=one.object,
        reason=one.reason,
        evidence=[_proof(item) for item in evidence],
    )


def _proof(item: Evidence) -> Row:
    fields = {
        "document": item.document,
        "quote": item.quote,
        "line": (item.selector or {}).get("line"),
        "method": item.method,
        "confidence": item.confidence,
        "recorded_at": item.recorded_at[:10],
    }
    return {name: value for name, value in fields.items() if value is not None}


def source(document: Document, **more: Any) -> Row:
    """One source."""
    return row(
        "source",
        uri=document.uri,
        title=document.title,
        published_at=document.published_at,
        last_seen_at=document.last_seen_at,
        **more,
    )


def mention(item: Evidence) -> Row:
    """What a source says of a concept."""
    return row(
        "mention",
        document=item.document,
        title=item.title,
        says=item.reason,
        quote=item.quote,
        line=(item.selector or {}).get("line"),
        recorded_at=item.recorded_at[:10],
    )


def found(answer: SearchResult) -> Iterator[Row]:
    """Hits with their reasons, then what surrounds them."""
    yield from notices(answer.notices)
    for hit in answer.hits:
        yield row(
            "concept",
            id=hit.id,
            type=hit.type,
            text=hit.description,
            details=hit.details,
            score=round(hit.score, 3),
            why=list(hit.reasons),
            age_days=round(hit.age_days, 1),
            superseded_by=hit.superseded_by,
            suspect=list(hit.suspect),
            same_as=list(hit.same_as),
            is_archived=hit.is_archived,
            sources=list(hit.references),
        )
    for near in answer.related:
        yield row("related", id=near.id, text=near.description, distance=near.distance)
    for one in answer.relations:
        yield row(
            "relation",
            subject=one.subject,
            predicate=one.predicate,
            object=one.object,
            reason=one.reason,
            evidence=[_proof(item) for item in one.evidence[:1]],
        )


def absence(one: WhyNot) -> Row:
    """Why a concept is not among the hits."""
    return row("absence", id=one.id, gate=one.gate, explanation=one.explanation, rank=one.rank, cosine=one.cosine)


def view(one: ConceptView) -> Iterator[Row]:
    """A concept, what its sources say, its relations."""
    suspicion = one.suspicion
    yield concept(
        one.entity,
        aliases=list(one.aliases),
        first_seen_at=one.entity.first_seen_at,
        last_seen_at=one.entity.last_seen_at,
        superseded_by=None if one.superseded_by is None else one.superseded_by.subject,
        suspect=[] if suspicion is None else [*map(line, suspicion.chain), suspicion.cause],
    )
    for item in one.mentions:
        yield mention(item)
    for edge in one.relations:
        yield relation(edge, one.evidence.get(edge.key, ()))


def document(one: DocumentView) -> Iterator[Row]:
    """A source and what it says of each concept."""
    yield source(one.document, observed_at=one.document.observed_at, content_hash=one.document.content_hash)
    for entity, item in one.described:
        yield row("concept", id=entity.id, text=item.reason, quote=item.quote, line=(item.selector or {}).get("line"))


def around(one: Neighbourhood) -> Iterator[Row]:
    """What surrounds a concept, nearest first, then the relations."""
    for entity, distance in one.nodes:
        yield (
            concept(entity, distance=distance)
            if distance == 0
            else row("related", id=entity.id, text=entity.description, distance=distance, is_archived=entity.is_hidden)
        )
    for edge in one.relations:
        yield relation(edge)
    if one.is_cut:
        yield row("notice", text="There is more around it than is walked: ask for less depth.")


def path(one: FoundPath) -> Row:
    """One way from a concept to another."""
    return row("path", ids=list(one.ids), steps=[line(edge) for edge in one.relations])


def line(one: Relation) -> str:
    """A relation on one line."""
    return f"{one.subject} -[{one.predicate}]-> {one.object}"


def event(one: Event) -> Row:
    """One record of the journal."""
    record = one.record
    return row(
        "change",
        id=record.id[:12],
        at=record.at,
        actor=record.actor,
        session=record.session,
        summary=one.summary,
        is_undone=one.is_undone,
    )


def registration(done: Registration) -> Iterator[Row]:
    """What was stored, what was left out, and what may be double."""
    yield from notices(done.notices)
    for one in done.references:
        yield _registered(one)
    for problem in done.problems:
        yield row("left_out", text=problem)


def _registered(one: Registered) -> Row:
    return row(
        "registered",
        uri=one.url,
        is_new=one.is_new,
        record=one.record[:12],
        concepts=one.concepts,
        relations=one.relations,
        aliased=[f"{given} -> {stored}" for given, stored in one.aliased],
        similar=[f"{pair.id} ≈ {pair.existing} ({pair.score:.2f})" for pair in one.similar],
        still_archived=list(one.archived),
    )


def check(one: Check) -> Row:
    """One thing that was looked at."""
    return row("check", area=one.area, level=one.level, text=one.message, hint=one.hint)
