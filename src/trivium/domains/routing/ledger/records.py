"""The records of the ledger: each prompt that was answered, each observation, each finished session.

Writing them is part of every hook, so this module imports little.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trivium.store.ledger import LedgerFiles, line_of

SHOWN, OBSERVED, TRACE = "shown", "observed", "trace"

OUTCOMES: dict[str, str] = {
    "used": "the agent opened it, ran it or named it",
    "ignored": "it was shown, and the session ended without a sign of it",
    "corrected": "the agent followed it and was told otherwise",
    "missed": "it was not shown, and the agent found it by itself",
}


class ShownEntry(NamedTuple):
    """An entry as it was shown. `query` is the example that was nearest, as it was worded then; `text` names the
    kept text of what was shown."""

    id: str
    version: str
    name: str
    kind: str
    path: str
    level: str
    chars: int
    score: float
    query: str = ""
    text: str = ""


class Shown(NamedTuple):
    """One answer to an event. `prompt` is the hash of the prompt, not the prompt; `latency_ms` from the start of the
    work to the answer; `is_late` that time was over before it was complete. Without entries it was silent."""

    at: str
    session: str
    host: str
    event: str
    project: str
    transcript: str
    prompt: str
    prompt_chars: int
    entries: tuple[ShownEntry, ...] = ()
    left: tuple[str, ...] = ()
    chars: int = 0
    latency_ms: int = 0
    is_late: bool = False
    notices: tuple[str, ...] = ()


class Observed(NamedTuple):
    """What became of an entry in a session. `method`: `transcript` (proven by it), `agent` or `user` (told)."""

    at: str
    session: str
    entry: str
    version: str
    outcome: str
    method: str
    prompt: str = ""
    query: str = ""
    diagnosis: str = ""


class Trace(NamedTuple):
    """A finished session: what was shown, which tools ran, how it ended (completed, error, or unknown)."""

    at: str
    session: str
    host: str
    project: str
    transcript: str
    started_at: str
    ended_at: str
    prompts: int
    replies: int
    tools: dict[str, int]
    shown: tuple[str, ...]
    failed_calls: int
    outcome: str
    error: str = ""


Record = Shown | Observed | Trace


def prompt_hash(prompt: str) -> str:
    """What a prompt is recognised by: its words, whatever stands between them."""
    return hashlib.sha256(" ".join(prompt.split()).encode("utf-8", "replace")).hexdigest()[:16]


def text_name(text: str) -> str:
    """The name under which a text is kept."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def as_line(record: Record) -> bytes:
    """A record as the line of the ledger."""
    kind = {Shown: SHOWN, Observed: OBSERVED, Trace: TRACE}[type(record)]
    values: dict[str, Any] = {"record": kind, **record._asdict()}
    if isinstance(record, Shown):
        values["entries"] = [entry._asdict() for entry in record.entries]
    return line_of({key: value for key, value in values.items() if value not in ("", (), [], {}, False)})


class Ledger:
    """The ledger of one home."""

    def __init__(self, home: str) -> None:
        self.files = LedgerFiles(home)

    def write(self, record: Record) -> bool:
        """Append one record; false where the home cannot be written."""
        return self.files.append(record.at, as_line(record))

    def keep(self, texts: Iterable[str]) -> list[str]:
        """Keep texts that were shown; returns their names."""
        names = []
        for text in texts:
            names.append(text_name(text))
            self.files.keep_text(names[-1], text)
        return names

    def read(self, *, since: str = "", session: str = "") -> Iterator[Record]:
        """Records since a moment, of one session or of all, in the order in which they were written."""
        for values in self.files.records(since=since, containing=session):
            record = _record(values)
            if record is None:
                self.files.unreadable += 1
            elif record.at >= since and (not session or record.session == session):
                yield record

    def shown(self, *, since: str = "", session: str = "") -> list[Shown]:
        """Every answer since a moment."""
        return [record for record in self.read(since=since, session=session) if isinstance(record, Shown)]

    @property
    def unreadable(self) -> int:
        """Lines that could not be read so far."""
        return self.files.unreadable


def _record(values: dict[str, Any]) -> Record | None:
    """The record that a line stands for; None for one of another shape."""
    kind = {SHOWN: Shown, OBSERVED: Observed, TRACE: Trace}.get(values.pop("record", ""))
    if kind is None:
        return None
    if kind is Shown:
        entries = values.get("entries", [])
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            return None
        made = [_made(ShownEntry, one) for one in entries]
        if None in made:
            return None
        values["entries"] = tuple(made)
    found: Record | None = _made(kind, values)
    return found


def _made(kind: Any, values: dict[str, Any]) -> Any:
    """A value of a record; None when a field has another type than its empty value, or one is unknown."""
    fields = {}
    for name in kind._fields:
        empty = _EMPTY.get(name, "")
        value = values.get(name, empty)
        if isinstance(value, list):
            value = tuple(value)
        if isinstance(empty, float) and isinstance(value, int):
            value = float(value)
        if type(value) is not type(empty):
            return None
        fields[name] = value
    return kind(**fields)


_EMPTY: dict[str, Any] = {
    "chars": 0,
    "prompt_chars": 0,
    "latency_ms": 0,
    "score": 0.0,
    "entries": (),
    "left": (),
    "notices": (),
    "is_late": False,
    "prompts": 0,
    "replies": 0,
    "failed_calls": 0,
    "tools": {},
    "shown": (),
}
