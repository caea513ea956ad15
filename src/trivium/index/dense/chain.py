"""The files of one matrix: how they are named, follow one another, appear whole and go away.

A file is called `<path>.<generation>-<uid>` and names the one before it by its uid. Files are only added and removed,
never changed or replaced: who has mapped old ones keeps an intact view of them, on every operating system. The chain
that counts is the one that ends in the newest file from which all the files before it can be opened.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from trivium.index.dense.ranking import Row
from trivium.index.dense.segment import NO_PARENT, Segment, write_segment

_ABANDONED_AFTER_S = 3600
_ATTEMPTS = 5

Name = tuple[int, bytes]
"""(generation, uid)"""


def _file(path: str, name: Name) -> str:
    return f"{path}.{name[0]:08d}-{name[1].hex()}"


def _listed(path: str) -> list[Name]:
    """The files that are there, newest last."""
    folder, base = os.path.split(path)
    names = []
    with suppress(OSError):
        for entry in os.listdir(folder or "."):
            generation, _, uid = entry.removeprefix(base + ".").partition("-")
            if entry.startswith(base + ".") and generation.isascii() and generation.isdigit() and len(uid) == 16:
                with suppress(ValueError):
                    names.append((int(generation), bytes.fromhex(uid)))
    return sorted(names)


def open_chain(path: str, identity: str) -> list[Segment]:
    """The segments in key order; none when no chain of this identity is whole."""
    listed = _listed(path)
    for _ in range(_ATTEMPTS):
        generations = {uid: generation for generation, uid in listed}
        for _, uid in reversed(listed):
            segments = _follow(path, uid, generations, identity)
            if segments:
                return segments
        # A writer may have removed what was listed before it could be opened: then there is something newer.
        before, listed = listed, _listed(path)
        if listed == before:
            break
    return []


def _follow(path: str, uid: bytes, generations: dict[bytes, int], identity: str) -> list[Segment]:
    segments: list[Segment] = []
    while uid != NO_PARENT:
        segment = None
        if uid in generations and len(segments) < len(generations):
            segment = Segment.open(_file(path, (generations[uid], uid)), identity=identity)
        if segment is not None:
            segments.append(segment)
        if segment is None or segment.uid != uid or segment.dim != segments[0].dim:
            for opened in segments:
                opened.close()
            return []
        uid = segment.parent
    return segments[::-1]


def add(path: str, rows: Iterable[Row], *, dim: int, identity: str, parents: Sequence[Segment]) -> int:
    """Write rows as a new file after `parents` and make it the end of the chain; returns how many rows it holds.

    The file appears under its name whole and synced, or not at all. Then what the chain does not need is removed.
    """
    uid = os.urandom(8)
    parent, after = (parents[-1].uid, parents[-1].last_key) if parents else (NO_PARENT, 0)
    temporary = f"{path}.{uid.hex()}.tmp"
    try:
        count = write_segment(temporary, rows, dim=dim, identity=identity, uid=uid, parent=parent, after=after)
        generation = max((number for number, _ in _listed(path)), default=0) + 1
        os.rename(temporary, _file(path, (generation, uid)))
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    _sync_folder(path)
    needed = {uid, *(segment.uid for segment in parents)}
    if needed <= {name[1] for name in _listed(path)}:
        _sweep(path, generation, needed)
    else:
        # Another writer made a chain without our parents: its file stands, ours cannot be reached.
        _remove(_file(path, (generation, uid)))
    return count


def _sync_folder(path: str) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sweep(path: str, generation: int, needed: set[bytes]) -> None:
    for name in _listed(path):
        if name[0] < generation and name[1] not in needed:
            _remove(_file(path, name))
    for temporary in _temporaries(path):
        with suppress(OSError):
            if time.time() - os.stat(temporary).st_mtime > _ABANDONED_AFTER_S:
                _remove(temporary)


def _temporaries(path: str) -> list[str]:
    folder, base = os.path.split(path)
    names = os.listdir(folder or ".")
    return [os.path.join(folder, name) for name in names if name.startswith(base + ".") and name.endswith(".tmp")]


def _remove(file: str) -> None:
    # Where a mapped file cannot be removed, the next writer tries again.
    with suppress(OSError):
        os.unlink(file)


def remove_matrix(path: str) -> None:
    """Remove every file of the matrix at a path, if there are any."""
    for name in _listed(path):
        _remove(_file(path, name))
