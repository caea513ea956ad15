"""Reading a transcript: bounded in bytes, from its end, with every line that could not be read reported."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from trivium.errors import NotFoundError, UsageError
from trivium.sources.transcripts import claude, codex, cursor, gemini
from trivium.sources.transcripts.steps import Problem, Step

MAX_BYTES = 64 * 1024 * 1024
"""Of a longer transcript the end is read."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is reported and not read."""

HOSTS = {"claude": claude, "codex": codex, "gemini": gemini, "cursor": cursor}


class Transcript(NamedTuple):
    """A session as far as it was read: `skipped_bytes` stand before what was read."""

    host: str
    path: str
    session: str
    cwd: str
    steps: list[Step]
    problems: list[Problem]
    skipped_bytes: int


def read_transcript(path: str, host: str = "", *, max_bytes: int = MAX_BYTES) -> Transcript:
    """The steps of a transcript, oldest first; `host` is found out where it is empty.

    Raises `NotFoundError` where there is no such file, `UsageError` for a host that is not known or cannot be told.
    """
    if host and host not in HOSTS:
        raise UsageError(f"Unknown host {host!r}.", hint="Hosts: " + ", ".join(HOSTS))
    data, skipped = _end_of(path, max_bytes)
    problems: list[Problem] = []
    name = os.path.basename(path)
    if name.endswith(".txt") and host in ("", "cursor"):
        steps = list(cursor.plain_steps(data.decode("utf-8-sig", "replace")))
        return Transcript("cursor", path, _stem(name), "", steps, problems, skipped)
    records = _whole(data) if not skipped else None
    records = list(_lines(data, problems, is_cut=skipped > 0)) if records is None else records
    host = host or _host_of(path, records)
    reader = HOSTS[host]
    session, cwd = "", ""
    for _, record in records:
        told = reader.session_of(record)
        session, cwd = session or told[0], cwd or told[1]
        if session and cwd:
            break
    if host == "gemini":
        records = gemini.folded(records)
    steps = [step for line, record in records for step in reader.steps_of(record, line)]
    return Transcript(host, path, session or _stem(name), cwd, steps, problems, skipped)


def _end_of(path: str, max_bytes: int) -> tuple[bytes, int]:
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            skipped = max(0, size - max_bytes)
            stream.seek(skipped)
            return stream.read(max_bytes), skipped
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotFoundError(f"The transcript cannot be read: {path} ({reason}).") from error


def _whole(data: bytes) -> list[tuple[int, dict[str, Any]]] | None:
    """The one object of a file that is not made of lines."""
    head = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"{") or head[1:2] not in (b"\n", b"\r", b" "):
        return None
    value = _parsed(data)
    return [(1, value)] if isinstance(value, dict) else None


def _lines(data: bytes, problems: list[Problem], *, is_cut: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip() or (is_cut and number == 1):
            continue
        if len(line) > MAX_LINE_BYTES:
            problems.append(Problem(number, f"longer than {MAX_LINE_BYTES} bytes"))
            continue
        value = _parsed(line)
        if isinstance(value, dict):
            yield number, value
        elif number < len(lines):
            # The last line may be one that is being written.
            problems.append(Problem(number, "not a JSON object"))


def _parsed(data: bytes) -> Any:
    import json

    try:
        return json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _host_of(path: str, records: list[tuple[int, dict[str, Any]]]) -> str:
    """The host that wrote some records, told by their shape, else by the folder."""
    for _, record in records:
        if "payload" in record or record.get("type") in ("message", "function_call"):
            return "codex"
        if "sessionId" in record and isinstance(record.get("message"), dict):
            return "claude"
        if "projectHash" in record or record.get("type") == "gemini" or "$set" in record or "$rewindTo" in record:
            return "gemini"
        if "role" in record and isinstance(record.get("message"), dict):
            return "cursor"
        if record.get("type") in ("assistant", "user") and isinstance(record.get("message"), dict):
            return "claude"
    for host in HOSTS:
        if f".{host}" in path.replace("\\", "/").split("/"):
            return host
    raise UsageError(f"No known host wrote this transcript: {path}", hint="Hosts: " + ", ".join(HOSTS))


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0]
