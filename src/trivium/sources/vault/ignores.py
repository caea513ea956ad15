"""Which files and folders of a vault are left out, and why: built-in folders and ignore files as git reads them."""

from __future__ import annotations

from typing import Any, NamedTuple

IGNORE_FILES = (".gitignore", ".triviumignore")
"""In order of precedence, the stronger last; one in a subfolder is stronger than those above it."""

DEFAULT_FOLDERS: dict[str, str] = {
    ".git": "version control",
    "node_modules": "installed packages",
    ".venv": "a Python environment",
    "__pycache__": "compiled Python",
    "meta": "the knowledge graph's own files",
    ".obsidian": "settings of Obsidian",
    ".trash": "notes deleted in Obsidian",
    ".stversions": "old versions kept by Syncthing",
    "logseq/bak": "backups made by Logseq",
    "logseq/.recycle": "notes deleted in Logseq",
}
"""Folder names, at any depth, that hold no notes; a rule `!name/` in an ignore file brings one back."""


class Rules(NamedTuple):
    """The ignore files that hold for one folder: (folder, path of the file, patterns), from the root down."""

    files: tuple[tuple[str, str, Any], ...] = ()

    def with_file(self, folder: str, name: str, text: str) -> Rules:
        """These rules and those of one more ignore file; a line that is no pattern is passed over, as git does."""
        path = f"{folder}/{name}" if folder else name
        return Rules((*self.files, (folder, path, _patterns(text.splitlines()))))

    def reason(self, path: str, *, is_folder: bool) -> str | None:
        """Why the path is left out, or None. Rules in the deepest file that speaks of it decide, then the defaults."""
        for folder, source, patterns in reversed(self.files):
            inside = path[len(folder) + 1 :] if folder else path
            found = patterns.check_file(inside + "/" if is_folder else inside).include
            if found is not None:
                return f"a rule in {source}" if found else None
        if not is_folder:
            return None
        parent, _, name = path.rpartition("/")
        what = DEFAULT_FOLDERS.get(name) or DEFAULT_FOLDERS.get(f"{parent.rpartition('/')[2]}/{name}")
        return f"{what} (left out by default)" if what else None


def _patterns(lines: list[str]) -> Any:
    import re

    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        if len(lines) == 1:
            return GitIgnoreSpec.from_lines([])
        return GitIgnoreSpec.from_lines(line for line in lines if _patterns([line]))
