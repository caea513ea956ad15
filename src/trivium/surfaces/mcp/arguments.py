"""Arguments as models write them, to values: taken when nothing is lost by it, refused by name otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from trivium.errors import UsageError

Reader = Callable[[str, Any], Any]

_MAX_EXACT = 2**53
"""From here on a number that came as a fraction may be another one than was meant."""

_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


class Argument(NamedTuple):
    """One argument: how it is read, what its schema says, and its value when it is left out or null."""

    read: Reader
    schema: dict[str, Any]
    default: Any = None
    is_required: bool = False


Arguments = Mapping[str, Argument]


def schema(arguments: Arguments) -> dict[str, Any]:
    """The JSON Schema of all arguments together."""
    whole: dict[str, Any] = {"type": "object", "properties": {name: one.schema for name, one in arguments.items()}}
    required = [name for name, one in arguments.items() if one.is_required]
    return {**whole, "required": required} if required else whole


def read(arguments: Arguments, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Every argument with its value. Raises `UsageError` for one that is missing, unknown, given twice or unusable."""
    names = {_folded(name): name for name in arguments}
    found: dict[str, Any] = {}
    for key, value in (given or {}).items():
        name = names.get(_folded(key))
        if value is None:
            continue
        if name is None:
            raise _unknown(key, arguments)
        if name in found:
            raise UsageError(f"{name} is given twice.")
        found[name] = arguments[name].read(name, value)
    missing = [name for name, one in arguments.items() if one.is_required and found.get(name) in (None, "", [], ())]
    if missing:
        raise UsageError(f"Missing: {', '.join(missing)}.", hint="Arguments: " + ", ".join(arguments))
    return {name: found.get(name, one.default) for name, one in arguments.items()}


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def _unknown(key: str, arguments: Arguments) -> UsageError:
    import difflib

    near = difflib.get_close_matches(key, arguments, n=1)
    hint = f"Did you mean {near[0]}?" if near else "Arguments: " + (", ".join(arguments) or "none")
    return UsageError(f"Unknown argument {_shown(key)}.", hint=hint)


# -- readers


def whole(least: int, most: int) -> Reader:
    """A whole number in a range, also written as a text or with a fraction of zero."""

    def reader(name: str, value: Any) -> int:
        number = _as_integer(value)
        if number is None:
            raise UsageError(f"{name} must be an integer, not {_shown(value)}.")
        if not least <= number <= most:
            raise UsageError(f"{name} must be from {least} to {most}, not {_shown(value)}.")
        return number

    return reader


def _as_integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _MAX_EXACT else None
    if isinstance(value, str):
        digits = value.strip().removeprefix("+").removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 19:
            return int(value.strip())
    return None


def text(name: str, value: Any) -> str:
    """A text; a whole number is written out, because a name may look like one."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise UsageError(f"{name} must be a text, not {_shown(value)}.", hint="Put it in quotes.")


def texts(name: str, value: Any) -> list[str]:
    """Several texts, or one, or an array of them written as JSON."""
    given = _parsed(value, "[") if isinstance(value, str) else value
    several = given if isinstance(given, list) else [given]
    return [found for found in (text(f"{name}[{number}]", one) for number, one in enumerate(several)) if found]


def switch(name: str, value: Any) -> bool:
    """True or false, also as a text or as 1 or 0."""
    if isinstance(value, bool):
        return value
    known = _SWITCHES.get(str(value).strip().casefold()) if isinstance(value, str | int) else None
    if known is None:
        raise UsageError(f"{name} must be true or false, not {_shown(value)}.")
    return known


def one_of(*choices: str) -> Reader:
    """One of some words, in any case."""

    def reader(name: str, value: Any) -> str:
        word = text(name, value).casefold().replace("-", "_")
        if word not in choices:
            import difflib

            near = difflib.get_close_matches(word, choices, n=1)
            hint = f"Did you mean {near[0]}?" if near else ""
            raise UsageError(f"{name} must be {' or '.join(choices)}, not {_shown(value)}.", hint=hint)
        return word

    return reader


def value_of(opener: str) -> Reader:
    """An object (`{`) or an array (`[`) as it is, also written as JSON; its reader looks into it."""
    kind: type = dict if opener == "{" else list

    def reader(name: str, value: Any) -> Any:
        found = _parsed(value, opener) if isinstance(value, str) else value
        if kind is list and isinstance(found, dict):
            return [found]
        if not isinstance(found, kind):
            raise UsageError(f"{name} must be an {'object' if kind is dict else 'array'}, not {_shown(value)}.")
        return found

    return reader


def _parsed(value: str, opener: str) -> Any:
    if not value.lstrip().startswith(opener):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:60] + "…"
