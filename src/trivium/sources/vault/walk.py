"""The notes and attachments that lie in a vault now, by names and stat alone: nothing is opened but ignore files."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from trivium.errors import UsageError
from trivium.sources.vault.files import Skipped
from trivium.sources.vault.ignores import IGNORE_FILES, Rules

NOTE_ENDINGS = (".md", ".markdown")
_IGNORE_FILE_BYTES = 1 << 20


class Entry(NamedTuple):
    """A note file: `path` relative with `/`; `inode` 0 where the system has none."""

    path: str
    size: int
    mtime_ns: int
    inode: int


class Listing(NamedTuple):
    """What a walk found, each list in order of the paths.

    `ignored` holds (path, why) of folders and notes that were left out by rule. Below `unread` folders (path, why)
    nothing is known: what was there before must be taken to be there still.
    """

    notes: list[Entry]
    attachments: list[str]
    skipped: list[Skipped]
    ignored: list[tuple[str, str]]
    unread: list[tuple[str, str]]


def order(path: str) -> bytes:
    """Sort key of paths: by UTF-16 units, the order of the registry file."""
    return path.encode("utf-16-be", "surrogatepass")


def parse_scopes(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Folders of a vault to be read, from a comma list or a list; `all`, `.` or nothing is the whole vault: ().

    Slashes at the ends do not count, a folder inside another one asked for is dropped. UsageError for a path that is
    absolute or climbs out.
    """
    items = given.split(",") if isinstance(given, str) else list(given or ())
    found: list[str] = []
    for item in items:
        parts = [part for part in item.strip().replace("\\", "/").split("/") if part not in ("", ".")]
        if item.strip().startswith(("/", "\\")) or ".." in parts or (parts and parts[0].endswith(":")):
            raise UsageError(
                f"The scope {item.strip()!r} does not lie in the vault",
                hint="Name folders relative to the vault, such as notes/2024.",
            )
        if item.strip() and (not parts or parts == ["all"]):
            return ()
        if parts:
            found.append("/".join(parts))
    found = sorted(set(found), key=order)
    return tuple(one for one in found if not any(one.startswith(other + "/") for other in found))


def in_scope(path: str, scopes: Sequence[str]) -> bool:
    """Whether a path lies in the scopes of `parse_scopes`."""
    return not scopes or any(path == scope or path.startswith(scope + "/") for scope in scopes)


def is_note(name: str) -> bool:
    """Whether a file name is that of a markdown note."""
    return name.lower().endswith(NOTE_ENDINGS)


def walk(root: str, scopes: Sequence[str] = (), *, uses_gitignore: bool = True) -> Listing:
    """List a vault. Links are never followed, so a loop cannot be entered; names are reported as they are on disk."""
    return _Walk(os.path.realpath(root), uses_gitignore).run(scopes)


