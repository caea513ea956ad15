"""What changed in a vault since it was last read: by stat first, by hash only where that leaves doubt."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from trivium.errors import NotFoundError, UsageError
from trivium.sources.vault.files import MAX_BYTES, ReadNote, Skipped, read_note
from trivium.sources.vault.walk import Entry, Listing, in_scope, order, walk

MASS_DELETION = 20
"""So many notes, or half of those known if that is more, may vanish at once before it is taken for a fault."""

EMPTIED = 5
"""A scope that held at least so many notes and now holds none is taken for one that is not mounted."""

_EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_FINE_TICK_NS = 20_000_000
_COARSE_TICK_NS = 2_000_000_000


class Known(NamedTuple):
    """A note as it was last read. `checked_ns` is the clock when it was hashed, 0 when unknown: then it is hashed."""

    path: str
    hash: str
    size: int
    mtime_ns: int
    inode: int = 0
    checked_ns: int = 0


class Found(NamedTuple):
    """A note that is there now. `state` is new, changed, unchanged or moved (from `moved_from`)."""

    known: Known
    state: str
    moved_from: str = ""


class Scan(NamedTuple):
    """A vault compared with what was known of it.

    `found` are the notes of the scope that are there, by path. `kept` are known notes that were not looked at: outside
    the scope, unreadable, or held back because the vault is `degraded` (the reasons; then nothing is `deleted`).
    `duplicates` maps a hash to the paths that hold the same text, blank notes apart (`empty`). `problems` are
    (path, sentence) of notes that were read with something wrong.
    """

    found: tuple[Found, ...]
    deleted: tuple[Known, ...]
    kept: tuple[Known, ...]
    skipped: tuple[Skipped, ...]
    problems: tuple[tuple[str, str], ...]
    ignored: tuple[tuple[str, str], ...]
    duplicates: dict[str, tuple[str, ...]]
    empty: tuple[str, ...]
    attachments: tuple[str, ...]
    degraded: tuple[str, ...]
    files_read: int
    bytes_read: int

    def count(self, state: str) -> int:
        """How many notes are in this state."""
        return sum(1 for found in self.found if found.state == state)


def scan(
    root: str,
    known: Iterable[Known],
    *,
    now_ns: int,
    scopes: Sequence[str] = (),
    verify: bool = False,
    trusts_deletions: bool = False,
    uses_gitignore: bool = True,
    max_bytes: int = MAX_BYTES,
    receive: Callable[[ReadNote], None] | None = None,
) -> Scan:
    """Compare the vault at `root` with the notes known of it; writes nothing.

    A note is not opened when its size, time and inode are as they were, unless it was written so shortly before it was
    last hashed that the clock cannot tell, or `verify` is set. `receive` gets each note whose text is new, once, while
    it is in memory. `now_ns` is the time in nanoseconds. What was known and cannot be looked at now (unreadable folder
    or file, placeholder, vault not mounted, more gone at once than `MASS_DELETION` allows without `trusts_deletions`)
    is never reported as deleted. Raises NotFoundError for a root that is not there and of which nothing is known,
    UsageError for one that is no folder.
    """
    before = {row.path: row for row in known}
    if not os.path.isdir(root):
        if os.path.exists(root):
            raise UsageError(f"{root} is not a folder")
        if not before:
            raise NotFoundError(f"There is no folder {root}")
        return _nothing(before, (f"the vault {root} is not there (not mounted?)",))
    listing = walk(root, scopes, uses_gitignore=uses_gitignore)
    comparison = _Comparison(os.path.realpath(root), before, listing, scopes, now_ns)
    comparison.read(verify, max_bytes, receive)
    return comparison.result(trusts_deletions)


def _nothing(before: Mapping[str, Known], degraded: tuple[str, ...]) -> Scan:
    kept = tuple(sorted(before.values(), key=lambda row: order(row.path)))
    return Scan((), (), kept, (), (), (), {}, (), (), degraded, 0, 0)


class _Comparison:
    def __init__(
        self, root: str, before: dict[str, Known], listing: Listing, scopes: Sequence[str], now_ns: int
    ) -> None:
        self.root = root
        self.before = before
        self.listing = listing
        self.scopes = scopes
        self.now_ns = now_ns
        self.found: list[Found] = []
        self.skipped = list(listing.skipped)
        self.problems: list[tuple[str, str]] = []
        self.files_read = self.bytes_read = 0
        self.unseen_paths = {skipped.path for skipped in listing.skipped if skipped.reason != "scope"}
        present = {entry.path for entry in listing.notes}
        self.missing = {path: row for path, row in before.items() if path not in present and in_scope(path, scopes)}
        self.missing_by_hash: dict[str, list[str]] = {}
        for path in sorted(self.missing, key=order):
            row = self.missing[path]
            if row.hash != _EMPTY_HASH and not self.is_unseen(path):
                self.missing_by_hash.setdefault(row.hash, []).append(path)

    def is_unseen(self, path: str) -> bool:
        """Whether the walk could not tell if a path is still there."""
        below = any(not folder or path.startswith(folder + "/") for folder, _ in self.listing.unread)
        return below or path in self.unseen_paths

    def read(self, verify: bool, max_bytes: int, receive: Callable[[ReadNote], None] | None) -> None:
        for entry in self.listing.notes:
            row = self.before.get(entry.path)
            if row is not None and not verify and _is_unchanged(entry, row):
                self.found.append(Found(row, "unchanged"))
                continue
            note = read_note(self.root, entry.path, max_bytes=max_bytes)
            if isinstance(note, Skipped):
                self.skipped.append(note)
                continue
            self.files_read += 1
            self.bytes_read += note.size
            if note.problem:
                self.problems.append((note.path, note.problem))
            found = self.classified(note, row)
            self.found.append(found)
            if receive is not None and found.state in ("new", "changed"):
                receive(note)

    def classified(self, note: ReadNote, row: Known | None) -> Found:
        checked_ns = self.now_ns if note.is_stable else 0
        now = Known(note.path, note.hash, note.size, note.mtime_ns, note.inode, checked_ns)
        if row is not None:
            return Found(now, "unchanged" if row.hash == note.hash else "changed")
        candidates = self.missing_by_hash.get(note.hash)
        if not candidates:
            return Found(now, "new")
        origin = min(candidates, key=lambda path: self.distance(path, note))
        candidates.remove(origin)
        del self.missing[origin]
        return Found(now, "moved", origin)

    def distance(self, path: str, note: ReadNote) -> tuple[bool, bool, bytes]:
        """How unlikely it is that the note of this hash moved from this path to where it is now."""
        is_other_file = self.missing[path].inode != note.inode or not note.inode
        return is_other_file, path.rpartition("/")[2] != note.path.rpartition("/")[2], order(path)

    def result(self, trusts_deletions: bool) -> Scan:
        degraded = [f"the folder {folder or '.'} cannot be read: {why}" for folder, why in self.listing.unread]
        skipped_now = {skipped.path for skipped in self.skipped if skipped.reason != "scope"}
        outside = [row for path, row in self.before.items() if not in_scope(path, self.scopes)]
        unseen = {path: row for path, row in self.missing.items() if self.is_unseen(path) or path in skipped_now}
        gone = {path: row for path, row in self.missing.items() if path not in unseen}
        if not trusts_deletions:
            degraded += self.suspicions(gone)
        is_held_back = bool(gone) and not trusts_deletions and bool(self.suspicions(gone))
        kept = outside + list(unseen.values()) + [row for path, row in self.before.items() if path in skipped_now]
        if is_held_back:
            kept += gone.values()
            gone = {}
        found = tuple(self.found)
        paths: dict[str, list[str]] = {}
        for note in found:
            paths.setdefault(note.known.hash, []).append(note.known.path)
        empty = tuple(paths.pop(_EMPTY_HASH, ()))
        kept_rows = {row.path: row for row in kept}
        return Scan(
            found=found,
            deleted=tuple(sorted(gone.values(), key=lambda row: order(row.path))),
            kept=tuple(sorted(kept_rows.values(), key=lambda row: order(row.path))),
            skipped=tuple(sorted(self.skipped, key=lambda skipped: order(skipped.path))),
            problems=tuple(self.problems),
            ignored=tuple(self.listing.ignored),
            duplicates={hash_: tuple(same) for hash_, same in paths.items() if len(same) > 1},
            empty=empty,
            attachments=tuple(self.listing.attachments),
            degraded=tuple(degraded),
            files_read=self.files_read,
            bytes_read=self.bytes_read,
        )

    def suspicions(self, gone: Mapping[str, Known]) -> list[str]:
        """Reasons to think that the notes that are gone were not deleted by their owner."""
        reasons = []
        for scope in self.scopes or ("",):
            had = sum(1 for path in self.before if in_scope(path, (scope,) if scope else ()))
            is_empty = not any(in_scope(entry.path, (scope,) if scope else ()) for entry in self.listing.notes)
            if is_empty and had >= EMPTIED:
                where = f"the folder {scope}" if scope else "the vault"
                reasons.append(f"{where} held {had} notes and now holds none (not mounted?): nothing was deleted")
        had = sum(1 for path in self.before if in_scope(path, self.scopes))
        if not reasons and len(gone) > max(MASS_DELETION, had // 2):
            reasons.append(f"{len(gone)} of {had} notes are gone at once: nothing was deleted")
        return reasons


def _is_unchanged(entry: Entry, row: Known) -> bool:
    if (entry.size, entry.mtime_ns) != (row.size, row.mtime_ns):
        return False
    if entry.inode and row.inode and entry.inode != row.inode:
        return False
    # A file written again within one tick of its clock keeps its time.
    tick = _FINE_TICK_NS if entry.mtime_ns % 1_000_000_000 else _COARSE_TICK_NS
    return row.checked_ns - entry.mtime_ns > tick
