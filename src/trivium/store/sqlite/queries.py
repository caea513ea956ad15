"""Reading the tables: each question is one statement, however many ids it asks about."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trivium.model import DESCRIBES, PREDICATES, Document, Entity, EntityText, Evidence, Relation, name_key

_ENTITY = """SELECT e.key, e.id, e.description, e.details, e.type, e.first_seen_at, e.last_seen_at, e.touch_count,
    e.archived_at, e.archive_reason, e.withdrawn_at, coalesce(u.shown_count, 0)
    FROM entity e LEFT JOIN usage u ON u.entity = e.key"""
_RELATION = """SELECT r.key, r.subject, r.object, s.id, r.predicate, o.id, r.reason
    FROM relation r JOIN entity s ON s.key = r.subject JOIN entity o ON o.key = r.object"""
_DOCUMENT = "d.key, d.uri, d.title, d.published_at, d.observed_at, d.first_seen_at, d.last_seen_at, d.content_hash"
_AMONG = "(SELECT value FROM json_each(?))"


def numbers(values: Iterable[int]) -> str:
    """Keys as one JSON parameter: no statement has a limit on how many it takes."""
    return f"[{','.join(map(str, values))}]"


def entities(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Entity]:
    """Entities by key."""
    rows = connection.execute(f"{_ENTITY} WHERE e.key IN {_AMONG}", (numbers(keys),))
    return {row[0]: Entity(*row) for row in rows}


def by_ids(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Entity]:
    """Entities by exact id; renamed and merged ids lead to where they went."""
    names = json.dumps(list(ids))
    found = {row[1]: Entity(*row) for row in connection.execute(f"{_ENTITY} WHERE e.id IN {_AMONG}", (names,))}
    if len(found) < len(set(ids)):
        query = f"""SELECT a.alias, a.entity FROM alias a WHERE a.kind = 'redirect' AND a.alias IN {_AMONG}
            ORDER BY a.alias, a.entity DESC"""
        redirects = {alias: key for alias, key in connection.execute(query, (names,)) if alias not in found}
        targets = entities(connection, redirects.values())
        found.update({alias: targets[key] for alias, key in redirects.items()})
    return found


def by_name_keys(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, list[Entity]]:
    """Entities whose id or alias folds to one of the given name keys."""
    names = json.dumps(sorted(set(keys)))
    rows = connection.execute(
        f"""SELECT name_key, key FROM entity WHERE name_key IN {_AMONG}
        UNION SELECT name_key, entity FROM alias WHERE name_key IN {_AMONG}""",
        (names, names),
    ).fetchall()
    found = entities(connection, (key for _, key in rows))
    grouped: dict[str, list[Entity]] = {}
    for name, key in rows:
        grouped.setdefault(name, []).append(found[key])
    return grouped


def resolve(connection: sqlite3.Connection, name: str) -> list[Entity]:
    """What a name means: the exact id alone if there is one, else everything whose id or alias folds to it."""
    exact = by_ids(connection, [name])
    if exact:
        return list(exact.values())
    return by_name_keys(connection, [name_key(name)]).get(name_key(name), [])


def similar_ids(connection: sqlite3.Connection, name: str, limit: int = 5) -> list[str]:
    """Ids that look like `name`: for the message that says it does not exist."""
    import difflib

    rows = connection.execute("SELECT id FROM entity ORDER BY last_seen_at DESC LIMIT 20000").fetchall()
    by_key = {name_key(identifier): identifier for (identifier,) in rows}
    wanted = name_key(name)
    inside = [identifier for key, identifier in by_key.items() if wanted and wanted in key]
    close = [by_key[key] for key in difflib.get_close_matches(wanted, by_key, n=limit, cutoff=0.6)]
    return list(dict.fromkeys(close + inside))[:limit]


def page(
    connection: sqlite3.Connection, *, order: str, limit: int, offset: int, is_hidden_included: bool
) -> tuple[int, list[Entity]]:
    """One page of entities and how many there are: `order` is id, last_seen, touch or shown."""
    orders = {
        "id": "e.id",
        "last_seen": "e.last_seen_at DESC, e.id",
        "touch": "e.touch_count DESC, e.id",
        "shown": "coalesce(u.shown_count, 0) DESC, e.id",
    }
    where = "" if is_hidden_included else "WHERE e.archived_at IS NULL AND e.withdrawn_at IS NULL"
    total = connection.execute(f"SELECT count(*) FROM entity e {where}").fetchone()[0]
    rows = connection.execute(f"{_ENTITY} {where} ORDER BY {orders[order]} LIMIT ? OFFSET ?", (limit, offset))
    return total, [Entity(*row) for row in rows]


def texts(connection: sqlite3.Connection, keys: Iterable[int] | None = None) -> Iterator[EntityText]:
    """The searched fields of entities, all of them or some."""
    where, values = ("", ()) if keys is None else (f"WHERE e.key IN {_AMONG}", (numbers(keys),))
    rows = connection.execute(
        f"""SELECT e.key, e.id, e.description, e.details,
        (SELECT json_group_array(alias) FROM (SELECT alias FROM alias a WHERE a.entity = e.key ORDER BY alias))
        FROM entity e {where} ORDER BY e.key""",
        values,
    )
    for key, identifier, description, details, aliases in rows:
        names = () if aliases == "[]" else tuple(json.loads(aliases))
        yield EntityText(key, identifier, names, description, details)


def relations(
    connection: sqlite3.Connection,
    keys: Iterable[int],
    *,
    predicates: Sequence[str] | None = None,
    direction: str = "both",
    is_hidden_included: bool = True,
) -> list[Relation]:
    """Relations that touch the keys: `direction` is out (keys are subjects), in (objects) or both.

    Without hidden ones, the end that is not asked about must be neither archived nor withdrawn.
    """
    among, types = numbers(keys), "" if predicates is None else "AND r.predicate IN (SELECT value FROM json_each(?))"
    sides = {"out": ("so",), "in": ("os",), "both": ("so", "os")}[direction]
    parts, values = [], []
    for side in sides:
        asked, other = ("r.subject", "o") if side == "so" else ("r.object", "s")
        visible = "" if is_hidden_included else f"AND {other}.archived_at IS NULL AND {other}.withdrawn_at IS NULL"
        parts.append(f"{_RELATION} WHERE {asked} IN {_AMONG} {types} {visible}")
        values += [among] if predicates is None else [among, json.dumps(list(predicates))]
    rows = connection.execute(" UNION ".join(parts) + " ORDER BY 1", values)
    return [Relation(*row) for row in rows]


def evidence(connection: sqlite3.Connection, relation_keys: Iterable[int]) -> dict[int, list[Evidence]]:
    """The evidence of relations, newest first."""
    rows = connection.execute(
        f"""SELECT v.relation, d.uri, d.title, v.reason, v.quote, v.selector, v.method, v.confidence, v.recorded_at
        FROM evidence v JOIN document d ON d.key = v.document WHERE v.relation IN {_AMONG}
        ORDER BY v.recorded_at DESC, d.uri""",
        (numbers(relation_keys),),
    )
    return _grouped(rows)


def mentions(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, list[Evidence]]:
    """What each source says of entities, newest first: `reason` is the description it gave."""
    rows = connection.execute(
        f"""SELECT m.entity, d.uri, d.title, m.description, m.quote, m.selector, 'llm', NULL, m.recorded_at
        FROM mention m JOIN document d ON d.key = m.document WHERE m.entity IN {_AMONG}
        ORDER BY m.recorded_at DESC, d.uri""",
        (numbers(keys),),
    )
    return _grouped(rows)


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[Evidence]]:
    found: dict[int, list[Evidence]] = {}
    for key, uri, title, reason, quote, selector, method, confidence, at in rows:
        place = None if selector is None else json.loads(selector)
        found.setdefault(key, []).append(Evidence(uri, title, reason, quote, place, method, confidence, at))
    return found


def documents_of(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, list[Document]]:
    """The documents that describe entities, in the order of their addresses."""
    rows = connection.execute(
        f"""SELECT m.entity, {_DOCUMENT} FROM mention m JOIN document d ON d.key = m.document
        WHERE m.entity IN {_AMONG} ORDER BY d.uri""",
        (numbers(keys),),
    )
    found: dict[int, list[Document]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(Document(*row[1:]))
    return found


def document(connection: sqlite3.Connection, uri: str) -> Document | None:
    """One document by its address."""
    row = connection.execute(f"SELECT {_DOCUMENT} FROM document d WHERE d.uri = ?", (uri,)).fetchone()
    return None if row is None else Document(*row)


def documents(connection: sqlite3.Connection) -> list[tuple[Document, int]]:
    """Every document with the number of entities it describes."""
    rows = connection.execute(
        f"""SELECT {_DOCUMENT}, (SELECT count(*) FROM mention m WHERE m.document = d.key)
        FROM document d ORDER BY d.uri"""
    )
    return [(Document(*row[:-1]), row[-1]) for row in rows]


def dates(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, str]:
    """The newest publication date over an entity's documents, for those that have one."""
    rows = connection.execute(
        f"""SELECT m.entity, max(d.published_at) FROM mention m JOIN document d ON d.key = m.document
        WHERE m.entity IN {_AMONG} AND d.published_at IS NOT NULL GROUP BY m.entity""",
        (numbers(keys),),
    )
    return dict(rows.fetchall())


