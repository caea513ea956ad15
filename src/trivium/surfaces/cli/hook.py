"""`hook install`, `hook uninstall`, `hook status`: this program in the settings of a host of agents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trivium.config import Settings, hook_settings, host_folders, load
from trivium.errors import UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Progress, Style, one_line
from trivium.surfaces.cli.parser import Parser, one_of, text
from trivium.surfaces.hooks.hosts import NAMES

if TYPE_CHECKING:
    from trivium.surfaces.hooks.install.changing import Plan
    from trivium.surfaces.hooks.install.skipping import State

_MAX_LOG_LINES = 5


def _define_change(parser: Parser) -> None:
    parser.add_argument("host", type=one_of(*NAMES), metavar="HOST", help=", ".join(NAMES))
    parser.add_argument(
        "--scope",
        type=one_of("user", "project", "local"),
        default="user",
        metavar="user|project|local",
        help="whose settings: the user's, those of the project, or (Claude Code) the project's that are not shared",
    )
    parser.add_argument("--project", type=text, metavar="DIR", default="", help="the project (the current folder)")
    parser.add_argument("--dry-run", action="store_true", help="show what would be written, and write nothing")


def _define_install(parser: Parser) -> None:
    parser.description = "Make a host run this program at its events. What others wrote in its settings stays as it is."
    _define_change(parser)
    parser.add_argument(
        "--events", type=text, metavar="LIST", default="", help="all, or names with commas (what the settings use)"
    )
    parser.add_argument(
        "--shell-form", action="store_true", help="one command line for a shell, for Claude Code before 2.1.139"
    )


def _define_uninstall(parser: Parser) -> None:
    parser.description = "Take the hooks out of a host's settings; an unchanged file is as it was before, to the byte."
    _define_change(parser)


def _define_status(parser: Parser) -> None:
    parser.description = (
        "Show which hooks are installed, what would keep a host from running them, and recent problems."
    )
    parser.add_argument("host", nargs="?", type=one_of(*NAMES), metavar="HOST", help="one host instead of all")
    parser.add_argument("--project", type=text, metavar="DIR", default="", help="the project (the current folder)")
    parser.spill = "host"


def _settings(call: Call) -> Settings:
    return load(home=call.args.home, embedder=call.args.embedder)


def _project(call: Call) -> str:
    return os.path.abspath(os.path.expanduser(call.args.project or os.curdir))


def _install(call: Call) -> int:
    from trivium.surfaces.hooks.install import install, path_of
    from trivium.surfaces.hooks.install.command import is_temporary
    from trivium.surfaces.hooks.install.places import all_events, default_events

    args, settings = call.args, _settings(call)
    chosen = hook_settings(settings.home)
    host, project = args.host, _project(call)
    path = path_of(host, args.scope, folder=host_folders()[host], project=project)
    if args.events == "all":
        events = all_events(host)
    elif args.events:
        events = _named(host, args.events)
    else:
        events = default_events(host, has_tools=chosen.has_tools, has_stop=chosen.has_stop)
    plan = install(
        host,
        path,
        events,
        home=settings.home,
        is_default_home=settings.origins["home"] == "default",
        is_shell=args.shell_form,
    )
    notes = []
    if is_temporary():
        notes.append("This Python lies in a cache that may be emptied: install the program for good, then its hooks.")
    if args.scope == "project":
        notes.append("The paths are those of this machine: do not share this file, or use another scope.")
    if host == "codex":
        notes.append("Codex skips new hooks without a word until they are trusted: open /hooks in Codex.")
    if not args.dry_run:
        notes += _prepare(call, settings, project)
    if host == "cursor":
        notes.append("Cursor gives no place to guidance at a prompt: it comes with the first tool result after it.")
    return _carry_out(call, plan, settings, notes)


def _prepare(call: Call, settings: Settings, project: str) -> list[str]:
    """Make embedder and guidance ready, for hooks wait for nothing; returns what could not be done."""
    from trivium.domains.routing.collection import at
    from trivium.domains.routing.upkeep import bring_up_to_date
    from trivium.embed.registry import prefetch
    from trivium.errors import TriviumError

    name, cache, options = settings.embedder, settings.cache, settings.embedder_options
    progress = Progress("Preparing the embedder")
    try:
        if name != "none":
            prefetch(name, cache_dir=cache, options=options, on_progress=progress)
        progress.close()
        progress = Progress("Reading guidance")
        with at(call.engine, project, user_home=os.path.expanduser("~")) as collection:
            done = bring_up_to_date(collection, on_embed=progress)
    except TriviumError as error:
        return [f"Hooks will find guidance by its words until this is put right: {error.message}"]
    finally:
        progress.close()
    return [*done.notices, *(f"{path}: {problem}" for path, problem in done.refreshed.problems)]


def _named(host: str, listed: str) -> list[str]:
    from trivium.surfaces.hooks.hosts import host_named

    known = host_named(host).events
    events = [event.strip() for event in listed.split(",") if event.strip()]
    for event in events:
        if event not in known or known[event].kind == "observe":
            import difflib

            useful = [name for name, rule in known.items() if rule.kind != "observe"]
            near = difflib.get_close_matches(event, useful, n=1)
            hint = f"Did you mean {near[0]}?" if near else "Events: " + ", ".join(useful)
            raise UsageError(f"There is nothing to do at an event {event!r} of {host}.", hint=hint)
    return list(dict.fromkeys(events))


def _uninstall(call: Call) -> int:
    from trivium.surfaces.hooks.install import path_of, uninstall

    args, settings = call.args, _settings(call)
    path = path_of(args.host, args.scope, folder=host_folders()[args.host], project=_project(call))
    return _carry_out(call, uninstall(args.host, path, home=settings.home), settings, [])


def _carry_out(call: Call, plan: Plan, settings: Settings, notes: list[str]) -> int:
    from trivium.surfaces.hooks.install.changing import carry_out

    is_dry = call.args.dry_run
    backup = "" if is_dry else carry_out(plan, settings.home)
    difference = _difference(plan)

    def lines(style: Style) -> Iterator[str]:
        if not plan.is_change:
            yield f"{plan.path} is already so."
        elif is_dry:
            yield from difference
            yield "Nothing was written."
        else:
            done = "removed" if plan.after is None else "written"
            yield f"{style('green', done)} {plan.path}"
            if plan.events:
                yield f"  events: {', '.join(plan.events)}"
            if backup:
                yield f"  as it was: {backup}"

    call.answer(
        lambda: {
            "host": plan.host,
            "path": plan.path,
            "is_changed": plan.is_change and not is_dry,
            "events": plan.events,
            "backup": backup,
            "difference": difference,
        },
        lines,
        notes,
    )
    return 0


def _difference(plan: Plan) -> list[str]:
    import difflib

    before, after = (
        (data or b"").decode("utf-8", "replace").replace("\r\n", "\n").split("\n") for data in (plan.before, plan.after)
    )
    return list(difflib.unified_diff(before, after, plan.path, plan.path, lineterm=""))


def _status(call: Call) -> int:
    from trivium.surfaces.hooks.install import missing_events, states

    settings = _settings(call)
    chosen = hook_settings(settings.home)
    folders, project = host_folders(), _project(call)
    hosts = [call.args.host] if call.args.host else list(NAMES)
    told = [state for host in hosts for state in states(host, folder=folders[host], project=project)]
    missing = {state.path: missing_events(state.host, state, chosen) if state.entries else [] for state in told}
    log = _log(settings.home)

    def values() -> dict[str, Any]:
        files = [
            {**state._asdict(), "entries": [entry._asdict() for entry in state.entries], "missing": missing[state.path]}
            for state in told
        ]
        return {"files": files, "settings": settings.hooks, "log": log}

    def lines(style: Style) -> Iterator[str]:
        for state in told:
            yield from _state_lines(state, missing[state.path], style)
        for key, value in settings.hooks.items():
            yield f"setting {key} = {value or 'as each event has it'}"
        if log:
            yield "Recent problems:"
            yield from (f"  {one_line(line)}" for line in log)

    call.answer(values, lines)
    broken = any(state.error or any(entry.problem for entry in state.entries) for state in told)
    return 1 if broken else 0


def _state_lines(state: State, missing: list[str], style: Style) -> Iterator[str]:
    head = f"{state.host} ({state.scope})"
    if state.error:
        yield f"{style('red', head)} {one_line(state.error)}"
    elif not state.entries:
        yield f"{style('dim', head)} none in {state.path}"
    else:
        yield f"{style('bold', head)} {state.path}"
    for entry in state.entries:
        mark = style("red", "skipped") if entry.problem else style("green", "ok")
        yield f"  {entry.event}: {mark}" + (f", {one_line(entry.problem)}. {entry.hint}" if entry.problem else "")
    if missing:
        yield f"  {style('yellow', 'missing')}: {', '.join(missing)} (install again)"


def _log(home: str) -> list[str]:
    from trivium.surfaces.hooks.diagnostics import path

    try:
        with open(path(home), encoding="utf-8", errors="replace") as stream:
            return stream.read().splitlines()[-_MAX_LOG_LINES:]
    except OSError:
        return []


_CHANGED = {
    "host": "the host",
    "path": "the settings file",
    "is_changed": "whether it was written",
    "events": "the events that have a hook now",
    "backup": "the copy of the file as it was, empty without one",
    "difference": "lines of a unified diff",
}

COMMANDS = {
    "hook install": Command(_define_install, _install, _CHANGED),
    "hook uninstall": Command(_define_uninstall, _uninstall, _CHANGED),
    "hook status": Command(
        _define_status,
        _status,
        {
            "files": "`host`, `scope`, `path`, `is_there`, `error`, `missing` (events), `entries` with `event`, "
            "`program`, `problem`, `hint`",
            "settings": "the settings of hooks",
            "log": "the last lines about what went wrong",
        },
    ),
}
