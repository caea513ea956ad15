"""Bring the tables to what the journal says, by folding it beside them and copying only the differences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from trivium.store.sqlite import journal
from trivium.store.sqlite.connection import snapshot
from trivium.store.sqlite.fold.apply import Fold
from trivium.store.sqlite.schema import FOLDED, twin_statements

# Rows as they mean the same in both schemas: database keys are replaced by ids and addresses.
_LOGICAL = {
    "document": """SELECT uri, title, published_at, observed_at, first_seen_at, last_seen_at, content_hash
        FROM {s}.document""",
    "entity": """SELECT id, name_key, type, description, details, first_seen_at, last_seen_at, touch_count, archived_at,
        archive_reason, withdrawn_at FROM {s}.entity""",
    "alias": "SELECT e.id, a.alias, a.name_key, a.kind FROM {s}.alias a JOIN {s}.entity e ON e.key = a.entity",
    "mention": """SELECT e.id, d.uri, m.description, m.details, m.quote, m.selector, m.recorded_at
        FROM {s}.mention m JOIN {s}.entity e ON e.key = m.entity JOIN {s}.document d ON d.key = m.document""",
    "relation": """SELECT s.id, r.predicate, o.id, r.reason, r.recorded_at
        FROM {s}.relation r JOIN {s}.entity s ON s.key = r.subject JOIN {s}.entity o ON o.key = r.object""",
    "evidence": """SELECT s.id, r.predicate, o.id, d.uri, v.reason, v.quote, v.selector, v.method, v.confidence,
        v.recorded_at FROM {s}.evidence v JOIN {s}.relation r ON r.key = v.relation
        JOIN {s}.entity s ON s.key = r.subject JOIN {s}.entity o ON o.key = r.object
        JOIN {s}.document d ON d.key = v.document""",
    "lost": "SELECT record, effect FROM {s}.lost",
}

# The twins' rows under the keys of the real tables, and what identifies a row.
_STAGED = {
    "alias": (
        "entity, alias",
        "SELECT m.k AS entity, a.alias, a.name_key, a.kind FROM temp.alias a JOIN entity_map m ON m.t = a.entity",
    ),
    "mention": (
        "entity, document",
        """SELECT m.k AS entity, d.k AS document, x.description, x.details, x.quote, x.selector, x.recorded_at
        FROM temp.mention x JOIN entity_map m ON m.t = x.entity JOIN document_map d ON d.t = x.document""",
    ),
    "evidence": (
        "relation, document",
        """SELECT r.k AS relation, d.k AS document, v.reason, v.quote, v.selector, v.method, v.confidence,
        v.recorded_at FROM temp.evidence v JOIN relation_map r ON r.t = v.relation
        JOIN document_map d ON d.t = v.document""",
    ),
    "lost": ("record, effect", "SELECT record, effect FROM temp.lost"),
}


class Refolded(NamedTuple):
    """What a refold changed: keys of entities with other searched text, and effects that newly found no target."""

    changed: set[int]
    skipped: list[str]


def logical_rows(connection: sqlite3.Connection, schema: str = "main") -> dict[str, list[tuple[object, ...]]]:
    """Every folded row without database keys, sorted: equal for two stores that hold the same knowledge."""
    return {
        table: sorted(connection.execute(query.format(s=schema)).fetchall(), key=repr)
        for table, query in _LOGICAL.items()
    }


def drift(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows of each table differ from a fold of the journal; empty when none does."""
    with snapshot(connection):
        fold_beside(connection)
        found = {}
        for table, query in _LOGICAL.items():
            real, folded = query.format(s="main"), query.format(s="temp")
            found[table] = sum(
                connection.execute(f"SELECT count(*) FROM ({left} EXCEPT {right})").fetchone()[0]
                for left, right in ((real, folded), (folded, real))
            )
        drop_twins(connection)
    return {table: count for table, count in found.items() if count}


def fold_beside(connection: sqlite3.Connection) -> None:
    """Fold the journal into temporary twins of the tables, inside the caller's transaction."""
    for statement in twin_statements(connection):
        connection.execute(statement)
    Fold(connection, is_from_empty=True).apply_all(journal.effective(connection))


def drop_twins(connection: sqlite3.Connection) -> None:
    """Remove the temporary twins."""
    for table in reversed(FOLDED):
        connection.execute(f"DROP TABLE temp.{table}")


