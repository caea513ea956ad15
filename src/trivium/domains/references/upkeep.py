"""Keeping the machine in order: building anew what is derived, preparing weights, finding and repairing damage."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from trivium import ingest
from trivium.engine import Engine
from trivium.errors import EmbedderError, TriviumError, UsageError
from trivium.index.space import Space


class Check(NamedTuple):
    """One thing that was looked at: `level` is ok, note, warning or error, `hint` what to do about it."""

    area: str
    level: str
    code: str
    message: str
    hint: str = ""


class Recovered(NamedTuple):
    """What recovery did: see `RecoveryReport` of the store."""

    records: int
    sources: dict[str, int]
    damages: tuple[str, ...]
    losses: tuple[str, ...]
    set_aside: tuple[str, ...]


class Diagnosis(NamedTuple):
    """Everything that was looked at, and what was repaired."""

    checks: tuple[Check, ...]
    recovered: Recovered | None

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is an error."""
        return all(check.level != "error" for check in self.checks)


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


def prefetch(engine: Engine, *, on_progress: ingest.Progress | None = None) -> dict[str, object]:
    """Prepare the configured embedder ahead of its first use: `embedder`, `cache_dir`, `is_new`, `bytes`."""
    settings = engine.settings
    if settings.embedder == "none":
        raise UsageError("No embedder is configured: there is nothing to prepare.")
    from trivium.embed.registry import prefetch as prepare

    return prepare(
        settings.embedder, cache_dir=settings.cache, options=settings.embedder_options, on_progress=on_progress
    )


def diagnose(engine: Engine, *, is_recovering: bool = False, on_progress: ingest.Progress | None = None) -> Diagnosis:
    """Look at settings, store, indexes and embedder. Changes nothing, and never raises for something damaged.

    With `is_recovering` a damaged store is first made anew from every readable copy of its records; the old files
    stay beside it. Raises `StoreError` when no copy holds a record.
    """
    from trivium.store.sqlite.recovery import check

    found = check(engine.concepts_path)
    recovered = None
    if is_recovering and any(one.level == "error" or one.code == "mirror_damaged" for one in found):
        recovered = _recover(engine, on_progress)
        found = check(engine.concepts_path)
    checks = [*_places(engine), *(Check("store", *one) for one in found)]
    is_sound = all(one.level != "error" for one in found)
    checks += _embedder(engine)
    if is_sound and os.path.exists(engine.concepts_path):
        checks += _indexes(engine)
    return Diagnosis(tuple(checks), recovered)


def _recover(engine: Engine, on_progress: ingest.Progress | None) -> Recovered:
    from trivium.store.sqlite.recovery import recover

    report = recover(engine.concepts_path)
    reindex(engine, on_progress=on_progress)
    return Recovered(report.records, report.sources, report.damages, report.losses, report.set_aside)


def _places(engine: Engine) -> list[Check]:
    import platform
    import sys

    from trivium import __version__

    python = f"Python {platform.python_version()} ({sys.executable}) on {platform.system()} {platform.machine()}"
    checks = [Check("program", "ok", "version", f"trivium {__version__}, {python}")]
    home = engine.settings.home
    if not os.path.isdir(home):
        checks.append(Check("program", "note", "home", f"The home does not exist yet: {home}"))
    elif os.access(home, os.W_OK):
        checks.append(Check("program", "ok", "home", f"The home can be written: {home}"))
    else:
        checks.append(Check("program", "warning", "home", f"The home can only be read: {home}"))
    return checks


def _embedder(engine: Engine) -> list[Check]:
    """Which embedder ranks by meaning, whether it works, and if not why."""
    settings = engine.settings
    name = settings.embedder
    if name == "none":
        message = "No embedder is configured: search answers from words and connections."
        return [Check("embedder", "note", "none", message)]
    from trivium.embed.registry import is_prepared

    try:
        if not is_prepared(name, cache_dir=settings.cache, options=settings.embedder_options):
            message = f"{name} is not prepared yet: that happens when the first text comes."
            return [Check("embedder", "note", "unprepared", message, "Prefetch does it ahead of time.")]
        embedder = engine.embedder()
        assert embedder is not None
        if embedder.is_remote:
            return [Check("embedder", "ok", "remote", f"{embedder.id} is asked over the network; it was not tried.")]
        (vector,) = embedder.embed(["ready"])
    except TriviumError as error:
        message = f"{name} does not work, so search answers from words and connections: {error.message}"
        return [Check("embedder", "error", error.code, message, error.hint)]
    return [Check("embedder", "ok", "works", f"{embedder.id} ranks by meaning, {len(vector) // 4} dimensions.")]


def _indexes(engine: Engine) -> list[Check]:
    try:
        space = engine.concepts_to_read()
    except TriviumError as error:
        return [Check("index", "error", error.code, error.message, error.hint)]
    assert space is not None
    checks = []
    if space.is_index_current():
        checks.append(Check("index", "ok", "words", "The word index is current."))
    else:
        message = "The word index is missing or of another version."
        checks.append(Check("index", "note", "words", message, "It is built by the next search or change."))
    return [*checks, *_vectors(engine, space)]


def _vectors(engine: Engine, space: Space) -> list[Check]:
    try:
        embedder = engine.embedder()
    except TriviumError:
        return []
    if embedder is None:
        return []
    missing = ingest.missing_count(space, embedder.id)
    if missing:
        message = f"{missing} texts have no vector of {embedder.id}: they are found by words only."
        return [Check("index", "warning", "vectors", message, "Reindex to give them one.")]
    return [Check("index", "ok", "vectors", f"Every text has a vector of {embedder.id}.")]