class _Walk:
    def __init__(self, root: str, uses_gitignore: bool) -> None:
        self.root = root
        self.ignore_files = IGNORE_FILES if uses_gitignore else IGNORE_FILES[1:]
        self.found = Listing([], [], [], [], [])

    def run(self, scopes: Sequence[str]) -> Listing:
        todo: list[tuple[str, Rules]] = []
        for scope in scopes or ("",):
            rules = self.rules_above(scope)
            full = os.path.join(self.root, scope)
            if os.path.islink(full) or os.path.realpath(full) != os.path.normpath(full):
                self.found.skipped.append(Skipped(scope, "outside", "the scope is reached through a link"))
            elif os.path.isdir(full):
                todo.append((scope, rules))
            elif is_note(scope) and os.path.isfile(full):
                status = os.stat(full)
                self.found.notes.append(Entry(scope, status.st_size, status.st_mtime_ns, status.st_ino))
            else:
                self.found.skipped.append(Skipped(scope, "scope", "there is no such folder in the vault"))
        while todo:
            self.folder(*todo.pop(), todo)
        self.found.notes.sort(key=lambda entry: order(entry.path))
        self.found.attachments.sort(key=order)
        self.found.skipped.sort(key=lambda skipped: order(skipped.path))
        self.found.ignored.sort(key=lambda ignored: order(ignored[0]))
        return self.found

    def rules_above(self, scope: str) -> Rules:
        """The rules of the folders above a scope."""
        rules = Rules()
        folder = ""
        for part in scope.split("/") if scope else ():
            rules = self.with_ignore_files(folder, rules, self.ignore_files)
            folder = f"{folder}/{part}" if folder else part
        return rules

    def with_ignore_files(self, folder: str, rules: Rules, names: Sequence[str]) -> Rules:
        for name in names:
            try:
                with open(os.path.join(self.root, folder, name), "rb") as file:
                    text = file.read(_IGNORE_FILE_BYTES).decode("utf-8", "replace")
            except FileNotFoundError:
                continue
            except OSError as error:
                path = f"{folder}/{name}" if folder else name
                self.found.skipped.append(Skipped(path, "unreadable", error.strerror or "cannot be read"))
                continue
            rules = rules.with_file(folder, name, text)
        return rules

    def folder(self, folder: str, rules: Rules, todo: list[tuple[str, Rules]]) -> None:
        try:
            with os.scandir(os.path.join(self.root, folder) if folder else self.root) as listing:
                entries = list(listing)
        except OSError as error:
            self.found.unread.append((folder, error.strerror or "cannot be read"))
            return
        names = {entry.name for entry in entries}
        present = [name for name in self.ignore_files if name in names]
        if present:
            rules = self.with_ignore_files(folder, rules, present)
        prefix = folder + "/" if folder else ""
        for entry in entries:
            path = prefix + entry.name
            try:
                self.entry(path, entry, rules, todo)
            except OSError as error:
                self.found.skipped.append(Skipped(shown(path), "unreadable", error.strerror or "cannot be read"))

    def entry(self, path: str, entry: os.DirEntry[str], rules: Rules, todo: list[tuple[str, Rules]]) -> None:
        name = entry.name
        if entry.is_symlink():
            self.link(path, entry, rules)
            return
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not is_note(name):
            self.other(path, name, rules)
            return
        why = rules.reason(path, is_folder=is_folder)
        if why is not None:
            self.found.ignored.append((shown(path), why))
        elif not _is_unicode(name):
            self.found.skipped.append(Skipped(shown(path), "name", "its name is not valid UTF-8"))
        elif is_folder:
            todo.append((path, rules))
        else:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                self.found.notes.append(Entry(path, status.st_size, status.st_mtime_ns, status.st_ino))
            else:
                self.found.skipped.append(Skipped(path, "not_a_file", "it is a pipe, a socket or a device"))

    def other(self, path: str, name: str, rules: Rules) -> None:
        if name.startswith(".") and name.endswith(".icloud") and is_note(name[1:-7]):
            kept = path[: len(path) - len(name)] + name[1:-7]
            self.found.skipped.append(Skipped(kept, "placeholder", "its content is on a cloud drive, not here"))
        elif _is_unicode(path) and rules.reason(path, is_folder=False) is None:
            self.found.attachments.append(path)

    def link(self, path: str, entry: os.DirEntry[str], rules: Rules) -> None:
        try:
            is_folder = entry.is_dir()
        except OSError:  # a link to itself
            self.found.skipped.append(Skipped(shown(path), "loop", "a link to itself"))
            return
        if not is_folder and not is_note(entry.name):
            if entry.is_file():
                self.other(path, entry.name, rules)
            return
        if rules.reason(path, is_folder=is_folder) is not None:
            return
        target = os.path.realpath(entry.path)
        is_inside = target == self.root or target.startswith(self.root + os.sep)
        if not os.path.lexists(target):
            reason, message = "broken", "a link to nothing"
        elif os.path.islink(target) or os.path.abspath(entry.path).startswith(target.rstrip(os.sep) + os.sep):
            reason, message = "loop", "a link to a folder above itself"
        elif not is_inside:
            reason, message = "outside", "a link to a place outside the vault"
        else:
            reason, message = "symlink", "a link to a place in the vault, which is read there"
        self.found.skipped.append(Skipped(shown(path), reason, message))


def shown(path: str) -> str:
    """A path that can be printed and stored: bytes that are not UTF-8 become escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _is_unicode(name: str) -> bool:
    return name.isascii() or not any("\udc80" <= char <= "\udcff" for char in name)
