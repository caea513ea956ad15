"""Bringing a guidance space in step with its files: stat first, hashes next, and only new texts are read."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from trivium.domains.routing.collection import SURVEY_FACT, VERSION, VERSION_FACT, Collection
from trivium.index.lexical import LexicalRow
from trivium.index.space import COMPLETE_FOR, INDEX_FACT, INDEX_VERSION
from trivium.ingest import text_hash
from trivium.sources.guidance.survey import Found, Survey, survey
from trivium.sources.guidance.values import Guide, Problem, Reading
from trivium.store.base import PassageRow
from trivium.store.sqlite import guidance
from trivium.store.sqlite.store import SqliteStore

Progress = Callable[[int, int], None]

_BATCH = 100
_MAX_BODY = 12_000
"""Characters of a body whose words are indexed: what an entry is about, it says at its beginning."""


class Refreshed(NamedTuple):
    """What was done. `left`: files that were not looked at because the time was over; the next call goes on there."""

    files: int
    read: int
    removed: int
    left: int
    problems: tuple[tuple[str, str], ...]


def refresh(
    collection: Collection,
    *,
    deadline: float | None = None,
    is_forced: bool = False,
    on_progress: Progress | None = None,
) -> Refreshed:
    """Read what is new or changed and forget what is gone. `deadline` is a `time.monotonic()`.

    A file whose bytes are as they were costs a hash; one whose state on disk is as it was costs a stat. A file that
    cannot be read as what it is keeps the entries that it had, and its problem is reported. Every batch is kept.
    """
    seen = survey(collection.roots)
    store = collection.space.store
    with store.guard():
        is_current = collection.is_current()
        if is_current and not is_forced and store.meta(SURVEY_FACT) == _print(seen):
            return Refreshed(len(seen.files), 0, 0, 0, _problems(store, seen))
        if not store.is_writable:
            return Refreshed(len(seen.files), 0, 0, len(seen.files), _problems(store, seen))
        if not is_current:
            _begin(collection)
        known = guidance.files(store)
        paths = {found.path for found in seen.files}
        gone = [row for path, row in known.items() if path not in paths]
        changed = [found for found in seen.files if is_forced or _is_changed(found, known.get(found.path))]
        _forget(collection, gone)
        read, done = 0, 0
        for batch in _batches(changed):
            if done and deadline is not None and time.monotonic() > deadline:
                break
            read += _take_in(collection, batch, known, is_forced=is_forced)
            done += len(batch)
            if on_progress is not None:
                on_progress(done, len(changed))
        if done == len(changed):
            store.set_meta(SURVEY_FACT, _print(seen))
        return Refreshed(len(seen.files), read, len(gone), len(changed) - done, _problems(store, seen))


def _print(seen: Survey) -> str:
    return f"{len(seen.files)}.{seen.print:x}"


def _is_changed(found: Found, row: guidance.FileRow | None) -> bool:
    return row is None or row.stat != found.stat or row.root != found.root.key


def _batches(files: Sequence[Found]) -> Iterator[Sequence[Found]]:
    # The first is small, so that a short deadline is kept.
    at, size = 0, 20
    while at < len(files):
        yield files[at : at + size]
        at, size = at + size, _BATCH


def _problems(store: SqliteStore, seen: Survey) -> tuple[tuple[str, str], ...]:
    return (*((path, problem.message) for path, problem in seen.problems), *guidance.problems(store))


def _begin(collection: Collection) -> None:
    """Tables and indexes of this version; what another version wrote is read again from the files."""
    space = collection.space
    with space.store.write():
        guidance.reset(space.store)
        space.lexical.create()
        space.lexical.clear()
        space.store.set_meta(VERSION_FACT, VERSION)
        space.store.set_meta(INDEX_FACT, INDEX_VERSION)
        space.store.drop_meta(SURVEY_FACT, COMPLETE_FOR)


def _forget(collection: Collection, rows: Sequence[guidance.FileRow]) -> None:
    if not rows:
        return
    space = collection.space
    with space.store.write():
        space.lexical.remove(guidance.delete_files(space.store, [row.document for row in rows]))


def _take_in(
    collection: Collection, batch: Sequence[Found], known: dict[str, guidance.FileRow], *, is_forced: bool
) -> int:
    """Read some files and store what they say, in one transaction; returns how many had another content."""
    from trivium.sources.guidance import files

    read: list[tuple[Found, bytes, Reading | None]] = []
    for found in batch:
        data = files.read_bytes(found)
        if isinstance(data, Problem):
            read.append((found, b"", Reading(problems=(data,), is_broken=True)))
            continue
        name = files.digest(data)
        row = known.get(found.path)
        is_same = row is not None and row.content_hash == name and row.root == found.root.key and not is_forced
        read.append((found, name, None if is_same else files.parse(data, found)))
    store = collection.space.store
    with store.write():
        for found, name, reading in read:
            row = known.get(found.path)
            if reading is None and row is not None:
                guidance.touch_file(store, row.document, found.stat)
            elif reading is not None:
                _put(collection, found, name, reading)
        changed = sum(reading is not None for _, _, reading in read)
        if changed:
            store.drop_meta(COMPLETE_FOR)
    return changed


def _put(collection: Collection, found: Found, name: bytes, reading: Reading) -> None:
    space, at = collection.space, collection.engine.clock()
    told = [f"{problem.line}: {problem.message}" if problem.line else problem.message for problem in reading.problems]
    document = guidance.put_file(
        space.store,
        found.path,
        root=found.root.key,
        stat=found.stat,
        content_hash=name,
        problems=guidance.SEPARATOR.join(told),
        at=at,
    )
    before = guidance.entities_of(space.store, document)
    if reading.is_broken and before:
        return
    from trivium.sources.guidance.handles import entry_id

    numbers: dict[str, int] = {}
    rows: list[LexicalRow] = []
    for guide in reading.guides:
        numbers[guide.section] = number = numbers.get(guide.section, 0) + 1
        identifier = entry_id(found.root.key, found.relative, guide.section, number)
        before.pop(identifier, None)
        rows.append(_put_entry(space.store, document, found.root.key, identifier, guide, at))
    guidance.delete_entries(space.store, before.values())
    space.lexical.remove(before.values())
    space.lexical.put(rows)


def _put_entry(store: SqliteStore, document: int, root: str, identifier: str, guide: Guide, at: str) -> LexicalRow:
    examples = guide.examples()
    entity = guidance.put_entry(
        store, identifier, document, at=at, description=guide.description, body=guide.body, kind=guide.kind
    )
    guidance.put_guide(
        store,
        entity,
        document,
        root,
        {
            "name": guide.name,
            "kind": guide.kind,
            "example_count": len(examples),
            "boost": guide.boost,
            "tightness": None,
            "status": guide.status,
            "is_always": int(guide.is_always),
            "one_liner": guide.one_liner,
            "examples": guidance.SEPARATOR.join(examples),
            "paths": guidance.SEPARATOR.join(guide.paths),
            "hooks": guidance.SEPARATOR.join(guide.hooks),
            "origin": guide.origin,
            "section": guide.section,
            "line": guide.line,
            "content_hash": hashlib.sha256(repr(guide).encode("utf-8", "surrogatepass")).digest()[:8],
        },
    )
    store.put_passages(entity, list(_passages(entity, examples)))
    said = "\n".join((guide.description, guide.when_to_use, *guide.queries))
    label = " ".join((guide.name, *guide.keywords))
    return LexicalRow(entity, label, said, guide.body[:_MAX_BODY])


def _passages(entity: int, examples: Sequence[str]) -> Iterator[PassageRow]:
    start = 0
    for ordinal, example in enumerate(examples):
        yield PassageRow(entity, ordinal, text_hash(example), start, start + len(example))
        start += len(example) + len(guidance.SEPARATOR)
