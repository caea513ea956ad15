"""Putting hooks into a host's settings and taking them out again, without touching what others wrote there."""

from __future__ import annotations

import os

from trivium.config import HookSettings
from trivium.errors import TriviumError
from trivium.surfaces.hooks.install.changing import Plan, plan_install, plan_uninstall
from trivium.surfaces.hooks.install.command import argv, handler, isolation
from trivium.surfaces.hooks.install.places import FILES, default_events, file_of, timeout_of
from trivium.surfaces.hooks.install.skipping import State, problems


def path_of(host: str, scope: str, *, folder: str, project: str) -> str:
    """The file that hooks go to: the one that has hooks already, if a host has two. Raises `UsageError`."""
    path = file_of(host, scope, folder=folder, project=project)
    if host != "codex" or os.path.exists(path):
        return path
    config = os.path.join(os.path.dirname(path), "config.toml")
    try:
        with open(config, encoding="utf-8") as stream:
            # Codex warns about hooks in both of its files.
            return config if "[[hooks." in stream.read() else path
    except (OSError, UnicodeDecodeError):
        return path


def install(
    host: str, path: str, events: list[str], *, home: str, is_default_home: bool, is_shell: bool = False
) -> Plan:
    """What installing would do. Raises `ConflictError` and `UsageError` where it cannot be done safely."""
    flags = isolation()
    wanted = {}
    for event in events:
        words = argv(host, event, home="" if is_default_home else home, flags=flags)
        wanted[event] = handler(host, event, words, timeout_of(event), is_shell=is_shell)
    return plan_install(host, path, wanted, home)


def uninstall(host: str, path: str, *, home: str) -> Plan:
    """What uninstalling would do. Raises `ConflictError` and `UsageError` where it cannot be done safely."""
    return plan_uninstall(host, path, home)


def states(host: str, *, folder: str, project: str) -> list[State]:
    """The hooks of one host, in every file it reads them from."""
    told = []
    for scope in FILES[host]:
        path = path_of(host, scope, folder=folder, project=project)
        try:
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
            found = problems(host, path, text, folder=folder, project=project) if text.strip() else []
            told.append(State(host, scope, path, True, found, ""))
        except FileNotFoundError:
            told.append(State(host, scope, path, False, [], ""))
        except OSError as error:
            told.append(State(host, scope, path, True, [], f"{path} cannot be read ({error.strerror})."))
        except UnicodeDecodeError:
            told.append(State(host, scope, path, True, [], f"{path} is not UTF-8."))
        except TriviumError as error:
            told.append(State(host, scope, path, True, [], error.message))
    return told


def missing_events(host: str, state: State, settings: HookSettings) -> list[str]:
    """Events that the settings make use of and that a file has no hook for."""
    have = {entry.event for entry in state.entries}
    wanted = default_events(host, has_tools=settings.has_tools, has_stop=settings.has_stop)
    return [event for event in wanted if event not in have]
