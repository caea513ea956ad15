"""Names of entries that hold on every machine: a root's key, a path below it and a section."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from trivium.errors import NotFoundError, UsageError

_ESCAPES = (("%", "%25"), ("#", "%23"))


def entry_id(key: str, relative: str, section: str = "", number: int = 1) -> str:
    """`<root key>/<path>[#<section>[ (n)]]`; in the path and the section only `%` and `#` are escaped."""
    name = f"{key}/{escape(relative)}"
    if section:
        name += f"#{escape(section)}"
    return name if number == 1 else f"{name} ({number})"


def escape(text: str) -> str:
    """A path or section as it stands in an id."""
    for char, code in _ESCAPES:
        text = text.replace(char, code)
    return text


def unescape(text: str) -> str:
    """The path or section that stands in an id."""
    for char, code in reversed(_ESCAPES):
        text = text.replace(code, char)
    return text


def handle(scheme: str, roots: Mapping[str, str], path: str, section: str = "") -> str:
    """`<scheme>://<root key>/<path>[#<section>]` of a file in one of the roots. Raises `UsageError` outside all."""
    for key, folder in roots.items():
        if is_inside(path, folder):
            relative = os.path.relpath(os.path.abspath(path), os.path.abspath(folder)).replace(os.sep, "/")
            return f"{scheme}://{entry_id(key, relative, section)}"
    raise UsageError(f"{path} lies in none of the folders of guidance.")


def located(scheme: str, roots: Mapping[str, str], name: str) -> tuple[str, str]:
    """(path, section) of a handle. Raises `UsageError` for one that leads out of its root, or is none."""
    head, _, rest = name.partition("://")
    key, _, tail = rest.partition("/")
    place, _, section = tail.rpartition("#") if "#" in tail else (tail, "", "")
    parts = unescape(place).split("/")
    if head != scheme or not all(parts) or any(part in (".", "..") or "\\" in part or "\0" in part for part in parts):
        raise UsageError(f"{name!r} is no handle of an entry.")
    if key not in roots:
        raise NotFoundError(f"There is no root {key!r}.", details=sorted(roots))
    path = os.path.join(roots[key], *parts)
    if not is_inside(path, roots[key]):
        raise UsageError(f"{name!r} leads out of its folder.")
    return path, unescape(section)


def is_inside(path: str, folder: str) -> bool:
    """Whether a path lies in a folder, links followed."""
    try:
        whole, base = os.path.realpath(path), os.path.realpath(folder)
        return os.path.commonpath((whole, base)) == base
    except ValueError:
        return False


def containing(path: str, folders: Iterable[str]) -> str | None:
    """The first of the folders (or files) that a path lies in, or None."""
    return next((folder for folder in folders if is_inside(path, folder)), None)
