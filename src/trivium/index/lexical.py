"""Full text: an FTS5 table of our own tokens, so that the database never splits or drops a word."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trivium.text.tokens import joined, script

K1 = 1.2
"""Saturation of repeated words in FTS5's BM25: no word gives more than `idf * (K1 + 1)`."""

B = 0.75
"""How much FTS5's BM25 counts the length of a row against it."""

Weights = tuple[float, float, float]
"""How much one occurrence counts in the label, the description and the details."""

WEIGHTS: Weights = (3.0, 1.0, 0.5)

POSTINGS_BUDGET = 20_000
"""Occurrences that one search reads, rarest words first (about 8 ms). The words beyond it are counted afterwards, in
the rows that the others found."""

# The tokens are joined by blanks; everything else that is ASCII is part of a word.
_TOKEN_CHARS = "".join(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum())
_TOKENISER = "ascii tokenchars '{}'".format(_TOKEN_CHARS.replace("'", "''")).replace('"', '""')


_USUAL_BATCH = 1 << 20
_LARGE_BATCH = 32 << 20


class LexicalRow(NamedTuple):
    """What is indexed under one number: the name of a thing, what it is in a sentence or two, and the rest."""

    rowid: int
    label: str
    description: str
    details: str = ""


class WordProfile(NamedTuple):
    """What the words of a query can say in this index.

    `frequencies`: in how many of the `rows` each distinct token stands, 0 for unknown ones. `bound`: the sum of
    `idf * (K1 + 1)`, which no row can exceed; unknown tokens count with the greatest idf. `known_share`: the part of
    `bound` that known tokens have.
    `trust` in [0, 1]: for the known tokens, how much of the query in their own script is known. A foreign sentence
    shares a few words by accident (low); one that names a product shares all its Latin words (high). `script_share`:
    the part of `bound` that the query has in the scripts of its known tokens.
    """

    frequencies: dict[str, int]
    rows: int
    bound: float
    known_share: float
    trust: float
    script_share: float


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

    def set_batch(self, *, is_large: bool) -> None:
        """Before and after many rows: more of them are gathered in memory, so that fewer pieces must be merged."""
        size = _LARGE_BATCH if is_large else _USUAL_BATCH
        self._connection.execute(f"PRAGMA cache_size = {-128_000 if is_large else -16_000}")
        self._connection.execute("INSERT INTO lexical(lexical, rank) VALUES ('hashsize', ?)", (size,))

    def put(self, rows: Iterable[LexicalRow]) -> None:
        """Index the rows, each in place of what stood under its number."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO lexical(rowid, label, description, details) VALUES (?, ?, ?, ?)",
            ((row.rowid, *(joined(text) for text in (row.label, row.description, row.details))) for row in rows),
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
        for token in dict.fromkeys(query_tokens):
            row = self._connection.execute("SELECT doc FROM lexical_terms WHERE term = ?", (token,)).fetchone()
            found[token] = int(row[0]) if row else 0
        return found

    def profile(self, query_tokens: Iterable[str]) -> WordProfile:
        """What these words can say here; `search` takes it to save a second look."""
        frequencies, count = self.document_frequencies(query_tokens), self.count
        return word_profile(frequencies, count)

    def upper_bound(self, query_tokens: Iterable[str]) -> float:
        """The score that no row can exceed for this query, see `WordProfile.bound`."""
        return self.profile(query_tokens).bound

    def search(
        self,
        query_tokens: Sequence[str],
        limit: int,
        *,
        weights: Weights = WEIGHTS,
        profile: WordProfile | None = None,
        within: Iterable[int] | None = None,
    ) -> list[tuple[int, float]]:
        """The best rows that hold any of the tokens, with their BM25 over all of them (> 0), best first.

        A row that holds nothing but words left out by `POSTINGS_BUDGET` is not found when others are. `within`: only
        these rows are looked at.
        """
        profile = profile or self.profile(query_tokens)
        asked, left_out = _affordable(profile.frequencies, limit)
        if not asked or limit < 1:
            return []
        if within is not None:
            found = self.scores(query_tokens, self.holding(_match([*asked, *left_out]), within), profile=profile)
            return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
        rows = self._connection.execute(
            "SELECT rowid, -bm25(lexical, ?, ?, ?) AS score FROM lexical WHERE lexical MATCH ?"
            " ORDER BY score DESC, rowid LIMIT ?",
            (*weights, _match(asked), limit + limit // 2 if left_out else limit),
        )
        found = {int(rowid): max(float(score), _LEAST) for rowid, score in rows}
        if left_out:
            found = self.scores(query_tokens, found, weights=weights, profile=profile)
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def holding(self, match: str, within: Iterable[int] | None = None) -> list[int]:
        """The rows that an expression made by `phrase` matches, all of them or those among `within`."""
        rows = self._connection.execute("SELECT rowid FROM lexical WHERE lexical MATCH ?", (match,))
        if within is None:
            return [rowid for (rowid,) in rows]
        wanted = within if isinstance(within, set | frozenset | dict) else set(within)
        return [rowid for (rowid,) in rows if rowid in wanted]

    def scores(
        self,
        query_tokens: Sequence[str],
        rowids: Iterable[int],
        *,
        weights: Weights = WEIGHTS,
        profile: WordProfile | None = None,
        is_head_only: bool = False,
        without: Sequence[str] = (),
    ) -> dict[int, float]:
        """BM25 of given rows, those left out that hold none of the tokens.

        idf(t) * f * (K1 + 1) / (f + K1 * (1 - B + B * length / average)), summed over the distinct tokens, with f the
        weighted count of t and idf as in `idf`: what FTS5 computes (https://www.sqlite.org/fts5.html#the_bm25_function).
        `is_head_only`: as if the details were empty everywhere. `without`: tokens that are passed over once, where they
        stand one after the other in the description.
        """
        profile = profile or self.profile(query_tokens)
        known = [(f" {token} ", idf(profile.rows, n)) for token, n in profile.frequencies.items() if n]
        average = self._average_length(2 if is_head_only else 3)
        # Doubled blanks, so that two neighbours do not share one and are both counted.
        gap = f" {'  '.join(without)} "
        found = {}
        for rowid, *fields in self._rows(rowids, is_head_only=is_head_only):
            padded = [f" {field.replace(' ', '  ')} " for field in fields]
            length = sum(field.count(" ") + 1 for field in fields if field)
            if without and gap in padded[1]:
                padded[1] = padded[1].replace(gap, " ", 1)
                length -= len(without)
            norm = K1 * (1 - B + B * length / average) if average else K1
            score = 0.0
            for token, rarity in known:
                f = sum(w * field.count(token) for w, field in zip(weights, padded, strict=True) if token in field)
                score += rarity * f * (K1 + 1) / (f + norm)
            if score > 0:
                found[rowid] = max(score, _LEAST)
        return found

    def _rows(self, rowids: Iterable[int], *, is_head_only: bool) -> Iterable[tuple[int, str, str, str]]:
        details = "''" if is_head_only else "details"
        query = f"SELECT rowid, label, description, {details} FROM lexical WHERE rowid = ?"
        for rowid in rowids:
            yield from self._connection.execute(query, (rowid,))

    def _average_length(self, columns: int) -> float:
        """Tokens in the first columns of an average row, from the record that FTS5 keeps: rows, tokens by column."""
        row = self._connection.execute("SELECT block FROM lexical_data WHERE id = 1").fetchone()
        rows, *counts = _varints(row[0]) if row and row[0] else (0,)
        return sum(counts[:columns]) / rows if rows else 0.0


_LEAST = 1e-9


def _match(asked: Iterable[str]) -> str:
    return " OR ".join(map(_quoted, asked))


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def phrase(parts: Sequence[str], *, is_prefix: bool = False) -> str:
    """An expression for `holding`: the tokens one after the other; `is_prefix` leaves the end of the last one open."""
    return " + ".join(map(_quoted, parts)) + (" *" if is_prefix else "")


def _affordable(frequencies: Mapping[str, int], limit: int) -> tuple[list[str], list[str]]:
    """Known tokens to search with, rarest first, and those that would cost too much."""
    known = sorted((count, token) for token, count in frequencies.items() if count)
    spent, asked, left_out = 0, [], []
    for count, token in known:
        if spent + count <= POSTINGS_BUDGET or spent < limit:
            asked.append(token)
            spent += count
        else:
            left_out.append(token)
    return asked, left_out


def _varints(block: bytes) -> list[int]:
    """SQLite's variable-length integers: seven bits a byte, most significant first."""
    numbers, value = [], 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = 0
    return numbers


def word_profile(frequencies: dict[str, int], count: int) -> WordProfile:
    """The profile of a query from the frequencies of its tokens in `count` rows."""
    asked: dict[str, float] = {}
    known: dict[str, float] = {}
    for token, frequency in frequencies.items():
        rarity = idf(count, frequency)
        kind = script(token)
        asked[kind] = asked.get(kind, 0.0) + rarity
        if frequency:
            known[kind] = known.get(kind, 0.0) + rarity
    total, total_known = sum(asked.values()), sum(known.values())
    trust = sum(part * (part / asked[kind] if kind else 1.0) for kind, part in known.items())
    return WordProfile(
        frequencies,
        count,
        total * (K1 + 1),
        total_known / total if total else 0.0,
        trust / total_known if total_known else 0.0,
        sum(asked[kind] if kind else part for kind, part in known.items()) / total if total else 0.0,
    )


def idf(count: int, frequency: int) -> float:
    """Inverse document frequency as FTS5 has it: ln((N - n + 0.5) / (n + 0.5)), at least 1e-6."""
    return max(math.log((count - frequency + 0.5) / (frequency + 0.5)), 1e-6) if count else 0.0
