"""One hook call as a process: input in, one answer out, and an end at the latest when time is over."""

from __future__ import annotations

import os
import sys

from trivium.surfaces.hooks.deadline import Outlet
from trivium.surfaces.hooks.encoding import encoded, late, neutral
from trivium.surfaces.hooks.hosts import host_named
from trivium.surfaces.hooks.protocol import Host, Rule
from trivium.surfaces.hooks.reading import MAX_BYTES

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from typing import NoReturn

_FAILED = 1
"""Hosts show the message of this status and go on; 2 would block what the user does."""

_CHUNK = 1 << 20


def launch(words: list[str]) -> NoReturn:
    """Run from the words of a command line: HOST [EVENT] [--home DIR]. What else there is, is not looked at."""
    home, rest = "", []
    waiting = iter(words)
    for word in waiting:
        if word == "--home":
            home = next(waiting, "")
        elif word.startswith("--home="):
            home = word.removeprefix("--home=")
        elif not word.startswith("-"):
            rest.append(word)
    run(rest[0], rest[1] if len(rest) > 1 else "", home)


def run(host_name: str, name: str = "", home: str = "") -> NoReturn:
    """Answer one event. `name` may be empty: then the input says it."""
    outlet = Outlet()
    host = host_named(host_name)
    rule = host.events.get(name, Rule("observe"))
    outlet.best = late(host, rule)
    status = _FAILED
    try:
        status = _answer(outlet, host, rule, name, home)
    except Exception as error:  # noqa: BLE001 - a host gets an answer, whatever happened
        outlet.give(neutral(rule))
        _tell(host, name, home, error)
        status = 0
    outlet.close(status)
    raise SystemExit(status)  # not reached: `close` ends the process


def _answer(outlet: Outlet, host: Host, rule: Rule, name: str, home: str) -> int:
    from trivium.config import home_folder, hook_settings

    home = os.path.abspath(os.path.expanduser(home)) if home else home_folder()
    settings = hook_settings(home)
    outlet.watch(rule.deadline_s if settings.deadline_s is None else settings.deadline_s)
    data = _read()
    if rule.kind == "observe" and name in host.events:
        outlet.give(neutral(rule))
        return 0
    from trivium.surfaces.hooks.handling import Task, answer_to, is_idle

    if name in host.events and is_idle(rule, settings):
        outlet.give(neutral(rule))
        return 0
    from trivium.surfaces.hooks.reading import read_event

    reading = read_event(host, name, data)
    _note(host, name, home, reading.problems)
    if reading.event is None:
        outlet.give(neutral(rule))
        if reading.problems and (reading.is_malformed or name not in host.events):
            sys.stderr.write(f"trivium hook {host.name} {name}: {'; '.join(reading.problems)}\n")
        return _FAILED if reading.is_malformed else 0
    event = reading.event
    rule = host.events[event.name]
    answer = answer_to(Task(event, host, rule, settings, home, outlet))
    outlet.give(encoded(host, event.name, rule, answer))
    return answer.status


def _read() -> bytes:
    """Standard input until its end; what is too much is read away, so that the host can finish writing."""
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            part = os.read(0, _CHUNK)
        except OSError:
            break
        if not part:
            break
        size += len(part)
        if size <= MAX_BYTES + _CHUNK:
            parts.append(part)
    return b"".join(parts)


def _note(host: Host, name: str, home: str, problems: list[str]) -> None:
    if problems:
        from trivium.surfaces.hooks.diagnostics import note

        note(home, host.name, name, "; ".join(problems))


def _tell(host: Host, name: str, home: str, error: Exception) -> None:
    from trivium.config import home_folder, is_debugging
    from trivium.surfaces.hooks.diagnostics import note

    message = f"{type(error).__name__}: {error}"
    if is_debugging():
        import traceback

        message = " | ".join(line.strip() for line in traceback.format_exception(error))
    note(home or home_folder(), host.name, name, message)
    sys.stderr.write(f"trivium hook {host.name} {name}: {message}\n")
