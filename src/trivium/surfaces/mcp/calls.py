"""One call of one tool: its arguments read, its turn awaited, its answer or its failure as an object."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from trivium.config import is_debugging
from trivium.engine import Engine
from trivium.errors import ConflictError, NotFoundError, TriviumError
from trivium.surfaces.mcp.answers import DEFAULT_CHARS, Row, Shelf
from trivium.surfaces.mcp.arguments import read
from trivium.surfaces.mcp.tools import TOOLS, Desk
from trivium.surfaces.mcp.tools.tool import MAX_CHARS_ARGUMENT

_MESSAGE_CHARS = 200
_HINT_CHARS = 150


class Outcome(NamedTuple):
    """What a call came to: an object, and whether it tells of a failure."""

    page: Row
    is_error: bool


class Calls:
    """Answers calls from any thread, each from the files as they are then.

    In two lanes, so that a change that waits for other processes keeps no reader waiting.
    """

    def __init__(self, engine: Engine, *, is_read_only: bool = False) -> None:
        self.shelf = Shelf()
        self.is_read_only = is_read_only
        self._lanes = (_Lane(engine), _Lane(Engine(engine.settings, clock=engine.clock)))

    def call(self, name: str, arguments: Mapping[str, Any] | None, *, is_trusted: bool = True) -> Outcome:
        """Call a tool; a caller that is not trusted may only read. Raises nothing."""
        return self._guarded(lambda: self._call(name, arguments, is_trusted), arguments)

    def look(self, run: Callable[[Desk], Row]) -> Outcome:
        """Do something else that only reads, under the same care. Raises nothing."""
        return self._guarded(lambda: self._lanes[0].run(self.shelf, run), None)

    def _call(self, name: str, arguments: Mapping[str, Any] | None, is_trusted: bool) -> Row:
        tool = TOOLS.get(name)
        if tool is None:
            raise NotFoundError(f"There is no tool {name[:60]!r}.", hint="Tools: " + ", ".join(TOOLS))
        if not tool.is_reading and self.is_read_only:
            raise ConflictError("This server only reads.")
        if not tool.is_reading and not is_trusted:
            raise ConflictError("Changes need the token of this run.", hint="Send it as: Authorization: Bearer TOKEN.")
        values = read(tool.arguments, arguments)
        return self._lanes[0 if tool.is_reading else 1].run(self.shelf, lambda desk: tool.run(desk, values))

    def _guarded(self, run: Callable[[], Row], arguments: Mapping[str, Any] | None) -> Outcome:
        try:
            return Outcome(run(), False)
        except TriviumError as error:
            details = [*error.details]
            if len(error.message) > _MESSAGE_CHARS:
                details.insert(0, error.message)
            return self._failure(arguments, error.code, error.message, error.hint, details)
        except Exception as error:  # noqa: BLE001 - a defect must not take the server down with it
            if is_debugging():
                import traceback

                traceback.print_exception(error, file=sys.stderr)
            message = f"Unexpected error: {type(error).__name__}: {error}"
            return self._failure(arguments, "unexpected", message, "TRIVIUM_DEBUG=1 shows where it happened.", [])

    def _failure(
        self, arguments: Mapping[str, Any] | None, code: str, message: str, hint: str, details: list[str]
    ) -> Outcome:
        told = {"code": code, "message": _short(message, _MESSAGE_CHARS), "hint": _short(hint, _HINT_CHARS)}
        rows = [{"kind": "detail", "text": detail} for detail in details]
        return Outcome(self.shelf.answer(rows, _room(arguments), error=told), True)


class _Lane:
    """One call at a time, each on an engine of its own that shares what is loaded."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = threading.Lock()

    def run(self, shelf: Shelf, run: Callable[[Desk], Row]) -> Row:
        with self._turn:
            engine = self._engine.again()
            try:
                return run(Desk(engine, shelf))
            finally:
                engine.close()


def _room(arguments: Mapping[str, Any] | None) -> int:
    """The room that was asked for, if that could be read."""
    try:
        return int(
            read({"max_chars": MAX_CHARS_ARGUMENT}, {"max_chars": (arguments or {}).get("max_chars")})["max_chars"]
        )
    except TriviumError:
        return DEFAULT_CHARS


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:most]) + ("…" if len(text) > most else "")
