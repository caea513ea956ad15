"""Command lines to values: one parser a command, strict numbers, and messages that name what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from trivium.errors import UsageError

_MAX_INTEGER = 2**63 - 1


class _Formatter(argparse.HelpFormatter):
    """The same help everywhere, whatever the terminal and the version of Python.

    A fixed width also spares the module that asks the terminal for its size.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=100)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        value = "" if action.nargs == 0 or not action.option_strings else f" {action.metavar or action.dest.upper()}"
        return ", ".join(action.option_strings) + value if action.option_strings else str(action.metavar)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        shape = " ".join(["%(prog)s", "[OPTION]...", *map(_shape, filter(_is_needed, actions))])
        super().add_usage(shape, actions, groups, "Usage: " if prefix is None else prefix)


def _is_needed(action: argparse.Action) -> bool:
    return action.required or not action.option_strings


def _shape(action: argparse.Action) -> str:
    if action.option_strings:
        return f"{action.option_strings[0]} {action.metavar}"
    forms = {None: "{}", "?": "[{}]", "+": "{}...", "*": "[{}]..."}
    return forms[str(action.nargs) if action.nargs else None].format(action.metavar)


class Parser(argparse.ArgumentParser):
    """The options and arguments of one command. `spill` names the argument that takes what stands behind options."""

    def __init__(self, verb: str, about: str) -> None:
        super().__init__(
            prog=f"trivium {verb}",
            description=f"{about}.",
            formatter_class=_Formatter,
            allow_abbrev=False,
            add_help=False,
            exit_on_error=False,
        )
        self._positionals.title = "arguments"
        self.verb = verb
        self.spill = ""
        self.quoting = ""

    def error(self, message: str) -> NoReturn:
        """Raise instead of leaving the process."""
        raise self._usage_error(message)

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The values of a command line. Raises `UsageError`."""
        for word in arguments[: arguments.index("--")] if "--" in arguments else arguments:
            if self._is_unknown_option(word):
                raise self._unknown_option(word)
        try:
            found, extras = self.parse_known_args(arguments)
        except argparse.ArgumentError as error:
            raise self._argument_error(error) from None
        if extras:
            self._place(found, extras)
        return found

    def option_names(self) -> list[str]:
        """Every spelling of every option."""
        return [name for action in self._actions for name in action.option_strings]

    def _place(self, found: argparse.Namespace, extras: list[str]) -> None:
        """Arguments that stand behind options belong to the argument that takes any number, if there is one."""
        extras = [text(extra) for extra in extras if extra != "--"]
        value = getattr(found, self.spill, None) if self.spill else ""
        if isinstance(value, list):
            value.extend(extras)
        elif value is None and len(extras) == 1:
            setattr(found, self.spill, extras[0])
        elif extras:
            hint = f"Put quotes around {self.quoting}." if self.quoting else self._hint()
            raise UsageError(f"Unexpected argument {extras[0]!r}.", hint=hint)

    def _is_unknown_option(self, word: str) -> bool:
        """As the base class sees it: a dash alone, a negative number and what holds a blank are arguments."""
        if word[:1] != "-" or word == "-" or " " in word or self._negative_number_matcher.match(word):
            return False
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        return name not in self.option_names()

    def _unknown_option(self, given: str) -> UsageError:
        import difflib

        name = given.partition("=")[0]
        near = difflib.get_close_matches(name, self.option_names(), n=1, cutoff=0.6)
        hint = f"Did you mean {near[0]}?" if near else self._hint()
        if self.quoting and not near:
            hint = f"Put -- before {self.quoting} when it begins with a dash."
        return UsageError(f"Unknown option {name!r}.", hint=hint)

    def _argument_error(self, error: argparse.ArgumentError) -> UsageError:
        name = (error.argument_name or "").rpartition("/")[2]
        if error.message.startswith("expected"):
            return UsageError(f"{name} needs a value.", hint=self._hint())
        return self._usage_error(f"{name} {error.message}".strip())

    def _usage_error(self, message: str) -> UsageError:
        _, _, names = message.partition("required: ")
        if names:
            message = f"Missing: {names}."
        elif not message.endswith((".", "?")):
            message += "."
        return UsageError(message, hint=self._hint())

    def _hint(self) -> str:
        return f"See {self.prog} --help."


def text(value: str) -> str:
    """Words of a person; bytes that are no text become U+FFFD, as nothing can store them."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
    return value


def integer(value: str) -> int:
    """A whole number and nothing else: `5abc`, `5.0` and `5_000` are refused."""
    digits = value[1:] if value[:1] in ("+", "-") else value
    if not (digits.isascii() and digits.isdigit()):
        raise argparse.ArgumentTypeError(f"must be an integer, not {_shown(value)}")
    if len(digits) > 19 or abs(int(value)) > _MAX_INTEGER:
        raise argparse.ArgumentTypeError(f"must be an integer of at most {_MAX_INTEGER}, not {_shown(value)}")
    return int(value)


def number(value: str) -> float:
    """A finite decimal number and nothing else: `nan`, `inf`, `1_0` and blanks are refused."""
    if value.isascii() and all(char in "0123456789+-.eE" for char in value):
        try:
            found = float(value)
        except ValueError:
            found = float("inf")
        if abs(found) != float("inf"):
            return found
    raise argparse.ArgumentTypeError(f"must be a finite number, not {_shown(value)}")


def one_of(*choices: str) -> Callable[[str], str]:
    """Exactly one of some words; a near miss is answered with the word that was meant."""

    def choose(value: str) -> str:
        if value in choices:
            return value
        import difflib

        near = difflib.get_close_matches(value.casefold(), choices, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise argparse.ArgumentTypeError(f"must be {' or '.join(choices)}, not {_shown(value)}{meant}")

    return choose


def _shown(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:60] + "…")


def add_common(parser: Parser) -> None:
    """The options that every command has."""
    group = parser.add_argument_group("options of every command")
    group.add_argument("--json", dest="format", action="store_const", const="json", help="answer as one JSON object")
    group.add_argument(
        "--format", type=one_of("text", "json"), metavar="text|json", default="text", help="how to answer (text)"
    )
    group.add_argument("--home", metavar="DIR", help="the folder of the memory (TRIVIUM_HOME, else ~/.trivium)")
    group.add_argument(
        "--embedder", metavar="NAME", help="another embedder than the configured one; none for words only"
    )
    group.add_argument("--no-color", action="store_true", help="no colour, also on a terminal")
    group.add_argument("-h", "--help", action="store_true", help="show this")


def add_as_of(parser: Parser) -> None:
    """Looking at the memory as it was."""
    parser.add_argument(
        "--as-of",
        type=text,
        metavar="MOMENT",
        default="",
        help="as it was then: a UTC date or time, such as 2026-03-01",
    )


def build(verb: str) -> Parser:
    """The parser of one command."""
    from trivium.surfaces.cli.verbs import VERBS, command

    parser = Parser(verb, VERBS[verb][1])
    command(verb).define(parser)
    add_common(parser)
    return parser
