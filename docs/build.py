"""Writes the pages that are made from the program: `python -m docs.build`, or `--check` to only compare."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from trivium.surfaces.cli.parser import build
from trivium.surfaces.cli.verbs import GROUPS, command

FOLDER = Path(__file__).parent

_HEAD = """# Command line

This page is made from the program by `make docs`.

```
trivium COMMAND [ARGUMENT]... [OPTION]...
trivium --help | help [COMMAND] | --version
```

* Standard output is the answer, standard error everything else: `ERROR:` and `WARN:` lines, and on a terminal a line
  of progress for work over a second.
* `--json`, or `--format json`: one object, with `schema` (the name and version of its shape), the keys listed below,
  and `notices` (what went less well; nothing is written to standard error then). Keys are only added within a version.
  Errors are then one object on standard error, and standard output stays empty: see [errors](errors.md).
* Exit status: 0 done, also when nothing was found; 1 it could not be done; 2 the request cannot be right; 3 an index is
  missing; 4 an index is of other settings; 5 something was skipped and `--strict` was given; 130 interrupted; 141 the
  reader of the output went away.
* `-` as a file is standard input. What begins with a dash and is no option stands behind `--`. Options of every command
  may also stand before its name.
* Options are checked before anything is opened or created, and reading creates nothing.
* Numbers are strict: `5abc`, `nan` and `1_000` are refused. So are arguments too many: a query of several words is one
  argument, in quotes.
* A name is an id, an alias, or another spelling of either (case, width, blanks). One that fits several concepts is
  answered with all of them (exit status 2), never guessed.
* `ref delete` and `ref prune` only tell what would go until `--apply` is given. Every change prints the `Record` that
  `trivium undo` takes back.
* Colour on a terminal only, never with `--no-color` or `NO_COLOR`. Output is UTF-8 whatever the locale. In text
  answers, stored text cannot act on the terminal or pretend to be another line.

## Options of every command

```
"""


def cli_page() -> str:
    """The page of every command, from its parser and its table of JSON keys."""
    return "\n".join(_cli_lines()) + "\n"


def _cli_lines() -> Iterator[str]:
    common, _, _ = _help("ref types")
    yield _HEAD + common + "\n```"
    for title, group in GROUPS.items():
        yield f"\n## {title}"
        for verb in group:
            _, usage, own = _help(verb)
            yield f"\n### {verb}\n\n{own[0]}\n\n```\n{usage}" + (f"\n\n{own[1]}" if own[1] else "") + "\n```\n"
            yield f"JSON, `trivium.{verb.replace(' ', '.')}/1`:\n"
            yield from (f"* `{key}`: {meaning}" for key, meaning in command(verb).keys.items())


def _help(verb: str) -> tuple[str, str, tuple[str, str]]:
    """The options that every command has; usage, description and own options of this one."""
    parser = build(verb)
    usage, _, rest = parser.format_help().partition("\n\n")
    body, _, common = rest.partition("options of every command:\n")
    own = body.partition("\n\n")[2].strip("\n")
    description = " ".join((parser.description or "").split())
    return common.rstrip(), usage.removeprefix("Usage: "), (description, own)


PAGES = {"cli.md": cli_page}


def stale() -> list[str]:
    """The names of pages that are not what the program says."""
    return [name for name, page in PAGES.items() if not _is_current(FOLDER / name, page())]


def _is_current(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` tell which are stale; the exit status."""
    if arguments == ["--check"]:
        for name in stale():
            sys.stderr.write(f"docs/{name} is not what the program says: run make docs\n")
        return 1 if stale() else 0
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
