"""`vault mentions`: names that stand in the text without a link, listed and accepted."""

from __future__ import annotations

from trivium.domains.vault.mentions import MIN_CHARS, accept, unlinked
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import one_line
from trivium.surfaces.cli.parser import Parser, integer, text
from trivium.surfaces.cli.vault.arguments import add_vault, vault_of


def _define(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--note", type=text, metavar="PATH", help="only in this note")
    parser.add_argument("--to", type=text, metavar="NAME", help="only of this concept or note")
    parser.add_argument("--limit", type=integer, metavar="N", help="at most so many (all)")
    parser.add_argument(
        "--min-chars", type=integer, default=MIN_CHARS, metavar="N", help=f"shorter names do not count ({MIN_CHARS})"
    )
    parser.add_argument("--accept", action="append", type=text, metavar="ID", help="store this one; repeatable")
    parser.add_argument("--accept-all-of", type=text, metavar="NAME", help="store all of one concept or note")


def _run(call: Call) -> int:
    args = call.args
    with vault_of(call) as vault:
        if args.accept or args.accept_all_of is not None:
            stored, count = accept(vault, args.accept or (), rule_to=args.accept_all_of)
            call.answer(
                lambda: {"accepted": count, "imported": [one._asdict() for one in stored]},
                lambda style: [f"accepted: {count} in {len(stored)} notes"],
                vault.notices,
            )
            return 0
        found = unlinked(vault, note=args.note, to=args.to, limit=args.limit, min_chars=args.min_chars)
    call.answer(
        lambda: {"mentions": [one._asdict() for one in found]},
        lambda style: (
            f"{style('cyan', one_line(one.id))} line {one.line}: {one_line(one.text)} -> {one_line(one.target)}"
            for one in found
        ),
    )
    return 0


COMMANDS = {
    "vault mentions": Command(
        _define,
        _run,
        {
            "mentions": "by note and line: `id`, `path`, `line`, `start`, `end`, `text`, `quote`, `kind`, `target`",
            "accepted": "with --accept: how many were stored",
            "imported": "with --accept: the records, as `vault metadata import` tells them",
        },
    )
}
