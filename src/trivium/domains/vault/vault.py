"""One vault that is open: its folder, its settings, its lock, and its space when that is built."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from trivium.engine import Engine
from trivium.errors import IndexMissingError, IndexStaleError, NotFoundError, StoreError, UsageError
from trivium.index.space import INDEX_VERSION, Space
from trivium.store.sqlite.notes import tables

if TYPE_CHECKING:
    from trivium.sources.vault.names import Style
    from trivium.store.vaultfiles import VaultConfig, VaultLock

BUILT = "vault_version"
"""The fact that says by which version the vault was indexed; missing while it is not."""

VERSION = f"{INDEX_VERSION}/{tables.VERSION}"

STAMP = "vault_stamp"
"""The fact that says which `meta/kg` files the index was built from."""

STEADY_NOTES = 2_000
"""In a vault of so many notes every file is looked at before an answer; in a larger one its folders are."""


class Vault:
    """A folder of notes. Opening reads nothing; every path given out is relative to `root`, with `/`.

    Raises `UsageError` when the path is no folder, `NotFoundError` when there is nothing and nothing was known.
    """

    def __init__(self, engine: Engine, path: str) -> None:
        self.engine = engine
        self.given = path
        self.root = os.path.realpath(os.path.expanduser(path))
        if not os.path.isdir(self.root):
            if os.path.exists(self.root):
                raise UsageError(f"The vault is not a directory: {path}.")
            if not os.path.exists(engine.vault_database(self.root)):
                raise NotFoundError(f"The vault is not a directory: there is nothing at {path}.")
        self._space: Space | None = None
        self.notices: list[str] = []

    def close(self) -> None:
        """Release the space; safe to call twice."""
        if self._space is not None:
            self._space.close()
            self._space = None

    @cached_property
    def config(self) -> VaultConfig:
        """The settings in the vault itself."""
        from trivium.store.vaultfiles import read_config

        return read_config(self.root)

    @cached_property
    def style(self) -> Style:
        """The application that the vault belongs to."""
        from trivium.sources.vault.names import detect_style

        return detect_style(self.root)

    def lock(self) -> VaultLock:
        """The lock of whoever writes the vault's own files."""
        from trivium.store.vaultfiles import VaultLock

        return VaultLock(self.root, timeout_s=max(self.engine.settings.busy_timeout_s, 30.0))

    @property
    def database(self) -> str:
        """The file of the index, outside the vault."""
        return self.engine.vault_database(self.root)

    @property
    def is_built(self) -> bool:
        """Whether there is an index of this version."""
        return os.path.exists(self.database) and self._opened().store.meta(BUILT) == VERSION

    def space(self) -> Space:
        """The index, to read. Raises `IndexMissingError` or `IndexStaleError`."""
        if not os.path.exists(self.database):
            raise IndexMissingError("The vault has no index yet.", hint="Build it: vault sync.")
        space = self._opened()
        built = space.store.meta(BUILT)
        if built is None:
            raise IndexMissingError("The vault has no complete index.", hint="Build it: vault sync.")
        if built != VERSION:
            raise IndexStaleError(
                f"The index of the vault was built by another version ({built}, this is {VERSION}).",
                hint="Build it again: vault sync.",
            )
        return space

    def space_to_write(self) -> Space:
        """The index, created when it is missing, cleared when it is of another version, replaced when it is damaged."""
        try:
            space = self._opened()
            if not space.store.is_writable:
                raise StoreError("The index cannot be written.", hint=space.store.note)
            if space.store.meta(BUILT) != VERSION:
                with space.store.guard(), space.store.write():
                    tables.clear(space.store.connection)
                    space.lexical.create()
                    space.lexical.clear()
        except StoreError as error:
            if "damaged" not in error.message and "another program" not in error.message:
                raise
            self._remove()
            self.notices.append("The index was damaged: it was thrown away and is built anew.")
            return self.space_to_write()
        return space

    def _opened(self) -> Space:
        if self._space is None:
            self._space = self.engine.vault_space(self.root)
        return self._space

    def _remove(self) -> None:
        self.close()
        for ending in ("", "-wal", "-shm"):
            if os.path.exists(self.database + ending):
                os.unlink(self.database + ending)

    def full(self, path: str) -> str:
        """The path of a note in the file system."""
        return os.path.join(self.root, *path.split("/"))


def opened(engine: Engine, path: str) -> Vault:
    """A vault by its folder."""
    return Vault(engine, path)


Progress = Callable[[int, int], None]
