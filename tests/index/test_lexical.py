"""Full text: every token survives the database, BM25 is what it says, the caller's transaction rules."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import cjk_texts, identifiers, texts

from trivium.index import lexical
from trivium.index.lexical import LexicalIndex, LexicalRow, idf, word_profile
from trivium.text.tokens import tokens

ROWS = [
    LexicalRow(1, "usePrefixTrie", "a prefix tree helper"),
    LexicalRow(2, "C++", "a compiled language; --dry-run prints what would be done"),
    LexicalRow(3, "Redux", "グローバルな状態管理のための公式ツール 🎉"),
    LexicalRow(4, "Pasta", "noodles of the south", "boil them in v1.2.3 of the water, water, water"),
    LexicalRow(5, "Trie", "a tree of characters, the tree of a dictionary"),
]


def make(rows: list[LexicalRow]) -> LexicalIndex:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    index = LexicalIndex(connection)
    index.create()
    index.put(rows)
    return index


@pytest.fixture
def index() -> Iterator[LexicalIndex]:
    made = make(ROWS)
    yield made
    made._connection.close()


def ids(index: LexicalIndex, query: str, limit: int = 10) -> list[int]:
    return [rowid for rowid, _ in index.search(tokens(query), limit)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("prefix tree", [1, 5]),
        ("C++", [2]),
        ("--dry-run", [2]),
        ("状態", [3]),
        ("管", [3]),
        ("🎉", [3]),
        ("v1.2.3", [4]),
        ("1.2.3", [4]),
        ("PREFIXES", [1]),
        ('"unbalanced tree', [5, 1]),
        ("NEAR( label:* tree", [5, 1]),
        ("nothing-known", []),
        ("", []),
    ],
)
def test_queries_are_literal(index: LexicalIndex, query: str, expected: list[int]) -> None:
    assert ids(index, query) == expected


def test_putting_again_replaces(index: LexicalIndex) -> None:
    index.put([LexicalRow(1, "other", "words")])
    assert ids(index, "prefix") == []
    assert ids(index, "words") == [1]
    assert index.count == len(ROWS)


def test_removing_and_clearing(index: LexicalIndex) -> None:
    index.remove([1, 99])
    assert ids(index, "prefix tree") == [5]
    assert index.document_frequencies(["tree", "prefix"]) == {"tree": 1, "prefix": 0}
    index.clear()
    assert (index.count, ids(index, "tree"), index.upper_bound(["tree"])) == (0, [], 0.0)


def test_the_transaction_is_the_callers(index: LexicalIndex) -> None:
    connection = index._connection
    connection.execute("BEGIN")
    index.put([LexicalRow(6, "six", "sixth")])
    index.remove([5])
    assert connection.in_transaction
    assert ids(index, "six tree") == [6, 1]
    connection.execute("ROLLBACK")
    assert ids(index, "six tree") == [5, 1]


def test_creating_twice_keeps_the_rows(index: LexicalIndex) -> None:
    index.create()
    assert index.count == len(ROWS)


def by_hand(rows: list[LexicalRow], query: list[str], weights: tuple[float, ...]) -> dict[int, float]:
    fields = {row.rowid: [tokens(text) for text in row[1:]] for row in rows}
    average = sum(len(field) for row in fields.values() for field in row) / len(rows)
    found: dict[int, float] = {}
    for token in set(query):
        holders = [rowid for rowid, row in fields.items() if any(token in field for field in row)]
        rarity = max(math.log((len(rows) - len(holders) + 0.5) / (len(holders) + 0.5)), 1e-6)
        for rowid in holders:
            f = sum(w * field.count(token) for w, field in zip(weights, fields[rowid], strict=True))
            length = sum(len(field) for field in fields[rowid])
            found[rowid] = found.get(rowid, 0) + rarity * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * length / average))
    return found


@pytest.mark.parametrize("query", ["prefix tree", "the water of the tree", "状態", "a helper language of noodles"])
@pytest.mark.parametrize("weights", [(3.0, 1.0, 0.5), (1.0, 1.0, 1.0), (0.0, 2.0, 5.0)])
def test_bm25_by_hand(index: LexicalIndex, query: str, weights: lexical.Weights) -> None:
    asked = tokens(query)
    expected = {rowid: score for rowid, score in by_hand(ROWS, asked, weights).items() if score > 0}
    assert index.scores(asked, range(1, 9), weights=weights) == pytest.approx(expected)
    found = dict(index.search(asked, 10, weights=weights))
    assert {rowid: found[rowid] for rowid in expected} == pytest.approx(expected, abs=1e-9)


_TEXTS = st.one_of(texts(max_size=40), cjk_texts(max_size=20), identifiers())


@given(st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=6))
def test_every_token_survives(pairs: list[tuple[str, str]]) -> None:
    index = make([LexicalRow(number, one, other) for number, (one, other) in enumerate(pairs, 1)])
    for number, pair in enumerate(pairs, 1):
        for text in pair:
            for token in tokens(text):
                assert number in {rowid for rowid, score in index.search([token], 100) if score > 0}
    index._connection.close()


@given(st.lists(_TEXTS, min_size=1, max_size=6), _TEXTS)
def test_no_score_exceeds_the_bound(described: list[str], query: str) -> None:
    index = make([LexicalRow(number, query, text) for number, text in enumerate(described, 1)])
    asked = tokens(query)
    profile = index.profile(asked)
    assert all(score <= profile.bound + 1e-6 for _, score in index.search(asked, 100, profile=profile))
    assert 0 <= profile.known_share <= 1 + 1e-9
    assert 0 <= profile.trust <= 1 + 1e-9
    index._connection.close()


def test_costly_words_are_counted_in_what_the_others_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [LexicalRow(n, f"name{n}", "common words " + ("rare common" if n % 10 == 0 else "")) for n in range(1, 101)]
    index = make(rows)
    asked = tokens("rare common words name10")
    everything = dict(index.search(asked, 100))
    monkeypatch.setattr(lexical, "POSTINGS_BUDGET", 20)
    found = index.search(asked, 5)
    assert [rowid for rowid, _ in found] == [10, 20, 30, 40, 50]
    assert dict(found) == pytest.approx({rowid: everything[rowid] for rowid, _ in found})
    # Alone, the word is searched whatever it costs; and so it is when the rarer ones find too little.
    assert len(index.search(tokens("common"), 50)) == 50
    assert len(index.search(tokens("common name10"), 50)) == 50
    index._connection.close()


def test_unknown_words_lower_what_the_words_can_say() -> None:
    known = word_profile({"tree": 1, "prefix": 1}, 100)
    half = word_profile({"tree": 1, "qzxv": 0}, 100)
    assert (known.known_share, known.trust) == (1.0, 1.0)
    assert half.bound > known.bound
    assert half.known_share < 0.5 < known.known_share
    assert half.trust < 0.5


def test_a_name_in_a_foreign_sentence_is_trusted() -> None:
    profile = word_profile({"組件": 0, "件の": 0, "astro": 3}, 100)
    assert profile.trust == 1.0
    assert profile.known_share == profile.script_share < 0.5


def test_numbers_are_trusted_in_every_language() -> None:
    assert word_profile({"1990": 2, "palabra": 0}, 100).trust == 1.0


def test_no_words_no_say() -> None:
    assert word_profile({}, 10)[2:] == (0.0, 0.0, 0.0, 0.0)
    assert word_profile({"a": 0}, 0)[2:] == (0.0, 0.0, 0.0, 0.0)
    assert idf(10, 9) == 1e-6


@pytest.mark.parametrize("query", ["prefix tree", "the water of the tree", "状態"])
def test_the_head_alone_is_scored_as_if_there_were_no_details(index: LexicalIndex, query: str) -> None:
    bare = make([LexicalRow(row.rowid, row.label, row.description) for row in ROWS])
    asked = tokens(query)
    frequencies = index.profile(asked)
    expected = bare.scores(asked, range(1, 9), profile=frequencies)
    assert index.scores(asked, range(1, 9), profile=frequencies, is_head_only=True) == pytest.approx(expected)
    bare._connection.close()


def test_tokens_can_be_passed_over_once() -> None:
    index = make([LexicalRow(1, "one", "plant a tree water it plant a tree"), LexicalRow(2, "two", "a bird sings")])
    less = make([LexicalRow(1, "one", "water it plant a tree"), LexicalRow(2, "two", "a bird sings")])
    asked = tokens("plant tree water")
    profile = index.profile(asked)
    passed = index.scores(asked, [1], profile=profile, without=tokens("plant a tree"))[1]
    assert passed < index.scores(asked, [1], profile=profile)[1]
    assert passed == pytest.approx(less.scores(asked, [1], profile=profile)[1], rel=0.2)
    for made in (index, less):
        made._connection.close()
