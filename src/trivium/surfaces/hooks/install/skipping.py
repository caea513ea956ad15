"""Why a host would not run a hook that is in its settings: switched off, or not trusted."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from typing import Any, NamedTuple

from trivium.surfaces.hooks.install import edit, tomltext
from trivium.surfaces.hooks.install.command import is_ours, program_of
from trivium.surfaces.hooks.install.jsontext import parse


class Entry(NamedTuple):
    """One installed hook. `problem` is why the host would not run it, empty where it would; `hint` what to do."""

    event: str
    program: str
    problem: str
    hint: str


class State(NamedTuple):
    """The hooks in one settings file; `error` says why it cannot be read."""

    host: str
    scope: str
    path: str
    is_there: bool
    entries: list[Entry]
    error: str


def installed(text: str, host: str, path: str) -> dict[str, list[tuple[int, int, dict[str, Any]]]]:
    """Our entries in a settings text, by event."""
    if path.endswith(".toml"):
        found = tomltext.entries(text, path)
        own = {event: [one for one in every if is_ours(one[2], host)] for event, every in found.items()}
        return {event: every for event, every in own.items() if every}
    return edit.entries(text, host, path)


def problems(host: str, path: str, text: str, *, folder: str, project: str) -> list[Entry]:
    """Every installed hook of a file, with what keeps the host from running it."""
    found = installed(text, host, path)
    whole = _switched_off(host, text, path, folder)
    config = _toml(os.path.join(folder, "config.toml")) if host == "codex" else {}
    told: list[Entry] = []
    for event, every in found.items():
        for at, inner, entry in every:
            program = program_of(entry)
            problem, hint = whole
            if not problem and program and os.path.isabs(program) and not os.access(program, os.X_OK):
                problem, hint = f"{program} is not there any more", "Install the hooks again."
            if not problem and host == "codex":
                problem, hint = _distrusted(config, path, event, at, inner, entry, project)
            told.append(Entry(event, program, problem, hint))
    return told


def _switched_off(host: str, text: str, path: str, folder: str) -> tuple[str, str]:
    if host == "codex":
        features = _toml(os.path.join(folder, "config.toml")).get("features")
        features = features if isinstance(features, dict) else {}
        if False in (features.get("hooks"), features.get("codex_hooks")):
            return "hooks are switched off in config.toml", "Remove hooks = false below [features]."
        return "", ""
    root = parse(text, path).value
    if host == "claude" and root.get("disableAllHooks") is True:
        return "disableAllHooks is set in this file", "Remove it, or set it to false."
    if host == "gemini":
        for key in ("hooksConfig", "hooks"):
            if isinstance(root.get(key), dict) and root[key].get("enabled") is False:
                return f"hooks are switched off below {key}", "Set enabled to true."
    return "", ""


def _distrusted(
    config: dict[str, Any], path: str, event: str, at: int, inner: int, entry: dict[str, Any], project: str
) -> tuple[str, str]:
    """Codex runs a hook only when its exact form was trusted; it skips any other without a word."""
    review = "Open /hooks in Codex and trust it."
    state = (config.get("hooks") or {}).get("state") if isinstance(config.get("hooks"), dict) else None
    key = f"{os.path.abspath(path)}:{_snake(event)}:{at}:{inner}"
    told = state.get(key) if isinstance(state, dict) else None
    told = told if isinstance(told, dict) else {}
    if told.get("enabled") is False:
        return "Codex has it switched off", "Open /hooks in Codex and switch it on."
    if not told.get("trusted_hash"):
        return "Codex was not told to trust it and skips it without a word", review
    if told["trusted_hash"] != trust_hash(event, entry):
        return "Codex trusts another form of it and skips this one without a word", review
    projects = config.get("projects")
    levels = projects if isinstance(projects, dict) else {}
    if os.path.dirname(path) == os.path.join(project, ".codex"):
        level = levels.get(project)
        if not isinstance(level, dict) or level.get("trust_level") != "trusted":
            return "Codex does not trust this project", "Open Codex in the project and trust it."
    return "", ""


def trust_hash(event: str, entry: dict[str, Any], matcher: str | None = None) -> str:
    """What Codex compares: SHA-256 of the entry in its normal form, as sorted JSON.

    Source: `command_hook_hash` and `version_for_toml` of the public Codex repository (0.16x): the command, its
    timeout (600 where none is given) and `async`, with keys that are not set left out.
    """
    handler = {
        "type": "command",
        "command": entry.get("command"),
        "timeout": max(1, int(entry.get("timeout", 600))),
        "async": bool(entry.get("async", False)),
    }
    for key in ("statusMessage", "additionalContextLimit"):
        if entry.get(key) is not None:
            handler[key] = entry[key]
    identity: dict[str, Any] = {"event_name": _snake(event), "hooks": [handler]}
    if matcher is not None:
        identity["matcher"] = matcher
    whole = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(whole.encode("utf-8")).hexdigest()


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _toml(path: str) -> dict[str, Any]:
    """The values of a file, none where it is not there or cannot be read."""
    try:
        with open(path, "rb") as stream:
            return tomllib.load(stream)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}
