"""Whether the index is behind the files, found out by stat alone and within the time that an answer has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from trivium.domains.vault.vault import STAMP, STEADY_NOTES, Vault
from trivium.store.sqlite.notes import reading
from trivium.store.vaultfiles.whole import meta_path

SYNC_HINT = "run vault sync"


class Freshness(NamedTuple):
    """`is_current` when nothing that was looked at is newer than the index; `notices` say what is."""

    is_current: bool
    notices: tuple[str, ...]


def stamp(root: str) -> str:
    """What the vault's own files are now, by size and time: the index was built from them or it was not."""
    parts = []
    for name in ("registry.jsonl", "concepts.json", "config.json", "metadata"):
        try:
            found = os.stat(meta_path(root, name))
        except OSError:
            parts.append("-")
            continue
        size = 0 if name == "metadata" else found.st_size
        parts.append(f"{size}.{found.st_mtime_ns}")
    return " ".join(parts)


def freshness(vault: Vault, shown: Iterable[str] = ()) -> Freshness:
    """Look at every note of a small vault, at the folders of a large one and at the notes that are shown."""
    connection = vault.space().store.connection
    notices = []
    count = reading.note_count(connection)
    if not os.path.isdir(vault.root):
        return Freshness(False, ("The vault is not there (not mounted?): the answer comes from the index alone.",))
    behind = _changed_notes(vault, None if count <= STEADY_NOTES else set(shown))
    if behind:
        names = ", ".join(behind[:3]) + (" and others" if len(behind) > 3 else "")
        notices.append(f"The index is behind: {len(behind)} notes changed since ({names}); {SYNC_HINT}.")
    elif changed := _changed_folders(vault):
        notices.append(f"The index is behind: files came or went in {changed[0] or 'the vault'}; {SYNC_HINT}.")
    if not notices and vault.space().store.meta(STAMP) != stamp(vault.root):
        notices.append(f"The index is behind: concepts or records changed since; {SYNC_HINT}.")
    return Freshness(not notices, tuple(notices))


def _changed_notes(vault: Vault, among: set[str] | None) -> list[str]:
    changed = []
    for path, size, mtime_ns in reading.note_stats(vault.space().store.connection) if among != set() else ():
        if among is not None and path not in among:
            continue
        try:
            found = os.stat(vault.full(path))
        except OSError:
            changed.append(path)
            continue
        if (found.st_size, found.st_mtime_ns) != (size, mtime_ns):
            changed.append(path)
    return changed


def _changed_folders(vault: Vault) -> list[str]:
    changed = []
    for path, mtime_ns in reading.folders(vault.space().store.connection):
        try:
            found = os.stat(vault.full(path) if path else vault.root)
        except OSError:
            changed.append(path)
            continue
        if found.st_mtime_ns != mtime_ns:
            changed.append(path)
    return changed
