"""Answers that fit: whole records up to a number of characters, and a handle that leads to the rest."""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from trivium.errors import NotFoundError

Row = dict[str, Any]

MIN_CHARS = 1_000
DEFAULT_CHARS = 8_000
MAX_CHARS = 40_000
"""About ten thousand tokens: no host passes much more on."""

_KEPT = 64
"""So many unfinished answers are kept; the one that was left alone for longest goes first."""

_KEPT_CHARS = 50_000_000


def dumped(value: Any) -> str:
    """JSON as it is sent and counted: short, and with characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def sendable(value: Any) -> Any:
    """Numbers that JSON does not have become null, surrogates that stand alone U+FFFD: nothing may fail half way."""
    if isinstance(value, dict):
        return {sendable(key): sendable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    if isinstance(value, float) and value - value != 0:
        return None
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value


class Shelf:
    """The rest of answers that did not fit, as they were when they were given. Safe to use from several threads."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._rests: OrderedDict[str, tuple[Sequence[Row], int]] = OrderedDict()

    def answer(self, rows: Sequence[Row], max_chars: int, **facts: Any) -> Row:
        """`facts` and as many rows as fit; with `left` and the handle `more` when some do not."""
        return self._page(sendable(list(rows)), 0, max_chars, "", sendable(facts))

    def more(self, handle: str, max_chars: int) -> Row:
        """What follows. Asking again with the same handle gives the same rows."""
        name, _, place = handle.partition("-")
        with self._turn:
            kept = self._rests.get(name)
            if kept is not None:
                self._rests.move_to_end(name)
        if kept is None or not (place.isascii() and place.isdigit() and int(place) < len(kept[0])):
            raise NotFoundError(f"No answer goes on under {handle[:40]!r}.", hint="Ask the first question again.")
        return self._page(kept[0], int(place), max_chars, name, {})

    def _page(self, rows: Sequence[Row], start: int, max_chars: int, name: str, facts: Row) -> Row:
        room = max_chars - len(dumped({**facts, "items": [], "left": len(rows), "more": "0" * 10 + f"-{len(rows)}"}))
        end, shown = start, []
        while end < len(rows):
            row = rows[end]
            size = len(dumped(row)) + 1
            if size > room and end == start:
                row = _stub(row, size, room)
                size = len(dumped(row)) + 1
            if size > room:
                break
            shown.append(row)
            room -= size
            end += 1
        page = {**facts, "items": shown}
        if end == len(rows):
            return page
        name = name or self._keep(rows)
        return {**page, "left": len(rows) - end, "more": f"{name}-{end}"}

    def _keep(self, rows: Sequence[Row]) -> str:
        name = secrets.token_hex(5)
        size = sum(len(dumped(row)) for row in rows)
        with self._turn:
            self._rests[name] = (rows, size)
            while len(self._rests) > _KEPT or sum(kept for _, kept in self._rests.values()) > _KEPT_CHARS:
                if len(self._rests) == 1:
                    break
                self._rests.popitem(last=False)
        return name


def _stub(row: Row, size: int, room: int) -> Row:
    """What stands for a row that is larger than a whole answer may be: a row is shown whole or not at all."""
    wanted = f"{size + 1_000} max_chars show it" if size + 1_000 <= MAX_CHARS else "read its resource"
    stub: Row = {
        **{name: row[name] for name in ("kind", "id", "uri") if name in row},
        "is_too_large": True,
        "chars": size,
        "hint": wanted,
    }
    return stub if len(dumped(stub)) + 1 <= room else {"is_too_large": True, "chars": size, "hint": wanted}
