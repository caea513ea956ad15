"""`ref types`."""

from __future__ import annotations

import json
from typing import Any

from trivium.model import PREDICATES


def test_text_lists_each_type_once_and_the_schema(cli: Any, files: Any) -> None:
    out = cli("ref", "types").out
    assert all(out.count(f"\n- {name}: ") == 1 for name in PREDICATES)
    assert "- DESCRIBES" not in out
    schema = json.loads(out.partition("```json\n")[2].partition("\n```")[0])
    assert schema["required"] == ["reference", "concepts", "relationships"]
    assert files() == []


def test_json_holds_types_categories_and_schema(cli: Any) -> None:
    answer = cli("ref", "types", "--json").json
    assert [kind["name"] for kind in answer["relation_types"]] == list(PREDICATES)
    assert {kind["category"] for kind in answer["relation_types"]} | {"internal"} == set(answer["categories"])
    assert answer["register_schema"]["title"] == "Register payload"
