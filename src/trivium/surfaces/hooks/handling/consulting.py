"""Asking the guidance within the time there is: bring it up to date, match, fit into what the host takes, remember."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from trivium.config import Settings, load
from trivium.domains.routing.collection import Collection, at
from trivium.domains.routing.compile import CLOSING, OPENING, Context, compile_context
from trivium.domains.routing.ledger.disclosure import Disclosure
from trivium.domains.routing.ledger.records import Ledger, Shown, ShownEntry, as_line, prompt_hash
from trivium.domains.routing.match import Hit
from trivium.domains.routing.occasions import OCCASIONS, consult, standing
from trivium.engine import Engine
from trivium.errors import StoreError
from trivium.surfaces.hooks.handling import Task

READING_SHARE = 0.5
"""Of the time there is, so much at most goes into reading files that changed."""

EMBEDDING_S = 0.3
"""So long at most vectors are made before an answer; the others are made after it."""

SPARE_S = 0.25
"""So long before the deadline no new work is begun."""


MAX_BUSY_S = 0.2
"""So long at most another process is waited for; what is there is answered from."""


class Told(NamedTuple):
    """What is to be shown, and why."""

    hits: tuple[Hit, ...]
    context: Context
    notices: tuple[str, ...]


class Consultation:
    """The guidance for one event. Close it after use."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.engine = Engine(_ready(load(home=task.home)))
        self.cwd = task.event.cwd if os.path.isabs(task.event.cwd) else os.getcwd()
        self.collection: Collection = at(self.engine, self.cwd, user_home=os.path.expanduser("~"))
        self.disclosure = Disclosure(task.home, task.event.session)
        self.ledger = Ledger(task.home)
        self.at = self.engine.clock()
        self.notices: list[str] = []
        self.recipe = ""

    def close(self) -> None:
        """Release the files of the guidance."""
        self.collection.close()
        self.engine.close()

    def left_s(self) -> float:
        """Seconds until no new work may begin."""
        return self.task.outlet.due - SPARE_S - time.monotonic()

    def read(self) -> None:
        """Take in files that are new or changed as far as time allows, and the vectors of few."""
        from trivium.domains.routing.refresh import refresh

        begin = time.monotonic()
        half = begin + max(0.0, self.left_s()) * READING_SHARE
        try:
            left = refresh(self.collection, deadline=half).left
            if not left and not self.is_remote():
                self._embed(min(half, time.monotonic() + EMBEDDING_S))
        except StoreError as error:
            self.notices.append(f"Guidance was not brought up to date: {error.message}")
            return
        if left:
            self.recipe = "words"
            self.notices.append(f"{left} files of guidance were not read yet: time was short.")

    def _embed(self, deadline: float) -> None:
        from trivium.errors import EmbedderError

        try:
            embedder = self.engine.embedder()
            if embedder is None or self.collection.space.are_vectors_complete(embedder.id):
                return
            from trivium.domains.routing.vectors import embed_missing

            if embed_missing(self.collection, embedder, deadline=deadline).left:
                # What has no vector yet must not stand behind what has one.
                self.recipe = "words"
        except EmbedderError as error:
            self.notices.append(f"No vectors were made: {error.message}")

    def read_if_new(self) -> None:
        """Take in everything where nothing was ever read; else what the last prompt saw is enough."""
        if not self.collection.is_current():
            self.read()

    def catch_up(self) -> None:
        """Make vectors and floors that are missing, in the time that is left."""
        if self.left_s() <= 0 or self.is_remote():
            return
        from trivium.domains.routing.upkeep import bring_up_to_date

        # Another process that is writing does the same work.
        with contextlib.suppress(StoreError):
            bring_up_to_date(self.collection, deadline=self.task.outlet.due - SPARE_S)

    def is_remote(self) -> bool:
        """Whether asking by meaning goes over a network."""
        return self.engine.settings.embedder.startswith("openai:")

    def ask(self, occasion: str, question: str, **choice: Any) -> Told:
        """What speaks to a question on an occasion, as far as this session has not seen it."""
        settings = self.task.settings
        if self.recipe:
            choice.setdefault("recipe", self.recipe)
        found = consult(
            self.collection,
            occasion,
            question,
            has_memories=settings.has_memories,
            host=self.task.host.name,
            **choice,
        )
        return self._told(found.hits, occasion, found.notices)

    def stand(self, occasion: str) -> Told:
        """What speaks on an occasion whatever is asked."""
        return self._told(standing(self.collection, occasion), occasion, ())

    def _told(self, hits: Sequence[Hit], occasion: str, notices: Sequence[str]) -> Told:
        context = compile_context(
            self.collection,
            hits,
            host=self.task.host.name,
            shown=self.disclosure.shown(),
            max_chars=OCCASIONS[occasion].max_chars,
        )
        return Told(tuple(hits), context, (*self.notices, *notices))

    # -- remembering

    def record(self, told: Told | None, *, is_late: bool = False, question: str = "") -> Shown:
        """The record of an answer; with None, of one that there was no time for."""
        event = self.task.event
        entries: list[ShownEntry] = []
        if told is not None:
            hits = {hit.id: hit for hit in told.hits}
            texts = sections(told.context)
            for item, text in zip(told.context.items, texts, strict=True):
                hit = hits[item.id]
                [name] = self.ledger.keep([text])
                entries.append(
                    ShownEntry(
                        item.id,
                        item.version,
                        hit.name,
                        hit.kind,
                        hit.path,
                        item.level,
                        item.chars,
                        round(hit.score, 4),
                        hit.query,
                        name,
                    )
                )
        return Shown(
            self.at,
            event.session,
            event.host,
            event.name,
            self.collection.project,
            event.transcript,
            prompt_hash(question or event.prompt),
            len(event.prompt),
            tuple(entries),
            told.context.left if told else (),
            told.context.chars if told else 0,
            round((time.monotonic() - self.task.outlet.begin) * 1000),
            is_late,
            told.notices if told else (),
        )

    def expect_lateness(self, question: str = "") -> None:
        """Let the watchdog write that there was no time, should it come to that."""
        line, stamp, ledger = as_line(self.record(None, is_late=True, question=question)), self.at, self.ledger
        self.task.outlet.on_late = lambda: ledger.files.append(stamp, line)

    def remember(self, told: Told, *, question: str = "") -> None:
        """Write down what was shown, now that it was given."""
        self.task.outlet.on_late = None
        self.disclosure.add(told.context.items)
        self.ledger.write(self.record(told, question=question))


def _ready(settings: Settings) -> Settings:
    """The settings, without what a prompt cannot wait for: unpacking or fetching an embedder, or other processes."""
    from trivium.embed.registry import is_prepared

    name = settings.embedder
    settings = settings._replace(busy_timeout_s=min(settings.busy_timeout_s, MAX_BUSY_S))
    if name == "none" or is_prepared(name, cache_dir=settings.cache, options=settings.embedder_options):
        return settings
    return settings._replace(embedder="none")


def sections(context: Context) -> list[str]:
    """The text of each entry in a context, without its heading, as many as it has items."""
    inner = context.text.removeprefix(OPENING).removesuffix(CLOSING)
    start = inner.find("\n\n") + 2
    found = []
    for item in context.items:
        found.append(inner[start : start + item.chars].partition("\n\n")[2])
        start += item.chars + 2
    return found