def prunable(
    connection: sqlite3.Connection, *, before: str, max_touches: int, is_archived_included: bool
) -> list[Entity]:
    """Entities last seen before a moment and touched at most so often."""
    archived = "" if is_archived_included else "AND e.archived_at IS NULL"
    rows = connection.execute(
        f"{_ENTITY} WHERE e.last_seen_at < ? AND e.touch_count <= ? {archived} ORDER BY e.last_seen_at, e.id",
        (before, max_touches),
    )
    return [Entity(*row) for row in rows]


def counts(connection: sqlite3.Connection) -> dict[str, Any]:
    """How much of everything there is."""
    one = connection.execute(
        """SELECT (SELECT count(*) FROM entity), (SELECT count(*) FROM entity WHERE archived_at IS NOT NULL),
        (SELECT count(*) FROM entity WHERE withdrawn_at IS NOT NULL), (SELECT count(*) FROM document),
        (SELECT count(*) FROM mention), (SELECT count(*) FROM journal), (SELECT count(*) FROM vector),
        (SELECT max(last_seen_at) FROM entity), (SELECT count(*) FROM evidence),
        (SELECT count(*) FROM evidence WHERE quote IS NOT NULL)"""
    ).fetchone()
    by_type = dict.fromkeys((*PREDICATES, DESCRIBES), 0)
    by_type.update(connection.execute("SELECT predicate, count(*) FROM relation GROUP BY predicate").fetchall())
    by_type[DESCRIBES] = one[4]
    return {
        "concepts": one[0],
        "archived_concepts": one[1],
        "withdrawn_concepts": one[2],
        "references": one[3],
        "relations": sum(by_type.values()),
        "relations_by_type": by_type,
        "evidence": one[8],
        "evidence_with_quote": one[9],
        "records": one[5],
        "vectors": one[6],
        "last_seen_at": one[7],
    }
