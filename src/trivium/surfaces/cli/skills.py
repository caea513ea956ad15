"""`doctor skills`: which skills a host will leave out of its listing, and which it will mistake for each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from trivium.config import host_folders
from trivium.domains.routing.listing import CONTEXT_TOKENS, LIMITS, REASONS, Listing, budget_of, known_uses, predict
from trivium.errors import UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, one_line
from trivium.surfaces.cli.parser import Parser, integer, one_of, text

_NO_FAULT = ("manual", "retired")


def _define(parser: Parser) -> None:
    parser.description = (
        "Predict what a host shows its agent of the skills there are: a listing has a limit, and what does not fit is "
        "never found by the agent. Exit status 1 when a skill is left out."
    )
    parser.add_argument("--host", type=one_of(*LIMITS), metavar="HOST", help=f"one of {', '.join(LIMITS)}")
    parser.add_argument("--project", type=text, metavar="DIR", default="", help="the project (the current folder)")
    parser.add_argument(
        "--context", type=integer, metavar="TOKENS", default=CONTEXT_TOKENS, help=f"the window ({CONTEXT_TOKENS})"
    )
    parser.add_argument("--budget", type=integer, metavar="CHARS", help="the room of a listing, where it was changed")


def _run(call: Call) -> int:
    from trivium.domains.routing.collection import at
    from trivium.domains.routing.ledger.records import Ledger
    from trivium.domains.routing.ledger.report import report

    args = call.args
    if args.context <= 0 or (args.budget is not None and args.budget <= 0):
        raise UsageError("context and budget must be more than 0.")
    folder = os.path.abspath(os.path.expanduser(args.project or os.curdir))
    told = report(Ledger(call.engine.settings.home).read())
    uses = known_uses(host_folders()["claude"], {one.name: one.outcomes["used"] for one in told.entries})
    made: list[Listing] = []
    with at(call.engine, folder, user_home=os.path.expanduser("~")) as collection:
        for host in [args.host] if args.host else LIMITS:
            budget = args.budget or budget_of(host, args.context)
            made.append(predict(call.engine, host, collection.roots, uses, budget_chars=budget))
    left_out = sum(bool(skill.reason) and skill.reason not in _NO_FAULT for one in made for skill in one.skills)
    notices = [notice for one in made for notice in one.notices]
    call.answer(lambda: _values(made, left_out), lambda style: _lines(made, style), notices)
    return 1 if left_out else 0


def _values(made: list[Listing], left_out: int) -> dict[str, Any]:
    hosts = [
        {
            **one._asdict(),
            "skills": [skill._asdict() for skill in one.skills],
            "pairs": [pair._asdict() for pair in one.pairs],
        }
        for one in made
    ]
    return {"hosts": hosts, "left_out": left_out}


def _lines(made: list[Listing], style: Style) -> Iterator[str]:
    for one in made:
        listed = sum(not skill.reason for skill in one.skills)
        head = f"{one.host}: {listed} of {len(one.skills)} skills are listed"
        room = "no limit is known" if one.budget_chars is None else f"of {one.budget_chars}"
        yield f"{style('bold', head)}, {one.used_chars} characters, {room}"
        for skill in one.skills:
            if skill.reason:
                mark = "dim" if skill.reason in _NO_FAULT else "red"
                yield f"  {style(mark, 'left out')} {one_line(skill.name)}: {REASONS[skill.reason]} ({skill.path})"
            for note in skill.notes:
                yield f"  {style('yellow', 'note')} {one_line(skill.name)}: {one_line(note)}"
        for pair in one.pairs:
            names = f"{one_line(pair.one)} and {one_line(pair.other)}"
            yield f"  {style('yellow', 'alike')} {names}: {pair.likeness:.2f}; say in each when it is not the one"


COMMANDS = {
    "doctor skills": Command(
        _define,
        _run,
        {
            "hosts": "`host`, `budget_chars`, `used_chars`, `skills` (`name`, `path`, `description`, `uses`, `chars`, "
            "`reason`, `notes`), `pairs` (`one`, `other`, `likeness`), `notices`",
            "left_out": "how many skills are left out against their will",
        },
    )
}
