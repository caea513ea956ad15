"""Which guidance files there are, and whether any of them changed: names and stat calls, no reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from zlib import crc32

from trivium.sources.guidance.roots import Root
from trivium.sources.guidance.values import Problem

SKILL = "SKILL.md"
_INDEX = "MEMORY.md"
_SUFFIXES = {"rules": (".md", ".mdc"), "memories": (".md",)}
_MAX_DEPTH = 4
MAX_BYTES = 1 << 20
"""Larger files are no guidance: they are reported and not read."""

Stat = tuple[int, int, int, int]
"""Size, time of the last change of content and of the file itself (both in nanoseconds), number on the disk."""


class Found(NamedTuple):
    """A file of a root; `relative` is its path below it with forward slashes."""

    root: Root
    path: str
    relative: str
    stat: Stat


class Survey(NamedTuple):
    """`print`: a number that differs when any file was added, removed, renamed or written since."""

    files: list[Found]
    print: int
    problems: list[tuple[str, Problem]]


def survey(roots: Iterable[Root]) -> Survey:
    """List the files of the roots. A root that does not exist has none; one that cannot be read is a problem."""
    files: list[Found] = []
    problems: list[tuple[str, Problem]] = []
    total = 0
    for root in roots:
        for found in _files(root, problems):
            files.append(found)
            total += hash((*found.stat, crc32(found.path.encode("utf-8", "surrogateescape"))))
    return Survey(files, total & 0xFFFF_FFFF_FFFF_FFFF, problems)


def _files(root: Root, problems: list[tuple[str, Problem]]) -> Iterator[Found]:
    if root.shape == "instructions":
        found = _found(root, root.path, os.path.basename(root.path))
        return iter(() if found is None else (found,))
    if root.shape == "skills":
        return _skills(root, root.path, "", 0, problems)
    return _notes(root, root.path, "", 0, problems)


def _skills(root: Root, folder: str, prefix: str, depth: int, problems: list[tuple[str, Problem]]) -> Iterator[Found]:
    """`<root>/<skill>/SKILL.md`; a folder without one may hold skills itself."""
    for name in _names(folder, problems):
        path = f"{folder}{os.sep}{name}"
        found = _found(root, f"{path}{os.sep}{SKILL}", f"{prefix}{name}/{SKILL}")
        if found is not None:
            yield found
        elif depth < _MAX_DEPTH and not name.startswith(".") and "." not in name and os.path.isdir(path):
            yield from _skills(root, path, f"{prefix}{name}/", depth + 1, problems)


def _notes(root: Root, folder: str, prefix: str, depth: int, problems: list[tuple[str, Problem]]) -> Iterator[Found]:
    suffixes = _SUFFIXES[root.shape]
    for name in _names(folder, problems):
        path = f"{folder}{os.sep}{name}"
        if name.lower().endswith(suffixes):
            if name != _INDEX or root.shape != "memories":
                found = _found(root, path, prefix + name)
                if found is not None:
                    yield found
        elif root.is_deep and depth < _MAX_DEPTH and not name.startswith(".") and os.path.isdir(path):
            yield from _notes(root, path, f"{prefix}{name}/", depth + 1, problems)


def _names(folder: str, problems: list[tuple[str, Problem]]) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append((folder, Problem(0, f"the folder cannot be read: {error.strerror}")))
        return []


def _found(root: Root, path: str, relative: str) -> Found | None:
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(state.st_mode):
        return None
    return Found(root, path, relative, (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino))


def examine(path: str) -> Stat | None:
    """The present state of one file, None when it is gone."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino
