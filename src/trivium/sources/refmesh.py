"""Reading what refmesh stored: its database file, or the same tables as JSON."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from trivium.errors import NotFoundError, PayloadError, StoreError
from trivium.model import PREDICATES

UNSOURCED_URL = "urn:refmesh:unsourced"
"""Stands in for the source of concepts and edges that no reference describes."""

_TABLES: dict[str, tuple[str, ...]] = {
    "concepts": (
        "id",
        "description",
        "details",
        "first_seen_at",
        "last_seen_at",
        "touch_count",
        "access_count",
        "archived_at",
        "archive_reason",
    ),
    "refs": ("url", "title", "first_seen_at", "last_seen_at", "published_at", "fetched_at"),
    "describes": ("ref_url", "concept_id"),
    "edges": ("source_id", "edge_type", "target_id", "reason"),
}

_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)


class Dump(NamedTuple):
    """The rows of the four tables, and a line for each row that could not be used."""

    tables: dict[str, list[dict[str, Any]]]
    losses: list[str]


def read(path: str) -> Dump:
    """Rows of a database file or of a JSON object with its tables. Raises when there is nothing to read."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(16)
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}.") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
    return _checked(_from_database(path) if head == b"SQLite format 3\0" else _from_json(path))


def _from_database(path: str) -> Dump:
    dump = Dump({name: [] for name in _TABLES}, [])
    # Opened as it stands: reading another program's memory must not leave files beside it.
    connection = sqlite3.connect(f"file:{_uri(path)}?mode=ro", uri=True)
    with contextlib.closing(connection):
        try:
            found = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except _DAMAGE as error:
            raise StoreError(f"{path} is damaged: its tables cannot be read.") from error
        if "concepts" not in found or "edges" not in found:
            raise PayloadError(f"{path} is not a refmesh database: it has no tables of concepts and edges.")
        for name, columns in _TABLES.items():
            if name in found:
                _rows(connection, name, columns, dump)
    return dump


def _uri(path: str) -> str:
    path = os.path.abspath(path)
    for character, escape in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(character, escape)
    return path


def _rows(connection: sqlite3.Connection, name: str, columns: tuple[str, ...], dump: Dump) -> None:
    try:
        known = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        wanted = [column for column in columns if column in known]
        for row in connection.execute(f"SELECT {', '.join(wanted)} FROM {name}"):
            dump.tables[name].append(dict(zip(wanted, row, strict=True)))
    except _DAMAGE:
        dump.losses.append(f"{name}: damaged behind row {len(dump.tables[name])}, the rest cannot be read")


def _from_json(path: str) -> Dump:
    try:
        with open(path, encoding="utf-8-sig") as stream:
            data = json.load(stream)
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"{path} is neither a refmesh database nor JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("concepts"), list):
        raise PayloadError(
            f"{path} does not hold the tables of refmesh.",
            hint="A JSON object with the arrays concepts, refs, describes and edges is expected.",
        )
    dump = Dump({name: [] for name in _TABLES}, [])
    for name, columns in _TABLES.items():
        rows = data.get(name, [])
        for number, row in enumerate(rows if isinstance(rows, list) else []):
            if isinstance(row, dict):
                dump.tables[name].append({key: row.get(key, row.get(_camel(key))) for key in columns})
            else:
                dump.losses.append(f"{name}[{number}]: not an object")
    return dump


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _checked(dump: Dump) -> Dump:
    """Only rows that can be stored; each other one is named."""
    rows, losses = dump.tables, list(dump.losses)

    def keep(table: str, fault: Callable[[dict[str, Any]], str]) -> list[dict[str, Any]]:
        good = []
        for row in rows[table]:
            problem = fault(row)
            if problem:
                losses.append(f"{table}: {problem}")
            else:
                good.append(row)
        return good

    concepts = keep("concepts", lambda row: _unusable(row, "id", "description"))
    references = keep("refs", lambda row: _unusable(row, "url", "title"))
    known, urls = {row["id"] for row in concepts}, {row["url"] for row in references}
    describes = keep("describes", lambda row: _dangling(row, "ref_url", urls) or _dangling(row, "concept_id", known))
    edges = keep(
        "edges",
        lambda row: _dangling(row, "source_id", known) or _dangling(row, "target_id", known) or _untyped(row),
    )
    return Dump({"concepts": concepts, "refs": references, "describes": describes, "edges": edges}, losses)


def _unusable(row: Mapping[str, Any], *names: str) -> str:
    return "" if all(_is_text(row.get(name)) for name in names) else f"{row.get(names[0])!r} lacks {' or '.join(names)}"


def _dangling(row: Mapping[str, Any], name: str, known: set[str]) -> str:
    return "" if row.get(name) in known else f"{tuple(row.values())!r}: {name} is missing"


def _untyped(row: Mapping[str, Any]) -> str:
    return "" if row.get("edge_type") in PREDICATES else f"{tuple(row.values())!r} is of no known type"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def registrations(dump: Dump) -> list[dict[str, Any]]:
    """The rows as one registration a reference, in the order of the addresses.

    An edge goes to the first reference that describes both of its ends, else to the stand-in `UNSOURCED_URL`.
    """
    concepts = {row["id"]: row for row in dump.tables["concepts"]}
    described: dict[str, list[str]] = {row["url"]: [] for row in sorted(dump.tables["refs"], key=lambda r: r["url"])}
    sources: dict[str, set[str]] = {}
    for row in dump.tables["describes"]:
        described[row["ref_url"]].append(row["concept_id"])
        sources.setdefault(row["concept_id"], set()).add(row["ref_url"])
    edges: dict[str, list[dict[str, Any]]] = {url: [] for url in described}
    homeless: list[dict[str, Any]] = []
    for edge in dump.tables["edges"]:
        shared = sources.get(edge["source_id"], set()) & sources.get(edge["target_id"], set())
        (edges[min(shared)] if shared else homeless).append(edge)
    made = []
    unsourced = [identifier for identifier in concepts if identifier not in sources]
    references = {row["url"]: row for row in dump.tables["refs"]}
    for url, ids in described.items():
        made.append(_registration(_reference(references[url]), (concepts[i] for i in ids), edges[url]))
    if unsourced or homeless:
        stand_in = {"url": UNSOURCED_URL, "title": "Imported from refmesh without a source"}
        made.append(_registration(stand_in, (concepts[i] for i in unsourced), homeless))
    return made


def _reference(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {"url": row["url"], "title": row["title"]}
    for name in ("published_at", "fetched_at"):
        if row.get(name):
            kept[name] = row[name]
    return kept


def _registration(
    reference: dict[str, Any], concepts: Iterable[Mapping[str, Any]], edges: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    names = ("id", "description", "details", "first_seen_at", "last_seen_at", "touch_count")
    return {
        "reference": reference,
        "concepts": [{name: _stored(name, row[name]) for name in names if row.get(name)} for row in concepts],
        "relations": [
            {
                "subject": edge["source_id"],
                "predicate": edge["edge_type"],
                "object": edge["target_id"],
                "reason": edge.get("reason") or "",
            }
            for edge in edges
        ],
    }


def _stored(name: str, value: Any) -> Any:
    """Times with microseconds, as the journal has them: they are compared as text."""
    if name.endswith("_at") and isinstance(value, str) and len(value) == len("2026-01-01T00:00:00.000Z"):
        return value[:-1] + "000Z"
    return value
