"""How each journal record changes the tables; folding the whole journal gives the same rows as living it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from trivium.errors import StoreError
from trivium.model import Record, name_key
from trivium.store.sqlite.connection import RECOVER_HINT
from trivium.store.sqlite.fold.merge import absorb

_MISSHAPEN = (KeyError, TypeError, AttributeError, ValueError, sqlite3.ProgrammingError, sqlite3.IntegrityError)


class Fold:
    """Applies records to the tables of one connection, in journal order.

    Unqualified table names are used on purpose: with temporary twins in place the fold is made beside the real
    tables. With `is_from_empty` every name is made by this fold, so that it never has to look one up.

    `changed` collects the keys of entities whose searched text changed (or that are gone), `renamed` pairs of old
    and new id, `skipped` the effects that found no target, such as a relation whose end was undone; those are also
    kept in the table `lost`.
    """

    def __init__(self, connection: sqlite3.Connection, *, is_from_empty: bool = False) -> None:
        self.run = connection.execute
        self.run_many = connection.executemany
        self.is_from_empty = is_from_empty
        self.changed: set[int] = set()
        self.renamed: list[tuple[str, str]] = []
        self.skipped: list[str] = []
        self._record = ""
        self._keys: dict[str, int] = {}
        self._names: dict[int, list[str]] = {}
        self._operations: dict[str, Callable[[str, dict[str, Any]], None]] = {
            "register": self._register,
            "archive": self._archive,
            "unarchive": self._unarchive,
            "delete": self._delete,
            "rename": self._rename,
            "merge": self._merge,
            "withdraw": self._withdraw,
            "unlink": self._unlink,
        }

    def apply(self, record: Record) -> None:
        """Fold one record; an operation of a newer program is skipped and named. Raises `StoreError` for damage."""
        self._record = record.id
        operation = self._operations.get(record.op)
        if operation is None:
            self._lose(f"operation {record.op!r} is not known to this version")
            return
        try:
            operation(record.at, record.payload)
        except _MISSHAPEN as error:
            message = f"The journal is damaged: record {record.id} does not have the shape of its operation."
            raise StoreError(message, hint=RECOVER_HINT) from error

    def apply_all(self, records: Iterable[Record]) -> None:
        """Fold records in the order given."""
        for record in records:
            self.apply(record)

    def _lose(self, effect: str) -> None:
        self.skipped.append(effect)
        self.run("INSERT OR IGNORE INTO lost VALUES (?, ?)", (self._record, effect))

    # -- names: ids and redirects are one set, in which each name leads to one entity

    def find(self, identifier: str) -> int | None:
        """The key of an id, following renames and merges."""
        key = self._keys.get(identifier)
        if key is not None or self.is_from_empty:
            return key
        row = self.run("SELECT key FROM entity WHERE id = ?", (identifier,)).fetchone()
        if row is None:
            query = "SELECT entity FROM alias WHERE alias = ? AND kind = 'redirect'"
            row = self.run(query, (identifier,)).fetchone()
        if row is None:
            return None
        self._know(identifier, row[0])
        return int(row[0])

    def _know(self, name: str, key: int) -> None:
        self._keys[name] = key
        self._names.setdefault(key, []).append(name)

    def _need(self, identifier: str, what: str) -> int | None:
        key = self.find(identifier)
        if key is None:
            self._lose(f"{what}: {identifier!r} is not stored")
        return key

    # -- operations

    def _register(self, at: str, payload: dict[str, Any]) -> None:
        document = self._put_document(at, payload["reference"])
        concepts = [(self._put_concept(at, concept), concept) for concept in payload["concepts"]]
        self.run_many(
            """INSERT INTO mention(entity, document, description, details, quote, selector, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(entity, document) DO UPDATE SET description = excluded.description,
              details = coalesce(excluded.details, details), quote = coalesce(excluded.quote, quote),
              selector = iif(excluded.quote IS NULL, selector, excluded.selector),
              recorded_at = excluded.recorded_at""",
            [
                (key, document, c["description"], c.get("details"), c.get("quote"), _json(c.get("selector")), at)
                for key, c in concepts
            ],
        )
        relations = [(self._put_relation(at, relation), relation) for relation in payload["relations"]]
        self.run_many(
            """INSERT INTO evidence(relation, document, reason, quote, selector, method, confidence, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(relation, document) DO UPDATE SET reason = excluded.reason,
              quote = coalesce(excluded.quote, quote),
              selector = iif(excluded.quote IS NULL, selector, excluded.selector),
              method = excluded.method, confidence = coalesce(excluded.confidence, confidence),
              recorded_at = excluded.recorded_at""",
            [_evidence_row(key, document, r, at) for key, r in relations if key is not None],
        )

    def _put_document(self, at: str, reference: dict[str, Any]) -> int:
        row = self.run(
            """INSERT INTO document(uri, title, published_at, observed_at, first_seen_at, last_seen_at, content_hash)
            VALUES (:url, :title, :published_at, coalesce(:fetched_at, :at), :at, :at, :content_hash)
            ON CONFLICT(uri) DO UPDATE SET title = excluded.title, last_seen_at = excluded.last_seen_at,
              observed_at = excluded.observed_at, published_at = coalesce(excluded.published_at, published_at),
              content_hash = coalesce(excluded.content_hash, content_hash)
            RETURNING key""",
            {"published_at": None, "fetched_at": None, "content_hash": None, **reference, "at": at},
        ).fetchone()
        return int(row[0])

    def _put_concept(self, at: str, concept: dict[str, Any]) -> int:
        identifier, description, details = concept["id"], concept["description"], concept.get("details")
        key = self.find(identifier)
        if key is None:
            key = self._new_entity(at, concept)
        else:
            if not self.is_from_empty:
                before = self.run("SELECT description, details FROM entity WHERE key = ?", (key,)).fetchone()
                if before != (description, details if details is not None else before[1]):
                    self.changed.add(key)
            self.run(
                """UPDATE entity SET description = ?, details = coalesce(?, details), type = coalesce(?, type),
                last_seen_at = ?, touch_count = touch_count + 1, withdrawn_at = NULL WHERE key = ?""",
                (description, details, concept.get("type"), at, key),
            )
        for alias in concept.get("aliases") or ():
            self._put_alias(key, alias, "alias")
        return key

    def _new_entity(self, at: str, concept: dict[str, Any]) -> int:
        identifier = concept["id"]
        key = self.run(
            """INSERT INTO entity(id, name_key, type, description, details, first_seen_at, last_seen_at, touch_count)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                identifier,
                name_key(identifier),
                concept.get("type"),
                concept["description"],
                concept.get("details"),
                # An import says since when another program knew it.
                concept.get("first_seen_at", at),
                concept.get("last_seen_at", at),
                concept.get("touch_count", 1),
            ),
        ).lastrowid
        assert key is not None
        self._know(identifier, key)
        self.changed.add(key)
        return key

    def _put_alias(self, key: int, alias: str, kind: str) -> None:
        """Give an entity another name; its id is none, and a redirect stays one."""
        cursor = self.run(
            """INSERT INTO alias(entity, alias, name_key, kind) SELECT ?1, ?2, ?3, ?4
            WHERE NOT EXISTS (SELECT 1 FROM entity WHERE key = ?1 AND id = ?2)
            ON CONFLICT(alias, entity) DO UPDATE SET kind = 'redirect' WHERE excluded.kind = 'redirect'""",
            (key, alias, name_key(alias), kind),
        )
        if cursor.rowcount:
            self.changed.add(key)

    def _put_relation(self, at: str, relation: dict[str, Any]) -> int | None:
        subject, target = self.find(relation["subject"]), self.find(relation["object"])
        if subject is None or target is None:
            what = f"relation {relation['subject']} -[{relation['predicate']}]-> {relation['object']}"
            self._need(relation["subject"], what)
            self._need(relation["object"], what)
            return None
        row = self.run(
            """INSERT INTO relation(subject, predicate, object, reason, recorded_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT(subject, predicate, object) DO UPDATE SET reason = excluded.reason,
              recorded_at = excluded.recorded_at RETURNING key""",
            (subject, relation["predicate"], target, relation["reason"], at),
        ).fetchone()
        return int(row[0])

    def _archive(self, at: str, payload: dict[str, Any]) -> None:
        for identifier in payload["ids"]:
            key = self._need(identifier, "archive")
            if key is not None:
                self.run(
                    """UPDATE entity SET archived_at = ?,
                    archive_reason = coalesce(nullif(?, ''), archive_reason, '') WHERE key = ?""",
                    (at, payload.get("reason") or "", key),
                )

    def _unarchive(self, at: str, payload: dict[str, Any]) -> None:
        for identifier in payload["ids"]:
            key = self._need(identifier, "unarchive")
            if key is not None:
                self.run("UPDATE entity SET archived_at = NULL, archive_reason = NULL WHERE key = ?", (key,))

    def _delete(self, at: str, payload: dict[str, Any]) -> None:
        documents: set[int] = set()
        for identifier in payload["ids"]:
            key = self._need(identifier, "delete")
            if key is None:
                continue
            documents.update(
                document
                for (document,) in self.run(
                    """SELECT document FROM mention WHERE entity = ?1 UNION
                    SELECT document FROM evidence JOIN relation ON relation = key WHERE subject = ?1 UNION
                    SELECT document FROM evidence JOIN relation ON relation = key WHERE object = ?1""",
                    (key,),
                )
            )
            self.run("DELETE FROM entity WHERE key = ?", (key,))
            for name in self._names.pop(key, ()):
                del self._keys[name]
            self.changed.add(key)
        self.run_many(
            """DELETE FROM document WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM mention WHERE document = ?1)
            AND NOT EXISTS (SELECT 1 FROM evidence WHERE document = ?1)""",
            [(document,) for document in sorted(documents)],
        )

    def _rename(self, at: str, payload: dict[str, Any]) -> None:
        new_id = payload["new_id"]
        key = self._need(payload["id"], "rename")
        if key is None:
            return
        taken = self.find(new_id)
        if taken is not None and taken != key:
            self._lose(f"rename: {new_id!r} is taken")
            return
        (old,) = self.run("SELECT id FROM entity WHERE key = ?", (key,)).fetchone()
        if old == new_id:
            return
        self.run("DELETE FROM alias WHERE entity = ? AND alias = ?", (key, new_id))
        self.run("UPDATE entity SET id = ?, name_key = ? WHERE key = ?", (new_id, name_key(new_id), key))
        self._put_alias(key, old, "redirect")
        if taken is None:
            self._know(new_id, key)
        self.renamed.append((old, new_id))
        self.changed.add(key)

    def _merge(self, at: str, payload: dict[str, Any]) -> None:
        into = self._need(payload["into"], "merge")
        if into is None:
            return
        for identifier in payload["ids"]:
            key = self._need(identifier, "merge")
            if key is None or key == into:
                continue
            for alias, kind in absorb(self.run, into, key):
                self._put_alias(into, alias, kind)
            for name in self._names.pop(key, ()):
                self._know(name, into)
            self.changed.update((into, key))

    def _withdraw(self, at: str, payload: dict[str, Any]) -> None:
        row = self.run("SELECT key FROM document WHERE uri = ?", (payload["url"],)).fetchone()
        if row is None:
            self._lose(f"withdraw: {payload['url']!r} is not stored")
            return
        document = int(row[0])
        entities = [key for (key,) in self.run("SELECT entity FROM mention WHERE document = ?", (document,))]
        relations = [key for (key,) in self.run("SELECT relation FROM evidence WHERE document = ?", (document,))]
        self.run("DELETE FROM document WHERE key = ?", (document,))
        for key in relations:
            self._restate_relation(key)
        for key in entities:
            self._restate_entity(at, key)

    def _restate_relation(self, key: int) -> None:
        """Give a relation the reason of its newest evidence, or drop it when none is left."""
        row = self.run(
            """SELECT reason, recorded_at FROM evidence JOIN document ON document = key
            WHERE relation = ? ORDER BY recorded_at DESC, uri DESC LIMIT 1""",
            (key,),
        ).fetchone()
        if row is None:
            self.run("DELETE FROM relation WHERE key = ?", (key,))
        else:
            self.run("UPDATE relation SET reason = ?, recorded_at = ? WHERE key = ?", (*row, key))

    def _restate_entity(self, at: str, key: int) -> None:
        """Give an entity the words of its newest source, or mark it withdrawn when none is left."""
        newest = """SELECT {} FROM mention JOIN document ON document = key WHERE entity = ? {}
            ORDER BY recorded_at DESC, uri DESC LIMIT 1"""
        row = self.run(newest.format("description", ""), (key,)).fetchone()
        if row is None:
            self.run("UPDATE entity SET withdrawn_at = ? WHERE key = ?", (at, key))
            return
        details = self.run(newest.format("details", "AND details IS NOT NULL"), (key,)).fetchone()
        cursor = self.run(
            """UPDATE entity SET description = ?1, details = ?2
            WHERE key = ?3 AND (description IS NOT ?1 OR details IS NOT ?2)""",
            (row[0], details[0] if details else None, key),
        )
        if cursor.rowcount:
            self.changed.add(key)

    def _unlink(self, at: str, payload: dict[str, Any]) -> None:
        for relation in payload["relations"]:
            subject, target = self._need(relation["subject"], "unlink"), self._need(relation["object"], "unlink")
            if subject is None or target is None:
                continue
            cursor = self.run(
                "DELETE FROM relation WHERE subject = ? AND predicate = ? AND object = ?",
                (subject, relation["predicate"], target),
            )
            if cursor.rowcount == 0:
                names = (relation["subject"], relation["predicate"], relation["object"])
                self._lose("unlink: there is no relation {} -[{}]-> {}".format(*names))


def _evidence_row(key: int, document: int, relation: dict[str, Any], at: str) -> tuple[object, ...]:
    method = relation.get("method") or "llm"
    quote, selector = relation.get("quote"), _json(relation.get("selector"))
    return key, document, relation["reason"], quote, selector, method, relation.get("confidence"), at


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)
