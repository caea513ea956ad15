"""One payload from a JSON value: every problem with its pointer, every record that is right kept."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from trivium.model import name_key

from .keys import CONCEPT_KEYS, PAYLOAD_KEYS, REFERENCE_KEYS, RELATION_KEYS, Key
from .leaves import kind_of
from .suggestions import nearest_key
from .syntax import RepeatedKeys, strict_value
from .values import ConceptInput, LeafError, Payload, ReferenceInput, RelationInput, Report, shown, step

_PAYLOAD_NAMES = frozenset(name for key in PAYLOAD_KEYS for name in key.spellings)
_ABSENT = object()


class _Found(NamedTuple):
    """The values of one object by documented key, each with its pointer."""

    values: dict[str, tuple[str, Any]]
    is_clean: bool
    unknown_count: int


def read_payload(value: object, path: str, report: Report) -> Payload | None:
    """The records of one payload that are right, or None when its reference is broken or nothing is left.

    `path` is the pointer of the payload ("" for the only one). Problems, repairs and what was left out go to `report`.
    """
    value = _unpacked(value, path, report)
    if not isinstance(value, dict):
        report.add(path, f"must be an object, not {kind_of(value)}", _OBJECT_HINT)
        report.skipped += 1
        return None
    if misplaced := _misplaced(value):
        report.add(path, *misplaced)
        report.skipped += 1
        return None
    skipped = report.skipped
    found = _pick(value, PAYLOAD_KEYS, path, report)
    report.skipped += found.unknown_count
    reference = _reference(found, report)
    concepts = _concepts(found, report)
    relations = _relations(found, report)
    if reference is None:
        report.skipped = skipped + 1
        return None
    return Payload(reference, concepts, relations) if concepts or relations else None


_OBJECT_HINT = 'a payload is {"reference": {...}, "concepts": [...], "relationships": [...]}'


def _misplaced(value: dict[str, Any]) -> tuple[str, str] | None:
    if not _PAYLOAD_NAMES.isdisjoint(value):
        return None
    for name, inner in value.items():
        held = inner[0] if isinstance(inner, list) and inner else inner
        if isinstance(held, dict) and not _PAYLOAD_NAMES.isdisjoint(held):
            return f"the payload is wrapped in {shown(name)}", "send only the value of that key"
    if "id" in value and "description" in value:
        return "is a concept, not a payload", 'concepts stand in the "concepts" of a payload, beside its "reference"'
    return None


def _reference(found: _Found, report: Report) -> ReferenceInput | None:
    path, raw = found.values.get("reference", ("", _ABSENT))
    got = None if raw is _ABSENT else _read_object(raw, REFERENCE_KEYS, path, report)
    if got is None:
        return None
    return ReferenceInput(got["url"], got["title"], got.get("publishedAt"), got.get("fetchedAt"))


def _concepts(found: _Found, report: Report) -> tuple[ConceptInput, ...]:
    concepts: list[ConceptInput] = []
    paths: list[str] = []
    for path, got in _read_list(found, "concepts", CONCEPT_KEYS, report):
        aliases = tuple(name for name in dict.fromkeys(got.get("aliases", ())) if name != got["id"])
        concepts.append(
            ConceptInput(got["id"], got["description"], got.get("details"), aliases, got.get("type"), got.get("quote"))
        )
        paths.append(f"{path}/id")
    return _without_twins(concepts, paths, report)


def _relations(found: _Found, report: Report) -> tuple[RelationInput, ...]:
    relations: list[RelationInput] = []
    for path, got in _read_list(found, "relationships", RELATION_KEYS, report):
        relation = RelationInput(
            got["source"],
            got["type"],
            got["target"],
            got["reason"],
            got.get("quote"),
            got.get("confidence"),
            got.get("method"),
        )
        if relation.subject == relation.object:
            report.note("relation of a concept to itself", f"{path}: {shown(relation.subject)}")
        relations.append(relation)
    return tuple(relations)


def _without_twins(concepts: list[ConceptInput], paths: list[str], report: Report) -> tuple[ConceptInput, ...]:
    """The first of each group of ids that are one name (`name_key`); the later ones are problems."""
    groups: dict[str, list[int]] = {}
    for number, concept in enumerate(concepts):
        groups.setdefault(name_key(concept.id), []).append(number)
    dropped: set[int] = set()
    for numbers in groups.values():
        first, *later = numbers
        for number in later:
            here, there = concepts[number].id, concepts[first].id
            what = f"Duplicate concept id {shown(here)}, given first at {paths[first]}"
            is_same = here == there
            report.add(
                paths[number],
                what if is_same else f"{what} as {shown(there)}",
                "" if is_same else "keep one spelling as the id and give the other as an alias",
            )
        if later:
            spellings = tuple(dict.fromkeys(concepts[number].id for number in numbers))
            report.duplicates.append((spellings, tuple(paths[number] for number in numbers)))
            report.skipped += len(later)
            dropped.update(later)
    return tuple(concept for number, concept in enumerate(concepts) if number not in dropped)


def _read_list(found: _Found, name: str, keys: tuple[Key, ...], report: Report) -> list[tuple[str, dict[str, Any]]]:
    path, raw = found.values.get(name, ("", _ABSENT))
    if raw is _ABSENT:
        report.skipped += 1
        return []
    raw = _unpacked(raw, path, report)
    if not isinstance(raw, list):
        report.add(path, f"must be an array, not {kind_of(raw)}", "write [ ... ], and [] for none")
        report.skipped += 1
        return []
    if not raw and name == "concepts":
        report.add(path, "must hold at least one concept")
        report.skipped += 1
    records: list[tuple[str, dict[str, Any]]] = []
    for number, item in enumerate(raw):
        here = f"{path}/{number}"
        got = _read_object(item, keys, here, report)
        if got is None:
            report.skipped += 1
        else:
            records.append((here, got))
    return records


def _read_object(value: object, keys: tuple[Key, ...], path: str, report: Report) -> dict[str, Any] | None:
    """The stored values of one object by documented key; None when anything in it is wrong."""
    value = _unpacked(value, path, report)
    if not isinstance(value, dict):
        required = ", ".join(f'"{key.name}": ...' for key in keys if key.is_required)
        report.add(path, f"must be an object, not {kind_of(value)}", f"write {{{required}}}")
        return None
    found = _pick(value, keys, path, report)
    is_clean = found.is_clean
    got: dict[str, Any] = {}
    for key in keys:
        if key.name not in found.values:
            continue
        here, raw = found.values[key.name]
        read = (_read_values if key.is_list else _read_value)(raw, key, here, report)
        if read is _ABSENT:
            is_clean = False
        else:
            got[key.name] = read
    return got if is_clean else None


def _read_values(raw: object, key: Key, path: str, report: Report) -> object:
    raw = _unpacked(raw, path, report)
    if not isinstance(raw, list):
        report.add(path, f"must be an array of strings, not {kind_of(raw)}", 'write ["...", "..."]')
        return _ABSENT
    values = [_read_value(item, key, f"{path}/{number}", report) for number, item in enumerate(raw)]
    return _ABSENT if any(value is _ABSENT for value in values) else values


def _read_value(raw: object, key: Key, path: str, report: Report) -> object:
    if key.read is None:
        return raw
    try:
        value = key.read(raw)
    except LeafError as refused:
        report.add(path, refused.message, refused.hint)
        return _ABSENT
    if key.told and value != raw:
        report.note(key.told, f"{path}: {shown(str(raw))} is {shown(value)}")
    return value


def _pick(value: dict[str, Any], keys: tuple[Key, ...], path: str, report: Report) -> _Found:
    """Sort the keys of one object: known, given twice, missing, unknown, null."""
    total = report.total
    values: dict[str, tuple[str, Any]] = {}
    for name in value.repeated if isinstance(value, RepeatedKeys) else ():
        report.add(step(path, name), "the key is given more than once")
    for key in keys:
        given = [name for name in key.spellings if name in value]
        if not given:
            if key.is_required:
                twin = f"or {shown(key.twin)} " if key.twin else ""
                report.add(path, f"the required key {shown(key.name)} {twin}is missing")
        elif len(given) > 1:
            report.add(step(path, given[1]), f"{shown(given[0])} and {shown(given[1])} are one key, given twice")
        elif value[given[0]] is None and not key.is_required:
            report.note("null read as not given", step(path, given[0]))
        else:
            values[key.name] = (step(path, given[0]), value[given[0]])
    known = [name for key in keys for name in key.spellings]
    unknown = [name for name in value if name not in known]
    for name in unknown:
        meant = nearest_key(name, known)
        hint = f"did you mean {shown(meant)}?" if meant else "the keys are " + ", ".join(key.name for key in keys)
        report.add(step(path, name), "unknown key", hint)
    return _Found(values, report.total == total, len(unknown))


def _unpacked(value: object, path: str, report: Report) -> object:
    """The array or object inside a string that holds JSON; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        inner = strict_value(value)
    except (json.JSONDecodeError, RecursionError, ValueError):
        return value
    report.note("JSON inside a string read as JSON", path or "(root)")
    return inner
