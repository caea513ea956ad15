"""The values a payload is read into, and the report of what was wrong with it."""

from __future__ import annotations

from typing import NamedTuple

MAX_PROBLEMS = 1000
"""Problems kept word for word; the rest are counted."""

NOTICES_OF_A_KIND = 5


class ReferenceInput(NamedTuple):
    """What was read: times are UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`."""

    url: str
    title: str
    published_at: str | None = None
    fetched_at: str | None = None


class ConceptInput(NamedTuple):
    """One thing the reference describes; `id` is trimmed and in Unicode form NFC."""

    id: str
    description: str
    details: str | None = None
    aliases: tuple[str, ...] = ()
    type: str | None = None
    quote: str | None = None


class RelationInput(NamedTuple):
    """One claim: the ends are concept ids of the payload or of the store."""

    subject: str
    predicate: str
    object: str
    reason: str
    quote: str | None = None
    confidence: float | None = None
    method: str | None = None


class Payload(NamedTuple):
    """One reference with the concepts and relations that were found in it."""

    reference: ReferenceInput
    concepts: tuple[ConceptInput, ...]
    relations: tuple[RelationInput, ...]


class Problem(NamedTuple):
    """One mistake: `path` is a JSON pointer, `(root)` for the whole input."""

    path: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """`pointer: message; hint`, the form of an error's detail line."""
        return f"{self.path}: {self.message}" + (f"; {self.hint}" if self.hint else "")


class ParsedBatch(NamedTuple):
    """What could be read.

    `skipped` counts what was left out: a payload refused as a whole, a section of the wrong shape, an unknown
    top-level key, a single concept or relation: one each.
    """

    payloads: tuple[Payload, ...]
    problems: tuple[Problem, ...]
    notices: tuple[str, ...]
    skipped: int


class LeafError(Exception):
    """Why one value cannot be taken; whoever knows its place turns it into a `Problem`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Report:
    """What was found wrong, repaired or left out while a batch is read."""

    __slots__ = ("_notice_counts", "_notices", "duplicates", "line", "problems", "skipped", "syntax_count", "total")

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.total = 0
        self.syntax_count = 0
        self.skipped = 0
        self.line = 0
        self.duplicates: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self._notices: dict[str, list[str]] = {}
        self._notice_counts: dict[str, int] = {}

    def add(self, path: str, message: str, hint: str = "") -> None:
        """Note a problem at a pointer; the line is named when the batch is one payload a line."""
        self.total += 1
        if self.total <= MAX_PROBLEMS:
            line = f"line {self.line}: " if self.line else ""
            self.problems.append(Problem(path or "(root)", line + message, hint))

    def note(self, kind: str, text: str) -> None:
        """Note a repair that lost nothing; repairs of one kind are told together."""
        count = self._notice_counts.get(kind, 0)
        self._notice_counts[kind] = count + 1
        if count < NOTICES_OF_A_KIND:
            self._notices.setdefault(kind, []).append(text)

    def all_problems(self) -> tuple[Problem, ...]:
        """The problems that were kept, and one line for those that were only counted."""
        rest = self.total - len(self.problems)
        more = [Problem("(root)", f"and {rest} more problems of which only the number was kept")] if rest else []
        return (*self.problems, *more)

    def notices(self) -> tuple[str, ...]:
        """The repairs, at most a few of each kind word for word."""
        lines: list[str] = []
        for kind, texts in self._notices.items():
            lines += [f"{kind}: {text}" if text else kind for text in texts]
            rest = self._notice_counts[kind] - len(texts)
            if rest > 0:
                lines.append(f"{kind}: and {rest} more")
        return tuple(lines)


def shown(value: str, limit: int = 60) -> str:
    """The text in double quotes, short and printable, whatever is in it."""
    clipped = value[:limit] + ("…" if len(value) > limit else "")
    return '"' + printable(clipped) + '"'


def printable(text: str) -> str:
    """The text with everything that a terminal would act on, or cannot encode, written as an escape."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def step(path: str, key: str | int) -> str:
    """The pointer one level down (RFC 6901 escapes, long or unprintable keys shortened)."""
    if isinstance(key, int):
        return f"{path}/{key}"
    clipped = key[:60] + ("…" if len(key) > 60 else "")
    return f"{path}/{printable(clipped).replace('~', '~0').replace('/', '~1')}"
