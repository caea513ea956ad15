"""Reading the graph: each question is one statement, however many keys it asks about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trivium.model import DESCRIBES, PREDICATES, Document, Entity, EntityText, Evidence, Relation, name_key
from trivium.store.sqlite.connection import AMONG, Reader, Row, names, numbers

_ENTITY = """SELECT e.key, e.id, e.description, e.details, e.type, e.first_seen_at, e.last_seen_at, e.touch_count,
    e.archived_at, e.archive_reason, e.withdrawn_at, coalesce(u.shown_count, 0)
    FROM entity e LEFT JOIN usage u ON u.id = e.id"""
_RELATION = """SELECT r.key, r.subject, r.object, s.id, r.predicate, o.id, r.reason
    FROM relation r JOIN entity s ON s.key = r.subject JOIN entity o ON o.key = r.object"""
_DOCUMENT = "d.key, d.uri, d.title, d.published_at, d.observed_at, d.first_seen_at, d.last_seen_at, d.content_hash"
_ORDERS = {
    "id": "e.id",
    "last_seen": "e.last_seen_at DESC, e.id",
    "touch": "e.touch_count DESC, e.id",
    "shown": "coalesce(u.shown_count, 0) DESC, e.id",
}
_SIMILAR_POOL = 20_000


class Queries(Reader):
    """Entities, relations, evidence and documents."""

    # -- names

    def resolve(self, name: str) -> list[Entity]:
        """What a name means: the exact id alone if there is one, else everything whose id or alias folds to it."""
        with self.read():
            exact = self.by_ids([name])
            if exact:
                return list(exact.values())
            wanted = name_key(name)
            return self.by_name_keys([wanted]).get(wanted, [])

    def by_ids(self, ids: Sequence[str]) -> dict[str, Entity]:
        """Entities by exact id; renamed and merged ids lead to where they went."""
        wanted = set(ids)
        asked = names(wanted)
        with self.read():
            rows = self._all(f"{_ENTITY} WHERE e.id IN {AMONG}", (asked,))
            found = {row[1]: Entity(*row) for row in rows if row[1] in wanted}
            if len(found) < len(wanted):
                query = f"SELECT a.alias, a.entity FROM alias a WHERE a.kind = 'redirect' AND a.alias IN {AMONG}"
                redirects = {alias: key for alias, key in self._all(query, (asked,)) if alias in wanted}
                targets = self.entities(redirects.values())
                found.update({alias: targets[key] for alias, key in redirects.items()})
        return found

    def by_name_keys(self, keys: Iterable[str]) -> dict[str, list[Entity]]:
        """Entities whose id or alias folds to one of the given name keys (`model.name_key`)."""
        wanted = set(keys)
        asked = names(wanted)
        query = f"""SELECT name_key, key FROM entity WHERE name_key IN {AMONG}
            UNION SELECT name_key, entity FROM alias WHERE name_key IN {AMONG}"""
        with self.read():
            rows = [row for row in self._all(query, (asked, asked)) if row[0] in wanted]
            found = self.entities(key for _, key in rows)
        grouped: dict[str, list[Entity]] = {}
        for name, key in rows:
            grouped.setdefault(name, []).append(found[key])
        return grouped

    def similar_ids(self, name: str, limit: int = 5) -> list[str]:
        """Ids that look like `name`, for the message that says it does not exist."""
        import difflib

        rows = self._each("SELECT id FROM entity ORDER BY last_seen_at DESC LIMIT ?", (_SIMILAR_POOL,))
        by_key = {name_key(identifier): identifier for (identifier,) in rows}
        wanted = name_key(name)
        pairs = _pairs(wanted)
        # Comparing letter by letter is slow: only the names that share most pairs of letters are compared.
        shared = [(2 * len(pairs & other) / (len(pairs) + len(other)), key) for key in by_key if (other := _pairs(key))]
        best = [key for share, key in sorted(shared, key=lambda pair: -pair[0])[:50] if share > 0]
        close = [by_key[key] for key in difflib.get_close_matches(wanted, best, n=limit, cutoff=0.6)]
        inside = [identifier for key, identifier in by_key.items() if wanted and wanted in key]
        return list(dict.fromkeys(close + inside))[:limit]

    # -- entities

    def entities(self, keys: Iterable[int]) -> dict[int, Entity]:
        """Entities by key."""
        return {row[0]: Entity(*row) for row in self._each(f"{_ENTITY} WHERE e.key IN {AMONG}", (numbers(keys),))}

    def entity_count(self) -> int:
        """How many entities there are."""
        row = self._one("SELECT count(*) FROM entity")
        return 0 if row is None else int(row[0])

    def page(self, *, order: str, limit: int, offset: int, is_hidden_included: bool) -> tuple[int, list[Entity]]:
        """One page of entities and how many there are: `order` is id, last_seen, touch or shown."""
        where = "" if is_hidden_included else "WHERE e.archived_at IS NULL AND e.withdrawn_at IS NULL"
        with self.read():
            total = self._all(f"SELECT count(*) FROM entity e {where}")[0][0]
            rows = self._all(f"{_ENTITY} {where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?", (limit, offset))
        return total, [Entity(*row) for row in rows]

    def texts(self, keys: Iterable[int] | None = None) -> Iterator[EntityText]:
        """The searched fields of entities, all of them or some, by key."""
        where, values = ("", ()) if keys is None else (f"WHERE e.key IN {AMONG}", (numbers(keys),))
        rows = self._each(
            f"""SELECT e.key, e.id, e.description, e.details,
            (SELECT json_group_array(alias) FROM (SELECT alias FROM alias a WHERE a.entity = e.key ORDER BY alias))
            FROM entity e {where} ORDER BY e.key""",
            values,
        )
        for key, identifier, description, details, aliases in rows:
            yield EntityText(key, identifier, () if aliases == "[]" else tuple(_value(aliases)), description, details)

    def prunable(self, *, before: str, max_touches: int, is_archived_included: bool) -> list[Entity]:
        """Entities last seen before a moment and touched at most so often."""
        archived = "" if is_archived_included else "AND e.archived_at IS NULL"
        query = f"{_ENTITY} WHERE e.last_seen_at < ? AND e.touch_count <= ? {archived} ORDER BY e.last_seen_at, e.id"
        return [Entity(*row) for row in self._all(query, (before, max_touches))]

    # -- relations and evidence

    def relations(
        self,
        keys: Iterable[int],
        *,
        predicates: Sequence[str] | None = None,
        direction: str = "both",
        is_hidden_included: bool = True,
    ) -> list[Relation]:
        """Relations that touch the keys: `direction` is out (keys are subjects), in (objects) or both.

        Without hidden ones, the end that is not asked about must be neither archived nor withdrawn.
        """
        among = numbers(keys)
        types = "" if predicates is None else f"AND r.predicate IN ({', '.join('?' * len(predicates))})"
        sides = {"out": ("so",), "in": ("os",), "both": ("so", "os")}[direction]
        parts: list[str] = []
        values: list[str] = []
        for side in sides:
            asked, other = ("r.subject", "o") if side == "so" else ("r.object", "s")
            visible = "" if is_hidden_included else f"AND {other}.archived_at IS NULL AND {other}.withdrawn_at IS NULL"
            parts.append(f"{_RELATION} WHERE {asked} IN {AMONG} {types} {visible}")
            values += [among, *(predicates or ())]
        return [Relation(*row) for row in self._all(" UNION ".join(parts) + " ORDER BY 1", values)]

    def evidence(self, relation_keys: Iterable[int]) -> dict[int, list[Evidence]]:
        """Evidence by relation key, newest first."""
        return _evidence(
            self._each(
                f"""SELECT v.relation, d.uri, d.title, v.reason, v.quote, v.selector, v.method, v.confidence,
                v.recorded_at FROM evidence v JOIN document d ON d.key = v.document WHERE v.relation IN {AMONG}
                ORDER BY v.recorded_at DESC, d.uri""",
                (numbers(relation_keys),),
            )
        )

    def mentions(self, keys: Iterable[int]) -> dict[int, list[Evidence]]:
        """What each document says of entities, by entity key, newest first: `reason` is the description it gave."""
        return _evidence(
            self._each(
                f"""SELECT m.entity, d.uri, d.title, m.description, m.quote, m.selector, 'llm', NULL, m.recorded_at
                FROM mention m JOIN document d ON d.key = m.document WHERE m.entity IN {AMONG}
                ORDER BY m.recorded_at DESC, d.uri""",
                (numbers(keys),),
            )
        )

    # -- documents

    def documents_of(self, keys: Iterable[int]) -> dict[int, list[Document]]:
        """The documents that describe entities, by entity key, in the order of their addresses."""
        rows = self._each(
            f"""SELECT m.entity, {_DOCUMENT} FROM mention m JOIN document d ON d.key = m.document
            WHERE m.entity IN {AMONG} ORDER BY d.uri""",
            (numbers(keys),),
        )
        grouped: dict[int, list[Document]] = {}
        for key, *columns in rows:
            grouped.setdefault(key, []).append(Document(*columns))
        return grouped

    def document(self, uri: str) -> Document | None:
        """One document by its address."""
        row = self._one(f"SELECT {_DOCUMENT} FROM document d WHERE d.uri = ?", (uri,))
        return None if row is None else Document(*row)

    def documents(self) -> list[tuple[Document, int]]:
        """Every document with the number of entities it describes."""
        query = f"""SELECT {_DOCUMENT}, (SELECT count(*) FROM mention m WHERE m.document = d.key)
            FROM document d ORDER BY d.uri"""
        return [(Document(*row[:-1]), row[-1]) for row in self._all(query)]

    def dates(self, keys: Iterable[int]) -> dict[int, str]:
        """The newest publication date over an entity's documents, for those that have one."""
        query = f"""SELECT m.entity, max(d.published_at) FROM mention m JOIN document d ON d.key = m.document
            WHERE m.entity IN {AMONG} AND d.published_at IS NOT NULL GROUP BY m.entity"""
        return dict(self._all(query, (numbers(keys),)))

    # -- all of it

    def counts(self) -> dict[str, Any]:
        """How much of everything there is."""
        with self.read():
            one = self._all(
                """SELECT (SELECT count(*) FROM entity), (SELECT count(*) FROM entity WHERE archived_at IS NOT NULL),
                (SELECT count(*) FROM entity WHERE withdrawn_at IS NOT NULL), (SELECT count(*) FROM document),
                (SELECT count(*) FROM mention), (SELECT count(*) FROM journal),
                (SELECT count(*) FROM vector v WHERE EXISTS (SELECT 1 FROM passage p WHERE p.text_hash = v.text_hash)),
                (SELECT max(last_seen_at) FROM entity), (SELECT count(*) FROM evidence),
                (SELECT count(*) FROM evidence WHERE quote IS NOT NULL)"""
            )[0]
            by_type = dict.fromkeys((*PREDICATES, DESCRIBES), 0)
            by_type.update(self._all("SELECT predicate, count(*) FROM relation GROUP BY predicate"))
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


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)} or {text}


def _evidence(rows: Iterable[Row]) -> dict[int, list[Evidence]]:
    grouped: dict[int, list[Evidence]] = {}
    for key, uri, title, reason, quote, selector, method, confidence, recorded_at in rows:
        place = None if selector is None else _value(selector)
        grouped.setdefault(key, []).append(Evidence(uri, title, reason, quote, place, method, confidence, recorded_at))
    return grouped


def _value(text: str) -> Any:
    import json

    from trivium.errors import StoreError
    from trivium.store.sqlite.connection import RECOVER_HINT

    try:
        return json.loads(text)
    except ValueError as error:
        raise StoreError("The store is damaged: a stored value cannot be read.", hint=RECOVER_HINT) from error
