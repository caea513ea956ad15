"""`mcp`: serving the memory to agents by the Model Context Protocol, over a pipe or over HTTP."""

from __future__ import annotations

import sys

from trivium.errors import MissingExtraError, UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.parser import Parser, integer, text

_MAX_PORT = 65535


def _define(parser: Parser) -> None:
    parser.description = (
        "Serve the memory to an agent by the Model Context Protocol: over standard input and output, or with --http "
        "over HTTP on this machine. Needs the extra 'mcp'."
    )
    parser.add_argument("--http", action="store_true", help="streamable HTTP on 127.0.0.1 instead of a pipe")
    parser.add_argument("--port", type=integer, default=0, metavar="N", help="with --http; 0 takes a free one (0)")
    parser.add_argument(
        "--token-file",
        type=text,
        metavar="FILE",
        help="with --http: where the token that changes need is kept; left out, each run makes one and tells it",
    )
    parser.add_argument("--read-only", action="store_true", help="no tool that changes anything")


def _run(call: Call) -> int:
    args = call.args
    if not args.http and (args.port or args.token_file):
        raise UsageError("A port and a token belong to HTTP.", hint="Add --http.")
    if not 0 <= args.port <= _MAX_PORT:
        raise UsageError(f"port must be from 0 to {_MAX_PORT}, not {args.port}.")
    try:
        if args.http:
            return _serve_http(call)
        return _serve_pipe(call)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("trivium"):
            raise
        raise MissingExtraError(
            f"Serving agents needs a package that is not installed: {error.name}.", hint="pip install 'trivium[mcp]'"
        ) from error


def _serve_pipe(call: Call) -> int:
    if sys.stdin is None or sys.stdin.isatty():
        sys.stderr.write(
            "Waiting for a client on standard input; this is meant to be started by one. Ctrl+D ends it.\n"
        )
    from trivium.surfaces.mcp.wire import claim

    wire = claim()
    from trivium.surfaces.mcp.calls import Calls
    from trivium.surfaces.mcp.stdio import serve

    serve(Calls(call.engine, is_read_only=call.args.read_only), wire)
    return 0


def _serve_http(call: Call) -> int:
    from trivium.surfaces.mcp.calls import Calls
    from trivium.surfaces.mcp.http import serve, token_from

    is_told = call.args.token_file is None
    token = token_from(call.args.token_file)

    def announce(url: str) -> None:
        shown = token if is_told else None
        kept = shown or f"(the token in {call.args.token_file})"
        call.answer(
            lambda: {"url": url, "token": shown, "token_file": call.args.token_file},
            lambda style: [
                f"trivium mcp listening on {url}",
                f"Reading needs nothing; changes need: Authorization: Bearer {kept}",
                "Press Ctrl+C to stop.",
            ],
        )

    calls = Calls(call.engine, is_read_only=call.args.read_only)
    serve(calls, port=call.args.port, token=token, announce=announce)
    return 0


COMMANDS = {
    "mcp": Command(
        _define,
        _run,
        {
            "url": "with --http: where it listens; written before the first request. Over a pipe nothing but the "
            "protocol is written",
            "token": "what changes need, null when it is in a file",
            "token_file": "that file, or null",
        },
    )
}
