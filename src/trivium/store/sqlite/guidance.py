"""The tables of a guidance space: its files as they were last read, and its entries as a match needs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trivium.store.sqlite import derived
from trivium.store.sqlite.connection import AMONG, numbers
from trivium.store.sqlite.store import SqliteStore

CENTRE = -1
"""The ordinal of the passage that stands for the middle of an entry's examples: its vector is not embedded."""

SEPARATOR = "\n"
"""Between the items of a list that is stored as one text; no item holds it."""

_TABLES = (
    """CREATE TABLE IF NOT EXISTS guide_file(
        document INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE, root TEXT NOT NULL,
        size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
        content_hash BLOB NOT NULL, problems TEXT NOT NULL) STRICT""",
    """CREATE TABLE IF NOT EXISTS guide(
        entity INTEGER PRIMARY KEY REFERENCES entity ON DELETE CASCADE,
        document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE, root TEXT NOT NULL, name TEXT NOT NULL,
        kind TEXT NOT NULL, example_count INTEGER NOT NULL, boost REAL NOT NULL, tightness REAL, status TEXT NOT NULL,
        is_always INTEGER NOT NULL, one_liner TEXT NOT NULL, examples TEXT NOT NULL, paths TEXT NOT NULL,
        hooks TEXT NOT NULL, origin TEXT NOT NULL, section TEXT NOT NULL, line INTEGER NOT NULL,
        content_hash BLOB NOT NULL) STRICT""",
    "CREATE INDEX IF NOT EXISTS guide_document ON guide(document)",
)

_NAMES = ("guide", "guide_file")

Stat = tuple[int, int, int, int]


class FileRow(NamedTuple):
    """A file as it was last read; `problems` are lines of text."""

    document: int
    path: str
    root: str
    stat: Stat
    content_hash: bytes
    problems: str


class GuideRow(NamedTuple):
    """An entry without its long texts. Lists are texts with one item a line. `tightness`: see `Calibration`."""

    entity: int
    id: str
    name: str
    kind: str
    description: str
    one_liner: str
    root: str
    path: str
    section: str
    line: int
    example_count: int
    boost: float
    tightness: float | None
    status: str
    is_always: bool
    paths: str
    hooks: str
    origin: str
    content_hash: bytes


_GUIDE = """SELECT g.entity, e.id, g.name, g.kind, e.description, g.one_liner, g.root, d.uri, g.section, g.line,
    g.example_count, g.boost, g.tightness, g.status, g.is_always, g.paths, g.hooks, g.origin, g.content_hash
    FROM guide g JOIN entity e ON e.key = g.entity JOIN document d ON d.key = g.document"""


def create(store: SqliteStore) -> None:
    """Make the tables if they are missing, inside a transaction."""
    for statement in _TABLES:
        store.connection.execute(statement)


def reset(store: SqliteStore) -> None:
    """Forget every file and entry, inside a transaction; the vectors of their texts stay."""
    for statement in ("DELETE FROM entity", "DELETE FROM document", *(f"DROP TABLE IF EXISTS {t}" for t in _NAMES)):
        store.connection.execute(statement)
    create(store)


# -- files


def files(store: SqliteStore) -> dict[str, FileRow]:
    """Every file by its path."""
    rows = store.connection.execute(
        """SELECT f.document, d.uri, f.root, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.content_hash, f.problems
        FROM guide_file f JOIN document d ON d.key = f.document"""
    )
    return {row[1]: FileRow(row[0], row[1], row[2], row[3:7], row[7], row[8]) for row in rows}


def file(store: SqliteStore, path: str) -> FileRow | None:
    """One file."""
    row = store.connection.execute(
        """SELECT f.document, d.uri, f.root, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.content_hash, f.problems
        FROM guide_file f JOIN document d ON d.key = f.document WHERE d.uri = ?""",
        (path,),
    ).fetchone()
    return None if row is None else FileRow(row[0], row[1], row[2], row[3:7], row[7], row[8])


