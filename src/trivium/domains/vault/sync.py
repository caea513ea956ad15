"""Scan and index in one incremental step: what changed is read, what did not is not opened."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from trivium.domains.vault import derive
from trivium.domains.vault.freshness import stamp
from trivium.domains.vault.indexing import ReadText, pack_links, pack_names, read_text
from trivium.domains.vault.registering import Registering, registry_rows
from trivium.domains.vault.vault import BUILT, STAMP, VERSION, Progress, Vault
from trivium.index.lexical import LexicalRow
from trivium.index.space import COMPLETE_FOR, INDEX_FACT, INDEX_VERSION, Space
from trivium.sources.vault.files import ReadNote, Skipped, read_note
from trivium.sources.vault.names import key as name_of
from trivium.sources.vault.resolve import Resolver
from trivium.sources.vault.scan import Known, Scan, scan
from trivium.store.sqlite.notes import reading, rows, tables
from trivium.store.sqlite.notes.rows import NoteRow
from trivium.store.sqlite.store import SqliteStore
from trivium.store.vaultfiles import update_registry, write_registry
from trivium.text.markdown import Link

_BATCH_CHARS = 4_000_000


class Synced(NamedTuple):
    """What a sync did. `carried` counts the quotes of records by what an edit did to them; `seconds` is CPU time."""

    scanned: int
    new: int
    changed: int
    unchanged: int
    moved: int
    deleted: int
    total: int
    files_read: int
    bytes_read: int
    relinked: int
    concepts: int
    carried: dict[str, int]
    skipped: tuple[Skipped, ...]
    problems: tuple[tuple[str, str], ...]
    ignored: tuple[tuple[str, str], ...]
    duplicates: tuple[tuple[str, ...], ...]
    empty: tuple[str, ...]
    degraded: tuple[str, ...]
    is_indexed: bool
    seconds: float

    @property
    def is_clean(self) -> bool:
        """Whether everything could be read."""
        return not (self.skipped or self.degraded or self.problems)


class SyncOptions(NamedTuple):
    """`verify` reads every note; `trusts_deletions` believes that many notes are gone; `is_new` indexes all again."""

    scopes: tuple[str, ...] | None = None
    verify: bool = False
    trusts_deletions: bool = False
    uses_gitignore: bool = True
    is_new: bool = False


def sync(vault: Vault, options: SyncOptions = SyncOptions(), *, on_progress: Progress | None = None) -> Synced:  # noqa: B008 (immutable)
    """Bring registry and index to what the vault's files are now, in one transaction; notes are never written."""
    begin = time.process_time()
    with vault.lock():
        space = vault.space_to_write()
        with space.store.guard(), space.store.write():
            work = _Sync(vault, space, options, on_progress)
            done = work.run()
    return done._replace(seconds=round(time.process_time() - begin, 3))


