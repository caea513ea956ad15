"""The journal as text beside the database: one append-only file a writer, the second copy that recovery reads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from trivium.model import Record
from trivium.store.sqlite.journal import record_id


def encode(record: Record) -> bytes:
    """One record as a line of JSON."""
    value = dict(zip(Record._fields, record, strict=True))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def append(path: str, records: Iterable[Record]) -> None:
    """Add records at the end; called while the database's write lock is held, so writers never interleave."""
    data = b"".join(map(encode, records))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "ab+") as stream:
        # A writer that was killed in the middle of a line must not glue its rest to ours.
        if stream.seek(0, os.SEEK_END) > 0:
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) != b"\n":
                data = b"\n" + data
        stream.write(data)


def read_file(path: str) -> Iterator[tuple[int, Record | str]]:
    """Line number with its record, or with what is wrong with the line."""
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield number, decode(line)


def decode(line: bytes) -> Record | str:
    """A record whose id fits its content, or the reason why the line is none."""
    try:
        value = json.loads(line.decode("utf-8", "surrogatepass"))
        record = Record(**value)
        wanted = record_id(record.at, record.actor, record.session, record.op, record.payload)
    except (ValueError, TypeError, RecursionError):
        return "not a complete journal record"
    if record.id != wanted:
        return "content does not fit its id"
    return record
