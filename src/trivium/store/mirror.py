"""The journal as text beside the database: the second copy that recovery reads and that machines exchange."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trivium.model import Record

_SUFFIX = ".jsonl"


class Appended(NamedTuple):
    """What was added to a file: its size in bytes before and after."""

    path: str
    before: int
    after: int


def folder(database: str) -> str:
    """Where the text journals of a database are: `journal/<name>` beside it."""
    return os.path.join(os.path.dirname(database), "journal", os.path.splitext(os.path.basename(database))[0])


def own_file(database: str, writer: str) -> str:
    """The records that this database made: what other machines read."""
    return os.path.join(folder(database), writer + _SUFFIX)


def others_file(database: str, writer: str) -> str:
    """The records that this database took in from other machines."""
    return os.path.join(folder(database), f"{writer}.others{_SUFFIX}")


def files(database: str) -> list[str]:
    """Every text journal of a database, sorted."""
    place = folder(database)
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return []
    paths = [os.path.join(place, name) for name in names if name.endswith(_SUFFIX)]
    return [path for path in paths if os.path.isfile(path)]


def writers(database: str) -> list[str]:
    """The names of those who wrote the text journals."""
    names = (os.path.basename(path).removesuffix(_SUFFIX) for path in files(database))
    return sorted({name.removesuffix(".others") for name in names})


def size(path: str) -> int:
    """Bytes of a file, 0 when there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def append(path: str, lines: Iterable[bytes]) -> Appended:
    """Add lines at the end, all or none; called under the database's write lock, so that writers never interleave."""
    data = b"".join(lines)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "ab+", buffering=0) as stream:
        before = stream.seek(0, os.SEEK_END)
        # A writer that was killed in the middle of a line must not glue its rest to ours.
        if before and stream.seek(before - 1) >= 0 and stream.read(1) != b"\n":
            data = b"\n" + data
        try:
            written = 0
            while written < len(data):
                written += stream.write(data[written:]) or 0
        except OSError:
            stream.truncate(before)
            raise
    return Appended(path, before, before + len(data))


def cut(added: Appended) -> None:
    """Take back an append, unless something follows it already."""
    if size(added.path) == added.after:
        os.truncate(added.path, added.before)


def read_file(path: str) -> Iterator[tuple[int, bytes, Record | str]]:
    """Line number and line with its record, or with what is wrong with it."""
    from trivium.store import records

    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield number, line, records.decode(line)
