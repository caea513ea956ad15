"""`vault concept ...`: the vocabulary of a vault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.vault import concepts
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, one_line
from trivium.surfaces.cli.parser import Parser, text
from trivium.surfaces.cli.vault.arguments import add_payload, add_vault, payload, vault_of


def _define_import(parser: Parser) -> None:
    add_vault(parser)
    add_payload(parser, "one concept or an array of them, as JSON")


def _run_import(call: Call) -> int:
    values = payload(call, "concepts")
    with vault_of(call) as vault:
        done = concepts.import_concepts(vault, values)
        call.answer(
            done._asdict,
            lambda style: [f"added: {done.added}, updated: {done.updated}, concepts: {done.total}"],
            vault.notices,
        )
    return 0


def _define_list(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--type", dest="kind", type=text, metavar="TYPE", help="only concepts of this type")


def _run_list(call: Call) -> int:
    with vault_of(call) as vault:
        found = concepts.listed(vault, kind=call.args.kind)
    call.answer(lambda: {"concepts": found}, lambda style: (_line(one, style) for one in found))
    return 0


def _define_name(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("name", metavar="NAME", type=text, help="a preferred name, an alias or an id")


def _run_resolve(call: Call) -> int:
    with vault_of(call) as vault:
        found = concepts.resolve(vault, call.args.name)
    call.answer(lambda: {"concept": found}, lambda style: [_line(found, style)])
    return 0


def _define_prep(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--scope", type=text, metavar="FOLDERS", help="comma list of folders")


def _run_prep(call: Call) -> int:
    from trivium.domains.vault.notes import prep

    with vault_of(call) as vault:
        found = list(prep(vault, scopes=call.args.scope))
    call.answer(lambda: {"notes": found}, _prep_lines(found))
    return 0


def _prep_lines(found: list[dict[str, Any]]) -> Any:
    def lines(style: Style) -> Iterator[str]:
        for note in found:
            yield f"{style('cyan', one_line(note['path']))} {note['hash'][:12]} {one_line(note['title'])}"
            yield from (f"    {one_line(heading)}" for heading in note["headings"])

    return lines


def _define_merge(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("into", metavar="INTO", type=text, help="the concept that stays")
    parser.add_argument("names", metavar="NAME", nargs="+", type=text, help="concepts that become its aliases")
    parser.spill = "names"


def _run_merge(call: Call) -> int:
    with vault_of(call) as vault:
        found = concepts.merge(vault, call.args.into, call.args.names)
    call.answer(lambda: {"concept": found}, lambda style: [_line(found, style)])
    return 0


def _define_rename(parser: Parser) -> None:
    _define_name(parser)
    parser.add_argument("new", metavar="NEW", type=text, help="the new preferred name; the old one becomes an alias")


def _run_rename(call: Call) -> int:
    with vault_of(call) as vault:
        found = concepts.rename(vault, call.args.name, call.args.new)
    call.answer(lambda: {"concept": found}, lambda style: [_line(found, style)])
    return 0


def _define_split(parser: Parser) -> None:
    _define_name(parser)
    parser.add_argument("aliases", metavar="ALIAS", nargs="+", type=text, help="aliases that become a new concept")
    parser.add_argument("--type", dest="kind", type=text, metavar="TYPE", help="the type of the new concept")
    parser.spill = "aliases"


def _run_split(call: Call) -> int:
    with vault_of(call) as vault:
        found = concepts.split(vault, call.args.name, call.args.aliases, kind=call.args.kind)
    call.answer(lambda: {"concept": found}, lambda style: [_line(found, style)])
    return 0


def _line(concept: dict[str, Any], style: Style) -> str:
    others = f" ({', '.join(map(one_line, concept['aliases']))})" if concept["aliases"] else ""
    summary = f": {one_line(concept['summary'])}" if concept["summary"] else ""
    name = style("cyan", one_line(concept["display"]))
    return f"{one_line(concept['id'])}  {name} [{one_line(concept['type'])}]{others}{summary}"


_CONCEPT = "`id`, `canonical`, `display`, `type`, `aliases`, `summary`, and what else stands in the file"

COMMANDS = {
    "vault concept import": Command(
        _define_import,
        _run_import,
        {
            "added": "new ones",
            "updated": "met again",
            "total": "concepts there are",
            "skipped": "records without a name",
        },
    ),
    "vault concept list": Command(_define_list, _run_list, {"concepts": f"by id: {_CONCEPT}"}),
    "vault concept resolve": Command(_define_name, _run_resolve, {"concept": _CONCEPT}),
    "vault concept prep": Command(_define_prep, _run_prep, {"notes": "by path: `hash`, `path`, `title`, `headings`"}),
    "vault concept merge": Command(_define_merge, _run_merge, {"concept": _CONCEPT}),
    "vault concept rename": Command(_define_rename, _run_rename, {"concept": _CONCEPT}),
    "vault concept split": Command(_define_split, _run_split, {"concept": f"the new one: {_CONCEPT}"}),
}
