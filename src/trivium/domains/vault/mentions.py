"""Names of notes and concepts that stand in the text without a link: found in one pass, accepted singly or by rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from trivium.domains.vault.graph import find
from trivium.domains.vault.indexing import unpack_links, unpack_names
from trivium.domains.vault.metadata import Stored, import_records
from trivium.domains.vault.names import ConceptIndex, all_names, key
from trivium.domains.vault.vault import Vault
from trivium.errors import NotFoundError, UsageError
from trivium.sources.vault.files import ReadNote, read_note
from trivium.store.sqlite.notes import reading
from trivium.store.sqlite.notes.reading import CONCEPT
from trivium.store.sqlite.notes.rows import NoteRow
from trivium.store.vaultfiles import read_concepts
from trivium.text import markdown
from trivium.text.markdown.masks import blanked
from trivium.text.spotting import Spotter

MIN_CHARS = 3
"""Shorter names of spaced scripts are words of any text; one ideograph says more than one letter, so two are enough."""


class Unlinked(NamedTuple):
    """A name in a text: `id` names it to the command that accepts it; `target` is a concept's id or a note's path."""

    id: str
    path: str
    line: int
    start: int
    end: int
    text: str
    quote: str
    kind: str
    target: str


class Names:
    """All names of a vault with what they mean; a name of several notes means none."""

    def __init__(self, vault: Vault, *, min_chars: int = MIN_CHARS) -> None:
        connection = vault.space().store.connection
        index = ConceptIndex(read_concepts(vault.root)[0])
        self.targets: dict[str, tuple[str, str]] = {}
        several: set[str] = set()
        for note in reading.notes(connection):
            names = unpack_names(note.path, note.names)
            stem = note.path.rpartition("/")[2].rpartition(".")[0]
            for name in {key(one) for one in (note.title, stem, *names.aliases)}:
                if self.targets.setdefault(name, ("note", note.path)) != ("note", note.path):
                    several.add(name)
        for name in several:
            del self.targets[name]
        for concept in index.by_id.values():
            for one in all_names(concept):
                if index.find(one) == concept["id"]:
                    self.targets[key(one)] = ("concept", str(concept["id"]))
        self.targets = {name: to for name, to in self.targets.items() if _is_telling(name, min_chars)}
        self.spotter = Spotter(self.targets)


def _is_telling(name: str, min_chars: int) -> bool:
    if name.replace(" ", "").isdigit():
        return False
    return len(name) >= (min_chars if name.isascii() else min(2, min_chars))


def unlinked(
    vault: Vault,
    *,
    note: str | None = None,
    to: str | None = None,
    limit: int | None = None,
    min_chars: int = MIN_CHARS,
) -> list[Unlinked]:
    """Mentions without a link, by note and line: of one note, of one thing, or all. A link already there counts once:
    what a note links to, or has a mention of, is not listed for it again."""
    connection = vault.space().store.connection
    names = Names(vault, min_chars=min_chars)
    wanted = None
    if to is not None:
        entity = find(vault, to)
        is_concept = entity.id.startswith(CONCEPT)
        wanted = ("concept", entity.id[len(CONCEPT) :]) if is_concept else ("note", entity.id)
    if note is not None:
        row = reading.note_at(connection, note)
        if row is None:
            raise NotFoundError(f"There is no note at {note}.")
        rows = [row]
    else:
        rows = reading.notes(connection)
    linked = _linked(vault, rows)
    found: list[Unlinked] = []
    for row in rows:
        for one in _of_note(vault, row, names, linked.get(row.key, set())):
            if wanted is None or (one.kind, one.target) == wanted:
                found.append(one)
        if limit is not None and len(found) >= limit:
            return found[:limit]
    return found


def _linked(vault: Vault, rows: Sequence[NoteRow]) -> dict[int, set[tuple[str, str]]]:
    """What each note is connected with already."""
    space = vault.space()
    stored = reading.edges(space.store.connection, notes=[row.key for row in rows], status="ok")
    ends = {edge.row.object for edge in stored if edge.row.object is not None}
    notes = reading.notes_by_key(space.store.connection, ends)
    concepts = {key: i[len(CONCEPT) :] for i, key in reading.concept_keys(space.store.connection).items()}
    found: dict[int, set[tuple[str, str]]] = {}
    for edge in stored:
        end = edge.row.object
        if edge.row.subject != edge.row.note:
            continue
        if end in notes:
            found.setdefault(edge.row.note, set()).add(("note", notes[end].path))
        elif end in concepts:
            found.setdefault(edge.row.note, set()).add(("concept", concepts[end]))
    return found


def _of_note(vault: Vault, row: NoteRow, names: Names, linked: set[tuple[str, str]]) -> list[Unlinked]:
    read = read_note(vault.root, row.path)
    if not isinstance(read, ReadNote) or read.hash != row.hash:
        return []
    text = read.text
    shown = prose(text, vault, row)
    found = []
    seen: set[tuple[str, str]] = set()
    for one in names.spotter.find(shown):
        target = names.targets[one.name]
        if target in linked or target in seen or target == ("note", row.path):
            continue
        seen.add(target)
        start, end = text.rfind("\n", 0, one.start) + 1, text.find("\n", one.end)
        quote = text[start : len(text) if end < 0 else end].strip()
        line = text.count("\n", 0, one.start) + 1
        found.append(
            Unlinked(
                f"{row.path}@{one.start}", row.path, line, one.start, one.end, text[one.start : one.end], quote, *target
            )
        )
    return found


def prose(text: str, vault: Vault, row: NoteRow) -> str:
    """The text with frontmatter, code, comments and links blanked, at the same offsets."""
    links = unpack_links(reading.links(vault.space().store.connection, row.key))
    shown = markdown.prose(text, is_outline=vault.style.name in ("logseq", "roam"))
    return blanked(shown, [(link.start, link.end) for link in links])


def accept(
    vault: Vault, ids: Sequence[str] = (), *, rule_to: str | None = None, method: str = "user"
) -> tuple[list[Stored], int]:
    """Store mentions as records: those with these ids, or all of one concept. Returns what was stored, and how many.

    A name of a note is stored as a link to it. Raises `NotFoundError` for an id that names no mention.
    """
    if bool(ids) == (rule_to is not None):
        raise UsageError("Name mentions, or one concept for a rule.")
    if rule_to is not None:
        chosen = unlinked(vault, to=rule_to)
    else:
        chosen = []
        for path in dict.fromkeys(one.rpartition("@")[0] for one in ids):
            chosen += [one for one in unlinked(vault, note=path) if one.id in ids]
        missing = set(ids) - {one.id for one in chosen}
        if missing:
            raise NotFoundError(f"There is no such mention: {sorted(missing)[0]}")
    connection = vault.space().store.connection
    records: dict[str, dict[str, Any]] = {}
    for one in chosen:
        row = reading.note_at(connection, one.path)
        assert row is not None
        record = records.setdefault(one.path, {"hash": row.hash, "path": row.path})
        if one.kind == "concept":
            entry: dict[str, Any] = {"concept": one.target, "anchor": {"quote": one.quote}, "method": method}
            record.setdefault("mentions", []).append(entry)
        else:
            there = reading.note_at(connection, one.target)
            assert there is not None
            link = {"to_hash": there.hash, "to_path": there.path, "raw": one.text, "method": method}
            record.setdefault("doc_links", []).append(link)
    done = import_records(vault, list(records.values())) if records else None
    return list(done.imported) if done else [], len(chosen)
