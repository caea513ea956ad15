"""Reading what is known of a vault: each question is one statement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trivium.store.sqlite.connection import AMONG, names, numbers
from trivium.store.sqlite.notes.rows import EdgeRow, NoteRow

_NOTE = "n.entity, n.document, n.path, n.hash, n.size, n.mtime_ns, n.inode, n.checked_ns, n.title, n.names, n.problem"
_EDGE = ", ".join(f"e.{field}" for field in EdgeRow._fields)


CONCEPT = "concept://"
"""Before the id of a concept: no path of a note begins so."""


class Part(NamedTuple):
    """Where a part stands: `note` is the key of its note."""

    key: int
    note: int
    start: int
    end: int
    line: int


class StoredEdge(NamedTuple):
    """An edge with its number."""

    key: int
    row: EdgeRow


def notes(connection: sqlite3.Connection) -> list[NoteRow]:
    """Every note, by path."""
    return [NoteRow(*row) for row in connection.execute(f"SELECT {_NOTE} FROM note n ORDER BY n.path")]


def notes_by_key(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, NoteRow]:
    """Notes by entity key."""
    rows = connection.execute(f"SELECT {_NOTE} FROM note n WHERE n.entity IN {AMONG}", (numbers(keys),))
    return {row[0]: NoteRow(*row) for row in rows}


def note_at(connection: sqlite3.Connection, path: str) -> NoteRow | None:
    """The note at a path."""
    row = connection.execute(f"SELECT {_NOTE} FROM note n WHERE n.path = ?", (path,)).fetchone()
    return None if row is None else NoteRow(*row)


def notes_of_hash(connection: sqlite3.Connection, hash_: str) -> list[NoteRow]:
    """The notes that hold the text with this hash, by path."""
    rows = connection.execute(f"SELECT {_NOTE} FROM note n WHERE n.hash = ? ORDER BY n.path", (hash_,))
    return [NoteRow(*row) for row in rows]


def note_stats(connection: sqlite3.Connection) -> Iterator[tuple[str, int, int]]:
    """(path, size, mtime in ns) of every note."""
    yield from connection.execute("SELECT path, size, mtime_ns FROM note")


def note_count(connection: sqlite3.Connection) -> int:
    """How many notes there are."""
    return int(connection.execute("SELECT count(*) FROM note").fetchone()[0])


def folders(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """(path, mtime in ns) of every folder that was walked through."""
    return list(connection.execute("SELECT path, mtime_ns FROM folder"))


def parts(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Part]:
    """Parts by entity key."""
    rows = connection.execute(
        f"SELECT entity, note, start, end, line FROM part WHERE entity IN {AMONG}", (numbers(keys),)
    )
    return {row[0]: Part(*row) for row in rows}


def parts_of(connection: sqlite3.Connection, note_keys: Iterable[int]) -> list[Part]:
    """The parts of some notes, in the order of their text."""
    query = f"SELECT entity, note, start, end, line FROM part WHERE note IN {AMONG} ORDER BY note, start"
    return [Part(*row) for row in connection.execute(query, (numbers(note_keys),))]


def parts_without_passages(connection: sqlite3.Connection) -> list[int]:
    """Parts that were never cut up for an embedder."""
    query = "SELECT entity FROM part p WHERE NOT EXISTS (SELECT 1 FROM passage s WHERE s.entity = p.entity)"
    return [key for (key,) in connection.execute(query)]


def part_texts(connection: sqlite3.Connection) -> Iterator[tuple[int, str, int, int]]:
    """(note key, text, start, line) of every part that holds text, note by note."""
    yield from connection.execute(
        """SELECT p.note, e.details, p.start, p.line FROM part p JOIN entity e ON e.key = p.entity
        WHERE e.details <> '' ORDER BY p.note, p.start"""
    )


def links(connection: sqlite3.Connection, note: int) -> list[str]:
    """The links of a note as JSON, in order."""
    return [data for (data,) in connection.execute("SELECT data FROM link WHERE note = ? ORDER BY place", (note,))]


def answering(connection: sqlite3.Connection, asked: Iterable[str]) -> list[NoteRow]:
    """The notes that are found under any of the names."""
    query = f"""SELECT {_NOTE} FROM note n WHERE n.entity IN (SELECT a.note FROM json_each(?) AS asked
        CROSS JOIN answer a ON a.name = asked.value)"""
    return [NoteRow(*row) for row in connection.execute(query, (names(asked),))]


def answers_of(connection: sqlite3.Connection, note: int) -> set[str]:
    """The names a note is found under."""
    return {name for (name,) in connection.execute("SELECT name FROM answer WHERE note = ?", (note,))}


def asking(connection: sqlite3.Connection, asked: Iterable[str]) -> set[int]:
    """The notes whose links or claims ask for any of the names."""
    query = "SELECT DISTINCT a.note FROM json_each(?) AS asked CROSS JOIN ask a ON a.name = asked.value"
    return {note for (note,) in connection.execute(query, (names(asked),))}


def attachments(connection: sqlite3.Connection, asked: Iterable[str] | None = None) -> list[str]:
    """Paths of attachments, all or those whose file name has one of the keys."""
    if asked is None:
        return [path for (path,) in connection.execute("SELECT path FROM attachment")]
    query = "SELECT t.path FROM json_each(?) AS asked CROSS JOIN attachment t ON t.name = asked.value"
    return [path for (path,) in connection.execute(query, (names(asked),))]


def edges(
    connection: sqlite3.Connection,
    *,
    notes: Iterable[int] | None = None,
    ends: Iterable[int] | None = None,
    status: str | None = None,
    key: int | None = None,
) -> list[StoredEdge]:
    """Edges, by number: those that stand in some notes, that touch some entities, of one status, or one of them."""
    where: list[str] = []
    values: list[str | int] = []
    if notes is not None:
        where.append(f"e.note IN {AMONG}")
        values.append(numbers(notes))
    if ends is not None:
        wanted = numbers(ends)
        where.append(f"""e.key IN (SELECT key FROM edge WHERE subject IN {AMONG}
            UNION SELECT key FROM edge WHERE object IN {AMONG})""")
        values += [wanted, wanted]
    if status is not None:
        where.append("e.status = ?")
        values.append(status)
    if key is not None:
        where.append("e.key = ?")
        values.append(key)
    query = f"SELECT e.key, {_EDGE} FROM edge e {'WHERE ' + ' AND '.join(where) if where else ''} ORDER BY e.key"
    return [StoredEdge(row[0], EdgeRow(*row[1:])) for row in connection.execute(query, values)]


def edges_between(connection: sqlite3.Connection, ends: Iterable[tuple[int, str, int]]) -> list[StoredEdge]:
    """The edges with these ends: (subject, predicate, object)."""
    query = f"SELECT e.key, {_EDGE} FROM edge e WHERE e.subject = ? AND e.predicate = ? AND e.object = ? ORDER BY e.key"
    found = [row for triple in ends for row in connection.execute(query, triple)]
    return [StoredEdge(row[0], EdgeRow(*row[1:])) for row in found]


def edge_counts(connection: sqlite3.Connection) -> list[tuple[str, str, str, int]]:
    """(status, predicate, method, how many) over all edges."""
    query = "SELECT status, predicate, method, count(*) FROM edge GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    return list(connection.execute(query))


def mention_counts(connection: sqlite3.Connection, keys: Iterable[int] | None = None) -> dict[int, int]:
    """How many mentions lead to entities, by key."""
    among, values = ("", ()) if keys is None else (f"AND object IN {AMONG}", (numbers(keys),))
    query = f"SELECT object, count(*) FROM edge WHERE predicate = 'mentions' AND status = 'ok' {among} GROUP BY object"
    return dict(connection.execute(query, values))


def matching(connection: sqlite3.Connection, conditions: Sequence[tuple[str, str, str]]) -> set[int]:
    """Keys of the notes that meet every condition (key, operator, value): =, below, <, <=, >, >= or has."""
    found: set[int] | None = None
    for key, operator, value in conditions:
        if operator == "below":
            test, values = "(value = ? OR value GLOB ?)", [value, _glob(value) + "/*"]
        elif operator == "has":
            test, values = "1", []
        else:
            test, values = f"value {operator} ?", [value]
        rows = connection.execute(f"SELECT note FROM facet WHERE key = ? AND {test}", [key, *values])
        fits = {note for (note,) in rows}
        found = fits if found is None else found & fits
    return found or set()


def _glob(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def facet_counts(connection: sqlite3.Connection, key: str) -> list[tuple[str, int]]:
    """(value, how many notes) of one facet, most first."""
    query = "SELECT value, count(*) FROM facet WHERE key = ? GROUP BY value ORDER BY 2 DESC, 1"
    return list(connection.execute(query, (key,)))


def facets_of(connection: sqlite3.Connection, note: int) -> list[tuple[str, str]]:
    """(key, value) of a note's facets."""
    return list(connection.execute("SELECT key, value FROM facet WHERE note = ? ORDER BY key, value", (note,)))


def former_hashes(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """(hash, path) of the texts that notes had before."""
    query = "SELECT f.value, n.path FROM facet f JOIN note n ON n.entity = f.note WHERE f.key = 'was'"
    return list(connection.execute(query))


def records(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Record files as they were read: hash to (size, mtime in ns)."""
    return {row[0]: (row[1], row[2]) for row in connection.execute("SELECT hash, size, mtime_ns FROM record")}


def troubles(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """(path, reason, sentence) of what was left out or read with something wrong."""
    return list(connection.execute("SELECT path, reason, message FROM trouble ORDER BY path, reason"))


def concept_keys(connection: sqlite3.Connection) -> dict[str, int]:
    """Entity keys of the concepts, by entity id."""
    return dict(connection.execute("SELECT id, key FROM entity WHERE id GLOB ?", (CONCEPT + "*",)))
