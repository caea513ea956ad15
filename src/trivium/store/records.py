"""Journal records as values: named by their content, checked for their shape, one line of JSON each."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from trivium.errors import PayloadError
from trivium.model import Record

_SECOND = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
_RECORDED = re.compile(rf"{_SECOND}\.[0-9]{{6}}Z")
_PUBLISHED = re.compile(rf"{_SECOND}(?:\.[0-9]{{3}}|\.[0-9]{{6}})?Z")
_AFTER_ALL = "9000"
"""No record is dated later: the next one on any machine must have room behind it."""

_MAX_PROBLEMS = 20


def canonical(value: object) -> str:
    """JSON that is the same for equal values: keys sorted, no blanks, no NaN. Raises `ValueError`."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def record_id(at: str, actor: str, session: str, op: str, payload: Mapping[str, Any]) -> str:
    """The first 32 hexadecimal digits of the SHA-256 of the record's canonical JSON."""
    return identify(at, actor, session, op, canonical(payload))


def identify(at: str, actor: str, session: str, op: str, text: str) -> str:
    """`record_id` of a payload that is canonical JSON already."""
    content = f"{canonical([at, actor, session, op])[:-1]},{text}]"
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def make(op: str, payload: Mapping[str, Any], *, at: str, actor: str, session: str) -> tuple[Record, str]:
    """A new record with the canonical JSON of its payload. Raises `PayloadError` with every problem."""
    content = dict(payload)
    found = [] if is_known(op) else [f"operation {op!r} is not known"]
    found += problems(Record("", at, actor, session, op, content))
    if not found:
        try:
            text = canonical(content)
            return Record(identify(at, actor, session, op, text), at, actor, session, op, content), text
        except UnicodeEncodeError:
            found.append("a text is not valid Unicode: it holds a lone surrogate")
        except (ValueError, TypeError, RecursionError) as error:
            found.append(f"payload: is not JSON ({error})")
    raise PayloadError("The change cannot be recorded.", details=found)


def encode(record: Record, text: str | None = None) -> bytes:
    """One record as a line of JSON; `text` is its canonical payload when that is at hand."""
    head = canonical(dict(zip(Record._fields[:-1], record[:-1], strict=True)))
    return f'{head[:-1]},"payload":{canonical(record.payload) if text is None else text}}}\n'.encode()


def decode(line: bytes) -> Record | str:
    """A record whose id fits its content and whose effects can be folded, or the reason why the line is none."""
    try:
        value = json.loads(line.decode("utf-8-sig"))
        if not isinstance(value, dict) or value.keys() != set(Record._fields):
            return "not a complete journal record"
        return checked(Record(**value))
    except (ValueError, RecursionError):
        return "not a complete journal record"


def checked(record: Record) -> Record | str:
    """The record, or why it cannot be taken in: its content does not fit its id, or its shape its operation."""
    found = problems(record)
    if found:
        return found[0]
    try:
        fitting = record_id(record.at, record.actor, record.session, record.op, record.payload)
    except (ValueError, TypeError, RecursionError):
        return "not a complete journal record"
    return record if fitting == record.id else "content does not fit its id"


def is_moment(text: str) -> bool:
    """Whether a text is a journal time: a real UTC moment with microseconds, with room for later ones."""
    return _RECORDED.fullmatch(text) is not None and text < _AFTER_ALL and _is_real(text)


