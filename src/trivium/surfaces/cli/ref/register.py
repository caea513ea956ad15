"""`ref register`: payloads in, from a file or standard input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.references.register import Registered, Registration, register
from trivium.errors import UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.inputs import STDIN, read_bytes, read_text
from trivium.surfaces.cli.output import Progress, Style, one_line
from trivium.surfaces.cli.parser import Parser

SKIPPED = 5


def _define(parser: Parser) -> None:
    parser.description = (
        "Store what was read. The input is one payload, a JSON array of payloads, or one payload a line. "
        "Nothing is stored when anything is wrong; every problem is told with its place."
    )
    parser.add_argument("path", nargs="?", metavar="FILE", help="the payload; - or nothing for standard input")
    parser.spill = "path"
    parser.add_argument("-f", "--file", metavar="FILE", help="the payload, as an option")
    parser.add_argument("--source", metavar="FILE", help="the text that was read: quotes are checked against it")
    parser.add_argument("--keep-valid", action="store_true", help="store what is right and tell what is not")
    parser.add_argument("--strict", action="store_true", help="exit status 5 when something was left out")


def _run(call: Call) -> int:
    args = call.args
    if args.path is not None and args.file is not None:
        raise UsageError("The payload is named twice.", hint="Give the file once, with or without --file.")
    path = args.path or args.file or STDIN
    if path == STDIN and args.source == STDIN:
        raise UsageError("Payload and source cannot both come from standard input.")
    source = None if args.source is None else read_text(args.source, what="source")
    data = read_bytes(path, what="payload")
    progress = Progress("Embedding")
    try:
        done = register(call.engine, data, source=source, is_valid_kept=args.keep_valid, on_progress=progress)
    finally:
        progress.close()
    call.answer(lambda: _values(done), lambda style: _lines(done, style), done.notices)
    call.warn(f"left out: {problem}" for problem in done.problems)
    return SKIPPED if args.strict and done.skipped else 0


def _values(done: Registration) -> dict[str, Any]:
    return {
        "references": [
            {
                **one._asdict(),
                "similar": [pair._asdict() for pair in one.similar],
                "aliased": [{"given": given, "stored": stored} for given, stored in one.aliased],
                "archived": list(one.archived),
            }
            for one in done.references
        ],
        "problems": list(done.problems),
        "skipped": done.skipped,
    }


def _lines(done: Registration, style: Style) -> Iterator[str]:
    for number, one in enumerate(done.references):
        if number:
            yield ""
        yield from _one(one, style)


def _one(one: Registered, style: Style) -> Iterator[str]:
    yield f"Reference: {style('cyan', one.url)} ({'created' if one.is_new else 'updated'})"
    yield f"Concepts upserted: {one.concepts}"
    yield f"DESCRIBES edges ensured: {one.mentions}"
    yield f"Vectors upserted: {one.vectors}"
    yield "Relationships:" if one.relations else "Relationships: (none)"
    yield from (f"  {kind}: {count}" for kind, count in one.relations.items())
    yield f"Record: {one.record[:12]}"
    if one.aliased:
        yield ""
        yield "Other spellings of stored names, kept as aliases:"
        yield from (f"  - {one_line(given)} -> {one_line(stored)}" for given, stored in one.aliased)
    if one.archived:
        yield ""
        yield "Archived concepts that stay hidden (ref unarchive brings them back):"
        yield from (f"  - {one_line(identifier)}" for identifier in one.archived)
    if one.similar:
        yield ""
        yield style("yellow", "⚠ Similar existing concepts (ref duplicates lists them all; ref merge makes two one):")
        yield from (
            f"  - {one_line(pair.id)} ≈ {one_line(pair.existing)} (score={pair.score:.3f})" for pair in one.similar
        )


COMMANDS = {
    "ref register": Command(
        _define,
        _run,
        {
            "references": "one a payload: `url`, `title`, `is_new`, `record`, `concepts`, `mentions` and `vectors` "
            "(counts of input rows), `relations` (type to count), `similar` (`id`, `existing`, `score`), "
            "`aliased` (`given`, `stored`), `archived` (ids that stay hidden)",
            "problems": "what was left out, with its place",
            "skipped": "how many records were left out",
        },
    )
}
