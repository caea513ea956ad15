"""Concepts and edges of the index, brought to what the files say: only what a change can have touched is done again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from trivium.domains.vault.edges import Ends, NoteEdges, asks, record_asks
from trivium.domains.vault.indexing import unpack_links, unpack_names
from trivium.domains.vault.names import ConceptIndex, all_names, display_of, type_of
from trivium.domains.vault.vault import Vault
from trivium.index.space import Space
from trivium.sources.vault.files import ReadNote, read_note
from trivium.sources.vault.names import key as name_of
from trivium.sources.vault.resolve import Resolver
from trivium.store.sqlite.notes import reading, rows
from trivium.store.sqlite.notes.reading import CONCEPT
from trivium.store.sqlite.notes.rows import NoteRow
from trivium.store.vaultfiles import read_concepts, read_record
from trivium.store.vaultfiles.whole import meta_path
from trivium.text.markdown import Link

_FEW = 400
"""For so many notes only what their links ask for is looked up; for more, all names are loaded."""


class Changes(NamedTuple):
    """What is new: links by note key, names that came or went; whether the vault's own files or all of it are."""

    links: Mapping[int, list[Link]]
    names: set[str]
    is_meta_new: bool
    is_fresh: bool


def derive(vault: Vault, space: Space, changes: Changes, *, at: str) -> tuple[int, int]:
    """Make edges again where they may have changed; returns how many notes were done, and how many concepts changed."""
    connection = space.store.connection
    names = set(changes.names)
    targets = set(changes.links)
    concepts: list[dict[str, Any]] | None = None
    changed_concepts = 0
    if changes.is_meta_new:
        concepts = read_concepts(vault.root)[0]
        changed_names, changed_concepts = _put_concepts(space, concepts, at=at)
        names |= changed_names
    records = _records(vault) if changes.is_meta_new or changes.links else reading.records(connection)
    had = reading.records(connection)
    changed_records = {hash_ for hash_ in {*had, *records} if had.get(hash_) != records.get(hash_)}
    if changed_records:
        rows.put_records(connection, [(hash_, *stat) for hash_, stat in records.items()])
        for hash_ in changed_records:
            targets |= {note.key for note in reading.notes_of_hash(connection, hash_)}
    if not changes.is_fresh and names:
        targets |= reading.asking(connection, names)
    if targets:
        _relink(vault, space, targets, changes, records, concepts, at=at)
    return len(targets), changed_concepts


def _records(vault: Vault) -> dict[str, tuple[int, int]]:
    """Record files that are there: hash to (size, mtime in ns)."""
    found = {}
    try:
        with os.scandir(meta_path(vault.root, "metadata")) as listing:
            for entry in listing:
                if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    found[entry.name[:-5]] = (status.st_size, status.st_mtime_ns)
    except OSError:
        return {}
    return found


def _put_concepts(space: Space, concepts: list[dict[str, Any]], *, at: str) -> tuple[set[str], int]:
    """Bring the concepts of the index to the file's; returns the names that came or went, and how many changed."""
    connection = space.store.connection
    had = reading.concept_keys(connection)
    shown = {text.key: text for text in space.store.texts(had.values())}
    types = {key: entity.type for key, entity in space.store.entities(had.values()).items()}
    names: set[str] = set()
    changed = 0
    for concept in concepts:
        identifier = CONCEPT + str(concept["id"])
        others = all_names(concept)
        summary = concept.get("summary")
        now = (display_of(concept), type_of(concept), summary if isinstance(summary, str) else "")
        key = had.pop(identifier, None)
        if key is not None:
            text = shown[key]
            before = (text.description, types[key], text.details or "")
            if before == now and set(text.aliases) == set(others):
                continue
            names |= {name_of(name) for name in text.aliases}
        changed += 1
        names |= {name_of(name) for name in others}
        rows.put_concept(connection, identifier, name=now[0], kind=now[1], summary=now[2], aliases=others, at=at)
    for key in had.values():
        names |= {name_of(name) for name in shown[key].aliases}
    if had:
        from trivium.store.sqlite.derived import delete_entities

        delete_entities(connection, had.values())
        changed += len(had)
    return names, changed


def _relink(
    vault: Vault,
    space: Space,
    targets: set[int],
    changes: Changes,
    records: Mapping[str, object],
    concepts: list[dict[str, Any]] | None,
    *,
    at: str,
) -> None:
    connection = space.store.connection
    links, is_fresh = changes.links, changes.is_fresh
    found = reading.notes_by_key(connection, targets)
    known: dict[int, tuple[list[Link], dict[str, Any] | None]] = {}
    asked: set[str] = set()
    asker = Resolver((), vault.style)
    for key, note in found.items():
        own = links[key] if key in links else unpack_links(reading.links(connection, key))
        record = read_record(vault.root, note.hash) if note.hash in records else None
        record = record if isinstance(record, dict) else None
        known[key] = (own, record)
        wanted = asks(note.path, own, record, asker)
        if len(found) <= _FEW:
            asked |= wanted
        if key in links:
            rows.add_asks(connection, key, wanted)
        elif record is not None:
            rows.add_asks(connection, key, record_asks(record))
    ends = _ends(vault, space, found, asked if len(found) <= _FEW else None, concepts)
    for key, (own, record) in known.items():
        note = found[key]
        edges = NoteEdges(key, note.path, ends, lambda note=note: _text(vault, note)).rows(own, record)  # type: ignore[misc]
        rows.put_edges(connection, note, edges, at=at, is_new=is_fresh)


def _ends(
    vault: Vault,
    space: Space,
    found: Mapping[int, NoteRow],
    asked: set[str] | None,
    concepts: list[dict[str, Any]] | None,
) -> Ends:
    connection = space.store.connection
    if asked is None:
        candidates = reading.notes(connection)
    else:
        near = {note.key: note for note in reading.answering(connection, asked)}
        candidates = list({**near, **found}.values())
    attachments = reading.attachments(connection, asked)
    hashes: dict[str, list[str]] = {}
    for note in candidates:
        hashes.setdefault(note.hash, []).append(note.path)
    for note in candidates:
        for name in _former(space, note) if asked is not None else ():
            hashes.setdefault(name, []).append(note.path)
    if asked is None:
        for hash_, path in reading.former_hashes(connection):
            hashes.setdefault(hash_, []).append(path)
    return Ends(
        Resolver([unpack_names(note.path, note.names) for note in candidates], vault.style, attachments),
        ConceptIndex(read_concepts(vault.root)[0] if concepts is None else concepts),
        note_keys={note.path: note.key for note in candidates},
        concept_keys={i.removeprefix(CONCEPT): key for i, key in reading.concept_keys(connection).items()},
        hashes=hashes,
        stoplist=vault.config.stoplist,
    )


def _former(space: Space, note: NoteRow) -> list[str]:
    return [value for key, value in reading.facets_of(space.store.connection, note.key) if key == "was"]


def _text(vault: Vault, note: NoteRow) -> str | None:
    """The text of a note, if it is still the one that was indexed."""
    read = read_note(vault.root, note.path)
    return read.text if isinstance(read, ReadNote) and read.hash == note.hash else None
