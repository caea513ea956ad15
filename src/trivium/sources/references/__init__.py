"""Payloads of references: what an agent read, as concepts and typed relations, checked to the last key."""

from __future__ import annotations

from typing import Any

from .values import ConceptInput, ParsedBatch, Payload, Problem, ReferenceInput, RelationInput

__all__ = [
    "ConceptInput",
    "ParsedBatch",
    "Payload",
    "Problem",
    "ReferenceInput",
    "RelationInput",
    "parse_payloads",
    "register_schema",
]


def parse_payloads(data: bytes | str, *, keep_valid: bool = False) -> ParsedBatch:
    """Read one payload, a JSON array of payloads or one payload a line.

    `data` is at most 64 MiB, UTF-8 or marked UTF-16. Repairs that lose nothing are made and told in `notices`.
    Raises PayloadError when the input is no JSON (`Invalid JSON: ` with line and column) and, unless `keep_valid`,
    for any other mistake, with every problem and its JSON pointer in `details`. With `keep_valid` the records that
    are right are returned beside the problems: a payload whose reference is broken is left out as a whole, else
    only the wrong concepts and relations are.
    """
    from .batch import read_batch

    return read_batch(data, keep_valid)


def register_schema() -> dict[str, Any]:
    """The JSON Schema (draft-07) of one payload, with the documented spelling of each key."""
    from .keys import payload_schema

    return payload_schema()
