"""The double-array trie finds what is in it and nothing else."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from trivium.embed.use import trie

WORDS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=6).map(str.encode)


@given(st.lists(WORDS, unique=True, min_size=1, max_size=60), st.lists(WORDS | st.binary(max_size=5), max_size=20))
def test_every_word_has_its_index_and_no_other_has_one(words: list[bytes], others: list[bytes]) -> None:
    units = trie.build(words)
    assert [trie.find(units, word) for word in words] == list(range(len(words)))
    for other in others:
        if other not in words and b"\xff" not in other:
            assert trie.find(units, other) == -1


def test_thousands_of_words_fill_the_array_densely() -> None:
    chance = random.Random(7)
    words = sorted({bytes(chance.choices(b"abcdefgh\xc3\xa9", k=chance.randint(1, 9))) for _ in range(20_000)})
    nodes = {word[:size] for word in words for size in range(1, len(word) + 1)}
    units = trie.build(words)
    assert all(trie.find(units, word) == index for index, word in enumerate(words))
    assert len(units) < 2 * len(nodes)


def test_a_word_with_nul_is_not_found() -> None:
    units = trie.build([b"ab", b"abc"])
    assert trie.find(units, b"\0") == trie.find(units, b"ab\0") == trie.find(units, b"abc\0") == -1
