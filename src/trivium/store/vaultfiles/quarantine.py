"""Damaged entries of a vault's files, kept word for word and named, so that rewriting a file loses nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trivium.store.vaultfiles.whole import decode, encode, meta_path, read_whole, write_whole

NAME = "quarantine.jsonl"


class Damaged(NamedTuple):
    """An entry that could not be read: the file below `meta/kg/`, its line or place from 1, why, and its text."""

    file: str
    line: int
    reason: str
    text: str


def set_aside(root: str, damaged: Iterable[Damaged]) -> int:
    """Append entries to `quarantine.jsonl`, each text once a file; returns how many are new. Hold the lock."""
    path = meta_path(root, NAME)
    before = read_whole(path) or b""
    seen = set()
    for line in before.splitlines():
        try:
            entry = decode(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            seen.add((entry.get("file"), entry.get("text")))
    new = []
    for one in damaged:
        if (one.file, one.text) not in seen:
            seen.add((one.file, one.text))
            new.append(encode({"file": one.file, "line": one.line, "reason": one.reason, "text": one.text}))
    if new:
        ending = b"\n" if before and not before.endswith(b"\n") else b""
        write_whole(path, before + ending + b"".join(new))
    return len(new)
