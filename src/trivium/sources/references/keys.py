"""The keys of a payload, one table for reading, refusing and describing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from trivium.model import RELATION_TYPES

from .leaves import (
    MAX_NAME_CHARS,
    MAX_URL_CHARS,
    METHODS,
    read_confidence,
    read_method,
    read_moment,
    read_name,
    read_optional_text,
    read_relation_type,
    read_text,
    read_url,
)


class Key(NamedTuple):
    """One key of an object: its documented name, another accepted spelling, and how its value is read.

    `read` is None for a value that is an object or an array of objects; `is_list` means an array of what `read`
    takes. `told` names the repair when `read` changes a value and that is worth a notice.
    """

    name: str
    twin: str
    is_required: bool
    read: Callable[[object], Any] | None
    about: str
    schema: dict[str, Any]
    is_list: bool = False
    told: str = ""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every accepted spelling, the documented one first."""
        return (self.name, self.twin) if self.twin else (self.name,)


_NORMALISED = "outer blanks removed and Unicode form NFC"
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_NAME: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARS}
_MOMENT: dict[str, Any] = {"type": "string", "format": "date-time"}
_URL: dict[str, Any] = {"type": "string", "format": "iri", "minLength": 1, "maxLength": MAX_URL_CHARS}
_QUOTE = "A passage of the source that says so, copied word for word."

REFERENCE_KEYS: tuple[Key, ...] = (
    Key("url", "", True, read_url, "Where the source is: an absolute URL.", _URL, told="outer blanks removed"),
    Key("title", "", True, read_text, "The title of the source.", _TEXT),
    Key(
        "publishedAt",
        "published_at",
        False,
        read_moment,
        "When the source was published: a date-time with an offset or Z.",
        _MOMENT,
    ),
    Key(
        "fetchedAt",
        "fetched_at",
        False,
        read_moment,
        "When the source was read: a date-time with an offset or Z; now when left out.",
        _MOMENT,
    ),
)

CONCEPT_KEYS: tuple[Key, ...] = (
    Key("id", "", True, read_name, "The canonical name of the concept.", _NAME, told=_NORMALISED),
    Key("description", "", True, read_text, "What it is, in one factual sentence.", _TEXT),
    Key(
        "details",
        "",
        False,
        read_optional_text,
        "More text, such as code or limits; left out or blank, stored details stay.",
        {"type": "string"},
    ),
    Key("aliases", "", False, read_name, "Other names of the concept.", _NAME, is_list=True, told=_NORMALISED),
    Key("type", "", False, read_name, "What sort of thing it is, such as library.", _NAME, told=_NORMALISED),
    Key("quote", "", False, read_text, _QUOTE, _TEXT),
)

RELATION_KEYS: tuple[Key, ...] = (
    Key("source", "subject", True, read_name, "The id of concept A.", _NAME, told=_NORMALISED),
    Key(
        "type",
        "predicate",
        True,
        read_relation_type,
        "How A relates to B. " + "; ".join(f"{kind.name}: {kind.meaning}" for kind in RELATION_TYPES) + ".",
        {"type": "string", "enum": [kind.name for kind in RELATION_TYPES]},
    ),
    Key("target", "object", True, read_name, "The id of concept B.", _NAME, told=_NORMALISED),
    Key("reason", "", True, read_text, "Why the source supports this.", _TEXT),
    Key("quote", "", False, read_text, _QUOTE, _TEXT),
    Key(
        "confidence",
        "",
        False,
        read_confidence,
        "How sure the claim is, from 0 to 1.",
        {"type": "number", "minimum": 0, "maximum": 1},
    ),
    Key(
        "method",
        "",
        False,
        read_method,
        "How the claim was found.",
        {"type": "string", "enum": list(METHODS)},
    ),
)


def _object_schema(keys: tuple[Key, ...], about: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": about,
        "additionalProperties": False,
        "required": [key.name for key in keys if key.is_required],
        "properties": {key.name: _value_schema(key) for key in keys},
    }


def _value_schema(key: Key) -> dict[str, Any]:
    if key.is_list:
        return {"type": "array", "description": key.about, "items": dict(key.schema)}
    return {**key.schema, "description": key.about}


PAYLOAD_KEYS: tuple[Key, ...] = (
    Key("reference", "", True, None, "", _object_schema(REFERENCE_KEYS, "The source that was read.")),
    Key(
        "concepts",
        "",
        True,
        None,
        "",
        {
            "type": "array",
            "description": "What the source describes; the source itself is no concept.",
            "minItems": 1,
            "items": _object_schema(CONCEPT_KEYS, "One concept."),
        },
    ),
    Key(
        "relationships",
        "relations",
        True,
        None,
        "",
        {
            "type": "array",
            "description": "How concepts of this payload or of the store relate; may be empty.",
            "items": _object_schema(RELATION_KEYS, "One claim: source type target, because of reason."),
        },
    ),
)


def payload_schema() -> dict[str, Any]:
    """The JSON Schema (draft-07) of one payload, with the documented spelling of each key."""
    from copy import deepcopy

    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Register payload",
        "description": "One source that was read, the concepts it describes and how they relate.",
        "type": "object",
        "additionalProperties": False,
        "required": [key.name for key in PAYLOAD_KEYS if key.is_required],
        "properties": {key.name: deepcopy(key.schema) for key in PAYLOAD_KEYS},
    }
