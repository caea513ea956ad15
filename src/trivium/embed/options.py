"""Options of an embedder, which arrive as texts: read, checked, and reported by name when they cannot be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.errors import ConfigError


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


def choice(options: Mapping[str, str], key: str, default: str, allowed: Sequence[str]) -> str:
    """An option that is one of a few words."""
    value = options.get(key, "") or default
    if value not in allowed:
        raise ConfigError(f"Embedder option {key!r} must be one of {', '.join(allowed)}, not {value!r}")
    return value
