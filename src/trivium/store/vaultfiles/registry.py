"""`registry.jsonl`: one line a note, by path, with the hash that all other files refer to it by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from trivium.store.vaultfiles.quarantine import Damaged, set_aside
from trivium.store.vaultfiles.whole import decode, encode, meta_path, read_whole, write_whole

NAME = "registry.jsonl"
_FAR_S = 1e15
_KNOWN = {"hash", "path", "title", "mtime", "size"}
_PATH = re.compile(rb'"path":("(?:[^"\\]|\\.)*")')


class RegistryRow(NamedTuple):
    """A note: SHA-256 of its bytes, path with `/`, title, mtime in seconds, size in bytes; `fields` is the object as it
    was read, so that what we do not know is written back."""

    hash: str
    path: str
    title: str
    mtime: float
    size: int
    fields: Mapping[str, Any] = MappingProxyType({})

    def as_object(self) -> dict[str, Any]:
        """The object to write: our fields in kg's order, unless they stood in another, then the unknown ones."""
        mtime = int(self.mtime) if self.mtime == int(self.mtime) else self.mtime
        known = {"hash": self.hash, "path": self.path, "title": self.title, "mtime": mtime, "size": self.size}
        return {**self.fields, **known} if self.fields else known


class Registry(NamedTuple):
    """What the file holds: rows by path, and the lines that could not be read. Two rows may share a hash."""

    rows: list[RegistryRow]
    damaged: list[Damaged]


def read_registry(root: str) -> Registry:
    """Read the registry of a vault; a missing file is an empty one, a damaged line is named and left out.

    Of several lines for one path the last counts (the others are named as damaged).
    """
    rows: dict[str, RegistryRow] = {}
    damaged: list[Damaged] = []
    lines: dict[str, tuple[int, bytes]] = {}
    data = read_whole(meta_path(root, NAME)) or b""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        row, reason = _row(line)
        if row is None:
            damaged.append(Damaged(NAME, number, reason, line.decode("utf-8", "backslashreplace").rstrip("\r")))
            continue
        if row.path in rows:
            first, text = lines[row.path]
            if rows[row.path] != row:
                damaged.append(Damaged(NAME, first, f"line {number} names the same path again", text.decode()))
        rows[row.path] = row
        lines[row.path] = (number, line)
    return Registry(sorted(rows.values(), key=_order), damaged)


def write_registry(root: str, rows: Iterable[RegistryRow], damaged: Iterable[Damaged] = ()) -> bool:
    """Write the registry, by path; damaged lines are set aside first. False when nothing changed. Hold the lock."""
    set_aside(root, damaged)
    data = b"".join(encode(row.as_object()) for row in sorted(rows, key=_order))
    return write_whole(meta_path(root, NAME), data)


def update_registry(root: str, rows: Iterable[RegistryRow], gone: Iterable[str]) -> bool:
    """Write some rows anew and drop those of some paths, the other lines as they are. Hold the lock.

    For a registry that this program wrote: its lines are in order and each names one path.
    """
    changed = {encode(row.path).rstrip(b"\n"): row for row in rows}
    dropped = {encode(path).rstrip(b"\n") for path in gone} - changed.keys()
    lines: dict[bytes, bytes] = {}
    for line in (read_whole(meta_path(root, NAME)) or b"").split(b"\n"):
        found = _PATH.search(line)
        if found is not None and found[1] not in dropped:
            lines[found[1]] = line
    is_new = not changed.keys() <= lines.keys()
    for path, row in changed.items():
        before, _ = _row(lines[path]) if path in lines else (None, "")
        fields = {} if before is None else {**before.fields, **row.fields}
        known = row._replace(fields=fields if fields.keys() - _KNOWN else {})
        lines[path] = encode((known if before is not None else row).as_object()).rstrip(b"\n")
    if is_new:
        order = {path: str(decode(path)).encode("utf-16-be", "surrogatepass") for path in lines}
        lines = {path: lines[path] for path in sorted(lines, key=order.__getitem__)}
    return write_whole(meta_path(root, NAME), b"".join(line + b"\n" for line in lines.values()))


def _order(row: RegistryRow) -> bytes:
    return row.path.encode("utf-16-be", "surrogatepass")


def _row(line: bytes) -> tuple[RegistryRow | None, str]:
    try:
        found = decode(line)
    except ValueError as error:
        return None, f"no JSON: {error}"
    if not isinstance(found, dict):
        return None, "no object"
    for name in ("hash", "path"):
        if not isinstance(found.get(name), str) or not found[name]:
            return None, f"no {name}"
    title, mtime, size = found.get("title"), found.get("mtime"), found.get("size")
    is_time = isinstance(mtime, int | float) and not isinstance(mtime, bool) and abs(mtime) < _FAR_S
    is_count = isinstance(size, int) and not isinstance(size, bool)
    return RegistryRow(
        found["hash"],
        found["path"],
        title if isinstance(title, str) else "",
        float(mtime) if is_time and mtime is not None else 0.0,
        size if is_count and isinstance(size, int) else -1,
        found,
    ), ""