def _is_real(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_known(op: str) -> bool:
    """Whether this program folds the operation; others are kept in the journal and passed over."""
    return op in _SHAPES


def problems(record: Record) -> list[str]:
    """What keeps a record from being folded, one line each with its place, at most 20.

    Operations of a newer program are let through whatever they hold.
    """
    values: list[tuple[str, object]] = list(zip(Record._fields[:-1], record[:-1], strict=True))
    found = [f"{name}: must be a text" for name, value in values if not isinstance(value, str)]
    if found:
        return found
    if not is_moment(record.at):
        found.append(f"at: {record.at!r} is not a moment")
    _SHAPES.get(record.op, _mapping)(record.payload, "payload", found)
    return found[:_MAX_PROBLEMS]


def keys_of(record: Record) -> list[str]:
    """The entity ids, document addresses and record ids that a record speaks of, each once."""
    if not is_known(record.op):
        return []
    payload = record.payload
    keys: dict[str, None] = {}
    if reference := payload.get("reference"):
        keys[reference["url"]] = None
    for concept in payload.get("concepts", ()):
        keys[concept["id"]] = None
    for relation in payload.get("relations", ()):
        keys[relation["subject"]] = None
        keys[relation["object"]] = None
    for field in ("ids", "targets"):
        keys.update(dict.fromkeys(payload.get(field, ())))
    for field in ("id", "new_id", "into", "url"):
        if field in payload:
            keys[payload[field]] = None
    return list(keys)


# -- shapes: each check appends what is wrong at a place

_Check = Callable[[object, str, list[str]], None]


def _text(value: object, place: str, found: list[str]) -> None:
    if not isinstance(value, str):
        found.append(f"{place}: must be a text")


def _name(value: object, place: str, found: list[str]) -> None:
    if not isinstance(value, str) or not value:
        found.append(f"{place}: must be a text that is not empty")


def _moment(value: object, place: str, found: list[str]) -> None:
    if not isinstance(value, str) or not _PUBLISHED.fullmatch(value) or not _is_real(value):
        found.append(f"{place}: must be a UTC moment")


def _share(value: object, place: str, found: list[str]) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        found.append(f"{place}: must be a number from 0 to 1")


def _mapping(value: object, place: str, found: list[str]) -> None:
    if not isinstance(value, dict):
        found.append(f"{place}: must be an object")


def _list(check: _Check) -> _Check:
    def run(value: object, place: str, found: list[str]) -> None:
        if not isinstance(value, list | tuple):
            found.append(f"{place}: must be a list")
            return
        for number, item in enumerate(value):
            check(item, f"{place}/{number}", found)

    return run


def _object(needed: dict[str, _Check], optional: dict[str, _Check] | None = None) -> _Check:
    def run(value: object, place: str, found: list[str]) -> None:
        if not isinstance(value, dict):
            found.append(f"{place}: must be an object")
            return
        for name, check in needed.items():
            if name in value:
                check(value[name], f"{place}/{name}", found)
            else:
                found.append(f"{place}/{name}: is missing")
        for name, check in (optional or {}).items():
            if value.get(name) is not None:
                check(value[name], f"{place}/{name}", found)

    return run


_REFERENCE = _object(
    {"url": _name, "title": _text}, {"published_at": _moment, "fetched_at": _moment, "content_hash": _text}
)
_CONCEPT = _object(
    {"id": _name, "description": _text},
    {"details": _text, "type": _text, "aliases": _list(_name), "quote": _text, "selector": _mapping},
)
_ENDS: dict[str, _Check] = {"subject": _name, "predicate": _name, "object": _name}
_RELATION = _object(
    {**_ENDS, "reason": _text}, {"quote": _text, "selector": _mapping, "method": _text, "confidence": _share}
)
_IDS = {"ids": _list(_name)}

_SHAPES: dict[str, _Check] = {
    "register": _object({"reference": _REFERENCE, "concepts": _list(_CONCEPT), "relations": _list(_RELATION)}),
    "archive": _object(_IDS, {"reason": _text}),
    "unarchive": _object(_IDS),
    "delete": _object(_IDS),
    "rename": _object({"id": _name, "new_id": _name}),
    "merge": _object({"into": _name, **_IDS}),
    "withdraw": _object({"url": _name}),
    "unlink": _object({"relations": _list(_object(_ENDS))}),
    "undo": _object({"targets": _list(_name)}),
}