class _Sync:
    def __init__(self, vault: Vault, space: Space, options: SyncOptions, on_progress: Progress | None) -> None:
        self.vault = vault
        self.space = space
        self.connection = space.store.connection
        self.options = options
        self.on_progress = on_progress
        self.at = vault.engine.clock()
        self.is_fresh = options.is_new or space.store.meta(BUILT) != VERSION
        self.rows: dict[str, NoteRow] = {}
        self.links: dict[int, list[Link]] = {}
        self.names_changed: set[str] = set()
        self.written: list[int] = []
        self.registering = Registering(vault)
        self._lexical: list[LexicalRow] = []
        self._lexical_chars = 0
        self.answers = Resolver((), vault.style)

    def run(self) -> Synced:
        if self.options.is_new:
            tables.clear(self.connection)
            self.space.lexical.create()
            self.space.lexical.clear()
        self.rows = {row.path: row for row in reading.notes(self.connection)}
        stamped = self.space.store.meta(STAMP)
        if self.is_fresh:
            self.space.lexical.set_batch(is_large=True)
            tables.drop_indexes(self.connection)
        is_meta_new = self.is_fresh or stamped != stamp(self.vault.root)
        if is_meta_new:
            self.registering.load()
        found = self._scan()
        moved = self._moved(found)
        self._deleted(found)
        self._flush()
        self._attachments(found)
        if is_meta_new:
            self._registry()
        elif self.written or found.deleted:
            self._some_rows(found)
        relinked, concepts = derive.derive(
            self.vault,
            self.space,
            derive.Changes(self.links, self.names_changed, is_meta_new, self.is_fresh),
            at=self.at,
        )
        if self.is_fresh:
            self.space.lexical.set_batch(is_large=False)
            tables.create(self.connection)
        self._facts(found)
        return self._result(found, moved, relinked, concepts)

    # -- files

    def _known(self) -> list[Known]:
        if self.is_fresh:
            # Without a hash every text is handed over; what changed is told by the registry afterwards.
            return [Known(row.path, "", row.size, 0) for row in self.registering.rows.values()]
        return [Known(r.path, r.hash, r.size, r.mtime_ns, r.inode, r.checked_ns) for r in self.rows.values()]

    def _scan(self) -> Scan:
        scopes = self.options.scopes if self.options.scopes is not None else self.registering.scopes()
        now_ns = time.time_ns()
        found = scan(
            self.vault.root,
            self._known(),
            now_ns=now_ns,
            scopes=scopes,
            verify=self.options.verify,
            trusts_deletions=self.options.trusts_deletions,
            uses_gitignore=self.options.uses_gitignore,
            receive=self._receive,
        )
        for note in found.found:
            row = self.rows.get(note.known.path)
            if row is not None and note.state != "moved":
                self._note_stat(row, note.known, found)
        return found

    def _note_stat(self, row: NoteRow, known: Known, found: Scan) -> None:
        stat = (known.size, known.mtime_ns, known.inode, known.checked_ns)
        if stat != (row.size, row.mtime_ns, row.inode, row.checked_ns):
            self.rows[row.path] = row._replace(
                size=known.size, mtime_ns=known.mtime_ns, inode=known.inode, checked_ns=known.checked_ns
            )
            rows.touch_note(self.connection, self.rows[row.path])

    def _receive(self, note: ReadNote) -> None:
        self._write(note, self.rows.get(note.path))
        if self.on_progress is not None:
            self.on_progress(len(self.written), 0)

    def _moved(self, found: Scan) -> int:
        count = 0
        for note in found.found:
            if note.state == "moved":
                count += 1
                old = self.rows.pop(note.moved_from, None)
                again = read_note(self.vault.root, note.known.path)
                if isinstance(again, ReadNote):
                    self.registering.move(note.moved_from, note.known.path)
                    self._write(again, old)
        return count

    def _deleted(self, found: Scan) -> None:
        for known in found.deleted:
            row = self.rows.pop(known.path, None)
            if row is not None:
                self.names_changed |= reading.answers_of(self.connection, row.key)
                self.space.lexical.remove(rows.remove_note(self.connection, row))

    def _attachments(self, found: Scan) -> None:
        had = set() if self.is_fresh else set(reading.attachments(self.connection))
        now = set(found.attachments)
        if self.options.scopes:
            now |= had
        gone, new = had - now, now - had
        rows.put_attachments(self.connection, gone, [(path, name_of(path.rpartition("/")[2])) for path in new])
        self.names_changed |= {name_of(path.rpartition("/")[2]) for path in gone | new}

    # -- one note

    def _write(self, note: ReadNote, old: NoteRow | None) -> None:
        read = read_text(note.path, note.text, self.vault.style)
        was = self._carry(note, old)
        row = NoteRow(
            0 if old is None else old.key, 0 if old is None else old.document, note.path, note.hash, note.size,
            note.mtime_ns, note.inode, time.time_ns() if note.is_stable else 0, read.title, pack_names(read.name),
            note.problem,
        )  # fmt: skip
        aliases = (read.title, note.path.rpartition("/")[2].rpartition(".")[0], *read.name.aliases)
        if old is not None:
            self.space.lexical.remove(rows.remove_parts(self.connection, old.key))
        row = rows.put_note(self.connection, row, aliases, at=self.at)
        self._parts(row, read, is_newest=old is None)
        before: set[str] = set()
        if old is not None:
            before = reading.answers_of(self.connection, row.key)
            rows.clear_note(self.connection, row.key)
        rows.put_facets(self.connection, row.key, [*read.facets, *(("was", hash_) for hash_ in was)])
        now = {*self.answers.answers(read.name), *(f"hash {hash_}" for hash_ in (note.hash, *was))}
        if not self.is_fresh:
            self.names_changed |= now ^ before
        rows.put_answers(self.connection, row.key, now)
        rows.put_links(self.connection, row.key, pack_links(read.links))
        self.links[row.key] = read.links
        self.rows[note.path] = row
        self.written.append(row.key)

    def _carry(self, note: ReadNote, old: NoteRow | None) -> list[str]:
        """Former hashes of a note; what was said of its former text is said of the new one as far as it holds."""
        former = self.registering.former_hash(note.path) if self.is_fresh else "" if old is None else old.hash
        was = [] if old is None else _former(self.space.store, old)
        lines = {}
        if old is not None and former and former != note.hash:
            stored = reading.edges(self.connection, notes=[old.key])
            lines = {edge.row.quote: edge.row.line for edge in stored if edge.row.quote and edge.row.line}
        return self.registering.carry(note, former, was, lines)

    def _parts(self, row: NoteRow, read: ReadText, *, is_newest: bool) -> None:
        keys = rows.put_parts(self.connection, row, read.parts, at=self.at, is_newest=is_newest)
        extra = read.extra
        for key, part in zip(keys, read.parts, strict=True):
            self._lexical.append(LexicalRow(key, part.label, extra, part.text))
            extra = ""
        self._lexical_chars += sum(len(part.text) for part in read.parts)
        if self._lexical_chars > _BATCH_CHARS:
            self._flush()

    def _flush(self) -> None:
        # Many rows at once: every other statement in between makes the word index write out what it has gathered.
        self.space.lexical.put(self._lexical)
        self._lexical, self._lexical_chars = [], 0

    # -- what the vault and the index say of themselves

    def _registry(self) -> None:
        written = [row for row in self.rows.values() if row.key in self.links]
        was: dict[str, list[str]] = {}
        if self.registering.rows or not self.is_fresh:
            was = {row.path: _former(self.space.store, row) for row in written}
        made = registry_rows(self.rows.values(), self.registering.rows, was)
        write_registry(self.vault.root, made, self.registering.damaged)

    def _some_rows(self, found: Scan) -> None:
        gone = [known.path for known in found.deleted] + [note.moved_from for note in found.found if note.moved_from]
        written = [row for row in self.rows.values() if row.key in self.links]
        was = {row.path: _former(self.space.store, row) for row in written}
        update_registry(self.vault.root, registry_rows(written, {}, was), gone)

    def _facts(self, found: Scan) -> None:
        store = self.space.store
        folders = {"": None} | {path.rpartition("/")[0]: None for path in self.rows}
        for folder in list(folders):
            above = folder
            while above:
                above = above.rpartition("/")[0]
                folders.setdefault(above)
        stats = [(folder, _mtime(self.vault, folder)) for folder in folders]
        if set(stats) != set(reading.folders(self.connection)):
            rows.put_folders(self.connection, stats)
        troubles = [(one.path, one.reason, one.message) for one in found.skipped]
        troubles += [(path, "problem", message) for path, message in found.problems]
        troubles += [
            (r.path, "problem", r.problem) for r in self.rows.values() if r.problem and r.key not in self.links
        ]
        if sorted(set(troubles)) != reading.troubles(self.connection):
            rows.put_troubles(self.connection, troubles)
        if self.written:
            store.set_meta(COMPLETE_FOR, "")
        for fact, value in ((BUILT, VERSION), (INDEX_FACT, INDEX_VERSION), (STAMP, stamp(self.vault.root))):
            if store.meta(fact) != value:
                store.set_meta(fact, value)

    def _result(self, found: Scan, moved: int, relinked: int, concepts: int) -> Synced:
        states = {name: found.count(name) for name in ("new", "changed", "unchanged")}
        deleted = len(found.deleted)
        if self.is_fresh:
            states, moved, deleted = self.registering.compared(found)
        return Synced(
            scanned=len(found.found), **states, moved=moved, deleted=deleted, total=len(self.rows),
            files_read=found.files_read, bytes_read=found.bytes_read, relinked=relinked, concepts=concepts,
            carried=self.registering.carried, skipped=found.skipped, problems=found.problems, ignored=found.ignored,
            duplicates=tuple(found.duplicates.values()), empty=found.empty, degraded=found.degraded, is_indexed=True,
            seconds=0.0,
        )  # fmt: skip


def _former(store: SqliteStore, row: NoteRow) -> list[str]:
    return [value for key, value in reading.facets_of(store.connection, row.key) if key == "was"]


def _mtime(vault: Vault, folder: str) -> int:
    try:
        return os.stat(vault.full(folder) if folder else vault.root).st_mtime_ns
    except OSError:
        return 0


def embed(vault: Vault, *, max_texts: int | None = None, on_progress: Progress | None = None) -> int:
    """Give vectors to parts that have none, a batch at a time; what was made is kept when this is interrupted."""
    from trivium.ingest import embed_missing, index_passages

    embedder = vault.engine.embedder()
    if embedder is None:
        return 0
    space = vault.space_to_write()
    index_passages(space, reading.parts_without_passages(space.store.connection))
    return embed_missing(space, embedder, max_texts=max_texts, on_progress=on_progress)
