"""L2, what is known of each note version: records checked against the text they quote, merged, validated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from trivium.domains.vault.concepts import add_plain
from trivium.domains.vault.edges import entries, named, quote_of
from trivium.domains.vault.names import ConceptIndex, in_order
from trivium.domains.vault.notes import note_text, registry
from trivium.domains.vault.refresh import refresh
from trivium.domains.vault.requote import SUSPECT
from trivium.domains.vault.vault import Vault
from trivium.errors import PayloadError
from trivium.store.vaultfiles import (
    Damaged,
    RegistryRow,
    list_records,
    read_concepts,
    read_record,
    write_record,
)
from trivium.text.quotes import find_quote, nearest

_METHODS = ("deterministic", "llm", "user")


class Problem(NamedTuple):
    """What is wrong with a record: the place in it, a sentence, and for a quote what stands there instead."""

    place: str
    message: str
    nearest: dict[str, Any] | None = None


class Stored(NamedTuple):
    """A record that was taken in, with how much it holds now."""

    hash: str
    path: str
    mentions: int
    relations: int
    doc_links: int


class Rejected(NamedTuple):
    """A record that was not taken in, and every reason."""

    hash: str | None
    path: str
    problems: tuple[Problem, ...]


class ImportedRecords(NamedTuple):
    """What an import did."""

    imported: tuple[Stored, ...]
    rejected: tuple[Rejected, ...]


class Validation(NamedTuple):
    """What a check of all records found: `orphans` are hashes that no note has; `suspects` count broken claims."""

    checked: int
    ok: int
    failed: tuple[Rejected, ...]
    orphans: tuple[str, ...]
    suspects: int


class Notes:
    """The notes by hash, with the texts that were read."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.rows: dict[str, list[RegistryRow]] = {}
        self.former: dict[str, RegistryRow] = {}
        for row in registry(vault):
            self.rows.setdefault(row.hash, []).append(row)
            for hash_ in row.fields.get("was") or ():
                self.former[str(hash_)] = row

    def row(self, hash_: str) -> RegistryRow | None:
        """The first note with this text."""
        found = self.rows.get(hash_)
        return None if found is None else found[0]

    def text(self, hash_: str) -> str | None:
        """The text with this hash, if a note still holds it."""
        for row in self.rows.get(hash_, ()):
            text = note_text(self.vault, row.path, hash_)
            if text is not None:
                return text
        return None


def import_records(
    vault: Vault, payload: object, *, is_creating: bool = False, is_replacing: bool = False
) -> ImportedRecords:
    """Take in one record or a list of them, each on its own: good ones are stored although others are refused.

    `is_creating` adds unknown names as plain concepts, of records that are taken in only.
    """
    records: list[Any] = payload if isinstance(payload, list) else [payload]
    if not all(isinstance(record, dict) for record in records):
        wrong = [f"/{n}: must be an object" for n, record in enumerate(records) if not isinstance(record, dict)]
        raise PayloadError("The records cannot be read. Nothing was changed.", details=wrong)
    with vault.lock():
        imported, rejected = take(vault, records, is_creating=is_creating, is_replacing=is_replacing)
        if imported:
            refresh(vault)
    return ImportedRecords(tuple(imported), tuple(rejected))


def take(
    vault: Vault, records: Iterable[dict[str, Any]], *, is_creating: bool, is_replacing: bool
) -> tuple[list[Stored], list[Rejected]]:
    """`import_records` for somebody who holds the lock and refreshes the index."""
    notes = Notes(vault)
    index = ConceptIndex(read_concepts(vault.root)[0])
    granted: list[str] = []
    good: list[tuple[dict[str, Any], RegistryRow]] = []
    rejected: list[Rejected] = []
    for record in records:
        unknown = in_order(name for name in named(record) if name.strip() and index.find(name) is None)
        problems = check(record, notes, index, granted=unknown if is_creating else ())
        hash_ = record.get("hash")
        row = notes.row(hash_) if isinstance(hash_, str) else None
        if problems or row is None:
            rejected.append(Rejected(hash_ if isinstance(hash_, str) else None, "" if row is None else row.path,
                                     tuple(problems)))  # fmt: skip
            continue
        good.append((record, row))
        granted += unknown if is_creating else ()
    # Names first: a record that is stored must never speak of what is not there.
    add_plain(vault, in_order(granted))
    return [_write(vault, record, row, is_replacing) for record, row in good], rejected


def _write(vault: Vault, record: dict[str, Any], row: RegistryRow, is_replacing: bool) -> Stored:
    old = read_record(vault.root, row.hash)
    made = dict(record) if is_replacing or not isinstance(old, dict) else merged(old, record)
    write_record(vault.root, row.hash, made)
    return _stored(made, row)


