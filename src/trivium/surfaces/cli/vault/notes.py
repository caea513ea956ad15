"""`vault doc`, `doc-info`, `locate`, `resolve`: one note."""

from __future__ import annotations

from typing import Any

from trivium.domains.vault import notes
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import one_line
from trivium.surfaces.cli.parser import Parser, text
from trivium.surfaces.cli.vault.arguments import add_vault, vault_of


def _define_note(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("note", metavar="NOTE", type=text, help="a hash, the beginning of one, a path, or path:line")


def _run_resolve(call: Call) -> int:
    with vault_of(call) as vault:
        row = notes.by_hash(vault, call.args.note)
    values = {"hash": row.hash, "path": row.path, "title": row.title}
    call.answer(lambda: values, lambda style: [f"{row.path}  {one_line(row.title)}  {row.hash}"])
    return 0


def _run_info(call: Call) -> int:
    with vault_of(call) as vault:
        found = notes.info(vault, call.args.note)
    call.answer(lambda: found, lambda style: (f"{name}: {_shown(value)}" for name, value in found.items()))
    return 0


def _shown(value: Any) -> str:
    import json

    return one_line(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _define_locate(parser: Parser) -> None:
    _define_note(parser)
    parser.add_argument("quote", metavar="QUOTE", type=text, help="the exact words")


def _run_locate(call: Call) -> int:
    with vault_of(call) as vault:
        found = notes.locate(vault, call.args.note, call.args.quote)
    line = f"{found.path}:{found.line}" if found.found else "not there"
    near = f'; line {found.nearest["line"]} has "{one_line(found.nearest["text"])}"' if found.nearest else ""
    call.answer(found._asdict, lambda style: [line + near])
    return 0


def _define_doc(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", type=text, help="a markdown file, in a vault or not")


def _run_doc(call: Call) -> int:
    found = notes.doc(call.args.file)
    call.answer(lambda: found, lambda style: (f"{name}: {_shown(value)}" for name, value in found.items()))
    return 0


COMMANDS = {
    "vault resolve": Command(_define_note, _run_resolve, {"hash": "", "path": "", "title": ""}),
    "vault doc-info": Command(
        _define_note,
        _run_info,
        {
            "hash": "of its bytes",
            "path": "in the vault",
            "title": "",
            "abs_path": "in the file system",
            "vscode_url": "opens it in an editor",
            "metadata": "its record, null without one",
            "is_damaged": "whether the record cannot be read",
        },
    ),
    "vault locate": Command(
        _define_locate,
        _run_locate,
        {
            "found": "whether the words stand there exactly so",
            "offset": "in UTF-16 units",
            "line": "from 1",
            "path": "of the note",
            "nearest": "what stands there instead: `text`, `line`, `similarity`",
        },
    ),
    "vault doc": Command(
        _define_doc,
        _run_doc,
        {
            "hash": "of its bytes",
            "title": "",
            "headings": "how many",
            "links": "destinations of Markdown links",
            "wiki_links": "as written",
            "tags": "",
            "aliases": "",
            "arxiv": "ids",
            "dois": "",
            "problems": "what could not be read as meant",
        },
    ),
}
