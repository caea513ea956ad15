"""Passages: spans that slice back to the text, none too long, cut where it hurts least."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import cjk_texts, texts

from trivium.text.passages import PASSAGE_SIZE, in_context, passages, weight

_PARAGRAPHS = st.lists(st.one_of(texts(), cjk_texts()), max_size=8).map("\n\n".join)


def _cut(text: str, size: int = PASSAGE_SIZE) -> list[str]:
    return [text[start:end] for start, end in passages(text, size=size)]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t"])
def test_a_blank_text_has_none(text: str) -> None:
    assert passages(text) == []


def test_a_short_text_is_one() -> None:
    assert _cut("  One line.\n\nAnother. ") == ["One line.\n\nAnother."]


def test_paragraphs_before_sentences_before_words() -> None:
    text = "One two three.\n\nFour five six seven. Eight nine."
    assert _cut(text, 40) == ["One two three.", "Four five six seven. Eight nine."]
    assert _cut(text, 20) == ["One two three.", "Four five six seven.", "Eight nine."]
    assert _cut(text, 10) == ["One two", "three.", "Four five", "six seven.", "Eight", "nine."]


def test_sentences_of_unspaced_scripts() -> None:
    assert _cut("猫が好き。犬も好き。", 12) == ["猫が好き。", "犬も好き。"]


def test_a_heading_stays_with_its_text() -> None:
    text = "Some words before it.\n\n## Heading\n\nWhat the heading is about, in words."
    assert _cut(text, 60) == ["Some words before it.", "## Heading\n\nWhat the heading is about, in words."]


def test_a_word_without_end_is_cut_hard() -> None:
    assert "".join(_cut("x" * 1000, 100)) == "x" * 1000


def test_wide_characters_weigh_double() -> None:
    assert (weight("abc"), weight("日本"), weight("aé日")) == (3, 4, 4)


@given(_PARAGRAPHS, st.integers(4, 60))
def test_spans_slice_back(text: str, size: int) -> None:
    spans = passages(text, size=size)
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert weight(text[start:end]) <= size
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


def test_context_is_the_first_line() -> None:
    text = "Name\nFirst sentence. Second sentence."
    start = text.index("Second")
    assert in_context(text, 0, 20) == text[:20]
    assert in_context(text, start, len(text)) == "Name\nSecond sentence."
    assert in_context("x" * 200 + "\nrest", 201, 205) == "rest"
