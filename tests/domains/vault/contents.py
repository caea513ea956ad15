"""A vault of a test, and what its index says without the numbers of rows: two indexes of one vault say the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trivium.domains.vault.vault import Vault
from trivium.engine import Engine


class Folder:
    """A vault's folder: write notes, open it as often as wanted."""

    def __init__(self, root: Path, engine: Engine) -> None:
        self.root = root
        self.engine = engine
        self.opened: list[Vault] = []

    def write(self, files: Mapping[str, str]) -> None:
        """Put files into the vault, as if ten seconds ago: what is written while it is read must be read again."""
        for path, text in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="")
            written_ns = place.stat().st_mtime_ns - 10 * 10**9
            os.utime(place, ns=(written_ns, written_ns))

    def open(self) -> Vault:
        """The vault, opened anew."""
        vault = Vault(self.engine, str(self.root))
        self.opened.append(vault)
        return vault


def contents(vault: Vault) -> dict[str, list[Any]]:
    """Every derived table, by the names of things."""
    connection = vault.space().store.connection
    queries = {
        "notes": "SELECT path, hash, title, names FROM note",
        "parts": """SELECT n.path, p.start, p.line, e.description, e.details FROM part p
            JOIN note n ON n.entity = p.note
            JOIN entity e ON e.key = p.entity""",
        "words": """SELECT n.path, p.start, l.label, l.description, l.details FROM lexical l JOIN part p
            ON p.entity = l.rowid JOIN note n ON n.entity = p.note""",
        "facets": "SELECT n.path, f.key, f.value FROM facet f JOIN note n ON n.entity = f.note WHERE f.key <> 'was'",
        "asks": "SELECT n.path, a.name FROM ask a JOIN note n ON n.entity = a.note",
        "edges": """SELECT n.path, e.origin, e.status, s.id, e.predicate, o.id, e.target, e.method, e.quote, e.start,
            e.line FROM edge e JOIN note n ON n.entity = e.note LEFT JOIN entity s ON s.key = e.subject
            LEFT JOIN entity o ON o.key = e.object""",
        "relations": """SELECT s.id, r.predicate, o.id, d.uri, v.quote, v.selector FROM relation r
            JOIN entity s ON s.key = r.subject JOIN entity o ON o.key = r.object JOIN evidence v ON v.relation = r.key
            JOIN document d ON d.key = v.document""",
        "concepts": "SELECT id, description, type, details FROM entity WHERE id GLOB 'concept://*'",
        "lost rows": "SELECT rowid FROM lexical WHERE rowid NOT IN (SELECT entity FROM part)",
    }
    return {name: sorted(map(repr, connection.execute(query))) for name, query in queries.items()}
