"""Where each host keeps its hooks, which events are put there, and how long the host itself waits."""

from __future__ import annotations

import os

from trivium.errors import UsageError

# host -> scope -> file; the first part of a user's file is the host's own folder.
FILES: dict[str, dict[str, str]] = {
    "claude": {
        "user": "settings.json",
        "project": ".claude/settings.json",
        "local": ".claude/settings.local.json",
    },
    "codex": {"user": "hooks.json", "project": ".codex/hooks.json"},
    "gemini": {"user": "settings.json", "project": ".gemini/settings.json"},
    "cursor": {"user": "hooks.json", "project": ".cursor/hooks.json"},
}

# host -> events always installed, those for guidance before tools, those for stop rules
_EVENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "claude": (("SessionStart", "UserPromptSubmit", "SessionEnd"), ("PreToolUse",), ("Stop", "SubagentStop")),
    "codex": (("SessionStart", "UserPromptSubmit", "SessionEnd"), ("PreToolUse",), ("Stop", "SubagentStop")),
    "gemini": (("SessionStart", "BeforeAgent", "PreCompress", "SessionEnd"), (), ("AfterAgent",)),
    "cursor": (
        ("sessionStart", "beforeSubmitPrompt", "postToolUse", "preCompact", "sessionEnd"),
        (),
        ("stop", "subagentStop"),
    ),
}

TIMEOUT_S = 10
_SHORTER = {"SessionEnd": 3, "sessionEnd": 3, "Interrupt": 3}


def file_of(host: str, scope: str, *, folder: str, project: str) -> str:
    """The settings file. `folder` is the host's own, `project` the root of the work. Raises `UsageError`."""
    scopes = FILES[host]
    if scope not in scopes:
        raise UsageError(f"{host} has no settings of scope {scope!r}.", hint="Scopes: " + ", ".join(scopes))
    return os.path.join(folder if scope == "user" else project, *scopes[scope].split("/"))


def default_events(host: str, *, has_tools: bool, has_stop: bool) -> list[str]:
    """The events that the settings make use of."""
    always, tools, stops = _EVENTS[host]
    return [*always, *(tools if has_tools else ()), *(stops if has_stop else ())]


def all_events(host: str) -> list[str]:
    """Every event that may be answered with something."""
    always, tools, stops = _EVENTS[host]
    return [*always, *tools, *stops]


def timeout_of(event: str) -> int:
    """Seconds after which the host gives up; ours ends long before."""
    return _SHORTER.get(event, TIMEOUT_S)
