"""Keeping the machine in order: rebuilding what is derived, fetching weights, finding what is wrong."""

from __future__ import annotations

from typing import Any

from trivium import ingest
from trivium.engine import Engine
from trivium.errors import EmbedderError


def reindex(engine: Engine, *, on_progress: ingest.Progress | None = None) -> dict[str, Any]:
    """Build tables, word index, passages, vectors and matrix again from the journal; without an embedder no vectors."""
    space = engine.concepts_to_read()
    if space is None:
        return {"entities": 0, "embedded": 0, "vectors_dropped": 0}
    engine.require_writable(space)
    try:
        embedder = engine.embedder()
    except EmbedderError as error:
        engine.notices.append(f"The vectors were left as they are: {error.message}")
        embedder = None
    return ingest.reindex(space, embedder, on_progress=on_progress)
