"""`vault watch`: syncing whenever notes change."""

from __future__ import annotations

import json
import sys

from trivium.domains.vault.sync import Synced
from trivium.domains.vault.watch import watch
from trivium.errors import UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.parser import Parser, number
from trivium.surfaces.cli.vault.arguments import add_vault, vault_of


def _define(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--interval", type=number, default=1.0, metavar="SECONDS", help="how often to look (1)")


def _run(call: Call) -> int:
    if not 0.05 <= call.args.interval <= 3600:
        raise UsageError(f"interval must be from 0.05 to 3600 seconds, not {call.args.interval}.")

    def tell(done: Synced) -> None:
        counts = {name: getattr(done, name) for name in ("new", "changed", "moved", "deleted", "total")}
        if call.is_json:
            sys.stdout.write(json.dumps({"schema": call.schema, **counts}) + "\n")
        else:
            sys.stdout.write(", ".join(f"{name} {count}" for name, count in counts.items()) + "\n")
        sys.stdout.flush()

    with vault_of(call) as vault:
        watch(vault, tell, interval_s=call.args.interval)
    return 0


COMMANDS = {
    "vault watch": Command(
        _define, _run, {"new": "notes; one object a line, with `changed`, `moved`, `deleted`, `total`"}
    )
}
