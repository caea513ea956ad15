"""Options of an embedder, which arrive as texts: read, checked, and reported by name when they cannot be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.errors import ConfigError

PREFIXES: dict[str, tuple[str, str]] = {
    "none": ("", ""),
    "e5": ("query: ", "passage: "),
    "nomic": ("search_query: ", "search_document: "),
}


def number(options: Mapping[str, str], key: str, default: float, low: float, high: float) -> float:
    """An option as a number from low to high."""
    text = options.get(key, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise ConfigError(f"Embedder option {key!r} must be a number from {low:g} to {high:g}, not {text!r}")
    return value


def whole(options: Mapping[str, str], key: str, default: int, low: int, high: int) -> int:
    """An option as a whole number from low to high."""
    value = number(options, key, default, low, high)
    if value != int(value):
        raise ConfigError(f"Embedder option {key!r} must be a whole number, not {options[key]!r}")
    return int(value)


def prefixes(options: Mapping[str, str], query: str = "", passage: str = "") -> tuple[str, str]:
    """(before queries, before passages): as given one by one, else as the style `prefixes` has them, else as passed."""
    if options.get("prefixes"):
        query, passage = PREFIXES[choice(options, "prefixes", "", tuple(PREFIXES))]
    return options.get("query_prefix", query), options.get("passage_prefix", passage)


def choice(options: Mapping[str, str], key: str, default: str, allowed: Sequence[str]) -> str:
    """An option that is one of a few words."""
    value = options.get(key, "") or default
    if value not in allowed:
        raise ConfigError(f"Embedder option {key!r} must be one of {', '.join(allowed)}, not {value!r}")
    return value
