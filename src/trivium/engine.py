"""The composition root: settings in, spaces and an embedder out."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from trivium.config import Settings
from trivium.errors import EmbedderError, StoreError
from trivium.index.space import Space
from trivium.store.sqlite.store import open_store

if TYPE_CHECKING:
    from trivium.embed.base import Embedder
    from trivium.store.sqlite.store import SqliteStore

Clock = Callable[[], str]
"""Gives the present as UTC ISO 8601 with microseconds."""

CONCEPTS = "concepts"


def system_clock() -> str:
    """The present of this machine."""
    seconds = time.time_ns() // 1000
    whole, micro = divmod(seconds, 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{micro:06d}Z"


class Engine:
    """What one run works with; spaces and the embedder are opened when they are first asked for.

    `on_prepare(done, total)` follows the work that an embedder needs once on a machine.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = system_clock,
        on_prepare: Callable[[int, int], None] | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self._on_prepare = on_prepare
        self.notices: list[str] = []
        self._concepts: Space | None = None
        self._embedder: Embedder | None = None

    def close(self) -> None:
        """Release everything; safe to call twice."""
        if self._concepts is not None:
            self._concepts.close()
            self._concepts = None

    @property
    def concepts_path(self) -> str:
        """The database file of the concept space."""
        return os.path.join(self.settings.home, f"{CONCEPTS}.db")

    @property
    def concepts(self) -> Space:
        """The concept space, created when it is not there."""
        if self._concepts is None:
            self._concepts = self._open_concepts(is_created=True)
        return self._concepts

    def concepts_to_read(self) -> Space | None:
        """The concept space, or None when nothing was ever stored: reading creates no file."""
        if self._concepts is None:
            if not os.path.exists(self.concepts_path) and not os.path.isdir(self._journal_folder()):
                return None
            self._concepts = self._open_concepts(is_created=True)
        return self._concepts

    def vault_database(self, root: str) -> str:
        """The index file of the vault at a real path: it lies under the cache, for it can be made again."""
        from hashlib import sha256

        name = sha256(os.fsencode(root)).hexdigest()[:16]
        return os.path.join(self.settings.cache, "vaults", f"{name}.db")

    def vault_space(self, root: str) -> Space:
        """The space of a vault, created when it is not there; whoever asked for it closes it."""
        path = self.vault_database(root)
        store = open_store(path, busy_timeout_s=self.settings.busy_timeout_s)
        return Space(store, f"{path.removesuffix('.db')}.index", is_named=False)

    def guidance_space(self, name: str) -> Space:
        """The guidance space of this name, created when it is not there; whoever asked for it closes it.

        Where the cache cannot be used it is made in memory, for this process.
        """
        from trivium.store.sqlite.derived import open_derived

        path = os.path.join(self.settings.cache, "guidance", f"{name}.db")
        try:
            store = open_derived(path, busy_timeout_s=self.settings.busy_timeout_s)
        except StoreError as error:
            self.notices.append(f"Guidance is read anew each time: {error.message}")
            store = open_store(":memory:")
        if store.note:
            self.notices.append(store.note)
        return Space(store, path.removesuffix(".db") + ".index", is_named=False)

    def seen_vectors(self) -> SqliteStore:
        """The vectors of every text of guidance that was ever embedded; whoever asked for them closes them."""
        from trivium.store.sqlite.derived import open_derived

        path = os.path.join(self.settings.cache, "guidance", "vectors.db")
        return open_derived(path, busy_timeout_s=self.settings.busy_timeout_s)

    def reading(self, space: Space | None) -> Engine:
        """An engine that looks at another state of the concept space; whoever made the space closes it."""
        other = Engine(self.settings, clock=self.clock, on_prepare=self._on_prepare)
        other.notices, other._concepts = self.notices, space
        return other

    def again(self) -> Engine:
        """Another engine of the same settings and embedder that opens the files anew: it sees what they are now."""
        other = Engine(self.settings, clock=self.clock, on_prepare=self._on_prepare)
        with contextlib.suppress(EmbedderError):
            other._embedder = self.embedder()
        return other

    def _journal_folder(self) -> str:
        return os.path.join(self.settings.home, "journal", CONCEPTS)

    def _open_concepts(self, *, is_created: bool) -> Space:
        store = open_store(self.concepts_path, busy_timeout_s=self.settings.busy_timeout_s, is_created=is_created)
        if store.note:
            self.notices.append(store.note)
        return Space(store, os.path.join(self.settings.home, "index", CONCEPTS))

    def embedder(self) -> Embedder | None:
        """The configured embedder; None when the settings say `none`. Raises `EmbedderError` when it cannot load."""
        if self.settings.embedder == "none":
            return None
        if self._embedder is None:
            from trivium.embed.registry import open_embedder

            self._embedder = open_embedder(
                self.settings.embedder,
                cache_dir=self.settings.cache,
                options=self.settings.embedder_options,
                on_prepare=self._on_prepare,
            )
        return self._embedder

    def require_writable(self, space: Space) -> None:
        """Raise `StoreError` when the space can only be read."""
        if not space.store.is_writable:
            raise StoreError("The store is open for reading only.", hint=space.store.note)
