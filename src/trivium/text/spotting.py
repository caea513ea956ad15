"""Many names found in a text in one pass: longest match, word borders, scripts without spaces included."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trivium.text.tokens import script

_END = ""


class Spotted(NamedTuple):
    """A name as it stands in a text: `text[start:end]`; `name` as it was given."""

    name: str
    start: int
    end: int


class Spotter:
    """Finds names in texts, whatever their case and Unicode form; white space in a name fits any run of it.

    A trie is walked from each place where a word can begin, so that time is that of the text for ordinary names: one
    step for a character that begins no name. Where names overlap, the longest from the leftmost place counts. A name in
    a script with spaces stands between word borders (`cat` is not in `category`); in Chinese, Japanese or Thai text
    there are none to look for.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._root: dict[str, Any] = {}
        self.size = 0
        for name in names:
            folded = " ".join(_fold(name)[0].split())
            if not folded:
                continue
            node = self._root
            for char in folded:
                node = node.setdefault(char, {})
            if _END not in node:
                node[_END] = name
                self.size += 1

    def find(self, text: str) -> Iterator[Spotted]:
        """Names in the order in which they stand, none overlapping another."""
        folded, places = _fold(text)
        root = self._root
        at, length = 0, len(folded)
        while at < length:
            if folded[at] in root and (at == 0 or not _is_joined(folded[at - 1], folded[at])):
                found = self._longest(folded, at)
                if found is not None:
                    end, name = found
                    start = at if places is None else places[at]
                    stop = end if places is None else places[end - 1] + 1
                    yield Spotted(name, start, stop if places is None else _whole(text, stop))
                    at = end
                    continue
            at += 1

    def _longest(self, folded: str, start: int) -> tuple[int, str] | None:
        node, at, best = self._root, start, None
        length = len(folded)
        while at < length:
            char = folded[at]
            if char.isspace():
                stop = at + 1
                while stop < length and folded[stop].isspace():
                    stop += 1
                # A name does not go on behind an empty line.
                if folded.count("\n", at, stop) > 1:
                    break
                char = " "
            else:
                stop = at + 1
            following = node.get(char)
            if following is None:
                break
            node, at = following, stop
            name = node.get(_END)
            if name is not None and (at >= length or not _is_joined(folded[at - 1], folded[at])):
                best = (at, name)
        return best


def _is_joined(one: str, other: str) -> bool:
    """Whether two characters side by side belong to one word, so that no name ends between them."""
    if not _is_word(one) or not _is_word(other):
        return False
    return script(one) != "dense" and script(other) != "dense"


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_" or (not char.isascii() and unicodedata.category(char)[0] == "M")


def _fold(text: str) -> tuple[str, list[int] | None]:
    """NFC and lower case, with the place of each character in the text where that is another one."""
    lower = text.lower()
    if text.isascii() or (len(lower) == len(text) and unicodedata.is_normalized("NFC", lower)):
        return lower, None
    made: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and end - at < 32 and unicodedata.combining(text[end]):
            end += 1
        cluster = unicodedata.normalize("NFC", text[at:end].lower())
        made.append(cluster)
        places += [at] * len(cluster)
        at = end
    return "".join(made), places


def _whole(text: str, end: int) -> int:
    """The end with the marks that belong to the last character."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end
