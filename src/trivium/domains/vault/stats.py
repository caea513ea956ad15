"""How much a vault's index holds, and what was left out of it."""

from __future__ import annotations

from typing import Any

from trivium.domains.vault.freshness import freshness
from trivium.domains.vault.vault import Vault
from trivium.store.sqlite.notes import reading

_UNKNOWN = "unknown"


def stats(vault: Vault) -> dict[str, Any]:
    """Counts of notes, concepts and edges, what does not resolve, how far the vectors are."""
    space = vault.space()
    connection = space.store.connection
    counts = reading.edge_counts(connection)
    entities = space.store.entities(reading.concept_keys(connection).values())
    types: dict[str, int] = {}
    for entity in entities.values():
        types[entity.type or "concept"] = types.get(entity.type or "concept", 0) + 1
    now = freshness(vault)
    return {
        "db_path": vault.database,
        "documents": reading.note_count(connection),
        "entities": len(entities),
        "edges": sum(count for status, _, _, count in counts if status == "ok"),
        "unresolved": sum(count for status, _, _, count in counts if status == _UNKNOWN),
        "entities_by_type": dict(sorted(types.items())),
        "edges_by_method": _sums(counts, 2),
        "edges_by_relation": _sums(counts, 1),
        "links": {
            status: sum(count for found, _, _, count in counts if found == status)
            for status in ("dangling", "ambiguous", "attachment")
        },
        "parts": space.lexical.count,
        "tags": len(reading.facet_counts(connection, "tag")),
        "vectors": _vectors(vault),
        "troubles": [
            {"path": path, "reason": reason, "message": message}
            for path, reason, message in reading.troubles(connection)
        ],
        "is_current": now.is_current,
        "freshness": list(now.notices),
    }


def _sums(counts: list[tuple[str, str, str, int]], column: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in counts:
        if row[0] == "ok":
            name = str(row[column])
            found[name] = found.get(name, 0) + row[3]
    return dict(sorted(found.items()))


def _vectors(vault: Vault) -> dict[str, Any]:
    """Which embedder made vectors here, and how many texts wait for one."""
    from trivium.errors import EmbedderError

    space = vault.space()
    try:
        embedder = vault.engine.embedder()
    except EmbedderError as error:
        return {"embedder": None, "missing": None, "problem": error.message}
    if embedder is None:
        return {"embedder": None, "missing": None, "problem": ""}
    is_complete = space.are_vectors_complete(embedder.id)
    missing = 0 if is_complete else space.store.missing_vector_count(embedder.id)
    return {"embedder": embedder.id, "missing": missing, "problem": ""}
