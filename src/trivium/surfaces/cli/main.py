"""The console script: finds the command, runs it, and turns every failure into a message and an exit status."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from trivium.surfaces.cli import verbs

TYPE_CHECKING = False  # printing help must not load what typing loads
if TYPE_CHECKING:
    from trivium.errors import TriviumError
    from trivium.surfaces.cli.parser import Parser

INTERRUPTED = 130
PIPE_CLOSED = 141
_REPORT = "Please report it with the command that you ran: https://github.com/trivium-memory/trivium/issues"


def run() -> None:
    """Run as a process: UTF-8 whatever the locale says, and no complaint when a reader of the output goes away."""
    if sys.argv[1:2] == ["hook"]:
        _launch_hook(sys.argv[2:])
    # Imports make many objects and no garbage; at the usual threshold they are searched for it again and again.
    gc.set_threshold(100_000)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A surrogate that stands alone is written as \udcXX, which JSON reads back.
            reconfigure(encoding="utf-8", errors="backslashreplace")
    status = main()
    try:
        sys.stdout.flush()
    except OSError:
        status = PIPE_CLOSED
    if status == PIPE_CLOSED:
        # The interpreter flushes once more at its end, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)


def _launch_hook(words: list[str]) -> None:
    """Hand over to the hook of a host, which ends the process; `hook install` and its like come back."""
    from trivium.surfaces.hooks.hosts import NAMES

    if words and words[0] in NAMES:
        from trivium.surfaces.hooks.process import launch

        launch(words)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit status and raises nothing."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser: list[Parser] = []
    try:
        return _dispatch(words, parser)
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - nothing but a message and a status may leave a process
        from trivium.errors import TriviumError

        is_json = _wants_json(words)
        if isinstance(error, TriviumError):
            _tell(error, is_json, parser[0].option_names() if parser else [])
            return error.exit_status
        return _unexpected(error, is_json)


def _dispatch(words: list[str], parsers: list[Parser]) -> int:
    leading, words = _leading_options(words)
    if not words and not leading:
        sys.stderr.write(verbs.overview())
        return 2
    if words and words[0] in ("-v", "-V", "--version"):
        from trivium import __version__

        sys.stdout.write(f"{__version__}\n")
        return 0
    if words and words[0] in ("-h", "--help", "help"):
        return _help(words[1:])
    verb, rest = verbs.split(words)
    if not verb:
        return _no_verb(words)
    from trivium.surfaces.cli.parser import build

    parser = build(verb)
    parsers.append(parser)
    if _is_help_wanted(rest):
        sys.stdout.write(parser.format_help())
        return 0
    args = parser.parse([*leading, *rest])
    from trivium.surfaces.cli.call import Call

    call = Call(verb, args)
    try:
        return verbs.command(verb).run(call)
    finally:
        call.close()


def _leading_options(words: list[str]) -> tuple[list[str], list[str]]:
    """Options of every command may stand before its name."""
    at = 0
    while at < len(words):
        if words[at] in ("--json", "--no-color") or words[at].startswith(("--home=", "--embedder=", "--format=")):
            at += 1
        elif words[at] in ("--home", "--embedder", "--format"):
            at += 2
        else:
            break
    return words[:at], words[at:]


def _is_help_wanted(rest: list[str]) -> bool:
    options = rest[: rest.index("--")] if "--" in rest else rest
    return "-h" in options or "--help" in options


def _help(words: list[str]) -> int:
    words = [word for word in words if not word.startswith("-")]
    verb, _ = verbs.split(words)
    if verb:
        from trivium.surfaces.cli.parser import build

        sys.stdout.write(build(verb).format_help())
        return 0
    if words and words[0] not in verbs.ROADS:
        return _no_verb(words)
    sys.stdout.write(verbs.overview(words[0] if words else ""))
    return 0


def _no_verb(words: list[str]) -> int:
    if words and words[0] in verbs.ROADS and _is_help_wanted(words[1:2]):
        sys.stdout.write(verbs.overview(words[0]))
        return 0
    if not words or (len(words) == 1 and words[0] in verbs.ROADS):
        sys.stderr.write(verbs.overview(words[0] if words else ""))
        return 2
    from trivium.errors import UsageError

    size = 3 if any(verb.startswith(" ".join(words[:2]) + " ") for verb in verbs.VERBS) else 2
    named = " ".join(words[:size]) if words[0] in verbs.ROADS else words[0]
    near = verbs.nearest(words)
    kind = "option" if words[0].startswith("-") else "command"
    hint = f"Did you mean: trivium {near}" if near else "See trivium --help."
    raise UsageError(f"Unknown {kind} {named!r}.", hint=hint)


# -- failures


def _wants_json(words: Sequence[str]) -> bool:
    options = words[: words.index("--")] if "--" in words else words
    is_named = "--format" in options and options[options.index("--format") + 1 :][:1] == ["json"]
    return is_named or "--json" in options or "--format=json" in options


def _tell(error: TriviumError, is_json: bool, options: Sequence[str]) -> None:
    message = _in_options(error.message, options)
    if is_json:
        _tell_json(error.code, message, error.details, error.hint, error.exit_status)
        return
    from trivium.surfaces.cli.output import indented, style_for

    mark = style_for(sys.stderr, is_refused="--no-color" in sys.argv)("red", "ERROR:")
    lines = [message, *(f"  - {detail}" for detail in error.details)]
    if error.hint:
        lines.append(f"  hint: {error.hint}")
    sys.stderr.write("".join(f"{mark} {indented(line, 11)}\n" for line in lines))


def _tell_json(code: str, message: str, details: Sequence[str], hint: str, exit_status: int) -> None:
    import json

    error = {"code": code, "message": message, "details": list(details), "hint": hint, "exit_status": exit_status}
    whole = {"schema": "trivium.error/1", "error": error}
    sys.stderr.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")


def _in_options(message: str, options: Sequence[str]) -> str:
    """A message that begins with the name of a setting, as the option of this command that sets it."""
    words = message.split(" ", 3)
    if len(words) < 3 or f"--{words[0]}" not in options:
        return message
    if words[1] == "must":
        return f"--{message}"
    if words[1] == "and" and f"--{words[2]}" in options:
        return f"--{words[0]} and --{' '.join(words[2:])}"
    return message


def _unexpected(error: Exception, is_json: bool) -> int:
    from trivium.config import is_debugging

    if is_debugging():
        import traceback

        traceback.print_exception(error)
        return 1
    message = f"Unexpected error: {type(error).__name__}: {' '.join(str(error).split())}"
    if is_json:
        _tell_json("unexpected", message, (), _REPORT, 1)
    else:
        sys.stderr.write(f"ERROR: {message}\nERROR:   hint: {_REPORT} (TRIVIUM_DEBUG=1 shows where it happened)\n")
    return 1