def put_file(
    store: SqliteStore, path: str, *, root: str, stat: Stat, content_hash: bytes, problems: str, at: str
) -> int:
    """Insert or update a file; returns the key of its document."""
    key = derived.put_document(store.connection, path, path, at=at, content_hash=content_hash.hex())
    store.connection.execute(
        "INSERT OR REPLACE INTO guide_file VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (key, root, *stat, content_hash, problems)
    )
    return key


def touch_file(store: SqliteStore, document: int, stat: Stat) -> None:
    """Note the state on disk of a file whose content is the same as before."""
    store.connection.execute(
        "UPDATE guide_file SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE document = ?", (*stat, document)
    )


def delete_files(store: SqliteStore, documents: Iterable[int]) -> list[int]:
    """Forget files with their entries; returns the keys of the entries."""
    wanted = numbers(documents)
    rows = store.connection.execute(f"SELECT entity FROM guide WHERE document IN {AMONG}", (wanted,)).fetchall()
    gone = [int(row[0]) for row in rows]
    derived.delete_entities(store.connection, gone)
    store.connection.execute(f"DELETE FROM document WHERE key IN {AMONG}", (wanted,))
    return gone


def problems(store: SqliteStore) -> list[tuple[str, str]]:
    """(path, problems) of the files that have some, by path."""
    return store.connection.execute(
        """SELECT d.uri, f.problems FROM guide_file f JOIN document d ON d.key = f.document
        WHERE f.problems <> '' ORDER BY 1"""
    ).fetchall()


# -- entries


def entities_of(store: SqliteStore, document: int) -> dict[str, int]:
    """Ids and keys of the entries of a file."""
    rows = store.connection.execute(
        "SELECT e.id, e.key FROM guide g JOIN entity e ON e.key = g.entity WHERE g.document = ?", (document,)
    )
    return dict(rows.fetchall())


def put_entry(
    store: SqliteStore, identifier: str, document: int, *, at: str, description: str, body: str, kind: str
) -> int:
    """Insert or update an entry by its id, and say that the document holds it; returns its key."""
    entity = derived.put_entity(store.connection, identifier, at=at, description=description, details=body, kind=kind)
    derived.put_mention(store.connection, entity, document, at=at)
    return entity


def delete_entries(store: SqliteStore, keys: Iterable[int]) -> None:
    """Delete entries with everything that hangs on them."""
    derived.delete_entities(store.connection, keys)


def put_guide(store: SqliteStore, entity: int, document: int, root: str, columns: Mapping[str, object]) -> None:
    """Insert or replace what an entry has beyond its description and body; `columns` are named as in the table."""
    names = ("entity", "document", "root", *columns)
    marks = ", ".join("?" * len(names))
    store.connection.execute(
        f"INSERT OR REPLACE INTO guide({', '.join(names)}) VALUES ({marks})",
        (entity, document, root, *columns.values()),
    )


def guides(store: SqliteStore, keys: Iterable[int]) -> dict[int, GuideRow]:
    """Entries by key."""
    rows = store.connection.execute(f"{_GUIDE} WHERE g.entity IN {AMONG}", (numbers(keys),))
    return {row[0]: GuideRow(*row) for row in rows}


def all_guides(store: SqliteStore) -> list[GuideRow]:
    """Every entry, by id."""
    return [GuideRow(*row) for row in store.connection.execute(f"{_GUIDE} ORDER BY e.id")]


def scoped_guides(store: SqliteStore) -> list[GuideRow]:
    """The entries that are about certain files."""
    return [GuideRow(*row) for row in store.connection.execute(f"{_GUIDE} WHERE g.paths <> '' ORDER BY e.id")]


def guides_named(store: SqliteStore, name: str) -> list[GuideRow]:
    """Entries of this id; if there is none, of this name; by id."""
    rows = store.connection.execute(f"{_GUIDE} WHERE e.id = ?", (name,)).fetchall()
    rows = rows or store.connection.execute(f"{_GUIDE} WHERE g.name = ? ORDER BY e.id", (name,)).fetchall()
    return [GuideRow(*row) for row in rows]


