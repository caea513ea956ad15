"""Writing what was read from a vault: one note with its parts, facets, names, links and edges."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trivium.model import name_key
from trivium.store.sqlite.connection import numbers

NOTE, PASSAGE = "note", "passage"


class NoteRow(NamedTuple):
    """A note as it is kept: `key` is its entity, `names` what the resolver needs of it, as JSON."""

    key: int
    document: int
    path: str
    hash: str
    size: int
    mtime_ns: int
    inode: int
    checked_ns: int
    title: str
    names: str
    problem: str


class PartRow(NamedTuple):
    """A part of a note: `label` is the headings it stands under, `text` the note's `[start:end]`."""

    label: str
    text: str
    start: int
    end: int
    line: int


class EdgeRow(NamedTuple):
    """A link, mention or relation that a note holds.

    `origin` is text or record; `status` is ok, dangling, ambiguous, attachment, external or unknown; `target` is what
    was asked for; `start` and `end` slice the note's text where `quote` stands.
    """

    note: int
    origin: str
    status: str
    subject: int | None
    predicate: str
    object: int | None
    target: str
    method: str
    confidence: float | None
    quote: str | None
    start: int | None
    end: int | None
    line: int | None
    raw: str | None


def put_note(connection: sqlite3.Connection, row: NoteRow, aliases: Iterable[str], *, at: str) -> NoteRow:
    """Insert or update a note by its key (0: a new one) with its entity, aliases and document; returns it with keys."""
    if row.key:
        connection.execute(
            "UPDATE entity SET id = ?, name_key = ?, description = ?, last_seen_at = ? WHERE key = ?",
            (row.path, name_key(row.path), row.title, at, row.key),
        )
        connection.execute(
            "UPDATE document SET uri = ?, title = ?, content_hash = ?, last_seen_at = ? WHERE key = ?",
            (row.path, row.title, row.hash, at, row.document),
        )
        connection.execute("DELETE FROM alias WHERE entity = ?", (row.key,))
    else:
        key = connection.execute(
            """INSERT INTO entity(id, name_key, type, description, first_seen_at, last_seen_at, touch_count)
            VALUES (?, ?, 'note', ?, ?, ?, 1)""",
            (row.path, name_key(row.path), row.title, at, at),
        ).lastrowid
        document = connection.execute(
            """INSERT INTO document(uri, title, observed_at, first_seen_at, last_seen_at, content_hash)
            VALUES (?, ?, ?, ?, ?, ?)""",
            (row.path, row.title, at, at, at, row.hash),
        ).lastrowid
        row = row._replace(key=int(key or 0), document=int(document or 0))
    connection.executemany(
        "INSERT OR IGNORE INTO alias(entity, alias, name_key, kind) VALUES (?, ?, ?, 'alias')",
        [(row.key, alias, name_key(alias)) for alias in aliases if alias and alias != row.path],
    )
    connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    return row


def touch_note(connection: sqlite3.Connection, row: NoteRow) -> None:
    """Say when a file that did not change was looked at."""
    connection.execute(
        "UPDATE note SET size = ?, mtime_ns = ?, inode = ?, checked_ns = ? WHERE entity = ?",
        (row.size, row.mtime_ns, row.inode, row.checked_ns, row.key),
    )


def put_parts(
    connection: sqlite3.Connection, note: NoteRow, parts: Sequence[PartRow], *, at: str, is_newest: bool = False
) -> list[int]:
    """Insert the parts of a note that has none; returns their entity keys, in order.

    `is_newest`: the note is the last entity that was inserted.
    """
    first = note.key + 1
    if not is_newest:
        first = connection.execute("SELECT coalesce(max(key), 0) + 1 FROM entity").fetchone()[0]
    keys = list(range(first, first + len(parts)))
    seen: dict[int, int] = {}
    entities = []
    for key, part in zip(keys, parts, strict=True):
        count = seen[part.line] = seen.get(part.line, 0) + 1
        name = f"{note.path}:{part.line}" + (f".{count}" if count > 1 else "")
        entities.append((key, name, part.label, part.text, at, at))
    connection.executemany(
        """INSERT INTO entity(key, id, name_key, type, description, details, first_seen_at, last_seen_at, touch_count)
        VALUES (?, ?, '', 'passage', ?, ?, ?, ?, 1)""",
        entities,
    )
    connection.executemany(
        "INSERT INTO part VALUES (?, ?, ?, ?, ?)",
        [(key, note.key, part.start, part.end, part.line) for key, part in zip(keys, parts, strict=True)],
    )
    return keys


def remove_parts(connection: sqlite3.Connection, note: int) -> list[int]:
    """Delete the parts of a note; returns the entity keys they had, for the indexes."""
    keys = [key for (key,) in connection.execute("SELECT entity FROM part WHERE note = ?", (note,))]
    connection.execute("DELETE FROM entity WHERE key IN (SELECT value FROM json_each(?))", (numbers(keys),))
    return keys


def remove_note(connection: sqlite3.Connection, note: NoteRow) -> list[int]:
    """Delete a note with all that it says; returns the entity keys of its parts."""
    keys = remove_parts(connection, note.key)
    for table in ("facet", "answer", "ask", "link", "edge"):
        connection.execute(f"DELETE FROM {table} WHERE note = ?", (note.key,))
    connection.execute("DELETE FROM entity WHERE key = ?", (note.key,))
    connection.execute("DELETE FROM document WHERE key = ?", (note.document,))
    return keys


def clear_note(connection: sqlite3.Connection, note: int) -> None:
    """Forget what a note says about itself and asks for, before it is written again."""
    for table in ("facet", "answer", "ask", "link"):
        connection.execute(f"DELETE FROM {table} WHERE note = ?", (note,))


