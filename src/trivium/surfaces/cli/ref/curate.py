"""Keeping concepts in order: `ref archive`, `unarchive`, `rename`, `merge`, `unlink`, `withdraw`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trivium.domains.references import curate
from trivium.domains.references.curate import Change
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, one_line
from trivium.surfaces.cli.parser import Parser, text

CHANGE_KEYS = {
    "op": "what was done",
    "ids": "the concepts, or the address, that it was about",
    "record": "the journal record, which undo takes",
    "at": "when, UTC",
    "skipped": "effects that found no target",
}


def answer_change(call: Call, change: Change, lines: Callable[[Style], Iterator[str]]) -> int:
    """Answer with what a change did and how to take it back."""

    def whole(style: Style) -> Iterator[str]:
        yield from lines(style)
        yield f"Record: {change.record[:12]}"

    values = {"op": change.op, "ids": list(change.ids), "record": change.record, "at": change.at}
    call.answer(lambda: {**values, "skipped": list(change.skipped)}, whole)
    return 0


def milliseconds(moment: str) -> str:
    """A time of the journal, without its last three digits."""
    return moment[:23] + "Z" if len(moment) == 27 else moment


def _define_ids(parser: Parser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID", type=text, help="an id, or any name of the concept")
    parser.spill = "ids"


def _define_archive(parser: Parser) -> None:
    _define_ids(parser)
    parser.add_argument(
        "--reason", type=text, default="", metavar="TEXT", help="why; left out, an earlier reason stays"
    )


def _run_archive(call: Call) -> int:
    reason = call.args.reason
    change = curate.archive(call.engine, call.args.ids, reason=reason)

    def lines(style: Style) -> Iterator[str]:
        why = f" (reason: {one_line(reason)})" if reason else ""
        for identifier in change.ids:
            yield f"Archived: {style('cyan', one_line(identifier))}{why} at {milliseconds(change.at)}"

    return answer_change(call, change, lines)


def _run_unarchive(call: Call) -> int:
    change = curate.unarchive(call.engine, call.args.ids)
    return answer_change(call, change, lambda style: _each("Unarchived", change, style))


def _each(title: str, change: Change, style: Style) -> Iterator[str]:
    for identifier in change.ids:
        yield f"{title}: {style('cyan', one_line(identifier))}"


def _define_rename(parser: Parser) -> None:
    parser.add_argument("id", metavar="ID", type=text, help="the concept")
    parser.add_argument("new_id", metavar="NEW_ID", type=text, help="its id from now on")


def _run_rename(call: Call) -> int:
    change = curate.rename(call.engine, call.args.id, call.args.new_id)

    def lines(style: Style) -> Iterator[str]:
        old, new = map(one_line, change.ids)
        yield f"Renamed: {old} -> {style('cyan', new)}"

    return answer_change(call, change, lines)


def _define_merge(parser: Parser) -> None:
    _define_ids(parser)
    parser.add_argument("--into", metavar="ID", type=text, required=True, help="the concept that the others become")


def _run_merge(call: Call) -> int:
    change = curate.merge(call.engine, call.args.into, call.args.ids)

    def lines(style: Style) -> Iterator[str]:
        target, *rest = map(one_line, change.ids)
        yield from (f"Merged: {identifier} into {style('cyan', target)}" for identifier in rest)

    return answer_change(call, change, lines)


def _define_unlink(parser: Parser) -> None:
    parser.add_argument("subject", metavar="SUBJECT", type=text, help="the concept that the relation starts from")
    parser.add_argument("predicate", metavar="TYPE", type=text, help="its type")
    parser.add_argument("object", metavar="OBJECT", type=text, help="the concept that it leads to")


def _run_unlink(call: Call) -> int:
    args = call.args
    change = curate.unlink(call.engine, args.subject, args.predicate, args.object)

    def lines(style: Style) -> Iterator[str]:
        subject, target = map(one_line, change.ids)
        yield f"Unlinked: {style('cyan', subject)} -[{args.predicate}]-> {style('cyan', target)}"

    return answer_change(call, change, lines)


def _define_withdraw(parser: Parser) -> None:
    parser.add_argument("url", metavar="URL", type=text, help="the address of the source")


def _run_withdraw(call: Call) -> int:
    change = curate.withdraw(call.engine, call.args.url)
    return answer_change(call, change, lambda style: _each("Withdrawn", change, style))


COMMANDS = {
    "ref archive": Command(_define_archive, _run_archive, CHANGE_KEYS),
    "ref unarchive": Command(_define_ids, _run_unarchive, CHANGE_KEYS),
    "ref rename": Command(_define_rename, _run_rename, CHANGE_KEYS),
    "ref merge": Command(_define_merge, _run_merge, CHANGE_KEYS),
    "ref unlink": Command(_define_unlink, _run_unlink, CHANGE_KEYS),
    "ref withdraw": Command(_define_withdraw, _run_withdraw, CHANGE_KEYS),
}
