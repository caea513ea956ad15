"""`config`: the settings, where each came from, and where they are written down."""

from __future__ import annotations

import os

from trivium.config import Settings, home_folder, listing, load
from trivium.errors import UsageError
from trivium.rank.fuse import DEFAULT_RECIPE
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import one_line
from trivium.surfaces.cli.parser import Parser, one_of, text


def settings(values: Settings) -> list[dict[str, str]]:
    """Every setting with its value and where it came from."""
    listed = listing(values)
    listed["recipe"] = listed["recipe"] or DEFAULT_RECIPE
    return [{"key": key, "value": value, "origin": values.origins[key]} for key, value in listed.items()]


def _define(parser: Parser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        type=one_of("list", "get", "path"),
        default="list",
        metavar="list|get|path",
        help="list all settings (nothing given), get one, or tell the path of the file",
    )
    parser.add_argument("key", nargs="?", type=text, metavar="KEY", help="which one to get")
    parser.spill = "key"


def _run(call: Call) -> int:
    action, key = call.args.action, call.args.key
    if (action == "get") != (key is not None):
        raise UsageError("Name the setting to get." if key is None else f"config {action} takes no key.")
    path = os.path.join(os.path.abspath(os.path.expanduser(call.args.home or home_folder())), "config.toml")
    if action == "path":
        # Also when the file cannot be read: this is how one finds it.
        call.answer(lambda: {"path": path, "settings": []}, lambda style: [path])
        return 0
    found = settings(load(home=call.args.home, embedder=call.args.embedder))
    if action == "get":
        found = [one for one in found if one["key"] == key] or _unknown(key, found)
        call.answer(lambda: {"path": path, "settings": found}, lambda style: [found[0]["value"]])
        return 0
    call.answer(
        lambda: {"path": path, "settings": found},
        lambda style: [f"{style('cyan', one['key'])} = {one_line(one['value'])} ({one['origin']})" for one in found],
    )
    return 0


def _unknown(key: str, found: list[dict[str, str]]) -> list[dict[str, str]]:
    import difflib

    names = [one["key"] for one in found]
    near = difflib.get_close_matches(key, names, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Settings: " + ", ".join(names)
    raise UsageError(f"Unknown setting {key!r}.", hint=hint)


COMMANDS = {
    "config": Command(
        _define,
        _run,
        {
            "path": "the file that settings are written down in; it need not be there",
            "settings": "`key`, `value`, `origin` (argument, the variable, the file, or default); none for `path`",
        },
    )
}
