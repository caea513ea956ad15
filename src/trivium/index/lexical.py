"""Full text: an FTS5 table of our own tokens, so that the database never splits or drops a word."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trivium.text.tokens import tokens

K1 = 1.2
"""Saturation of repeated words in FTS5's BM25: no word gives more than `idf * (K1 + 1)`."""

WEIGHTS = (3.0, 1.0, 0.5)
"""How much one occurrence counts in the label, the description and the details."""

# The tokens are joined by blanks; everything else that is ASCII is part of a word.
_TOKEN_CHARS = "".join(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum())
_TOKENISER = "ascii tokenchars '{}'".format(_TOKEN_CHARS.replace("'", "''")).replace('"', '""')

_FREQUENT_SHARE = 0.1
_ENOUGH = 1000


class LexicalRow(NamedTuple):
    """What is indexed under one number: the name of a thing, what it is in a sentence or two, and the rest."""

    rowid: int
    label: str
    description: str
    details: str = ""


class LexicalIndex:
    """The full text of a space, in the tables `lexical*` of its database.

    Reads and writes inside the caller's transaction and never commits. Every string is safe as text and as query.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def create(self) -> None:
        """Make the tables if they are missing."""
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS lexical USING fts5("
            f'label, description, details, tokenize = "{_TOKENISER}")'
        )
        self._connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS lexical_terms USING fts5vocab(lexical, row)")

    def put(self, rows: Iterable[LexicalRow]) -> None:
        """Index the rows, each in place of what stood under its number."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO lexical(rowid, label, description, details) VALUES (?, ?, ?, ?)",
            (
                (row.rowid, *(" ".join(tokens(text)) for text in (row.label, row.description, row.details)))
                for row in rows
            ),
        )

    def remove(self, rowids: Iterable[int]) -> None:
        """Forget the rows; numbers that are not indexed are passed over."""
        self._connection.executemany("DELETE FROM lexical WHERE rowid = ?", ((rowid,) for rowid in rowids))

    def clear(self) -> None:
        """Forget every row."""
        self._connection.execute("DELETE FROM lexical")

    @property
    def count(self) -> int:
        """How many rows are indexed."""
        return int(self._connection.execute("SELECT count(*) FROM lexical_docsize").fetchone()[0])

    def document_frequencies(self, query_tokens: Iterable[str]) -> dict[str, int]:
        """In how many rows each distinct token stands; 0 for unknown ones."""
        found = {}
        for token in query_tokens:
            if token not in found:
                row = self._connection.execute("SELECT doc FROM lexical_terms WHERE term = ?", (token,)).fetchone()
                found[token] = int(row[0]) if row else 0
        return found

    def upper_bound(self, query_tokens: Iterable[str]) -> float:
        """No row can score more for this query: the sum of `idf * (K1 + 1)` over its distinct tokens.

        A token that stands nowhere counts with the greatest idf, so `score / upper_bound` also says how much of
        the query the words of the space know at all. 0 for a query without tokens or an empty index.
        """
        count = self.count
        frequencies = self.document_frequencies(query_tokens)
        return sum(idf(count, frequency) for frequency in frequencies.values()) * (K1 + 1) if count else 0.0

    def search(
        self, query_tokens: Sequence[str], limit: int, *, weights: tuple[float, float, float] = WEIGHTS
    ) -> list[tuple[int, float]]:
        """The best rows that hold any of the tokens, with their BM25 (> 0), best first.

        Words that stand in many rows are left out when rarer ones find enough.
        """
        asked = self._selective(query_tokens)
        if not asked or limit < 1:
            return []
        match = " OR ".join('"' + token.replace('"', '""') + '"' for token in asked)
        rows = self._connection.execute(
            "SELECT rowid, -bm25(lexical, ?, ?, ?) AS score FROM lexical WHERE lexical MATCH ?"
            " ORDER BY score DESC, rowid LIMIT ?",
            (*weights, match, limit),
        )
        return [(int(rowid), max(float(score), 1e-9)) for rowid, score in rows]

    def _selective(self, query_tokens: Sequence[str]) -> list[str]:
        known = [(count, token) for token, count in self.document_frequencies(query_tokens).items() if count]
        known.sort()
        limit = max(_ENOUGH, self.count * _FREQUENT_SHARE)
        return [token for rank, (count, token) in enumerate(known) if not rank or count <= limit]


def idf(count: int, frequency: int) -> float:
    """Inverse document frequency as FTS5 has it: ln((N - n + 0.5) / (n + 0.5)), at least 1e-6."""
    return max(math.log((count - frequency + 0.5) / (frequency + 0.5)), 1e-6)
