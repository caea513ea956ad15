"""`ref types`: the vocabulary of relations and the schema of what is registered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.model import CATEGORIES, RELATION_TYPES
from trivium.sources.references import register_schema
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style
from trivium.surfaces.cli.parser import Parser


def _define(parser: Parser) -> None:
    parser.description = "Show the relation types and the schema of what is registered; opens nothing."


def _run(call: Call) -> int:
    call.answer(_values, _lines)
    return 0


def _values() -> dict[str, Any]:
    return {
        "relation_types": [kind._asdict() for kind in RELATION_TYPES],
        "categories": CATEGORIES,
        "register_schema": register_schema(),
    }


def _lines(style: Style) -> Iterator[str]:
    import json

    yield style("bold", "# Relation types")
    for category, meaning in CATEGORIES.items():
        kinds = [kind for kind in RELATION_TYPES if kind.category == category]
        if kinds:
            yield ""
            yield style("bold", f"## {category}: {meaning}")
            yield from (f"- {style('cyan', kind.name)}: {kind.meaning}" for kind in kinds)
    yield ""
    yield style("bold", "# JSON Schema of the register payload")
    yield ""
    yield "```json"
    yield json.dumps(register_schema(), ensure_ascii=False, indent=2)
    yield "```"


COMMANDS = {
    "ref types": Command(
        _define,
        _run,
        {
            "relation_types": "each with `name`, `category` and `meaning`",
            "categories": "category to its meaning; `internal` is the program's own",
            "register_schema": "the JSON Schema (draft-07) of one payload",
        },
    )
}
