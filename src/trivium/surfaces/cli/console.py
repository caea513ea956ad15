"""`console`: serving the memory to a browser on this machine."""

from __future__ import annotations

import sys

from trivium.errors import UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.parser import Parser, integer, text

_MAX_PORT = 65535


def _define(parser: Parser) -> None:
    parser.description = (
        "Serve what is stored to a browser on this machine, for reading, until Ctrl+C. Needs the extra 'console'."
    )
    parser.add_argument("--port", type=integer, default=0, metavar="N", help="0 takes a free one (0)")
    parser.add_argument(
        "--host", type=text, default="127.0.0.1", metavar="NAME", help="127.0.0.1, ::1 or localhost (127.0.0.1)"
    )
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")


def _run(call: Call) -> int:
    from trivium.surfaces.console.server import serve

    args = call.args
    if not 0 <= args.port <= _MAX_PORT:
        raise UsageError(f"port must be from 0 to {_MAX_PORT}, not {args.port}.")

    def announce(url: str) -> None:
        call.answer(
            lambda: {"url": url}, lambda style: [f"trivium console listening on {url}", "Press Ctrl+C to stop."]
        )
        # Without a terminal nobody sits in front of it.
        if not args.no_open and sys.stdout.isatty():
            import webbrowser

            webbrowser.open(url)

    serve(call.engine, host=args.host, port=args.port, announce=announce)
    return 0


COMMANDS = {"console": Command(_define, _run, {"url": "where it listens; written before the first request"})}
