"""Bringing a collection up to date as far as time allows: words first, then vectors, then its floors."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from trivium.domains.routing.collection import Collection
from trivium.domains.routing.refresh import Refreshed, refresh
from trivium.errors import EmbedderError

Progress = Callable[[int, int], None]

_CALIBRATION_S = 0.5
"""A deadline nearer than this leaves the floors as they are."""


class Upkeep(NamedTuple):
    """What was done. `left_vectors`: examples that have none yet; `notices`: what could not be done, and why."""

    refreshed: Refreshed
    embedded: int
    left_vectors: int
    is_calibrated: bool
    notices: tuple[str, ...]


def bring_up_to_date(
    collection: Collection,
    *,
    deadline: float | None = None,
    is_forced: bool = False,
    on_read: Progress | None = None,
    on_embed: Progress | None = None,
) -> Upkeep:
    """Read what changed, embed what has no vector, measure when the collection is another one.

    `deadline` is a `time.monotonic()`; what is not done by then is done by the next call, wherever it runs. Without one
    everything is done. `is_forced` reads every file again and measures again.
    """
    done = refresh(collection, deadline=deadline, is_forced=is_forced, on_progress=on_read)
    if not collection.space.store.is_writable or done.left:
        return Upkeep(done, 0, 0, False, ())
    try:
        embedder = collection.engine.embedder()
        if embedder is None:
            return Upkeep(done, 0, 0, False, ("No embedder is configured: entries are found by words.",))
        embedded = left = 0
        if not collection.space.are_vectors_complete(embedder.id):
            from trivium.domains.routing.vectors import embed_missing

            embedded, left = embed_missing(collection, embedder, deadline=deadline, on_progress=on_embed)
        has_time = deadline is None or deadline - time.monotonic() > _CALIBRATION_S
        is_calibrated = False
        if not left and has_time and (is_forced or done.read or embedded or not collection.calibration().entries):
            from trivium.domains.routing.calibrate import calibrate, is_stale

            if is_forced or is_stale(collection) or (deadline is None and (done.read or embedded)):
                is_calibrated = calibrate(collection, embedder, deadline=deadline) is not None
    except EmbedderError as error:
        return Upkeep(done, 0, 0, False, (f"No vectors were made: {error.message}",))
    return Upkeep(done, embedded, left, is_calibrated, ())
