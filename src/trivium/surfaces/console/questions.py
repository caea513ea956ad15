"""Query strings to values: strict, every parameter known, every refusal naming the parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trivium.errors import UsageError

Values = Mapping[str, Sequence[str]]


def integer(name: str, value: str) -> int:
    """A whole number and nothing else."""
    digits = value[1:] if value[:1] in ("+", "-") else value
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise UsageError(f"{name} must be an integer, not {value[:60]!r}.")
    return int(value)


def number(name: str, value: str) -> float:
    """A finite decimal number and nothing else."""
    if value.isascii() and all(char in "0123456789+-.eE" for char in value):
        try:
            found = float(value)
        except ValueError:
            found = float("inf")
        if abs(found) != float("inf"):
            return found
    raise UsageError(f"{name} must be a finite number, not {value[:60]!r}.")


def switch(name: str, value: str) -> bool:
    """True or false, 1 or 0."""
    if value.lower() not in ("true", "1", "false", "0"):
        raise UsageError(f"{name} must be true or false, not {value[:60]!r}.")
    return value.lower() in ("true", "1")


def word(name: str, value: str) -> str:
    """Any text."""
    return value


def words(name: str, value: str) -> tuple[str, ...]:
    """One of several texts: the parameter may be repeated."""
    return (value,)


Reader = Callable[[str, str], Any]


def read(values: Values, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """The parameters that were given. Raises `UsageError` for one that is unknown, repeated or malformed."""
    found: dict[str, Any] = {}
    for name, given in values.items():
        if name not in readers:
            import difflib

            near = difflib.get_close_matches(name, readers, n=1)
            hint = f"Did you mean {near[0]}?" if near else "Parameters: " + (", ".join(readers) or "none")
            raise UsageError(f"Unknown parameter {name[:60]!r}.", hint=hint)
        reader = readers[name]
        if reader is words:
            found[name] = tuple(given)
        elif len(given) > 1:
            raise UsageError(f"{name} must be given once.")
        else:
            found[name] = reader(name, given[0])
    return found
