"""Hooks that stand in a TOML file: ours are one block at its end, between two lines of comment."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from trivium.errors import ConflictError, UsageError

BEGIN = "# >>> trivium hooks: written by `trivium hook install`, removed by `trivium hook uninstall`"
END = "# <<< trivium hooks"


def with_entries(text: str, where: str, wanted: dict[str, dict[str, Any]]) -> str:
    """The text with our block at its end. Raises `UsageError` or `ConflictError` where it cannot be added."""
    text = without_entries(text, where)
    lines = [BEGIN]
    for event, entry in wanted.items():
        lines += [f"[[hooks.{event}]]", f"[[hooks.{event}.hooks]]"]
        lines += [f"{key} = {_value(value)}" for key, value in entry.items()]
    block = "\n".join([*lines, END]) + "\n"
    out = text + ("" if not text or text.endswith("\n") else "\n") + block
    if "\r\n" in text:
        out = out[: len(out) - len(block)] + block.replace("\n", "\r\n")
    try:
        tomllib.loads(out)
    except tomllib.TOMLDecodeError as error:
        raise ConflictError(
            f"Hooks cannot be added to {where}: its own are written in a form that nothing can follow ({error}).",
            hint="Write them as [[hooks.EVENT]] tables, or keep them in hooks.json beside it.",
        ) from error
    return out


def without_entries(text: str, where: str) -> str:
    """The text without our block. Raises `UsageError` for a text that is not TOML."""
    _values(text, where)
    begin = text.find(BEGIN)
    if begin < 0:
        return text
    end = text.find(END, begin)
    if end < 0:
        raise ConflictError(f"The block of hooks in {where} has no end: {END}", hint="Remove it by hand.")
    end += len(END)
    end += 2 if text.startswith("\r\n", end) else 1 if text.startswith("\n", end) else 0
    return text[:begin] + text[end:]


def entries(text: str, where: str) -> dict[str, list[tuple[int, int, dict[str, Any]]]]:
    """All entries of hooks: event to (place of the group, place in the group, entry)."""
    hooks = _values(text, where).get("hooks")
    found: dict[str, list[tuple[int, int, dict[str, Any]]]] = {}
    for event, groups in (hooks if isinstance(hooks, dict) else {}).items():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            for inner, entry in enumerate(group.get("hooks") or () if isinstance(group, dict) else ()):
                if isinstance(entry, dict):
                    found.setdefault(event, []).append((at, inner, entry))
    return found


def _values(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{where} is not TOML: {error}.", hint="Repair the file first; it was left as it is."
        ) from error


def _value(value: Any) -> str:
    """A scalar or a list of texts; JSON and TOML write these alike."""
    return json.dumps(value, ensure_ascii=False)
