"""`vault metadata ...`, `extract`, `pending`, `check`: what was said of notes, and what an edit did to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.vault.metadata import Problem, Rejected, import_records, validate
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Progress, Style, one_line
from trivium.surfaces.cli.parser import Parser, integer, text
from trivium.surfaces.cli.vault.arguments import add_payload, add_vault, payload, vault_of

REFUSED = 2


def _define_import(parser: Parser) -> None:
    add_vault(parser)
    add_payload(parser, "one record or an array of them, as JSON")
    parser.add_argument("--create-missing", action="store_true", help="add unknown concepts as plain ones")
    parser.add_argument("--replace", action="store_true", help="store the new record alone instead of uniting them")


def _run_import(call: Call) -> int:
    values = payload(call, "records")
    with vault_of(call) as vault:
        done = import_records(vault, values, is_creating=call.args.create_missing, is_replacing=call.args.replace)
        call.answer(
            lambda: {
                "imported": [one._asdict() for one in done.imported],
                "rejected": [_rejected(one) for one in done.rejected],
            },
            lambda style: [
                *(
                    f"{one_line(one.path)}: {one.mentions} mentions, {one.relations} relations, {one.doc_links} links"
                    for one in done.imported
                ),
                *(line for one in done.rejected for line in _rejected_lines(one, style)),
            ],
            vault.notices,
        )
    return REFUSED if done.rejected else 0


def _run_validate(call: Call) -> int:
    with vault_of(call) as vault:
        found = validate(vault)
    call.answer(
        lambda: {
            "checked": found.checked,
            "ok": found.ok,
            "failed": [_rejected(one) for one in found.failed],
            "orphans": list(found.orphans),
            "suspects": found.suspects,
        },
        lambda style: [
            f"checked: {found.checked}, ok: {found.ok}, claims to look at again: {found.suspects}",
            *(line for one in found.failed for line in _rejected_lines(one, style)),
            *(f"no note has {hash_} (vault gc removes its record)" for hash_ in found.orphans),
        ],
    )
    return REFUSED if found.failed or found.orphans else 0


def _rejected(one: Rejected) -> dict[str, Any]:
    return {"hash": one.hash, "path": one.path, "problems": [problem._asdict() for problem in one.problems]}


def _rejected_lines(one: Rejected, style: Style) -> Iterator[str]:
    yield f"{style('red', 'refused')}: {one_line(one.path or one.hash or 'a record')}"
    for problem in one.problems:
        yield f"  - {_problem(problem)}"


def _problem(problem: Problem) -> str:
    near = problem.nearest or {}
    if "text" in near:
        return f'{problem.place}: {problem.message}; line {near["line"]} has "{one_line(near["text"])}"'
    hint = f"; did you mean {near['concept']!r}?" if "concept" in near else ""
    return f"{problem.place}: {problem.message}{hint}"


# -- extract


def _define_extract(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("path", nargs="?", metavar="PATH", type=text, help="one note, relative to the vault")
    parser.add_argument("--pending", action="store_true", help="all notes that have no record")
    parser.add_argument("--write", action="store_true", help="store the records, with a concept for each paper")
    parser.spill = "path"


def _run_extract(call: Call) -> int:
    from trivium.domains.vault import extract
    from trivium.errors import UsageError

    args = call.args
    if bool(args.path) == args.pending:
        raise UsageError("Name one note, or ask for --pending.")
    with vault_of(call) as vault:
        if args.pending:
            done = extract.write_pending(vault, is_written=args.write, on_progress=Progress("Extracting"))
            counts = {**done._asdict(), "errors": [{"path": p, "problems": list(q)} for p, q in done.errors]}
            call.answer(lambda: counts, lambda style: (f"{name}: {value}" for name, value in counts.items()))
            return REFUSED if done.errors else 0
        if args.write:
            stored = extract.write_one(vault, args.path)
            call.answer(lambda: {"imported": stored._asdict()}, lambda style: [f"stored: {stored.path}"])
            return 0
        record = extract.extract(vault, args.path)
        call.answer(lambda: {"record": record}, lambda style: _record_lines(record))
    return 0


def _record_lines(record: dict[str, Any]) -> Iterator[str]:
    for link in record["doc_links"]:
        yield f"link: {one_line(link['to_path'])}  {one_line(link['raw'])}"
    for mention in record["mentions"]:
        yield f"mention: {one_line(mention['concept'])}  {one_line(mention['anchor']['quote'])}"
    for raw in record.get("_dangling", ()):
        yield f"dangling: {one_line(raw)}"


# -- pending, check


def _define_pending(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--limit", type=integer, metavar="N", help="at most so many (all)")


def _run_pending(call: Call) -> int:
    from trivium.domains.vault.notes import pending

    with vault_of(call) as vault:
        found = pending(vault, limit=call.args.limit)
    call.answer(
        lambda: {"notes": [{**one._asdict(), "broken": list(one.broken)} for one in found]},
        lambda style: (
            f"{style('cyan', one_line(one.path))} {one.hash[:12]} {one_line(one.title)}"
            + (f" ({len(one.broken)} claims broken by an edit)" if one.broken else "")
            for one in found
        ),
    )
    return 0


def _define_check(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--drop", action="store_true", help="give up the claims whose quote is gone (with --apply)")
    parser.add_argument("--apply", action="store_true", help="do what --drop shows")


def _run_check(call: Call) -> int:
    from trivium.domains.vault.check import check, drop

    with vault_of(call) as vault:
        found = check(vault)
        dropped = drop(vault) if call.args.drop and call.args.apply else 0
        call.answer(
            lambda: {"suspects": [one._asdict() for one in found], "dropped": dropped},
            lambda style: (line for one in found for line in _suspect_lines(one, style)),
            vault.notices,
        )
    return 0


def _suspect_lines(one: Any, style: Style) -> Iterator[str]:
    yield f"{style('yellow', one.state)} {style('cyan', one_line(one.path))}: {one_line(one.claim)}"
    yield from (f"    {one_line(line)}" for line in one.diff)
    yield from (f"    rests on it: {one_line(claim)}" for claim in one.dependents)


COMMANDS = {
    "vault metadata import": Command(
        _define_import,
        _run_import,
        {
            "imported": "`hash`, `path`, and how many `mentions`, `relations`, `doc_links` the stored record has",
            "rejected": "`hash`, `path`, `problems` (`place`, `message`, `nearest`: what stands there instead)",
        },
    ),
    "vault metadata validate": Command(
        add_vault,
        _run_validate,
        {
            "checked": "records",
            "ok": "without a problem",
            "failed": "`hash`, `path`, `problems`",
            "orphans": "hashes that no note has",
            "suspects": "claims whose quote an edit took away",
        },
    ),
    "vault extract": Command(
        _define_extract,
        _run_extract,
        {
            "record": "of one note: `hash`, `path`, `doc_links`, `mentions`, `_dangling`",
            "imported": "with --write: what was stored",
            "processed": "with --pending: notes that waited; with it `written`, `doc_links`, `mentions`, `dangling`, "
            "`errors` (`path`, `problems`)",
        },
    ),
    "vault pending": Command(
        _define_pending, _run_pending, {"notes": "by path: `hash`, `path`, `title`, `broken` (claims lost to an edit)"}
    ),
    "vault check": Command(
        _define_check,
        _run_check,
        {
            "suspects": "`path`, `hash`, `claim`, `state` (changed or gone), `quote`, `nearest`, `diff`, `dependents`",
            "dropped": "claims that were given up",
        },
    ),
}
