"""`concepts.json`: the vault's vocabulary, one array of objects sorted by id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trivium.errors import StoreError
from trivium.store.vaultfiles.quarantine import Damaged, set_aside
from trivium.store.vaultfiles.whole import decode, encode, meta_path, read_whole, write_whole

NAME = "concepts.json"


def read_concepts(root: str) -> tuple[list[dict[str, Any]], list[Damaged]]:
    """The concepts as they stand, by id, with every field; and entries that are no object or have no id.

    A missing file is an empty list. StoreError when the file is no JSON array: it is never taken for empty.
    """
    path = meta_path(root, NAME)
    data = read_whole(path)
    if data is None or not data.strip():
        return [], []
    try:
        found = decode(data)
    except ValueError as error:
        raise _unreadable(path, f"no JSON: {error}") from None
    if not isinstance(found, list):
        raise _unreadable(path, "no array of concepts")
    concepts, damaged = [], []
    for place, entry in enumerate(found, start=1):
        if isinstance(entry, dict) and isinstance(entry.get("id"), str) and entry["id"]:
            concepts.append(entry)
        else:
            reason = "no id" if isinstance(entry, dict) else "no object"
            damaged.append(Damaged(NAME, place, reason, encode(entry).decode().rstrip("\n")))
    return sorted(concepts, key=_order), damaged


def write_concepts(root: str, concepts: Iterable[dict[str, Any]], damaged: Iterable[Damaged] = ()) -> bool:
    """Write the concepts by id; damaged entries are set aside first. False when nothing changed. Hold the lock."""
    set_aside(root, damaged)
    return write_whole(meta_path(root, NAME), encode(sorted(concepts, key=_order), indent=2))


def _order(concept: dict[str, Any]) -> bytes:
    return str(concept["id"]).encode("utf-16-be", "surrogatepass")


def _unreadable(path: str, why: str) -> StoreError:
    return StoreError(
        f"{path} cannot be read: {why}",
        hint="Repair the file or bring back an earlier version; it is not overwritten.",
    )