def refold(connection: sqlite3.Connection) -> Refolded:
    """Make the tables equal to the fold, inside the caller's transaction, which must be rolled back on failure.

    Entities keep their keys, renamed ones too, so usage and both indexes of what did not change stay valid.
    """
    run = connection.execute
    fold_beside(connection)
    newly_lost = "SELECT * FROM temp.lost EXCEPT SELECT * FROM main.lost"
    skipped = [effect for _, effect in run(newly_lost)]
    _map_entities(connection)
    changed = _changed_entities(connection)
    _copy_entities(connection)
    _copy_documents(connection)
    _copy_relations(connection)
    for table, (key, query) in _STAGED.items():
        run(f"CREATE TEMP TABLE staged AS {query}")
        run(f"CREATE UNIQUE INDEX temp.staged_key ON staged({key})")
        if table == "alias":
            changed.update(_changed_names(connection))
        _copy_staged(connection, table, key)
        run("DROP TABLE temp.staged")
    for mapping in ("entity_map", "document_map", "relation_map"):
        run(f"DROP TABLE temp.{mapping}")
    drop_twins(connection)
    return Refolded(changed, skipped)


def _map_entities(connection: sqlite3.Connection) -> None:
    """Which real entity a folded one is: of the same id, else one that was renamed to or from it, else a new one."""
    run = connection.execute
    run("CREATE TEMP TABLE entity_map(t INTEGER PRIMARY KEY, k INTEGER NOT NULL UNIQUE)")
    run("INSERT INTO entity_map SELECT t.key, e.key FROM temp.entity t JOIN main.entity e USING (id)")
    open_ends = "t.key NOT IN (SELECT t FROM entity_map) AND e.key NOT IN (SELECT k FROM entity_map)"
    run(
        f"""INSERT OR IGNORE INTO entity_map SELECT t.key, e.key FROM temp.entity t
        JOIN main.alias a ON a.alias = t.id AND a.kind = 'redirect' JOIN main.entity e ON e.key = a.entity
        WHERE {open_ends} ORDER BY t.key"""
    )
    run(
        f"""INSERT OR IGNORE INTO entity_map SELECT t.key, e.key FROM main.entity e
        JOIN temp.alias a ON a.alias = e.id AND a.kind = 'redirect' JOIN temp.entity t ON t.key = a.entity
        WHERE {open_ends} ORDER BY e.key"""
    )
    run(
        """INSERT INTO entity_map
        SELECT key, (SELECT coalesce(max(key), 0) FROM main.entity) + row_number() OVER (ORDER BY key)
        FROM temp.entity WHERE key NOT IN (SELECT t FROM entity_map)"""
    )


def _changed_entities(connection: sqlite3.Connection) -> set[int]:
    rows = connection.execute(
        """SELECT e.key FROM main.entity e LEFT JOIN entity_map m ON m.k = e.key LEFT JOIN temp.entity t ON t.key = m.t
        WHERE t.key IS NULL OR t.id <> e.id OR t.description <> e.description OR t.details IS NOT e.details
        UNION SELECT k FROM entity_map WHERE k NOT IN (SELECT key FROM main.entity)"""
    )
    return {key for (key,) in rows}


def follow_renames(connection: sqlite3.Connection, renamed: Iterable[tuple[str, str]]) -> None:
    """Let usage follow entities from their old to their new id."""
    connection.executemany("UPDATE OR REPLACE main.usage SET id = ?2 WHERE id = ?1", renamed)


def _changed_names(connection: sqlite3.Connection) -> set[int]:
    real, folded = "SELECT entity, alias FROM main.alias", "SELECT entity, alias FROM temp.staged"
    pairs = ((real, folded), (folded, real))
    return {key for left, right in pairs for key, _ in connection.execute(f"{left} EXCEPT {right}")}


def _copy_entities(connection: sqlite3.Connection) -> None:
    run = connection.execute
    renamed = run(
        """SELECT e.id, t.id FROM main.entity e JOIN entity_map m ON m.k = e.key JOIN temp.entity t ON t.key = m.t
        WHERE t.id <> e.id"""
    ).fetchall()
    follow_renames(connection, renamed)
    run("DELETE FROM main.entity WHERE key NOT IN (SELECT k FROM entity_map)")
    columns = _columns(connection, "entity", without="key")
    run(
        f"""INSERT INTO main.entity(key, {columns}) SELECT m.k, {columns}
        FROM temp.entity t JOIN entity_map m ON m.t = t.key
        WHERE NOT EXISTS (SELECT 1 FROM main.entity e WHERE e.key = m.k AND {_same(columns, "e", "t")}) ORDER BY m.k
        ON CONFLICT(key) DO UPDATE SET {_assignments(columns)}"""
    )


