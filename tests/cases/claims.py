"""The claims of a case about a JSON value: `[path, op, value]`; what is not understood fails."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

MISSING = object()
"""What a path leads to when there is nothing."""

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]|\[(\w+)=([^\]]*)\]")


def lookup(value: Any, path: str) -> Any:
    """What a path such as `a.b[0].c` or `list[id=X].field` leads to; the empty path is the value itself."""
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise ValueError(f"not a path: {path!r}")
        name, place, field, wanted = step.groups()
        if name is not None:
            value = value.get(name, MISSING) if isinstance(value, Mapping) else MISSING
        elif not isinstance(value, list):
            value = MISSING
        elif place is not None:
            value = value[int(place)] if int(place) < len(value) else MISSING
        else:
            value = next((item for item in value if str(item.get(field)) == wanted), MISSING)
        if value is MISSING:
            return MISSING
        at = step.end()
    return value


def problem(document: Any, path: str, op: str, wanted: Any) -> str:
    """What is wrong with a claim; empty when it holds. Raises `ValueError` for an op that is not known."""
    if op not in OPS:
        raise ValueError(f"unknown op {op!r}")
    found = lookup(document, path)
    if op in _OF_DOCUMENT:
        held = OPS[op](found, (document, path, wanted))
    else:
        held = found is not MISSING and OPS[op](found, wanted)
    return (
        "" if held else f"{path} {op} {wanted!r} does not hold: {'nothing there' if found is MISSING else repr(found)}"
    )


def _ids(items: Any) -> set[Any]:
    return {item["id"] if isinstance(item, Mapping) else item for item in items}


def _edge(item: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return item["source"], item["type"], item["target"]


def _contains(found: Any, wanted: Any) -> bool:
    return wanted.lower() in found.lower() if isinstance(found, str) else wanted in found


def _is_sorted(items: Any, field: str) -> bool:
    values = [item[field] for item in items]
    return values == sorted(values, reverse=True)


def _is_close(items: Any, wanted: Any) -> bool:
    first, second, tolerance = wanted
    return all(abs(item[first] - item[second]) <= tolerance for item in items)


def _is_mixed(items: Any, weights: Mapping[str, float]) -> bool:
    live = [item for item in items if not item["demoted"]]
    sums = [sum(weight * item[field] for field, weight in weights.items()) for item in live]
    return bool(live) and all(math.isclose(s, i["finalScore"], abs_tol=1e-6) for s, i in zip(sums, live, strict=True))


def _is_fresh(items: Any, half_life: float) -> bool:
    return bool(items) and all(abs(i["freshness"] - 2 ** (-i["ageDays"] / half_life)) <= 1e-6 for i in items)


def _other(document: Any, path: str, field: str) -> Any:
    """A field beside the one that a path leads to."""
    parent, dot, _ = path.rpartition(".")
    return lookup(document, f"{parent}{dot}{field}")


def _is_same(found: Any, claim: Any) -> bool:
    document, path, field = claim
    return found is not MISSING and found == _other(document, path, field)


def _is_before(found: Any, claim: Any) -> bool:
    document, path, field = claim
    other = _other(document, path, field)
    return MISSING not in (found, other) and found < other


OPS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda found, wanted: found == wanted,
    "!=": lambda found, wanted: found != wanted,
    "<": lambda found, wanted: found < wanted,
    "<=": lambda found, wanted: found <= wanted,
    ">": lambda found, wanted: found > wanted,
    ">=": lambda found, wanted: found >= wanted,
    "approx": lambda found, wanted: math.isclose(found, wanted, abs_tol=1e-6),
    "len": lambda found, wanted: len(found) == wanted,
    "contains": _contains,
    "has_key": lambda found, wanted: wanted in found,
    "has_keys": lambda found, wanted: set(wanted) <= set(found),
    "has_ids": lambda found, wanted: set(wanted) <= _ids(found),
    "lacks_ids": lambda found, wanted: not set(wanted) & _ids(found),
    "ids_are": lambda found, wanted: set(wanted) == _ids(found) and len(found) == len(wanted),
    "sorted_desc": _is_sorted,
    "each_close": _is_close,
    "each_mix": _is_mixed,
    "each_fresh": _is_fresh,
    "unique_edges": lambda found, wanted: (len({_edge(item) for item in found}) == len(found)) is wanted,
    "same_as": _is_same,
    "before": _is_before,
}

_OF_DOCUMENT = ("same_as", "before")
