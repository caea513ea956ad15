"""`doctor`: what is wrong, what to do about it, and with `--recover` doing it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.references.upkeep import Diagnosis, diagnose
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.config import settings
from trivium.surfaces.cli.output import Progress, Style, one_line
from trivium.surfaces.cli.parser import Parser

_COLORS = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "red"}


def _define(parser: Parser) -> None:
    parser.description = (
        "Look at settings, store, indexes and embedder; changes nothing. Exit status 1 when something is an error."
    )
    parser.add_argument(
        "--recover",
        action="store_true",
        help="make a damaged store anew from every readable copy of its records; the old files are kept beside it",
    )


def _run(call: Call) -> int:
    progress = Progress("Embedding")
    try:
        found = diagnose(call.engine, is_recovering=call.args.recover, on_progress=progress)
    finally:
        progress.close()
    call.answer(lambda: _values(call, found), lambda style: _lines(call, found, style))
    return 0 if found.is_healthy else 1


def _values(call: Call, found: Diagnosis) -> dict[str, Any]:
    return {
        "is_healthy": found.is_healthy,
        "checks": [check._asdict() for check in found.checks],
        "recovered": None if found.recovered is None else found.recovered._asdict(),
        "settings": settings(call.engine.settings),
    }


def _lines(call: Call, found: Diagnosis, style: Style) -> Iterator[str]:
    if found.recovered is not None:
        done = found.recovered
        yield style("bold", f"Recovered {done.records} records")
        yield from (f"  from {path}: {count}" for path, count in done.sources.items())
        yield from (f"  could not read: {one_line(line)}" for line in done.damages)
        yield from (f"  lost: {one_line(line)}" for line in done.losses)
        yield from (f"  kept as: {path}" for path in done.set_aside)
        yield ""
    elif call.args.recover:
        yield "There is nothing to recover."
        yield ""
    for check in found.checks:
        yield f"{style(_COLORS[check.level], f'{check.level:<7}')} {check.area}: {one_line(check.message)}"
        if check.hint:
            yield f"        hint: {one_line(check.hint)}"
    for one in settings(call.engine.settings):
        if one["value"]:
            yield f"setting {one['key']} = {one_line(one['value'])} ({one['origin']})"
    yield ""
    problems = sum(check.level == "error" for check in found.checks)
    yield "Everything works." if found.is_healthy else f"{problems} things are wrong."


COMMANDS = {
    "doctor": Command(
        _define,
        _run,
        {
            "is_healthy": "whether nothing is an error",
            "checks": "`area` (program, store, embedder or index), `level` (ok, note, warning or error), `code`, "
            "`message`, `hint`",
            "recovered": "null, or `records`, `sources` (file to count), `damages`, `losses`, `set_aside`",
            "settings": "`key`, `value`, `origin`",
        },
    )
}