def _copy_documents(connection: sqlite3.Connection) -> None:
    run = connection.execute
    run("DELETE FROM main.document WHERE uri NOT IN (SELECT uri FROM temp.document)")
    columns = _columns(connection, "document", without="key")
    run(
        f"""INSERT INTO main.document({columns}) SELECT {columns} FROM temp.document t
        WHERE NOT EXISTS (SELECT 1 FROM main.document e WHERE e.uri = t.uri AND {_same(columns, "e", "t")})
        ORDER BY t.key
        ON CONFLICT(uri) DO UPDATE SET {_assignments(columns)}"""
    )
    run("CREATE TEMP TABLE document_map(t INTEGER PRIMARY KEY, k INTEGER NOT NULL)")
    run("INSERT INTO document_map SELECT t.key, d.key FROM temp.document t JOIN main.document d USING (uri)")


def _copy_relations(connection: sqlite3.Connection) -> None:
    run = connection.execute
    run(
        """CREATE TEMP TABLE staged AS SELECT r.key AS t, s.k AS subject, r.predicate, o.k AS object, r.reason,
        r.recorded_at FROM temp.relation r JOIN entity_map s ON s.t = r.subject JOIN entity_map o ON o.t = r.object"""
    )
    run("CREATE UNIQUE INDEX temp.staged_key ON staged(subject, predicate, object)")
    same = "s.subject = relation.subject AND s.predicate = relation.predicate AND s.object = relation.object"
    run(f"DELETE FROM main.relation WHERE NOT EXISTS (SELECT 1 FROM temp.staged s WHERE {same})")
    run(
        f"""INSERT INTO main.relation(subject, predicate, object, reason, recorded_at)
        SELECT subject, predicate, object, reason, recorded_at FROM temp.staged s
        WHERE NOT EXISTS (SELECT 1 FROM main.relation WHERE {same} AND relation.reason = s.reason
          AND relation.recorded_at = s.recorded_at) ORDER BY s.t
        ON CONFLICT(subject, predicate, object) DO UPDATE SET reason = excluded.reason,
          recorded_at = excluded.recorded_at"""
    )
    run("CREATE TEMP TABLE relation_map(t INTEGER PRIMARY KEY, k INTEGER NOT NULL)")
    run(f"INSERT INTO relation_map SELECT s.t, relation.key FROM temp.staged s JOIN main.relation ON {same}")
    late = "SELECT k < lag(k) OVER (ORDER BY t) AS is_late FROM relation_map"
    if run(f"SELECT 1 FROM ({late}) WHERE is_late LIMIT 1").fetchone():
        # Relations are listed by key, which is to be the order in which they were first recorded.
        run("DELETE FROM main.relation")
        run("INSERT INTO main.relation SELECT t, subject, predicate, object, reason, recorded_at FROM temp.staged")
        run("UPDATE relation_map SET k = t")
    run("DROP TABLE temp.staged")


def _copy_staged(connection: sqlite3.Connection, table: str, key: str) -> None:
    columns = _columns(connection, table)
    same_key = _same(key, "s", f"main.{table}")
    connection.execute(f"DELETE FROM main.{table} WHERE NOT EXISTS (SELECT 1 FROM temp.staged s WHERE {same_key})")
    rest = ", ".join(name for name in columns.split(", ") if name not in key.split(", "))
    action = f"UPDATE SET {_assignments(rest)}" if rest else "NOTHING"
    connection.execute(
        f"""INSERT INTO main.{table}({columns}) SELECT {columns} FROM temp.staged s
        WHERE NOT EXISTS (SELECT 1 FROM main.{table} r WHERE {_same(columns, "r", "s")})
        ON CONFLICT({key}) DO {action}"""
    )


def _columns(connection: sqlite3.Connection, table: str, *, without: str = "") -> str:
    rows = connection.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,))
    return ", ".join(name for (name,) in rows if name != without)


def _same(columns: str, left: str, right: str) -> str:
    return " AND ".join(f"{left}.{name} IS {right}.{name}" for name in columns.split(", "))


def _assignments(columns: str) -> str:
    return ", ".join(f"{name} = excluded.{name}" for name in columns.split(", "))