def body(store: SqliteStore, entity: int) -> str:
    """The text of an entry."""
    row = store.connection.execute("SELECT details FROM entity WHERE key = ?", (entity,)).fetchone()
    return "" if row is None or row[0] is None else str(row[0])


def examples(store: SqliteStore, keys: Iterable[int]) -> dict[int, list[str]]:
    """What prompts are compared with, by entry key; the ordinal of a passage is the place in its list."""
    rows = store.connection.execute(f"SELECT entity, examples FROM guide WHERE entity IN {AMONG}", (numbers(keys),))
    return {key: text.split(SEPARATOR) for key, text in rows}


def counts(store: SqliteStore) -> dict[str, int]:
    """How many entries there are of each kind."""
    return dict(store.connection.execute("SELECT kind, count(*) FROM guide GROUP BY kind ORDER BY kind").fetchall())


def shape(store: SqliteStore) -> tuple[int, int]:
    """How many entries there are, and how many examples."""
    row = store.connection.execute("SELECT count(*), coalesce(sum(example_count), 0) FROM guide").fetchone()
    return int(row[0]), int(row[1])


# -- vectors


def passage_vectors(store: SqliteStore, embedder: str, keys: Iterable[int]) -> list[tuple[int, int, int]]:
    """(entry key, ordinal, sequence number of the vector) of every example of some entries that has a vector."""
    return store.connection.execute(
        """SELECT p.entity, p.ordinal, v.seq FROM json_each(?) AS asked CROSS JOIN passage p ON p.entity = asked.value
        CROSS JOIN vector v ON v.embedder = ? AND v.text_hash = p.text_hash""",
        (numbers(keys), embedder),
    ).fetchall()


def without_centre(store: SqliteStore, embedder: str) -> list[int]:
    """Entries of two or more examples, each with a vector, whose middle was not computed yet."""
    rows = store.connection.execute(
        f"""SELECT p.entity FROM passage p LEFT JOIN vector v ON v.embedder = ? AND v.text_hash = p.text_hash
        GROUP BY p.entity HAVING count(*) > 1 AND min(p.ordinal) > {CENTRE} AND count(v.seq) = count(*)""",
        (embedder,),
    )
    return [int(row[0]) for row in rows]


def put_centre(store: SqliteStore, embedder: str, entity: int, name: bytes, vector: bytes) -> None:
    """Store the middle of an entry's examples under a name of its own."""
    store.connection.execute("INSERT OR REPLACE INTO passage VALUES (?, ?, ?, 0, 0)", (entity, CENTRE, name))
    store.connection.execute(
        "INSERT OR IGNORE INTO vector(embedder, text_hash, data) VALUES (?, ?, ?)", (embedder, name, vector)
    )


def set_tightness(store: SqliteStore, values: Iterable[tuple[float, int]]) -> None:
    """Store (tightness, entry key) pairs."""
    store.connection.executemany("UPDATE guide SET tightness = ? WHERE entity = ?", values)


def example_sample(store: SqliteStore, limit: int) -> Sequence[tuple[int, int]]:
    """At most so many (entry key, ordinal) of entries with several examples, chosen by the hashes of their texts."""
    return store.connection.execute(
        """SELECT p.entity, p.ordinal FROM passage p JOIN guide g ON g.entity = p.entity
        WHERE p.ordinal >= 0 AND g.example_count > 1 AND g.status = 'active' ORDER BY p.text_hash, p.entity LIMIT ?""",
        (limit,),
    ).fetchall()


def keys_of_kinds(store: SqliteStore, kinds: Sequence[str], most: int) -> list[int] | None:
    """The keys of all entries of some kinds (of all when none is named), or None when there are more than `most`."""
    where = f"WHERE kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    rows = store.connection.execute(f"SELECT entity FROM guide {where} LIMIT ?", (*kinds, most + 1)).fetchall()
    return None if len(rows) > most else [int(row[0]) for row in rows]


def mean_tightness(store: SqliteStore) -> float:
    """The mean over the entries for which it is known; 0 when there are none."""
    row = store.connection.execute("SELECT coalesce(avg(tightness), 0) FROM guide").fetchone()
    return float(row[0])
