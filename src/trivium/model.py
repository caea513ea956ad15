"""The values every room speaks of: relation types, records and the rows of the graph."""

import unicodedata
from typing import Any, NamedTuple

Vector = bytes
"""Little-endian float32 x dim, unit length."""


class RelationType(NamedTuple):
    """One predicate: `A name B` reads as `meaning`."""

    name: str
    category: str
    meaning: str


CATEGORIES: dict[str, str] = {
    "structure": "what a thing is and is made of",
    "dependency": "what a thing needs or builds on",
    "dataflow": "what goes in, comes out or is changed",
    "comparison": "what stands beside it",
    "identity": "what is the same thing under another name",
    "lifecycle": "what took its place or advises against it",
    "internal": "written by the program itself, refused in payloads",
}

RELATION_TYPES: tuple[RelationType, ...] = (
    RelationType("IS_A", "structure", "A is a kind of B"),
    RelationType("PART_OF", "structure", "A is a component of B"),
    RelationType("CONTAINS", "structure", "A encloses B"),
    RelationType("DEPENDS_ON", "dependency", "A needs B to work"),
    RelationType("IMPLEMENTS", "dependency", "A realises the specification B"),
    RelationType("EXTENDS", "dependency", "A builds on or inherits from B"),
    RelationType("CONSUMES", "dataflow", "A takes in B"),
    RelationType("PRODUCES", "dataflow", "A emits B"),
    RelationType("MUTATES", "dataflow", "A changes or destroys B"),
    RelationType("ALTERNATIVE_TO", "comparison", "A can stand in for B"),
    RelationType("INTEGRATES_WITH", "comparison", "A connects with B"),
    RelationType("RELATED_TO", "comparison", "A and B are connected somehow"),
    RelationType("SAME_AS", "identity", "A and B are one concept; from the alias to the canonical id"),
    RelationType("REPLACES", "lifecycle", "A is the newer thing in place of B; B is demoted"),
    RelationType("DEPRECATES", "lifecycle", "A marks B as discouraged; B is demoted"),
)

PREDICATES: tuple[str, ...] = tuple(kind.name for kind in RELATION_TYPES)

DESCRIBES = "DESCRIBES"
"""From a document to an entity: stored as mentions, counted with the relations."""

SUPERSEDING: tuple[str, ...] = ("REPLACES", "DEPRECATES")
"""Predicates whose object is demoted."""

DEPENDING: tuple[str, ...] = ("DEPENDS_ON", "PART_OF", "IMPLEMENTS", "EXTENDS")
"""Predicates whose subject becomes suspect when the object is superseded or withdrawn."""


class Record(NamedTuple):
    """One journal entry: `id` is a hash of the rest, `at` is UTC ISO 8601 with microseconds."""

    id: str
    at: str
    actor: str
    session: str
    op: str
    payload: dict[str, Any]


class Entity(NamedTuple):
    """A node: `key` is the store's own number, `id` the preferred label that people use."""

    key: int
    id: str
    description: str
    details: str | None
    type: str | None
    first_seen_at: str
    last_seen_at: str
    touch_count: int
    archived_at: str | None
    archive_reason: str | None
    withdrawn_at: str | None
    shown_count: int

    @property
    def is_hidden(self) -> bool:
        """Archived, or left without any source."""
        return self.archived_at is not None or self.withdrawn_at is not None


class Relation(NamedTuple):
    """A typed edge between two entities, by their keys and ids."""

    key: int
    subject_key: int
    object_key: int
    subject: str
    predicate: str
    object: str
    reason: str


class Document(NamedTuple):
    """A source: `uri` is where it came from, times are UTC ISO 8601."""

    key: int
    uri: str
    title: str
    published_at: str | None
    observed_at: str | None
    first_seen_at: str
    last_seen_at: str
    content_hash: str | None


class Evidence(NamedTuple):
    """Why a claim is held: the document, its verbatim quote with its place, the method and a confidence."""

    document: str
    title: str
    reason: str
    quote: str | None
    selector: dict[str, Any] | None
    method: str
    confidence: float | None
    recorded_at: str


class EntityText(NamedTuple):
    """What of an entity is searched: the fields that both indexes are built from."""

    key: int
    id: str
    aliases: tuple[str, ...]
    description: str
    details: str | None


MAX_NAME_CHARS = 1_000
"""Longer names are cut before they are compared: normalising long runs of marks takes quadratic time."""


def name_key(name: str) -> str:
    """What two spellings of one name have in common: NFKC, case folded, white space folded."""
    name = name[:MAX_NAME_CHARS]
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
