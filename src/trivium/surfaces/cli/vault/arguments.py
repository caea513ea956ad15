"""What the commands of a vault have in common: its folder, and a place of their own for what they read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trivium.errors import PayloadError
from trivium.surfaces.cli.call import Call
from trivium.surfaces.cli.parser import Parser, text

if TYPE_CHECKING:
    from trivium.domains.vault.vault import Vault


def add_vault(parser: Parser) -> None:
    """The folder of the notes, the first argument of every command."""
    parser.add_argument("vault", metavar="VAULT", type=text, help="the folder that holds the notes")


def add_payload(parser: Parser, what: str) -> None:
    """A JSON file, or standard input."""
    parser.add_argument("file", nargs="?", metavar="FILE", help=f"{what}; - or nothing for standard input")
    parser.spill = "file"


@contextlib.contextmanager
def vault_of(call: Call) -> Iterator[Vault]:
    """The vault of a call, closed at the end."""
    from trivium.domains.vault.vault import Vault

    vault = Vault(call.engine, call.args.vault)
    try:
        yield vault
    finally:
        vault.close()


def payload(call: Call, what: str) -> Any:
    """The JSON value that a command was given. Raises `PayloadError` with the place of what is no JSON."""
    from trivium.surfaces.cli.inputs import STDIN, read_bytes

    data = read_bytes(call.args.file or STDIN, what=what)
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise PayloadError(f"The {what} are not UTF-8: byte 0x{data[error.start]:02x} at {error.start}.") from None
    except json.JSONDecodeError as error:
        raise PayloadError(f"The {what} are no JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except RecursionError:
        raise PayloadError(f"The {what} nest too deep.") from None
