"""Which files are in play: those that the event names, and those that the talk so far was about."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from trivium.surfaces.hooks.protocol import Event

TAIL_BYTES = 256 * 1024
"""So much of a transcript's end is looked at."""

MAX_FILES = 64

_KEYS = ("file_path", "path", "absolute_path", "notebook_path", "target_file", "filePath")
_NAMED = re.compile(rb'"(?:' + "|".join(_KEYS).encode() + rb')\\?"\s*:\s*\\?"((?:[^"\\]|\\[^"u])+?)\\?"')
_PATCHED = re.compile(rb"\*\*\* (?:Add|Update|Delete) File: ([^\\\n\"]+)")
_WORD = re.compile(r"[\w@.+\-/\\]*[\w\-]\.[A-Za-z]\w{0,9}\b")


def in_play(event: Event, project: str) -> tuple[str, ...]:
    """Paths below the project with forward slashes, the latest first; files outside it keep their whole path."""
    found = [*_of_tool(event), *_of_text(event.prompt), *_of_transcript(event.transcript)]
    if event.path:
        found.insert(0, event.path)
    return tuple(dict.fromkeys(_relative(path, event.cwd, project) for path in found if path))[:MAX_FILES]


def _of_tool(event: Event) -> list[str]:
    found = [value for key in _KEYS if isinstance(value := event.tool_input.get(key), str)]
    for value in event.tool_input.values():
        if isinstance(value, str) and "*** " in value:
            found += [name.decode("utf-8", "replace") for name in _PATCHED.findall(value.encode("utf-8", "replace"))]
    return found


def _of_text(text: str) -> list[str]:
    """Files that a prompt speaks of: words with a suffix."""
    words = _WORD.findall(text[:20_000])
    # "e.g" is no file.
    return [word for word in words if "/" in word or (word.count(".") == 1 and len(word) > 3)][:MAX_FILES]


def _of_transcript(path: str) -> list[str]:
    if not path:
        return []
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            stream.seek(max(0, size - TAIL_BYTES))
            data = stream.read(TAIL_BYTES)
    except OSError:
        return []
    names = [*_NAMED.findall(data), *_PATCHED.findall(data)]
    return [name.decode("utf-8", "replace").replace("\\\\", "\\") for name in reversed(names)]


def _relative(path: str, cwd: str, project: str) -> str:
    whole = os.path.normpath(os.path.join(cwd or project, path))
    if project and whole.startswith(project.rstrip(os.sep) + os.sep):
        whole = os.path.relpath(whole, project)
    return whole.replace(os.sep, "/")
