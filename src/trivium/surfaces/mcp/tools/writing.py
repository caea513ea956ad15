"""Tools that change: register and curate. Whatever they do is in the journal and can be undone."""

from __future__ import annotations

import json
from typing import Any

from trivium.domains.references import curate
from trivium.domains.references.curate import Change
from trivium.domains.references.history import undo
from trivium.domains.references.register import register
from trivium.errors import UsageError
from trivium.model import PREDICATES
from trivium.surfaces.mcp import rows
from trivium.surfaces.mcp.answers import Row
from trivium.surfaces.mcp.arguments import Argument, one_of, switch, text, texts, value_of
from trivium.surfaces.mcp.tools.tool import MAX_CHARS_ARGUMENT, Desk, Tool, Values

_ACTIONS = ("archive", "unarchive", "rename", "undo")


def _register(desk: Desk, values: Values) -> Row:
    payload = {name: values[name] for name in ("reference", "concepts", "relationships") if values[name] is not None}
    done = register(
        desk.engine,
        json.dumps(payload, ensure_ascii=False),
        source=values["source_text"],
        is_valid_kept=values["keep_valid"],
    )
    return desk.answer(rows.registration(done), values)


def _curate(desk: Desk, values: Values) -> Row:
    ids, engine = values["ids"], desk.engine
    change: Change
    match values["action"]:
        case "archive":
            change = curate.archive(engine, ids, reason=values["reason"])
        case "unarchive":
            change = curate.unarchive(engine, ids)
        case "undo":
            change = undo(engine, ids)
        case _:
            if len(ids) != 1 or not values["new_id"]:
                raise UsageError("rename takes one id and a new_id.")
            change = curate.rename(engine, ids[0], values["new_id"])
    done = rows.row("change", id=change.record[:12], at=change.at, op=change.op, ids=list(change.ids))
    return desk.answer([*rows.notices(engine.notices), done], values)


def _source_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name} must be a text.")
    return value


def _strings(*names: str) -> dict[str, Any]:
    return {name: {"type": "string"} for name in names}


_CONCEPT = {
    "type": "object",
    "properties": {
        **_strings("id", "description", "details", "quote"),
        "aliases": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id", "description"],
}

_RELATION = {
    "type": "object",
    "properties": {
        **_strings("source", "target", "reason", "quote"),
        "type": {"enum": list(PREDICATES)},
    },
    "required": ["source", "type", "target", "reason"],
}

WRITING: dict[str, Tool] = {
    "register": Tool(
        "Remember what was read: its address, concepts in your own words, typed relations (source TYPE target). "
        "Quotes are checked verbatim against `source_text`. Registering again updates; nothing is stored on a mistake.",
        {
            "reference": Argument(
                value_of("{"),
                {"type": "object", "properties": _strings("url", "title", "publishedAt"), "required": ["url", "title"]},
                is_required=True,
            ),
            "concepts": Argument(value_of("["), {"type": "array", "items": _CONCEPT}, is_required=True),
            "relationships": Argument(value_of("["), {"type": "array", "items": _RELATION}, []),
            "source_text": Argument(_source_text, {"type": "string"}),
            "keep_valid": Argument(switch, {"type": "boolean"}, False),
            "max_chars": MAX_CHARS_ARGUMENT,
        },
        _register,
        is_reading=False,
    ),
    "curate": Tool(
        "Archive (hide) concepts, bring them back, rename one, or undo changes by their record ids.",
        {
            "action": Argument(one_of(*_ACTIONS), {"enum": list(_ACTIONS)}, "", is_required=True),
            "ids": Argument(texts, {"type": "array", "items": {"type": "string"}}, [], is_required=True),
            "reason": Argument(text, {"type": "string"}, ""),
            "new_id": Argument(text, {"type": "string"}, ""),
            "max_chars": MAX_CHARS_ARGUMENT,
        },
        _curate,
        is_reading=False,
    ),
}
