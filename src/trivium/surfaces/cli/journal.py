"""`history` and `undo`: the journal as people use it."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domains.references.history import Event, history, undo
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, one_line
from trivium.surfaces.cli.parser import Parser, integer, text
from trivium.surfaces.cli.ref.curate import CHANGE_KEYS, answer_change


def _define_history(parser: Parser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", type=text, help="only of this concept or address")
    parser.spill = "name"
    parser.add_argument("--limit", type=integer, default=20, metavar="N", help="the newest so many (20)")


def _run_history(call: Call) -> int:
    events = history(call.engine, name=call.args.name, limit=call.args.limit)
    call.answer(
        lambda: {
            "events": [
                {**event.record._asdict(), "is_undone": event.is_undone, "summary": event.summary} for event in events
            ]
        },
        lambda style: _lines(events, style),
    )
    return 0


def _lines(events: list[Event], style: Style) -> Iterator[str]:
    for event in events:
        record = event.record
        who = record.actor + (f" in {record.session}" if record.session else "")
        mark = " [undone]" if event.is_undone else ""
        yield f"- {style('cyan', record.id[:12])} {record.at[:19]}Z {one_line(who)}: {one_line(event.summary)}{mark}"
    if not events:
        yield "no records"


def _define_undo(parser: Parser) -> None:
    parser.add_argument("records", nargs="*", metavar="RECORD", type=text, help="ids of records, or their beginnings")
    parser.spill = "records"
    parser.add_argument("--last", type=integer, default=0, metavar="N", help="the last N changes that still count")


def _run_undo(call: Call) -> int:
    change = undo(call.engine, call.args.records, last=call.args.last)

    def lines(style: Style) -> Iterator[str]:
        yield from (f"Undone: {style('cyan', one_line(target)[:12])}" for target in change.ids)

    return answer_change(call, change, lines)


COMMANDS = {
    "history": Command(
        _define_history,
        _run_history,
        {"events": "newest first: `id`, `at`, `actor`, `session`, `op`, `payload`, `is_undone`, `summary`"},
    ),
    "undo": Command(_define_undo, _run_undo, {**CHANGE_KEYS, "ids": "the records that were taken back"}),
}
