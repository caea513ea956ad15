"""What a tool is, and what it is given to work with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from trivium.engine import Engine
from trivium.surfaces.mcp.answers import DEFAULT_CHARS, MAX_CHARS, MIN_CHARS, Row, Shelf
from trivium.surfaces.mcp.arguments import Argument, Arguments, whole

Values = dict[str, Any]


class Desk(NamedTuple):
    """The memory as it is now, and the shelf for what does not fit into an answer."""

    engine: Engine
    shelf: Shelf

    def answer(self, rows: Iterable[Row], values: Values, **facts: Any) -> Row:
        """As many rows as the caller has room for."""
        return self.shelf.answer(list(rows), values["max_chars"], **facts)


class Tool(NamedTuple):
    """One tool: `run` takes the desk and the values of all arguments, and gives a page of rows."""

    description: str
    arguments: Arguments
    run: Callable[[Desk, Values], Row]
    is_reading: bool = True


MAX_CHARS_ARGUMENT = Argument(
    whole(MIN_CHARS, MAX_CHARS), {"type": "integer", "default": DEFAULT_CHARS, "maximum": MAX_CHARS}, DEFAULT_CHARS
)
