"""A space with its indexes: one body of knowledge as retrieval sees it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trivium.index.lexical import LexicalIndex
from trivium.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from trivium.index.vectors import VectorIndex


class Space:
    """The store, the lexical index inside it and the vector files beside it (`folder`)."""

    def __init__(self, store: SqliteStore, folder: str) -> None:
        self.store = store
        self.folder = folder
        self._vectors: dict[str, VectorIndex] = {}

    @cached_property
    def lexical(self) -> LexicalIndex:
        """Finding by words."""
        return LexicalIndex(self.store.connection)

    def vectors(self, embedder_id: str, dim: int) -> VectorIndex:
        """Finding by meaning, for one embedder: vectors of two models are never compared."""
        index = self._vectors.get(embedder_id)
        if index is None:
            from trivium.index.vectors import VectorIndex

            index = self._vectors[embedder_id] = VectorIndex(self.store, self.folder, embedder_id, dim)
        return index

    def close(self) -> None:
        """Release files and mappings."""
        for index in self._vectors.values():
            index.close()
        self.store.close()
