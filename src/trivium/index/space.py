"""A space with its indexes: one body of knowledge as retrieval sees it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trivium.index.lexical import LexicalIndex
from trivium.store.sqlite.store import SqliteStore
from trivium.text.passages import SPLITTER_VERSION
from trivium.text.tokens import TOKENISER_VERSION

if TYPE_CHECKING:
    from trivium.index.vectors import VectorIndex


INDEX_FACT = "index_version"
INDEX_VERSION = f"{TOKENISER_VERSION}.{SPLITTER_VERSION}"
"""What the indexes are built with; a store that says otherwise is indexed again."""

COMPLETE_FOR = "vectors_complete_for"
"""The fact that names the embedder for which no passage lacks a vector."""


class Space:
    """The store, the lexical index inside it and the vector files beside it (`folder`).

    `is_named`: an entity's id is part of what it means; not so where ids are places, such as a line of a file.
    """

    def __init__(self, store: SqliteStore, folder: str, *, is_named: bool = True) -> None:
        self.store = store
        self.folder = folder
        self.is_named = is_named
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

    def is_index_current(self) -> bool:
        """Whether the lexical index and the passages were built by this version's tokeniser and splitter."""
        return self.store.meta(INDEX_FACT) == INDEX_VERSION

    def are_vectors_complete(self, embedder_id: str) -> bool:
        """Whether every passage is known to have a vector of this embedder."""
        return self.store.meta(COMPLETE_FOR) == embedder_id

    def close(self) -> None:
        """Release files and mappings."""
        for index in self._vectors.values():
            index.close()
        self.store.close()
