"""Knowledge in and out: `ref import`, `ref export`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from trivium.domains.references import exchange
from trivium.errors import UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Progress, Style, one_line
from trivium.surfaces.cli.parser import Parser, one_of, text


def _define_import(parser: Parser) -> None:
    parser.add_argument("path", metavar="FILE", type=text, help="a refmesh database, or its tables as JSON")
    parser.add_argument("--strict", action="store_true", help="exit with 5 when something was not taken over")


def _run_import(call: Call) -> int:
    progress = Progress("Embedding")
    try:
        done = exchange.import_refmesh(call.engine, call.args.path, on_progress=progress)
    finally:
        progress.close()

    def lines(style: Style) -> Iterator[str]:
        yield f"References imported: {done.references} ({done.unchanged} were there already)"
        yield f"Concepts: {done.concepts}"
        yield f"Relations: {done.relations}"
        yield f"Archived: {done.archived}"
        if done.losses:
            yield f"Not taken over: {len(done.losses)}"
        for loss in done.losses:
            yield f"  - {one_line(loss)}"

    values = done._asdict()
    notices = values.pop("notices")
    call.answer(lambda: {**values, "losses": list(done.losses)}, lines, notices)
    return 5 if call.args.strict and done.losses else 0


def _define_export(parser: Parser) -> None:
    forms = exchange.FORMATS
    parser.add_argument(
        "--as", dest="form", type=one_of(*forms), default="jsonl", metavar="|".join(forms), help="(jsonl)"
    )
    parser.add_argument("-o", "--output", type=text, metavar="FILE", help="write here instead of standard output")
    parser.add_argument("--include-archived", action="store_true", help="archived and withdrawn concepts as well")


def _run_export(call: Call) -> int:
    pieces = exchange.export(call.engine, call.args.form, is_archived_included=call.args.include_archived)
    if call.args.output is None:
        if call.is_json:
            call.answer(lambda: {"form": call.args.form, "content": "".join(pieces)}, lambda style: ())
        else:
            sys.stdout.writelines(pieces)
            sys.stdout.flush()
        return 0
    path = call.args.output
    try:
        with open(path, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
            size = sum(stream.write(piece) for piece in pieces)
    except OSError as error:
        raise UsageError(f"The export cannot be written: {path} ({error.strerror}).") from error
    values = {"form": call.args.form, "path": path, "characters": size}
    call.answer(lambda: values, lambda style: iter([f"Written: {path} ({size} characters)"]))
    return 0


COMMANDS = {
    "ref import": Command(
        _define_import,
        _run_import,
        {
            "references": "how many were imported",
            "concepts": "rows of them",
            "relations": "rows of them",
            "archived": "how many were archived as they were there",
            "unchanged": "references that were imported before",
            "losses": "what was not taken over, and why",
        },
    ),
    "ref export": Command(
        _define_export,
        _run_export,
        {
            "form": "jsonl, graphml or markdown",
            "content": "the whole export, without `--output`",
            "path": "the file, with `--output`",
            "characters": "its size",
        },
    ),
}
