"""Single notes and the list of them: what one file says, where a note is, what waits to be read, what may go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote as escaped

from trivium.domains.vault.edges import entries
from trivium.domains.vault.requote import SUSPECT
from trivium.domains.vault.vault import Vault
from trivium.errors import NotFoundError, UsageError
from trivium.sources.vault.files import ReadNote, read_note
from trivium.sources.vault.walk import in_scope, parse_scopes
from trivium.store.vaultfiles import (
    Damaged,
    RegistryRow,
    list_records,
    read_record,
    read_registry,
    remove_record,
)
from trivium.text.quotes import find_quote, nearest


class Located(NamedTuple):
    """Where a quote stands: `offset` in UTF-16 units of the text, `line` from 1; or what is nearest to it."""

    found: bool
    offset: int | None = None
    line: int | None = None
    path: str = ""
    nearest: dict[str, Any] | None = None


class Pending(NamedTuple):
    """A note without a record of this version, or whose record lost claims to an edit (`broken`)."""

    hash: str
    path: str
    title: str
    broken: tuple[dict[str, Any], ...] = ()


def registry(vault: Vault) -> list[RegistryRow]:
    """The notes that the registry has, by path."""
    return read_registry(vault.root).rows


def note_text(vault: Vault, path: str, hash_: str) -> str | None:
    """The text of a note, if its file still has this hash."""
    read = read_note(vault.root, path)
    return read.text if isinstance(read, ReadNote) and read.hash == hash_ else None


def by_hash(vault: Vault, wanted: str) -> RegistryRow:
    """A note by its hash, the beginning of it (8 digits or more), its path or `path:line`. Raises `NotFoundError`."""
    rows = registry(vault)
    for row in rows:
        if wanted in (row.hash, row.path):
            return row
    head, _, tail = wanted.rpartition(":")
    near = [row for row in rows if (len(wanted) >= 8 and row.hash.startswith(wanted)) or (tail and row.path == head)]
    if near:
        return near[0]
    former = [row for row in rows if wanted in (row.fields.get("was") or ())]
    if former:
        return former[-1]
    raise NotFoundError(f"No note has this hash or path: {wanted}", hint="vault scan brings the registry up to date.")


def pending(vault: Vault, *, limit: int | None = None) -> list[Pending]:
    """The notes that wait for a record, by path; at most `limit`."""
    if limit is not None and limit < 0:
        raise UsageError(f"limit must be an integer of at least 0, not {limit}.")
    made: list[Pending] = []
    have = set(list_records(vault.root))
    for row in registry(vault):
        if limit is not None and len(made) >= limit:
            break
        if row.hash not in have:
            made.append(Pending(row.hash, row.path, row.title))
        elif broken := _broken(vault, row.hash):
            made.append(Pending(row.hash, row.path, row.title, broken))
    return made


def _broken(vault: Vault, hash_: str) -> tuple[dict[str, Any], ...]:
    record = read_record(vault.root, hash_)
    return tuple(entries(record, SUSPECT)) if isinstance(record, dict) else ()


def gc(vault: Vault) -> list[str]:
    """Delete the records whose text no note holds any more; returns their hashes, sorted."""
    with vault.lock():
        known = {row.hash for row in registry(vault)}
        removed = [
            hash_ for hash_ in list_records(vault.root) if hash_ not in known and remove_record(vault.root, hash_)
        ]
        if removed:
            from trivium.domains.vault.refresh import refresh

            refresh(vault)
    return removed


def info(vault: Vault, wanted: str) -> dict[str, Any]:
    """A note with its place in the file system and its record, null when it has none."""
    row = by_hash(vault, wanted)
    full = vault.full(row.path)
    record = read_record(vault.root, row.hash)
    address = "vscode://file/" + escaped(full.lstrip("/"), safe="/:")
    return {
        "hash": row.hash,
        "path": row.path,
        "title": row.title,
        "abs_path": full,
        "vscode_url": address,
        "metadata": None if record is None or isinstance(record, Damaged) else record,
        "is_damaged": isinstance(record, Damaged),
    }


def locate(vault: Vault, wanted: str, quote: str) -> Located:
    """Where a quote stands in a note as it is now."""
    row = by_hash(vault, wanted)
    read = read_note(vault.root, row.path)
    if not isinstance(read, ReadNote):
        raise NotFoundError(f"{row.path} cannot be read: {read.message}.")
    text = read.text
    found = find_quote(text, quote)
    start = text.find(quote) if quote and found is None else -1 if found is None else found.start
    if start < 0:
        near = nearest(text, quote) if quote else None
        shown = (
            None if near is None else {"text": near.text, "line": near.line, "similarity": round(near.similarity, 3)}
        )
        return Located(False, path=row.path, nearest=shown)
    if found is not None and not found.is_exact:
        shown = {"text": text[found.start : found.end], "line": found.line, "similarity": 1.0}
        return Located(False, path=row.path, nearest=shown)
    offset = len(text[:start].encode("utf-16-le", "surrogatepass")) // 2
    return Located(True, offset, text.count("\n", 0, start) + 1, row.path)


def doc(path: str) -> dict[str, Any]:
    """What one markdown file says, without a vault: hash, title, headings, links, tags, papers, problems."""
    from urllib.parse import unquote

    from trivium.text.markdown import parse

    folder, name = os.path.split(os.path.abspath(path))
    read = read_note(folder, name)
    if not isinstance(read, ReadNote):
        raise NotFoundError(f"{path} cannot be read: {read.message}.")
    note = parse(read.text)
    links = [link for link in note.links if link.kind in ("markdown", "reference", "html")]
    stem = name.rpartition(".")[0] or name
    return {
        "hash": read.hash,
        "title": note.title or note.given_title or stem,
        "headings": len(note.headings),
        "links": list(dict.fromkeys(unquote(link.target) for link in links)),
        "wiki_links": list(dict.fromkeys(link.raw for link in note.links if link.kind in ("wiki", "frontmatter"))),
        "tags": list(dict.fromkeys(tag.name for tag in note.tags)),
        "aliases": list(note.aliases),
        "arxiv": list(dict.fromkeys(f.id + f.version for f in note.identifiers if f.kind == "arxiv")),
        "dois": list(dict.fromkeys(f.id for f in note.identifiers if f.kind == "doi")),
        "problems": [read.problem] * bool(read.problem)
        + [f"line {problem.line}: {problem.message}" for problem in note.frontmatter.problems],
    }


def prep(vault: Vault, *, scopes: str | None = None) -> Iterator[dict[str, Any]]:
    """What an agent needs to draw up the vocabulary: hash, path, title and headings of each note, by path."""
    from trivium.text.markdown import parse

    wanted = parse_scopes(scopes)
    for row in registry(vault):
        if not in_scope(row.path, wanted):
            continue
        read = read_note(vault.root, row.path)
        headings = [heading.text for heading in parse(read.text).headings] if isinstance(read, ReadNote) else []
        yield {"hash": row.hash, "path": row.path, "title": row.title, "headings": headings}