def put_facets(connection: sqlite3.Connection, note: int, facets: Iterable[tuple[str, str]]) -> None:
    """Add facets of a note: (key, value) pairs that it can be filtered by."""
    connection.executemany(
        "INSERT OR IGNORE INTO facet VALUES (?, ?, ?)", [(key, value, note) for key, value in facets]
    )


def put_answers(connection: sqlite3.Connection, note: int, answers: Iterable[str]) -> None:
    """Add names a note is found under."""
    connection.executemany("INSERT OR IGNORE INTO answer VALUES (?, ?)", [(name, note) for name in answers])


def add_asks(connection: sqlite3.Connection, note: int, asks: Iterable[str]) -> None:
    """Add names that a note asks for."""
    connection.executemany("INSERT OR IGNORE INTO ask VALUES (?, ?)", [(note, name) for name in asks])


def put_links(connection: sqlite3.Connection, note: int, links: Sequence[str]) -> None:
    """Add the links of a note, each as JSON."""
    connection.executemany("INSERT INTO link VALUES (?, ?, ?)", [(note, n, data) for n, data in enumerate(links)])


def put_edges(
    connection: sqlite3.Connection, note: NoteRow, edges: Sequence[EdgeRow], *, at: str, is_new: bool = False
) -> None:
    """Replace the edges of a note, and bring the relations that it is evidence for to them; a new one has none."""
    had: list[int] = []
    if not is_new:
        connection.execute("DELETE FROM edge WHERE note = ?", (note.key,))
        query = "SELECT relation FROM evidence WHERE document = ?"
        had = [key for (key,) in connection.execute(query, (note.document,))]
    if had:
        connection.execute("DELETE FROM evidence WHERE document = ?", (note.document,))
    if not edges:
        _drop_unsupported(connection, had)
        return
    connection.executemany(f"INSERT INTO edge VALUES (NULL{', ?' * len(EdgeRow._fields)})", edges)
    first: dict[tuple[int, str, int], EdgeRow] = {}
    for edge in edges:
        if edge.status == "ok" and edge.subject is not None and edge.object is not None:
            first.setdefault((edge.subject, edge.predicate, edge.object), edge)
    if first:
        connection.executemany(
            """INSERT INTO relation(subject, predicate, object, reason, recorded_at) VALUES (?, ?, ?, '', ?)
            ON CONFLICT(subject, predicate, object) DO NOTHING""",
            [(*ends, at) for ends in first],
        )
        connection.executemany(
            """INSERT INTO evidence(relation, document, reason, quote, selector, method, confidence, recorded_at)
            SELECT key, ?, '', ?, ?, ?, ?, ? FROM relation WHERE subject = ? AND predicate = ? AND object = ?""",
            [
                (note.document, edge.quote, _selector(edge), edge.method, edge.confidence, at, *ends)
                for ends, edge in first.items()
            ],
        )
    _drop_unsupported(connection, had)


def _drop_unsupported(connection: sqlite3.Connection, had: Sequence[int]) -> None:
    if had:
        connection.execute(
            """DELETE FROM relation WHERE key IN (SELECT value FROM json_each(?))
            AND NOT EXISTS (SELECT 1 FROM evidence v WHERE v.relation = relation.key)""",
            (numbers(had),),
        )


def _selector(edge: EdgeRow) -> str | None:
    return None if edge.start is None else f'{{"end": {edge.end}, "line": {edge.line}, "start": {edge.start}}}'


def put_attachments(connection: sqlite3.Connection, gone: Iterable[str], new: Iterable[tuple[str, str]]) -> None:
    """Forget attachments and add others: (path, name key)."""
    connection.executemany("DELETE FROM attachment WHERE path = ?", [(path,) for path in gone])
    connection.executemany("INSERT OR REPLACE INTO attachment VALUES (?, ?)", new)


def put_records(connection: sqlite3.Connection, rows: Iterable[tuple[str, int, int]]) -> None:
    """Say which record files were read: (hash, size, mtime in ns), in place of what was known."""
    connection.execute("DELETE FROM record")
    connection.executemany("INSERT INTO record VALUES (?, ?, ?)", rows)


def put_folders(connection: sqlite3.Connection, rows: Iterable[tuple[str, int]]) -> None:
    """Say which folders there are, with their times in ns."""
    connection.execute("DELETE FROM folder")
    connection.executemany("INSERT OR REPLACE INTO folder VALUES (?, ?)", rows)


def put_troubles(connection: sqlite3.Connection, rows: Iterable[tuple[str, str, str]]) -> None:
    """Say what was left out or read with something wrong: (path, reason, sentence)."""
    connection.execute("DELETE FROM trouble")
    connection.executemany("INSERT OR REPLACE INTO trouble VALUES (?, ?, ?)", rows)


def put_concept(
    connection: sqlite3.Connection,
    identifier: str,
    *,
    name: str,
    kind: str,
    summary: str,
    aliases: Iterable[str],
    at: str,
) -> int:
    """Insert or update a concept by its id: `name` is shown, `aliases` are all its other names; returns its key."""
    row = connection.execute(
        """INSERT INTO entity(id, name_key, type, description, details, first_seen_at, last_seen_at, touch_count)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 1)
        ON CONFLICT(id) DO UPDATE SET type = ?3, description = ?4, details = ?5, last_seen_at = ?6 RETURNING key""",
        (identifier, name_key(identifier), kind, name, summary or None, at),
    ).fetchone()
    connection.execute("DELETE FROM alias WHERE entity = ?", (row[0],))
    connection.executemany(
        "INSERT OR IGNORE INTO alias(entity, alias, name_key, kind) VALUES (?, ?, ?, 'alias')",
        [(row[0], alias, name_key(alias)) for alias in aliases],
    )
    return int(row[0])
