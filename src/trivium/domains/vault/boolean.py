"""Queries in which words are joined by AND, OR and NOT: which notes fit, over all of a note's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from trivium.index.lexical import LexicalIndex, phrase
from trivium.text.tokens import tokens, words

_PIECE = re.compile(r'"([^"]*)"|([()])|([^\s()"]+)')
_MAX_PIECES = 200


class Leaf(NamedTuple):
    """A word, a phrase, or the beginning of a word."""

    text: str
    is_phrase: bool
    is_prefix: bool


class Query(NamedTuple):
    """`notes` fit; `positive` are the words that were asked for, by which they are ranked."""

    notes: set[int]
    positive: str


def run(text: str, index: LexicalIndex, notes_of: Callable[[Collection[int]], set[int]], everything: set[int]) -> Query:
    """Evaluate a query. Words side by side are joined by AND; a quotation mark without a partner does not count.

    Nothing is a syntax error: an operator without its operand is passed over, a bracket without a partner too.
    """
    if text.count('"') % 2:
        text = text.replace('"', " ")
    pieces: list[str | Leaf] = []
    for match in list(_PIECE.finditer(text))[:_MAX_PIECES]:
        quoted, bracket, word = match.groups()
        if quoted is not None:
            pieces.append(Leaf(quoted, True, False))
        elif bracket or word in ("AND", "OR", "NOT"):
            pieces.append(bracket or word)
        else:
            is_prefix = word.endswith("*") and len(word) > 1
            pieces.append(Leaf(word.rstrip("*") if is_prefix else word, False, is_prefix))
    parser = _Parser(pieces, index, notes_of, everything)
    found = parser.disjunction()
    while parser.at < len(pieces):  # behind a bracket that closes nothing
        parser.at += 1
        more = parser.disjunction()
        found = more if found is None else found if more is None else found & more
    return Query(found or set(), " ".join(parser.positive))


class _Parser:
    def __init__(
        self,
        pieces: list[str | Leaf],
        index: LexicalIndex,
        notes_of: Callable[[Collection[int]], set[int]],
        everything: set[int],
    ) -> None:
        self.pieces = pieces
        self.at = 0
        self.index = index
        self.notes_of = notes_of
        self.everything = everything
        self.positive: list[str] = []
        self.is_negated = False

    def _next(self) -> str | Leaf | None:
        return self.pieces[self.at] if self.at < len(self.pieces) else None

    def disjunction(self) -> set[int] | None:
        """Conjunctions joined by OR; None when there was nothing to look for."""
        found = self._conjunction()
        while self._next() == "OR":
            self.at += 1
            more = self._conjunction()
            found = more if found is None else found if more is None else found | more
        return found

    def _conjunction(self) -> set[int] | None:
        found: set[int] | None = None
        while True:
            piece = self._next()
            if piece is None or piece in ("OR", ")"):
                return found
            if piece == "AND":
                self.at += 1
                continue
            is_not = piece == "NOT"
            if is_not:
                self.at += 1
                self.is_negated = not self.is_negated
            part = self._operand()
            if is_not:
                self.is_negated = not self.is_negated
                part = None if part is None else self.everything - part
            if part is not None:
                found = part if found is None else found & part

    def _operand(self) -> set[int] | None:
        piece = self._next()
        if piece is None or piece in ("OR", "AND", ")"):
            return None
        self.at += 1
        if piece == "(":
            found = self.disjunction()
            if self._next() == ")":
                self.at += 1
            return found
        if piece == "NOT":
            part = self._operand()
            return None if part is None else self.everything - part
        assert isinstance(piece, Leaf)
        return self._leaf(piece)

    def _leaf(self, leaf: Leaf) -> set[int] | None:
        if not self.is_negated:
            self.positive.append(leaf.text)
        if leaf.is_phrase or leaf.is_prefix:
            parts = tokens(leaf.text)
            return self._rows(phrase(parts, is_prefix=leaf.is_prefix)) if parts else None
        parts = words(leaf.text)
        if not parts:
            return None
        return self._rows(" AND ".join(phrase([part]) for part in dict.fromkeys(parts)))

    def _rows(self, match: str) -> set[int]:
        return self.notes_of(self.index.holding(match))
