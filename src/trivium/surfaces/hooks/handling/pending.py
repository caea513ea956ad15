"""Guidance that waits for a place: hosts that take none at a prompt take it with the next tool result."""

from __future__ import annotations

import json
import os
import zlib

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from typing import Any

    from trivium.surfaces.hooks.handling.consulting import Consultation, Told

FOLDER = "pending"


def _path(home: str, session: str) -> str:
    data = session.encode("utf-8", "replace")
    return os.path.join(home, "hooks", FOLDER, f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}.json")


def put(talk: Consultation, told: Told) -> None:
    """Keep what was found for a prompt. What still waits was for a prompt that is over: it was never shown."""
    home, session = talk.task.home, talk.task.event.session
    drop(home, session)
    talk.task.outlet.on_late = None
    record = talk.record(told)
    unseen = record._replace(entries=(), left=tuple(entry.id for entry in record.entries), chars=0)
    waiting = {
        "at": record.at,
        "text": told.context.text,
        "items": [list(item) for item in told.context.items],
        "shown": _line(record),
        "unseen": _line(unseen),
    }
    path = _path(home, session)
    scratch = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(scratch, "w", encoding="ascii") as stream:
            json.dump(waiting, stream)
        os.replace(scratch, path)
    except OSError:
        return


def take(home: str, session: str) -> str:
    """The text that waits for a session, which counts as shown from now on; empty when none does.

    Of many that ask at once one gets it.
    """
    waiting = _take(home, session)
    if waiting is None:
        return ""
    from trivium.domains.routing.compile import Item
    from trivium.domains.routing.ledger.disclosure import Disclosure

    Disclosure(home, session).add([Item(*item) for item in waiting["items"]])
    _write(home, waiting, "shown")
    return str(waiting["text"])


def drop(home: str, session: str) -> None:
    """Nothing waits any more."""
    waiting = _take(home, session)
    if waiting is not None:
        _write(home, waiting, "unseen")


def _take(home: str, session: str) -> dict[str, Any] | None:
    path = _path(home, session)
    scratch = f"{path}.{os.getpid()}"
    try:
        os.rename(path, scratch)
        with open(scratch, encoding="ascii") as stream:
            waiting = json.load(stream)
        os.unlink(scratch)
    except (OSError, ValueError):
        return None
    keys = ("at", "text", "items", "shown", "unseen")
    return waiting if isinstance(waiting, dict) and all(key in waiting for key in keys) else None


def _write(home: str, waiting: dict[str, Any], which: str) -> None:
    from trivium.store.ledger import LedgerFiles

    LedgerFiles(home).append(str(waiting["at"]), str(waiting[which]).encode("ascii"))


def _line(record: Any) -> str:
    from trivium.domains.routing.ledger.records import as_line

    return as_line(record).decode("ascii")
