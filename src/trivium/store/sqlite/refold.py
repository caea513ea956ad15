"""Bring the tables to what the journal says, by folding it beside them and copying only the differences."""

from __future__ import annotations

import sqlite3

from trivium.store.sqlite import journal
from trivium.store.sqlite.fold import Fold
from trivium.store.sqlite.schema import fold_statements

_TABLES = ("document", "entity", "alias", "mention", "relation", "evidence")

# Rows as they mean the same in both schemas: database keys are replaced by ids and addresses.
_LOGICAL = {
    "document": "SELECT uri, title, published_at, observed_at, first_seen_at, last_seen_at, content_hash FROM {s}.document",
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
}


def logical_rows(connection: sqlite3.Connection, schema: str = "main") -> dict[str, list[tuple[object, ...]]]:
    """Every folded row without database keys, sorted: equal for two stores that hold the same knowledge."""
    return {
        table: sorted(connection.execute(query.format(s=schema)).fetchall(), key=repr)
        for table, query in _LOGICAL.items()
    }


def drift(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows of each table differ from a fold of the journal; empty when none does."""
    with_fold(connection)
    try:
        found = {}
        for table, query in _LOGICAL.items():
            real, folded = query.format(s="main"), query.format(s="temp")
            found[table] = sum(
                connection.execute(f"SELECT count(*) FROM ({left} EXCEPT {right})").fetchone()[0]
                for left, right in ((real, folded), (folded, real))
            )
        return {table: count for table, count in found.items() if count}
    finally:
        drop_fold(connection)


def with_fold(connection: sqlite3.Connection) -> list[str]:
    """Fold the journal into temporary twins of the tables; returns the effects that found no target."""
    drop_fold(connection)
    for statement in fold_statements(is_temporary=True):
        connection.execute(statement)
    fold = Fold(connection)
    fold.apply_all(journal.effective(connection))
    return fold.skipped


def drop_fold(connection: sqlite3.Connection) -> None:
    """Remove the temporary twins."""
    for table in reversed(_TABLES):
        connection.execute(f"DROP TABLE IF EXISTS temp.{table}")


def refold(connection: sqlite3.Connection) -> tuple[set[int], list[str]]:
    """Make the tables equal to the fold, inside the caller's transaction.

    Entities keep their keys, so usage and both indexes of what did not change stay valid. Returns the keys of
    entities whose searched text changed and the effects that found no target.
    """
    skipped = with_fold(connection)
    run = connection.execute
    changed = {
        key
        for (key,) in run(
            """SELECT e.key FROM main.entity e LEFT JOIN temp.entity t ON t.id = e.id
            WHERE t.key IS NULL OR t.description IS NOT e.description OR t.details IS NOT e.details"""
        )
    }
    aliases_before = _aliases(connection)
    run("DELETE FROM main.entity WHERE id NOT IN (SELECT id FROM temp.entity)")
    run("DELETE FROM main.document WHERE uri NOT IN (SELECT uri FROM temp.document)")
    added = _upsert(connection)
    _replace_dependants(connection)
    drop_fold(connection)
    changed |= added
    aliases_after = _aliases(connection)
    changed |= {
        key for key in aliases_before.keys() | aliases_after.keys() if aliases_before.get(key) != aliases_after.get(key)
    }
    return changed, skipped


def _aliases(connection: sqlite3.Connection) -> dict[int, frozenset[str]]:
    found: dict[int, set[str]] = {}
    for entity, alias in connection.execute("SELECT entity, alias FROM main.alias"):
        found.setdefault(entity, set()).add(alias)
    return {key: frozenset(names) for key, names in found.items()}


def _upsert(connection: sqlite3.Connection) -> set[int]:
    run = connection.execute
    newest = run("SELECT coalesce(max(key), 0) FROM main.entity").fetchone()[0]
    columns = """id, name_key, type, description, details, first_seen_at, last_seen_at, touch_count, archived_at,
        archive_reason, withdrawn_at"""
    run(
        f"""INSERT INTO main.entity({columns}) SELECT {columns} FROM temp.entity AS t WHERE true ORDER BY t.key
        ON CONFLICT(id) DO UPDATE SET {_assignments(columns, "id")}"""
    )
    columns = "uri, title, published_at, observed_at, first_seen_at, last_seen_at, content_hash"
    run(
        f"""INSERT INTO main.document({columns}) SELECT {columns} FROM temp.document AS t WHERE true ORDER BY t.key
        ON CONFLICT(uri) DO UPDATE SET {_assignments(columns, "uri")}"""
    )
    return {key for (key,) in run("SELECT key FROM main.entity WHERE key > ?", (newest,))}


def _assignments(columns: str, key: str) -> str:
    names = [name.strip() for name in columns.split(",")]
    return ", ".join(f"{name} = excluded.{name}" for name in names if name != key)


def _replace_dependants(connection: sqlite3.Connection) -> None:
    run = connection.execute
    for table in ("evidence", "relation", "mention", "alias"):
        run(f"DELETE FROM main.{table}")
    run(
        "CREATE TEMP TABLE entity_map AS SELECT t.key AS t, e.key AS e FROM temp.entity t JOIN main.entity e USING (id)"
    )
    run("CREATE UNIQUE INDEX temp.entity_map_key ON entity_map(t)")
    run(
        "CREATE TEMP TABLE document_map AS SELECT t.key AS t, d.key AS d FROM temp.document t JOIN main.document d USING (uri)"
    )
    run("CREATE UNIQUE INDEX temp.document_map_key ON document_map(t)")
    run(
        """INSERT INTO main.alias SELECT m.e, a.alias, a.name_key, a.kind
        FROM temp.alias a JOIN entity_map m ON m.t = a.entity"""
    )
    run(
        """INSERT INTO main.mention SELECT m.e, dm.d, x.description, x.details, x.quote, x.selector, x.recorded_at
        FROM temp.mention x JOIN entity_map m ON m.t = x.entity JOIN document_map dm ON dm.t = x.document"""
    )
    # Relation keys are taken over as they are in the fold: the table was emptied, and only evidence refers to them.
    run(
        """INSERT INTO main.relation SELECT r.key, s.e, r.predicate, o.e, r.reason, r.recorded_at
        FROM temp.relation r JOIN entity_map s ON s.t = r.subject JOIN entity_map o ON o.t = r.object"""
    )
    run(
        """INSERT INTO main.evidence
        SELECT v.relation, dm.d, v.reason, v.quote, v.selector, v.method, v.confidence, v.recorded_at
        FROM temp.evidence v JOIN document_map dm ON dm.t = v.document"""
    )
    run("DROP TABLE temp.entity_map")
    run("DROP TABLE temp.document_map")
