"""What a store promises, whatever database keeps it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from trivium.model import Document, Entity, EntityText, Evidence, Record, Relation, Vector


class Applied(NamedTuple):
    """What folding one record did: the entity keys whose text changed, and the effects that found no target."""

    record: Record
    changed: tuple[int, ...]
    skipped: tuple[str, ...]


class PassageRow(NamedTuple):
    """One part of an entity's text: `text_hash` names the vector, offsets slice the composed text."""

    entity: int
    ordinal: int
    text_hash: bytes
    start: int
    end: int


class Store(Protocol):
    """One space: the journal, the tables folded from it, usage, and what the dense index is built from.

    Every method raises `StoreError` when the database fails; none returns rows that are only half written.
    """

    path: str
    is_writable: bool

    def close(self) -> None: ...
    def guard(self) -> AbstractContextManager[None]: ...
    def write(self) -> AbstractContextManager[None]: ...

    # journal
    def append(self, op: str, payload: Mapping[str, Any], *, at: str, actor: str, session: str) -> Applied: ...
    def records(self, *, key: str | None = None, until: str | None = None) -> Iterator[Record]: ...
    def latest(self, limit: int, *, key: str | None = None) -> list[tuple[Record, bool]]: ...
    def void_ids(self) -> set[str]: ...

    # graph
    def resolve(self, name: str) -> list[Entity]: ...
    def entities(self, keys: Iterable[int]) -> dict[int, Entity]: ...
    def by_ids(self, ids: Sequence[str]) -> dict[str, Entity]: ...
    def texts(self, keys: Iterable[int] | None = None) -> Iterator[EntityText]: ...
    def relations(
        self,
        keys: Iterable[int],
        *,
        predicates: Sequence[str] | None = None,
        direction: str = "both",
        is_hidden_included: bool = True,
    ) -> list[Relation]: ...
    def evidence(self, relation_keys: Iterable[int]) -> dict[int, list[Evidence]]: ...
    def documents_of(self, keys: Iterable[int]) -> dict[int, list[Document]]: ...
    def counts(self) -> dict[str, Any]: ...

    # usage
    def record_shown(self, keys: Iterable[int], *, at: str) -> None: ...

    # vectors
    def put_passages(self, entity: int, passages: Sequence[PassageRow]) -> None: ...
    def missing_vectors(self, embedder: str, limit: int) -> list[tuple[int, int, bytes, int, int]]: ...
    def put_vectors(self, embedder: str, vectors: Iterable[tuple[bytes, Vector]]) -> None: ...
