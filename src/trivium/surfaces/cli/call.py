"""One call of one command: its values, the memory it works on, and the answer it gives."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from trivium.surfaces.cli.output import Progress, Style, clean, style_for
from trivium.surfaces.cli.parser import Parser

if TYPE_CHECKING:
    from trivium.engine import Engine


class Command(NamedTuple):
    """A command: `define` adds its arguments, `run` does it, `keys` are those of its JSON answer with their meaning."""

    define: Callable[[Parser], None]
    run: Callable[[Call], int]
    keys: dict[str, str]


class Call:
    """What a command is given. Nothing is opened before `engine` is first used."""

    def __init__(self, verb: str, args: argparse.Namespace) -> None:
        self.verb = verb
        self.args = args
        self.is_json = args.format == "json"
        self.style: Style = style_for(sys.stdout, is_refused=args.no_color)
        self._engine: Engine | None = None

    @property
    def schema(self) -> str:
        """The name and version of this command's JSON answer."""
        return f"trivium.{self.verb.replace(' ', '.')}/1"

    @property
    def engine(self) -> Engine:
        """The memory; its files are opened when something first reads or writes them."""
        if self._engine is None:
            from trivium.config import load
            from trivium.engine import Engine

            settings = load(home=self.args.home, embedder=self.args.embedder)
            self._engine = Engine(settings, on_prepare=Progress("Preparing the embedder"))
        return self._engine

    @contextlib.contextmanager
    def then(self) -> Iterator[Engine]:
        """The memory of the present, or of the moment asked for."""
        if not self.args.as_of:
            yield self.engine
            return
        from trivium.domains.references.history import reading_as_of

        with reading_as_of(self.engine, self.args.as_of) as past:
            yield past

    def close(self) -> None:
        """Release the memory's files."""
        if self._engine is not None:
            self._engine.close()

    def answer(
        self,
        values: Callable[[], dict[str, Any]],
        lines: Callable[[Style], Iterable[str]],
        notices: Iterable[str] = (),
    ) -> None:
        """Write the answer in the form asked for and flush it; notices go into the JSON, or to the error stream."""
        told = list(dict.fromkeys([*([] if self._engine is None else self._engine.notices), *notices]))
        if self.is_json:
            import json

            whole = {"schema": self.schema, **values(), "notices": told}
            sys.stdout.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")
            sys.stdout.flush()
            return
        sys.stdout.write("".join(f"{line}\n" for line in lines(self.style)))
        sys.stdout.flush()
        self.warn(told)

    def warn(self, notices: Iterable[str]) -> None:
        """Tell people on the error stream what went less well; a JSON answer carries it itself."""
        if not self.is_json:
            style = style_for(sys.stderr, is_refused=self.args.no_color)
            sys.stderr.write("".join(f"{style('yellow', 'WARN:')} {clean(notice)}\n" for notice in notices))
