"""Keys: the published schema says what the reader does, and the documentation shows that schema."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import PayloadError
from trivium.model import RELATION_TYPES
from trivium.sources.references import parse_payloads, register_schema
from trivium.sources.references.keys import CONCEPT_KEYS, PAYLOAD_KEYS, REFERENCE_KEYS, RELATION_KEYS

FORMATS = Path(__file__).parents[3] / "docs" / "formats.md"
TYPES: dict[str, type | tuple[type, ...]] = {"object": dict, "array": list, "string": str, "number": (int, float)}


def faults(value: Any, schema: dict[str, Any], path: str = "") -> list[str]:
    """Where a value breaks a schema: the few words of draft-07 that the schema uses, each one a line."""
    unknown = set(schema) - {
        *("$schema", "title", "description", "type", "additionalProperties", "required", "properties", "items"),
        *("enum", "minLength", "maxLength", "minItems", "minimum", "maximum", "format"),
    }
    assert not unknown
    if not isinstance(value, TYPES[schema["type"]]) or isinstance(value, bool):
        return [path]
    found = [path] if value not in schema.get("enum", [value]) else []
    if isinstance(value, (str, list)):
        low = schema.get("minLength", schema.get("minItems", 0))
        found += [] if low <= len(value) <= schema.get("maxLength", math.inf) else [path]
    if isinstance(value, (int, float)):
        found += [] if schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf) else [path]
    if isinstance(value, list):
        for number, item in enumerate(value):
            found += faults(item, schema["items"], f"{path}/{number}")
    if isinstance(value, dict):
        found += [path for name in schema["required"] if name not in value]
        for name, item in value.items():
            known = name in schema["properties"]
            found += faults(item, schema["properties"][name], f"{path}/{name}") if known else [f"{path}/{name}"]
    return found


def test_the_schema_is_draft_07_in_documented_spelling() -> None:
    schema = register_schema()
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["required"] == ["reference", "concepts", "relationships"]
    assert list(schema["properties"]) == ["reference", "concepts", "relationships"]
    parts = schema["properties"]
    assert parts["reference"]["required"] == ["url", "title"]
    assert list(parts["reference"]["properties"]) == ["url", "title", "publishedAt", "fetchedAt"]
    assert parts["concepts"]["minItems"] == 1
    assert parts["concepts"]["items"]["required"] == ["id", "description"]
    relation = parts["relationships"]["items"]
    assert relation["required"] == ["source", "type", "target", "reason"]
    assert relation["properties"]["type"]["enum"] == [kind.name for kind in RELATION_TYPES]
    assert all(
        f"{kind.name}: {kind.meaning}" in relation["properties"]["type"]["description"] for kind in RELATION_TYPES
    )


def test_everything_in_the_schema_is_described() -> None:
    def undescribed(schema: Any, path: str) -> list[str]:
        inner = {
            **schema.get("properties", {}),
            **({"*": schema["items"]} if "properties" in schema.get("items", {}) else {}),
        }
        own = [] if schema.get("description", "").endswith(".") else [path]
        return own + [line for name, part in inner.items() for line in undescribed(part, f"{path}/{name}")]

    assert undescribed(register_schema(), "") == []


def test_a_schema_can_be_changed_without_harm() -> None:
    register_schema()["properties"]["concepts"]["items"]["properties"]["id"].clear()
    assert register_schema()["properties"]["concepts"]["items"]["properties"]["id"]


def test_spellings_are_unique_within_an_object() -> None:
    for keys in (REFERENCE_KEYS, CONCEPT_KEYS, RELATION_KEYS, PAYLOAD_KEYS):
        spellings = [name for key in keys for name in key.spellings]
        assert len(spellings) == len(set(spellings))


GOOD: dict[str, Any] = {
    "reference": {"url": "https://e.com", "title": "T", "publishedAt": "2026-01-01T00:00:00Z"},
    "concepts": [{"id": "A", "description": "d", "details": "", "aliases": ["a1"], "type": "tool", "quote": "q"}],
    "relationships": [
        {"source": "A", "type": "IS_A", "target": "B", "reason": "r", "confidence": 0.5, "method": "llm"}
    ],
}
ODD = st.sampled_from(
    [None, True, 0, 2, 0.5, "", "x", "IS_A", "user", [], {}, ["x"], "x" * 600, {"id": "B", "description": "d"}]
)
PLACES = st.sampled_from(
    [
        *[(name,) for name in GOOD],
        *[("reference", name) for name in ("url", "title", "publishedAt", "fetchedAt", "id")],
        *[("concepts", 0, name) for name in ("id", "description", "details", "aliases", "type", "quote", "source")],
        *[
            ("relationships", 0, name)
            for name in ("source", "type", "target", "reason", "confidence", "method", "quote")
        ],
        *[("concepts", 0), ("relationships", 0), ("concepts", 0, "aliases", 0), ("more",)],
    ]
)


@given(st.lists(st.tuples(PLACES, ODD), min_size=1, max_size=3))
def test_what_is_read_without_a_notice_fits_the_schema(changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    payload = json.loads(json.dumps(GOOD))
    for place, value in changes:
        put(payload, place, value)
    try:
        batch = parse_payloads(json.dumps(payload))
    except PayloadError:
        return
    assert batch.notices or faults(payload, register_schema()) == []


@pytest.mark.parametrize("place", [("concepts", 0, "id"), ("relationships", 0, "type"), ("reference",), ("more",)])
def test_what_breaks_the_schema_is_refused(place: tuple[str | int, ...]) -> None:
    payload = json.loads(json.dumps(GOOD))
    put(payload, place, 3)
    assert faults(payload, register_schema()) == ["".join(f"/{step}" for step in place)]
    with pytest.raises(PayloadError):
        parse_payloads(json.dumps(payload))


def put(payload: Any, place: tuple[str | int, ...], value: Any) -> None:
    """Set one value, if its place is still there."""
    *way, last = place
    for step in way:
        is_there = step in payload if isinstance(payload, dict) else isinstance(payload, list) and len(payload) > 0
        if not is_there:
            return
        payload = payload[step]
    if isinstance(payload, dict if isinstance(last, str) else list) and payload:
        payload[last] = copy.deepcopy(value)


def test_the_documentation_shows_this_schema() -> None:
    section = FORMATS.read_text(encoding="utf-8").partition("<!-- register payload: begin -->")[2]
    section = section.partition("<!-- register payload: end -->")[0]
    schema = section.partition("### JSON Schema")[2].partition("```json\n")[2].partition("\n```")[0]
    assert json.loads(schema) == register_schema()


def test_the_examples_of_the_documentation_are_read() -> None:
    section = FORMATS.read_text(encoding="utf-8").partition("### JSON Schema")[0]
    examples = [block.partition("\n```")[0] for block in section.split("```json\n")[1:]]
    assert examples
    for example in examples:
        batch = parse_payloads(example)
        assert (batch.problems, batch.notices) == ((), ())
