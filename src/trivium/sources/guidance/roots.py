"""Where guidance lies: the folders and files of each host, of a person and of a project."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

SHAPES = ("skills", "rules", "memories", "instructions")
"""What a root holds: skill folders, rule files, memory files, or one file of sections."""

USER, PROJECT, SHARED, UNTRUSTED = "user", "project", "shared", "untrusted"
"""Who answers for a root: the person, the project at hand, a synchronised store, or nobody."""

_MARKS = (".git", ".hg", ".claude", ".cursor", ".codex", ".gemini", ".agents")
_MAX_STEPS = 64


class Root(NamedTuple):
    """A folder (or, with shape `instructions`, a file). `key` begins the ids of its entries.

    `loaded_by`: hosts that give all of it to their agent anyway. `is_deep`: its subfolders count too.
    """

    key: str
    path: str
    shape: str
    trust: str = USER
    loaded_by: tuple[str, ...] = ()
    is_deep: bool = False


def encode_path(path: str) -> str:
    """The name of a project's folder under `~/.claude/projects`: what is no ASCII letter or digit becomes `-`."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in path)


def project_folder(cwd: str, home: str) -> str:
    """The folder that a session in `cwd` is about: the nearest one upwards that carries the marks of a project.

    The user's home is none, whatever lies in it. Without marks it is `cwd` itself.
    """
    folder = os.path.abspath(cwd)
    stop = os.path.abspath(home)
    for _ in range(_MAX_STEPS):
        above = os.path.dirname(folder)
        if folder in (stop, above):
            break
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _MARKS):
            return folder
        folder = above
    return os.path.abspath(cwd)


def main_worktree(project: str) -> str:
    """The folder of the first checkout, for a linked worktree; else the project itself."""
    try:
        with open(os.path.join(project, ".git"), encoding="utf-8", errors="replace") as file:
            line = file.read(4096).strip()
    except OSError:
        return project
    gitdir = os.path.normpath(os.path.join(project, line.removeprefix("gitdir:").strip()))
    head, _, _ = gitdir.partition(os.sep + ".git" + os.sep + "worktrees" + os.sep)
    return head if line.startswith("gitdir:") and head != gitdir else project


def standard_roots(home: str, cwd: str, store: str = "") -> list[Root]:
    """The roots of every host for a session in `cwd`; whether they exist is for the survey to find out.

    `home` is the user's home, `store` the home of this program, whose `guidance` folder belongs to the person too.
    """
    project = project_folder(cwd, home)
    roots = [*_user_roots(home, project), *(_project_roots(project) if project != os.path.abspath(home) else ())]
    if store:
        own = os.path.join(store, "guidance")
        roots += [Root(f"own-{shape}", os.path.join(own, shape), shape) for shape in SHAPES[:3]]
    return roots


def _user_roots(home: str, project: str) -> list[Root]:
    claude = os.path.join(home, ".claude")
    memory = os.path.join(claude, "projects", encode_path(main_worktree(project)), "memory")
    return [
        Root("user-skills", os.path.join(claude, "skills"), "skills"),
        Root("user-agent-skills", os.path.join(home, ".agents", "skills"), "skills"),
        Root("user-gemini-skills", os.path.join(home, ".gemini", "skills"), "skills"),
        Root("user-rules", os.path.join(claude, "rules"), "rules", is_deep=True),
        Root("memory", memory, "memories"),
        Root("user-claude-md", os.path.join(claude, "CLAUDE.md"), "instructions", loaded_by=("claude",)),
        Root("user-codex-md", os.path.join(home, ".codex", "AGENTS.md"), "instructions", loaded_by=("codex",)),
        Root("user-gemini-md", os.path.join(home, ".gemini", "GEMINI.md"), "instructions", loaded_by=("gemini",)),
    ]


def _project_roots(project: str) -> list[Root]:
    def inside(*parts: str) -> str:
        return os.path.join(project, *parts)

    return [
        Root("skills", inside(".claude", "skills"), "skills", PROJECT),
        Root("agent-skills", inside(".agents", "skills"), "skills", PROJECT),
        Root("gemini-skills", inside(".gemini", "skills"), "skills", PROJECT),
        Root("rules", inside(".claude", "rules"), "rules", PROJECT, is_deep=True),
        Root("cursor-rules", inside(".cursor", "rules"), "rules", PROJECT, is_deep=True),
        Root("copilot-rules", inside(".github", "instructions"), "rules", PROJECT, is_deep=True),
        Root("agents-md", inside("AGENTS.md"), "instructions", PROJECT, ("claude", "codex", "gemini", "cursor")),
        Root("claude-md", inside("CLAUDE.md"), "instructions", PROJECT, ("claude", "cursor")),
        Root("gemini-md", inside("GEMINI.md"), "instructions", PROJECT, ("gemini",)),
    ]


def extra_root(path: str, shape: str, trust: str = USER) -> Root:
    """A folder that was named by hand; its key tells it from every other."""
    whole = os.path.abspath(os.path.expanduser(path))
    return Root(f"{shape}-{crc32(whole.encode('utf-8', 'surrogateescape')):08x}", whole, shape, trust)


def distinct(roots: Iterable[Root]) -> list[Root]:
    """The roots without those that lead to a place already named, in their order."""
    found: dict[tuple[str, str], Root] = {}
    for root in roots:
        found.setdefault((os.path.realpath(root.path), root.shape), root)
    return list(found.values())
