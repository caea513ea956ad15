"""Strict JSON with the two repairs that lose nothing, and one precise sentence for everything else."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from trivium.errors import PayloadError

from .values import printable

MAX_DEPTH = 64
MAX_REPAIRS = 100_000

_BLANKS = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[^\W\d][\w$]*")
_ESCAPE = re.compile(r'["\\/bfnrt]|u[0-9a-fA-F]{4}')
_ODD_BLANKS = re.compile("[\\s\u200b\u200c\u200d\u2060\ufeff]+")
_CLOSING = {"{": "}", "[": "]"}

_DOTS = "three dots stand for nothing in JSON: write out everything"
_WORDS = {
    "None": "Python's None is written null in JSON",
    "True": "Python's True is written true in JSON",
    "False": "Python's False is written false in JSON",
    "TRUE": "true is written in lower case in JSON",
    "FALSE": "false is written in lower case in JSON",
    "NULL": "null is written in lower case in JSON",
    "Null": "null is written in lower case in JSON",
    "nil": "nil is written null in JSON",
    "undefined": "JSON has no undefined: leave the key out",
}
_MARKS = {
    "'": "strings stand in double quotes, not in single quotes",
    "`": "strings stand in double quotes, not in backticks",
    "+": "a number has no plus sign in JSON",
    ".": "a number starts with a digit in JSON",
    "…": _DOTS,
    **dict.fromkeys("“”„‟«»＂", 'strings stand in straight double quotes ("), not in typographic ones'),
    **dict.fromkeys("‘’‚‛", 'strings stand in straight double quotes ("), not in typographic ones'),
    **dict.fromkeys("｛｝［］：，", "brackets, colons and commas are the half-width ASCII ones: { } [ ] : ,"),
}


class NotJsonNumber:
    """NaN or an infinity where JSON allows none; kept in place so that the right record is refused."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class RepeatedKeys(dict[str, Any]):
    """An object that gave a key more than once; `repeated` are those keys."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__()
        repeated: dict[str, None] = {}
        for key, value in pairs:
            if key in self:
                repeated[key] = None
            self[key] = value
        self.repeated = tuple(repeated)


def strict_value(text: str) -> Any:
    """The value of a JSON text; ValueError or RecursionError when it is none."""
    return _DECODER.decode(text)


def parse_json(text: str, *, first_line: int = 1) -> tuple[Any, list[tuple[str, str]]]:
    """The value of a JSON text, and the repairs that were needed to read it, as kinds and places.

    Trailing commas, comments and blanks that JSON does not know are left out. PayloadError says line, column and
    what is wrong; `first_line` is the number of the text's first line.
    """
    try:
        return strict_value(text), []
    except (ValueError, RecursionError):
        scan = _Scan(text, first_line)
        repaired = scan.run()
    try:
        return strict_value(repaired), scan.notices()
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"Invalid JSON: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    return plain if len(plain) == len(pairs) else RepeatedKeys(pairs)


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 300 else float(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=NotJsonNumber, parse_int=_whole)


class _Scan:
    """One pass over a text that is not strict JSON: collects repairs, or stops at the first real fault."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.first_line = first_line
        self.pos = 0
        self.open: list[tuple[str, int]] = []
        self.wants = self._value
        self.comma = -1
        self.ended_string = -1
        self.key = ""
        self.edits: list[tuple[int, int, str]] = []

    def run(self) -> str:
        """The repaired text; PayloadError when no lossless repair exists."""
        while True:
            self._skip_blanks()
            if self.pos >= len(self.text):
                break
            self.wants(self.text[self.pos])
        if self.wants != self._end:
            self._ends_early()
        pieces, done = [], 0
        for start, end, _ in sorted(self.edits):
            pieces += [self.text[done:start], " "]
            done = end
        return "".join([*pieces, self.text[done:]])

    def notices(self) -> list[tuple[str, str]]:
        """Each kind of repair and where it was made."""
        kinds: dict[str, list[int]] = {}
        for start, _, kind in self.edits:
            kinds.setdefault(kind, []).append(start)
        return [
            (f"{kind} left out", self._place(places[0]) + (f" and {len(places) - 1} more" if places[1:] else ""))
            for kind, places in kinds.items()
        ]

    # One method for each thing that may come next; each is given the character it stands on.

    def _value(self, c: str) -> None:
        if c in "{[":
            self.open.append((c, self.pos))
            if len(self.open) > MAX_DEPTH:
                self._fault(f"nested deeper than {MAX_DEPTH} levels")
            self.pos += 1
            self.comma = -1
            self.wants = self._key if c == "{" else self._value
        elif c == "]" and self._in("[") and self._may_close():
            self._close()
        elif c == '"':
            self._string()
            self._after_value()
            self.ended_string = self.pos
        elif c == "-" or c in "0123456789":
            self._number()
        elif c in ",]}":
            self._missing_value(c)
        else:
            self._bare_value(c)

    def _key(self, c: str) -> None:
        if c == "}" and self._may_close():
            self._close()
        elif c == '"':
            start = self.pos
            self._string()
            self.key = self.text[start : self.pos]
            self.wants = self._colon
        elif c == ",":
            self._fault("a comma without anything before it")
        elif word := _WORD.match(self.text, self.pos):
            self._fault(f'keys stand in double quotes: write "{word[0][:60]}"')
        elif c in _MARKS:
            self._fault(self._marked(c))
        else:
            self._fault(f"a key in double quotes was expected here, not {_named(c)}")

    def _colon(self, c: str) -> None:
        if c != ":":
            wide = f"; {_MARKS[c]}" if c == "：" else ""
            self._fault(f"a colon is missing after the key {printable(self.key[:60])}{wide}")
        self.pos += 1
        self.comma = -2
        self.wants = self._value

    def _next(self, c: str) -> None:
        opener, place = self.open[-1]
        if c == ",":
            self.comma = self.pos
            self.pos += 1
            self.wants = self._key if opener == "{" else self._value
        elif c == _CLOSING[opener]:
            self._close()
        elif c in "}]":
            self._fault(f"'{c}' cannot close the '{opener}' opened at {self._place(place)}")
        elif c in '{["':
            self._fault("a comma is missing before this" + self._quote_hint())
        elif c == ":":
            self._fault("a colon stands only after a key, inside { }" + self._quote_hint())
        elif c in "｛｝［］：，….":
            self._fault(self._marked(c))
        else:
            self._fault(f"',' or '{_CLOSING[opener]}' was expected here, not {_named(c)}" + self._quote_hint())

    def _end(self, c: str) -> None:
        rest = self.text[self.pos :]
        if c == "," and not rest[1:].strip():
            self._edit(self.pos, self.pos + 1, "trailing comma")
        elif c in "}]":
            self._fault(f"one '{c}' too many: everything was closed before it")
        elif rest.startswith(("```", "~~~")):
            self._fault("text stands after the closing code fence: send only what is inside it")
        elif c in "{[":
            self._fault("a second value starts here: several payloads go into one array, or one on each line")
        else:
            self._fault("text stands after the end of the JSON")

    def _skip_blanks(self) -> None:
        text = self.text
        while True:
            match = _BLANKS.match(text, self.pos)
            self.pos = match.end() if match else self.pos
            c = text[self.pos : self.pos + 1]
            if c == "#" or text.startswith("//", self.pos):
                end = text.find("\n", self.pos)
                self._edit(self.pos, len(text) if end < 0 else end, "comment")
            elif text.startswith("/*", self.pos):
                end = text.find("*/", self.pos + 2)
                if end < 0:
                    self._fault("a comment starts here and never ends")
                self._edit(self.pos, end + 2, "comment")
            elif odd := _ODD_BLANKS.match(text, self.pos):
                self._edit(self.pos, odd.end(), "blank that JSON does not know")
            else:
                return

    def _string(self) -> None:
        start, text = self.pos, self.text
        self.pos += 1
        while True:
            match = _PLAIN.match(text, self.pos)
            self.pos = match.end() if match else self.pos
            c = text[self.pos : self.pos + 1]
            if c == '"':
                self.pos += 1
                return
            if not c:
                self._fault(f"the text ends early, inside the string that starts at {self._place(start)}")
            if c == "\\":
                self._escape()
            elif c in "\n\r":
                self._fault(
                    f"a line break inside the string that starts at {self._place(start)}: write it as \\n,"
                    " or close the string before it"
                )
            else:
                self._fault(f"the control character U+{ord(c):04X} inside a string: write it as \\u{ord(c):04x}")

    def _escape(self) -> None:
        match = _ESCAPE.match(self.text, self.pos + 1)
        if match:
            self.pos = match.end()
            return
        letter = self.text[self.pos + 1 : self.pos + 2]
        if letter == "u":
            self._fault("\\u takes four hexadecimal digits")
        if letter:
            self._fault(f"\\{printable(letter)} is no escape of JSON: a backslash itself is written \\\\")
        self._fault("the text ends early, inside an escape")

    def _number(self) -> None:
        match = _NUMBER.match(self.text, self.pos)
        if match is None and self.text.startswith("-Infinity", self.pos):
            self.pos += len("-Infinity")
        elif match is None:
            self._fault("a minus sign without a number after it")
        else:
            after = self.text[match.end() : match.end() + 1]
            if after.isalnum() or after in tuple("._"):
                self._fault("not a number of JSON: no leading zeros, no letters, digits on both sides of the point")
            self.pos = match.end()
        self._after_value()

    def _bare_value(self, c: str) -> None:
        word = _WORD.match(self.text, self.pos)
        if word and word[0] in {"true", "false", "null", "NaN", "Infinity"}:
            self.pos = word.end()
            self._after_value()
            return
        if word and word[0] in _WORDS:
            self._fault(_WORDS[word[0]])
        if not self.open and c not in _MARKS:
            self._prose_before()
        if word:
            self._fault(f"{printable(word[0][:60])} stands without quotes: strings stand in double quotes")
        self._fault(self._marked(c) or f"a value was expected here, not {_named(c)}")

    # Closing, and the faults that need a look around.

    def _after_value(self) -> None:
        self.ended_string = -1
        self.wants = self._next if self.open else self._end

    def _in(self, opener: str) -> bool:
        return bool(self.open) and self.open[-1][0] == opener

    def _may_close(self) -> bool:
        if self.comma >= 0:
            self._edit(self.comma, self.comma + 1, "trailing comma", move=False)
        return True

    def _close(self) -> None:
        self.open.pop()
        self.pos += 1
        self._after_value()

    def _missing_value(self, c: str) -> NoReturn:
        if not self.open:
            self._fault(f"the JSON cannot start with '{c}'")
        if self.comma == -2:
            self._fault(f"a value is missing after the key {printable(self.key[:60])}")
        if c == ",":
            self._fault("a comma without a value before it")
        opener, place = self.open[-1]
        self._fault(f"'{c}' cannot close the '{opener}' opened at {self._place(place)}")

    def _prose_before(self) -> NoReturn:
        fence = self.text.find("```", self.pos)
        begin = min((i for i in (self.text.find("{"), self.text.find("[")) if i >= 0), default=-1)
        if fence >= 0 and (begin < 0 or fence < begin):
            self._fault(f"text stands before the code fence at {self._place(fence)}: send only what is inside it")
        if begin >= 0:
            self._fault(f"text stands before the JSON, which starts at {self._place(begin)}: send only the JSON")
        self._fault("this is no JSON: the input must start with { or [")

    def _ends_early(self) -> NoReturn:
        if not self.open:
            self._fault("the input is empty")
        opener, place = self.open[-1]
        count = len(self.open)
        self._fault(
            f"the text ends early: the '{opener}' opened at {self._place(place)} is never closed"
            + (f", and {count - 1} around it" if count > 1 else "")
        )

    def _marked(self, c: str) -> str:
        return _DOTS if self.text.startswith("...", self.pos) else _MARKS.get(c, "")

    def _quote_hint(self) -> str:
        near = self.ended_string >= 0 and self.pos - self.ended_string < 2
        return '; a double quote inside a string is written \\"' if near else ""

    def _edit(self, start: int, end: int, kind: str, *, move: bool = True) -> None:
        if len(self.edits) >= MAX_REPAIRS:
            self._fault(f"more than {MAX_REPAIRS} commas and comments would have to be left out")
        self.edits.append((start, end, kind))
        if move:
            self.pos = end

    def _place(self, pos: int) -> str:
        line = self.text.count("\n", 0, pos) + self.first_line
        return f"line {line}, column {pos - self.text.rfind(chr(10), 0, pos)}"

    def _fault(self, what: str) -> NoReturn:
        pos = min(self.pos, len(self.text))
        before, after = self.text[max(0, pos - 24) : pos], self.text[pos : pos + 24]
        near = f"near: {printable(before)}>>>{printable(after)}"
        raise PayloadError(f"Invalid JSON: {self._place(pos)}: {what}", details=(near,) if self.text.strip() else ())


def _named(c: str) -> str:
    return f"'{c}'" if c.isprintable() else f"U+{ord(c):04X}"
