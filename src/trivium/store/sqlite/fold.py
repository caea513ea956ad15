"""How each journal record changes the tables; folding the whole journal gives the same rows as living it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from trivium.model import Record, name_key


class Fold:
    """Applies records to the tables of one connection, in journal order.

    Unqualified table names are used on purpose: with temporary twins in place the fold is made beside the real
    tables. `changed` collects the keys of entities whose searched text changed (or that are gone), `skipped` the
    effects that found no target, such as a relation whose end was undone.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.run = connection.execute
        self.changed: set[int] = set()
        self.skipped: list[str] = []
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
        """Fold one record; an operation of a newer program is skipped and named."""
        operation = self._operations.get(record.op)
        if operation is None:
            self.skipped.append(f"operation {record.op!r} is not known to this version")
            return
        operation(record.at, record.payload)

    def apply_all(self, records: Iterable[Record]) -> None:
        """Fold records in the order given."""
        for record in records:
            self.apply(record)

    # -- look-ups

    def find(self, identifier: str) -> int | None:
        """The key of an id, following renames and merges."""
        row = self.run("SELECT key FROM entity WHERE id = ?", (identifier,)).fetchone()
        if row is None:
            row = self.run(
                "SELECT entity FROM alias WHERE alias = ? AND kind = 'redirect' ORDER BY entity",
                (identifier,),
            ).fetchone()
        return None if row is None else int(row[0])

    def _need(self, identifier: str, what: str) -> int | None:
        key = self.find(identifier)
        if key is None:
            self.skipped.append(f"{what}: {identifier!r} is not stored")
        return key

    # -- operations

    def _register(self, at: str, payload: dict[str, Any]) -> None:
        document = self._put_document(at, payload["reference"])
        for concept in payload["concepts"]:
            self._put_concept(at, document, concept)
        for relation in payload["relations"]:
            self._put_relation(at, document, relation)

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

    def _put_concept(self, at: str, document: int, concept: dict[str, Any]) -> None:
        identifier, description, details = concept["id"], concept["description"], concept.get("details")
        key = self.find(identifier)
        if key is None:
            row = self.run(
                """INSERT INTO entity(id, name_key, type, description, details, first_seen_at, last_seen_at, touch_count)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING key""",
                (
                    identifier,
                    name_key(identifier),
                    concept.get("type"),
                    description,
                    details,
                    concept.get("first_seen_at", at),
                    concept.get("last_seen_at", at),
                    concept.get("touch_count", 1),
                ),
            ).fetchone()
            key = int(row[0])
            self.changed.add(key)
        else:
            before = self.run("SELECT description, details FROM entity WHERE key = ?", (key,)).fetchone()
            self.run(
                """UPDATE entity SET description = ?, details = coalesce(?, details), type = coalesce(?, type),
                last_seen_at = ?, touch_count = touch_count + 1, withdrawn_at = NULL WHERE key = ?""",
                (description, details, concept.get("type"), at, key),
            )
            if before != (description, details if details is not None else before[1]):
                self.changed.add(key)
        for alias in concept.get("aliases", ()):
            self._put_alias(key, alias, "alias")
        self.run(
            """INSERT INTO mention(entity, document, description, details, quote, selector, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(entity, document) DO UPDATE SET description = excluded.description,
              details = coalesce(excluded.details, details), quote = coalesce(excluded.quote, quote),
              selector = coalesce(excluded.selector, selector), recorded_at = excluded.recorded_at""",
            (key, document, description, details, concept.get("quote"), _json(concept.get("selector")), at),
        )

    def _put_alias(self, key: int, alias: str, kind: str) -> None:
        if kind == "alias" and self.run("SELECT 1 FROM entity WHERE key = ? AND id = ?", (key, alias)).fetchone():
            return
        cursor = self.run(
            """INSERT INTO alias(entity, alias, name_key, kind) VALUES (?, ?, ?, ?)
            ON CONFLICT(alias, entity) DO UPDATE SET kind = 'redirect' WHERE excluded.kind = 'redirect'""",
            (key, alias, name_key(alias), kind),
        )
        if cursor.rowcount:
            self.changed.add(key)

    def _put_relation(self, at: str, document: int, relation: dict[str, Any]) -> None:
        what = f"relation {relation['subject']} -[{relation['predicate']}]-> {relation['object']}"
        subject, target = self._need(relation["subject"], what), self._need(relation["object"], what)
        if subject is None or target is None:
            return
        key = self.run(
            """INSERT INTO relation(subject, predicate, object, reason, recorded_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT(subject, predicate, object) DO UPDATE SET reason = excluded.reason,
              recorded_at = excluded.recorded_at RETURNING key""",
            (subject, relation["predicate"], target, relation["reason"], at),
        ).fetchone()[0]
        self.run(
            """INSERT INTO evidence(relation, document, reason, quote, selector, method, confidence, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(relation, document) DO UPDATE SET reason = excluded.reason,
              quote = coalesce(excluded.quote, quote), selector = coalesce(excluded.selector, selector),
              method = excluded.method, confidence = coalesce(excluded.confidence, confidence),
              recorded_at = excluded.recorded_at""",
            (
                key,
                document,
                relation["reason"],
                relation.get("quote"),
                _json(relation.get("selector")),
                relation.get("method") or "llm",
                relation.get("confidence"),
                at,
            ),
        )

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
        for identifier in payload["ids"]:
            key = self._need(identifier, "delete")
            if key is not None:
                self.run("DELETE FROM entity WHERE key = ?", (key,))
                self.changed.add(key)
        self._drop_orphan_documents()

    def _drop_orphan_documents(self) -> None:
        self.run(
            """DELETE FROM document WHERE key NOT IN (SELECT document FROM mention)
            AND key NOT IN (SELECT document FROM evidence)"""
        )

    def _rename(self, at: str, payload: dict[str, Any]) -> None:
        key = self._need(payload["id"], "rename")
        if key is None:
            return
        taken = self.find(payload["new_id"])
        if taken is not None and taken != key:
            self.skipped.append(f"rename: {payload['new_id']!r} is taken")
            return
        old = self.run("SELECT id FROM entity WHERE key = ?", (key,)).fetchone()[0]
        self.run("DELETE FROM alias WHERE entity = ? AND alias = ?", (key, payload["new_id"]))
        self.run(
            "UPDATE entity SET id = ?, name_key = ? WHERE key = ?",
            (payload["new_id"], name_key(payload["new_id"]), key),
        )
        self._put_alias(key, old, "redirect")
        self.changed.add(key)

    def _merge(self, at: str, payload: dict[str, Any]) -> None:
        into = self._need(payload["into"], "merge")
        if into is None:
            return
        for identifier in payload["ids"]:
            key = self._need(identifier, "merge")
            if key is not None and key != into:
                self._absorb(into, key)

    def _absorb(self, into: int, key: int) -> None:
        pair = {"into": into, "key": key}
        name = self.run("SELECT id FROM entity WHERE key = ?", (key,)).fetchone()[0]
        self.run(
            """UPDATE entity SET touch_count = entity.touch_count + other.touch_count,
              first_seen_at = min(entity.first_seen_at, other.first_seen_at),
              last_seen_at = max(entity.last_seen_at, other.last_seen_at),
              details = coalesce(entity.details, other.details), type = coalesce(entity.type, other.type)
            FROM (SELECT * FROM entity WHERE key = :key) AS other WHERE entity.key = :into""",
            pair,
        )
        self.run(
            """INSERT OR IGNORE INTO mention SELECT :into, document, description, details, quote, selector, recorded_at
            FROM mention WHERE entity = :key""",
            pair,
        )
        self.run(
            """INSERT OR IGNORE INTO relation(subject, predicate, object, reason, recorded_at)
            SELECT iif(subject = :key, :into, subject), predicate, iif(object = :key, :into, object), reason, recorded_at
            FROM relation WHERE (subject = :key OR object = :key)
              AND NOT (subject IN (:key, :into) AND object IN (:key, :into)) ORDER BY key""",
            pair,
        )
        self.run(
            """INSERT OR IGNORE INTO evidence
            SELECT new.key, e.document, e.reason, e.quote, e.selector, e.method, e.confidence, e.recorded_at
            FROM relation AS old JOIN evidence AS e ON e.relation = old.key
            JOIN relation AS new ON new.subject = iif(old.subject = :key, :into, old.subject)
              AND new.predicate = old.predicate AND new.object = iif(old.object = :key, :into, old.object)
            WHERE old.subject = :key OR old.object = :key""",
            pair,
        )
        aliases = self.run("SELECT alias, kind FROM alias WHERE entity = :key", pair).fetchall()
        self.run("DELETE FROM entity WHERE key = :key", pair)
        self._put_alias(into, name, "redirect")
        for alias, kind in aliases:
            self._put_alias(into, alias, kind)
        self.changed.update((into, key))

    def _withdraw(self, at: str, payload: dict[str, Any]) -> None:
        row = self.run("SELECT key FROM document WHERE uri = ?", (payload["url"],)).fetchone()
        if row is None:
            self.skipped.append(f"withdraw: {payload['url']!r} is not stored")
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
            "SELECT reason, recorded_at FROM evidence WHERE relation = ? ORDER BY recorded_at DESC, document DESC",
            (key,),
        ).fetchone()
        if row is None:
            self.run("DELETE FROM relation WHERE key = ?", (key,))
        else:
            self.run("UPDATE relation SET reason = ?, recorded_at = ? WHERE key = ?", (*row, key))

    def _restate_entity(self, at: str, key: int) -> None:
        """Give an entity the words of its newest source, or mark it withdrawn when none is left."""
        newest = "SELECT {} FROM mention WHERE entity = ? {} ORDER BY recorded_at DESC, document DESC"
        row = self.run(newest.format("description", ""), (key,)).fetchone()
        if row is None:
            self.run("UPDATE entity SET withdrawn_at = ? WHERE key = ?", (at, key))
            return
        details = self.run(newest.format("details", "AND details IS NOT NULL"), (key,)).fetchone()
        cursor = self.run(
            "UPDATE entity SET description = ?1, details = ?2 WHERE key = ?3 AND (description IS NOT ?1 OR details IS NOT ?2)",
            (row[0], details[0] if details else None, key),
        )
        if cursor.rowcount:
            self.changed.add(key)

    def _unlink(self, at: str, payload: dict[str, Any]) -> None:
        for relation in payload["relations"]:
            subject, target = (
                self._need(relation["subject"], "unlink"),
                self._need(relation["object"], "unlink"),
            )
            if subject is not None and target is not None:
                self.run(
                    "DELETE FROM relation WHERE subject = ? AND predicate = ? AND object = ?",
                    (subject, relation["predicate"], target),
                )


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)
