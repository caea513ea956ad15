"""The registry beside a scan: what it said before, what it says now, and the records that follow their notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trivium.domains.vault.requote import has_judgement, requote
from trivium.domains.vault.vault import Vault
from trivium.sources.vault.files import ReadNote
from trivium.sources.vault.scan import Known, Scan
from trivium.sources.vault.walk import parse_scopes
from trivium.store.sqlite.notes.rows import NoteRow
from trivium.store.vaultfiles import Damaged, RegistryRow, read_record, read_registry, write_record

FORMER = "was"
"""The field of a registry row for the hashes its note had before, newest last."""

MOST_FORMER = 8


class Registering:
    """The registry while notes are read; nothing is read before `load`."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.rows: dict[str, RegistryRow] = {}
        self.damaged: list[Damaged] = []
        self.carried: dict[str, int] = {}
        self._is_loaded = False

    def load(self) -> None:
        """Read the registry, once."""
        if not self._is_loaded:
            self._is_loaded = True
            found = read_registry(self.vault.root)
            self.rows = {row.path: row for row in found.rows}
            self.damaged = found.damaged

    def scopes(self) -> tuple[str, ...]:
        """The folders that the vault's settings name."""
        return parse_scopes(self.vault.config.scope)

    def former_hash(self, path: str) -> str:
        """The hash that the registry has for a path, or nothing."""
        row = self.rows.get(path)
        return "" if row is None else row.hash

    def move(self, old: str, new: str) -> None:
        """Follow a note to its new path."""
        row = self.rows.pop(old, None)
        if row is not None:
            self.rows[new] = row._replace(path=new)

    def carry(self, note: ReadNote, former: str, was: Sequence[str], lines: Mapping[str, int]) -> list[str]:
        """Former hashes of a note that has a new text; its record goes along, with the quotes that still stand."""
        row = self.rows.get(note.path)
        known = [*was, *(str(hash_) for hash_ in (row.fields.get(FORMER) or () if row else ()))]
        if former and former != note.hash:
            known.append(former)
            record = read_record(self.vault.root, former)
            there = read_record(self.vault.root, note.hash)
            if isinstance(record, dict) and there is None and has_judgement(record):
                done = requote(record, note.text, note.hash, note.path, lines)
                write_record(self.vault.root, note.hash, done.record)
                for state, count in done.states.items():
                    self.carried[state] = self.carried.get(state, 0) + count
        known = [hash_ for hash_ in dict.fromkeys(reversed(known)) if hash_ != note.hash]
        return known[:MOST_FORMER][::-1]

    def compared(self, found: Scan) -> tuple[dict[str, int], int, int]:
        """(new, changed and unchanged), moved and deleted, by what the registry said before."""
        gone: dict[str, int] = {}
        there = {note.known.path for note in found.found} | {row.path for row in found.kept}
        for old in self.rows.values():
            if old.path not in there:
                gone[old.hash] = gone.get(old.hash, 0) + 1
        states = {"new": 0, "changed": 0, "unchanged": 0}
        moved = 0
        for note in found.found:
            row = self.rows.get(note.known.path)
            if row is not None:
                states["unchanged" if row.hash == note.known.hash else "changed"] += 1
            elif gone.get(note.known.hash, 0):
                gone[note.known.hash] -= 1
                moved += 1
            else:
                states["new"] += 1
        return states, moved, sum(gone.values())


def registry_rows(
    notes: Iterable[NoteRow], before: Mapping[str, RegistryRow], was: Mapping[str, Sequence[str]]
) -> list[RegistryRow]:
    """The registry for notes: unknown fields of its rows stay, `was` gives former hashes where they are new."""
    made = []
    for note in notes:
        fields: dict[str, Any] = dict(before[note.path].fields) if note.path in before else {}
        if was.get(note.path):
            fields = {**fields, FORMER: list(was[note.path])}
        if fields:
            fields = {**dict.fromkeys(("hash", "path", "title", "mtime", "size")), **fields}
        made.append(RegistryRow(note.hash, note.path, note.title, note.mtime_ns / 1e9, note.size, fields))
    return made


def known_rows(rows: Iterable[RegistryRow]) -> list[Known]:
    """What a registry knows of its notes: enough to tell what changed, not enough to leave a file unopened."""
    return [Known(row.path, row.hash, row.size, round(row.mtime * 1e9)) for row in rows]
