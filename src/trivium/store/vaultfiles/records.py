"""`metadata/<hash>.json`: what is known of one version of one note, kept as it was given."""

from __future__ import annotations

import contextlib
import os
import re
from typing import Any

from trivium.errors import StoreError, UsageError
from trivium.store.vaultfiles.quarantine import Damaged
from trivium.store.vaultfiles.whole import decode, encode, meta_path, read_whole, write_whole

FOLDER = "metadata"
_HASH = re.compile(r"[0-9A-Za-z]{1,128}")
_SHOWN_CHARS = 200


def read_record(root: str, hash_: str) -> dict[str, Any] | Damaged | None:
    """The record of a note version with every field, None when there is none, Damaged when it is no JSON object."""
    data = read_whole(_path(root, hash_))
    if data is None:
        return None
    try:
        found = decode(data)
        reason = "" if isinstance(found, dict) else "no object"
    except ValueError as error:
        found, reason = None, f"no JSON: {error}"
    if isinstance(found, dict):
        return found
    return Damaged(f"{FOLDER}/{hash_}.json", 1, reason, data.decode("utf-8", "backslashreplace")[:_SHOWN_CHARS])


def write_record(root: str, hash_: str, record: dict[str, Any]) -> bool:
    """Replace a record; one that was damaged is kept beside it as `<hash>.json.damaged`. Hold the lock."""
    path = _path(root, hash_)
    if isinstance(read_record(root, hash_), Damaged):
        write_whole(path + ".damaged", read_whole(path) or b"")
    return write_whole(path, encode(record, indent=2))


def remove_record(root: str, hash_: str) -> bool:
    """Delete a record; False when there was none. Hold the lock."""
    path = _path(root, hash_)
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"{path} cannot be removed: {error.strerror or type(error).__name__}") from error
    return True


def list_records(root: str) -> list[str]:
    """The hashes that have a record, sorted."""
    names: list[str] = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        names = os.listdir(meta_path(root, FOLDER))
    found = (name[: -len(".json")] for name in names if name.endswith(".json"))
    return sorted(hash_ for hash_ in found if _HASH.fullmatch(hash_))


def _path(root: str, hash_: str) -> str:
    if not _HASH.fullmatch(hash_):
        raise UsageError(f"{hash_[:80]!r} is no hash of a note")
    return meta_path(root, FOLDER, f"{hash_}.json")
