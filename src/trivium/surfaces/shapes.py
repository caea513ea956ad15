"""What domain values look like as JSON: snake_case keys, the same on every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trivium.domains.references.browse import ConceptView, FoundPath, Neighbourhood
    from trivium.domains.references.search import Hit, SearchResult, WhyNot
    from trivium.model import Document, Entity, Evidence, Relation


def concept(entity: Entity) -> dict[str, Any]:
    """One concept as lists show it."""
    return {
        "id": entity.id,
        "description": entity.description,
        "details": entity.details,
        "type": entity.type,
        "first_seen_at": entity.first_seen_at,
        "last_seen_at": entity.last_seen_at,
        "touch_count": entity.touch_count,
        "shown_count": entity.shown_count,
        "is_archived": entity.archived_at is not None,
        "archived_at": entity.archived_at,
        "archive_reason": entity.archive_reason,
        "is_withdrawn": entity.withdrawn_at is not None,
        "withdrawn_at": entity.withdrawn_at,
    }


def reference(document: Document) -> dict[str, Any]:
    """One source."""
    return {
        "uri": document.uri,
        "title": document.title,
        "published_at": document.published_at,
        "observed_at": document.observed_at,
        "first_seen_at": document.first_seen_at,
        "last_seen_at": document.last_seen_at,
        "content_hash": document.content_hash,
    }


def proof(evidence: Evidence) -> dict[str, Any]:
    """Why a claim is held."""
    return evidence._asdict()


def relation(relation: Relation, evidence: Mapping[int, Iterable[Evidence]]) -> dict[str, Any]:
    """One relation with its evidence, newest first."""
    return {
        "subject": relation.subject,
        "predicate": relation.predicate,
        "object": relation.object,
        "reason": relation.reason,
        "evidence": [proof(one) for one in evidence.get(relation.key, ())],
    }


def bare_relation(relation: Relation) -> dict[str, Any]:
    """One relation without its evidence."""
    return {
        "subject": relation.subject,
        "predicate": relation.predicate,
        "object": relation.object,
        "reason": relation.reason,
    }


def view(view: ConceptView) -> dict[str, Any]:
    """Everything about one concept."""
    suspicion = view.suspicion
    return {
        **concept(view.entity),
        "aliases": list(view.aliases),
        "superseded_by": None if view.superseded_by is None else view.superseded_by.subject,
        "suspect": None
        if suspicion is None
        else {"chain": [bare_relation(one) for one in suspicion.chain], "cause": suspicion.cause},
        "mentions": [proof(one) for one in view.mentions],
        "references": [reference(one) for one in view.references],
        "relations": [relation(one, view.evidence) for one in view.relations],
    }


def neighbourhood(found: Neighbourhood) -> dict[str, Any]:
    """What surrounds a concept."""
    return {
        "root": found.root.id,
        "depth": found.depth,
        "nodes": [
            {**concept(entity), "distance": distance, "is_root": entity.key == found.root.key}
            for entity, distance in found.nodes
        ],
        "relations": [bare_relation(one) for one in found.relations],
        "references": [
            {"uri": document.uri, "title": document.title, "concept": identifier}
            for document, identifier in found.references
        ],
        "is_cut": found.is_cut,
    }


def path(found: FoundPath) -> dict[str, Any]:
    """One way from a concept to another."""
    return {"ids": list(found.ids), "relations": [bare_relation(one) for one in found.relations]}


def hit(hit: Hit) -> dict[str, Any]:
    """A concept that matches, with all that its score is made of."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in zip(hit._fields, hit, strict=True)
    }


def result(found: SearchResult) -> dict[str, Any]:
    """The answer to a query; `trace` only when it was asked for. Notices are left to the surface."""
    values: dict[str, Any] = {
        "query": found.query,
        "recipe": found.recipe,
        "hits": [hit(one) for one in found.hits],
        "related": [one._asdict() for one in found.related],
        "relations": [
            {
                "subject": one.subject,
                "predicate": one.predicate,
                "object": one.object,
                "reason": one.reason,
                "evidence": [proof(item) for item in one.evidence],
            }
            for one in found.relations
        ],
        "references": [reference(one) for one in found.references],
    }
    if found.trace is not None:
        values["trace"] = found.trace
    return values


def why_not(found: WhyNot) -> dict[str, Any]:
    """Why a concept is not in an answer."""
    return found._asdict()