def _stored(record: Mapping[str, Any], row: RegistryRow) -> Stored:
    counts = [len(entries(record, field)) for field in ("mentions", "relations", "doc_links")]
    return Stored(row.hash, row.path, *counts)


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Two records of one note version as one: lists united, the old entry first; other fields replaced unless empty."""
    made = dict(old)
    for field, value in new.items():
        if field in _IDENTITY:
            union: dict[Any, dict[str, Any]] = {}
            for entry in (*entries(old, field), *entries(new, field)):
                union.setdefault(_IDENTITY[field](entry), entry)
            made[field] = list(union.values())
        elif value:
            made[field] = value
    suspects = [one for one in entries(old, SUSPECT) if not _is_made_again(one, new)]
    if SUSPECT in made:
        made[SUSPECT] = suspects
        if not suspects:
            del made[SUSPECT]
    return made


def _is_made_again(suspect: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    field, entry = str(suspect.get("field")), suspect.get("entry")
    if field not in _IDENTITY or not isinstance(entry, dict):
        return False
    return any(_ends(entry) == _ends(other) for other in entries(new, field))


def _ends(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(_hashable(entry.get(name)) for name in ("concept", "from", "relation", "to"))


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else repr(value)


_IDENTITY: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "mentions": lambda entry: (_hashable(entry.get("concept")), quote_of(entry)),
    "relations": lambda entry: tuple(_hashable(entry.get(name)) for name in ("from", "relation", "to")),
    "doc_links": lambda entry: _hashable(entry.get("to_hash")),
}


# -- checking


def check(
    record: Mapping[str, Any], notes: Notes, index: ConceptIndex, *, granted: Sequence[str] = ()
) -> list[Problem]:
    """Every problem of a record: its hash, its concepts, its quotes, its links, its numbers."""
    hash_ = record.get("hash")
    if not isinstance(hash_, str) or not hash_:
        return [Problem("hash", "the record has no hash")]
    if notes.row(hash_) is None:
        now = notes.former.get(hash_)
        where = "" if now is None else f": {now.path} changed since, its text is now {now.hash}"
        return [Problem("hash", f"no note has the hash {hash_}{where}")]
    text = notes.text(hash_)
    if text is None:
        return [Problem("hash", f"the note changed since it was scanned: no file holds the text {hash_}")]
    return [*_shape(record), *_claims(record, text, index, set(granted)), *_links(record)]


def _shape(record: Mapping[str, Any]) -> list[Problem]:
    found = []
    for field in ("mentions", "relations", "doc_links"):
        value = record.get(field)
        if value is not None and not isinstance(value, list):
            found.append(Problem(field, "must be a list"))
        found += [
            Problem(f"{field}[{n}]", "must be an object")
            for n, entry in enumerate(value if isinstance(value, list) else ())
            if not isinstance(entry, dict)
        ]
    return found


def _claims(record: Mapping[str, Any], text: str, index: ConceptIndex, granted: set[str]) -> list[Problem]:
    found = []
    for field, ends in (("mentions", ("concept",)), ("relations", ("from", "to"))):
        value = record.get(field)
        for number, entry in enumerate(value if isinstance(value, list) else ()):
            if not isinstance(entry, dict):
                continue
            place = f"{field}[{number}]"
            for end in ends:
                name = entry.get(end)
                if not isinstance(name, str) or (index.find(name) is None and name not in granted):
                    shown = name if isinstance(name, str) else ""
                    at = place if end == "concept" else f"{place}.{end}"
                    found.append(Problem(at, f"unknown concept '{shown}'", _near_name(shown, index)))
            found += _quote(place, entry, text)
            found += _numbers(place, entry)
    return found


def _near_name(name: str, index: ConceptIndex) -> dict[str, Any] | None:
    import difflib

    near = difflib.get_close_matches(name, [n for n, _ in index.names()] if name else (), n=1, cutoff=0.8)
    return {"concept": near[0]} if near else None


def _quote(place: str, entry: Mapping[str, Any], text: str) -> list[Problem]:
    quote = quote_of(entry)
    if not quote:
        return [Problem(place, "missing anchor.quote")]
    if quote in text:
        return []
    message = "anchor.quote not a verbatim substring of source"
    close = find_quote(text, quote)
    if close is not None:
        shown = {"text": text[close.start : close.end], "line": close.line, "similarity": 1.0}
        return [Problem(place, message, shown)]
    near = nearest(text, quote)
    if near is None:
        return [Problem(place, message)]
    return [Problem(place, message, {"text": near.text, "line": near.line, "similarity": round(near.similarity, 3)})]


def _numbers(place: str, entry: Mapping[str, Any]) -> list[Problem]:
    found = []
    confidence = entry.get("confidence")
    is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if confidence is not None and not (is_number and 0 <= confidence <= 1):
        found.append(Problem(f"{place}.confidence", f"must be a number from 0 to 1, not {confidence!r}"))
    method = entry.get("method")
    if method is not None and method not in _METHODS:
        found.append(Problem(f"{place}.method", f"must be {', '.join(_METHODS)}, not {method!r}"))
    predicate = entry.get("relation")
    if predicate is not None and not isinstance(predicate, str):
        found.append(Problem(f"{place}.relation", "must be a text"))
    return found


def _links(record: Mapping[str, Any]) -> list[Problem]:
    value = record.get("doc_links")
    return [
        Problem(f"doc_links[{number}]", "missing to_hash")
        for number, entry in enumerate(value if isinstance(value, list) else ())
        if isinstance(entry, dict) and not entry.get("to_hash")
    ]


def validate(vault: Vault) -> Validation:
    """Check every record against the notes and concepts of now; files that are gone are problems, never the end."""
    notes = Notes(vault)
    index = ConceptIndex(read_concepts(vault.root)[0])
    failed: list[Rejected] = []
    orphans: list[str] = []
    ok = suspects = 0
    hashes = list_records(vault.root)
    for hash_ in hashes:
        record = read_record(vault.root, hash_)
        row = notes.row(hash_)
        if row is None:
            orphans.append(hash_)
            continue
        if record is None or isinstance(record, Damaged):
            reason = "it is gone" if record is None else record.reason
            failed.append(Rejected(hash_, row.path, (Problem("", f"the record cannot be read: {reason}"),)))
            continue
        suspects += len(entries(record, SUSPECT))
        problems = check({**record, "hash": hash_}, notes, index)
        if problems:
            failed.append(Rejected(hash_, row.path, tuple(problems)))
        else:
            ok += 1
    return Validation(len(hashes), ok, tuple(failed), tuple(orphans), suspects)
