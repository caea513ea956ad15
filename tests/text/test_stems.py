"""Stems: what a word has in common with its other forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.strategies import texts

from trivium.text.stems import stem


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cache caches cached caching", "cach"),
        ("run runs running", "run"),
        ("study studies studied", "studi"),
        ("class classes", "class"),
        ("box boxes", "box"),
        ("fall falls falling", "fall"),
        ("maschine maschinen", "maschin"),
        ("книга книги книгами", "книг"),
        ("المدرسة مدرسة", "مدرس"),
    ],
)
def test_forms_of_a_word_meet(words: str, expected: str) -> None:
    assert {stem(word) for word in words.split()} == {expected}


@pytest.mark.parametrize(
    "word", ["is", "bed", "ring", "this", "bus", "status", "process", "c++", "v1.2", "状態管理", "2nds"]
)
def test_words_that_stay(word: str) -> None:
    assert stem(word) == word


@given(texts(max_size=12))
def test_a_stem_is_never_empty_and_never_longer(word: str) -> None:
    assert len(stem(word)) <= len(word)
    assert bool(stem(word)) == bool(word)
