"""Making two entities one: everything said of the absorbed one is said of the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable


def absorb(run: Callable[..., sqlite3.Cursor], into: int, key: int) -> list[tuple[str, str]]:
    """Move sources and relations of `key` to `into` and drop it; returns its names, each alias or redirect.

    What both have is kept as `into` has it, unless only `into` is withdrawn; relations between the two go.
    """
    pair = {"into": into, "key": key}
    (name,) = run("SELECT id FROM entity WHERE key = :key", pair).fetchone()
    aliases = run("SELECT alias, kind FROM alias WHERE entity = :key ORDER BY alias", pair).fetchall()
    run(
        """UPDATE entity SET touch_count = entity.touch_count + other.touch_count,
          first_seen_at = min(entity.first_seen_at, other.first_seen_at),
          last_seen_at = max(entity.last_seen_at, other.last_seen_at),
          description = iif(other.is_better, other.description, entity.description),
          details = iif(other.is_better, coalesce(other.details, entity.details),
            coalesce(entity.details, other.details)),
          type = coalesce(entity.type, other.type),
          withdrawn_at = iif(other.withdrawn_at IS NULL, NULL, entity.withdrawn_at)
        FROM (SELECT k.*, k.withdrawn_at IS NULL AND i.withdrawn_at IS NOT NULL AS is_better
          FROM entity k, entity i WHERE k.key = :key AND i.key = :into) AS other WHERE entity.key = :into""",
        pair,
    )
    run(
        """INSERT OR IGNORE INTO mention SELECT :into, document, description, details, quote, selector, recorded_at
        FROM mention WHERE entity = :key""",
        pair,
    )
    _move_relations(run, pair)
    run("DELETE FROM entity WHERE key = :key", pair)
    return [(name, "redirect"), *aliases]


def _move_relations(run: Callable[..., sqlite3.Cursor], pair: dict[str, int]) -> None:
    run(
        """INSERT OR IGNORE INTO relation(subject, predicate, object, reason, recorded_at)
        SELECT iif(subject = :key, :into, subject), predicate, iif(object = :key, :into, object), reason, recorded_at
        FROM relation WHERE (subject = :key OR object = :key)
          AND NOT (subject IN (:key, :into) AND object IN (:key, :into))""",
        pair,
    )
    run(
        """INSERT OR IGNORE INTO evidence
        SELECT new.key, e.document, e.reason, e.quote, e.selector, e.method, e.confidence, e.recorded_at
        FROM relation AS old JOIN evidence AS e ON e.relation = old.key
        JOIN relation AS new ON new.subject = iif(old.subject = :key, :into, old.subject)
          AND new.predicate = old.predicate AND new.object = iif(old.object = :key, :into, old.object)
        WHERE (old.subject = :key OR old.object = :key)
          AND NOT (old.subject IN (:key, :into) AND old.object IN (:key, :into))""",
        pair,
    )
