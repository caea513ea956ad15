"""Quotes: places that slice back to the text, and time that grows with the text only."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from types import FrameType
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.text import quotes
from trivium.text.quotes import find_quote, nearest

SOURCE = (
    "Alpha beta\n"
    "gamma  “delta” — omega.\r\n"
    "The quick brown fox jumps over the lazy dog. It’s a cafe\u0301.\n"
    "知識\nグラフ です soft\u00adhyphen, nbsp\u00a0here\n"
)

LATIN = ["a", "b", "ab", "é", "e\u0301", "ß", "İ", "\u212b", "."]
BLANK = [" ", "\n", "  ", "\r\n", "\u3000", "\u00ad", "\u200b"]
OTHER = ["知", "識", "グ", "ハ\u309a", "\u1112\u1161\u11ab", "한", "\u0958", "😀"]
MARKS = ["\u0301", "\u0323"]
TYPOGRAPHY = ["“", "”", '"', "’", "'", "—", "-"]
PIECES = st.sampled_from([*LATIN, *BLANK, *OTHER, *MARKS, *TYPOGRAPHY])
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@pytest.mark.parametrize(
    ("quote", "found", "is_exact", "line"),
    [
        ("quick brown fox", "quick brown fox", True, 3),
        ("beta\ngamma", "beta\ngamma", True, 1),
        ("beta gamma", "beta\ngamma", False, 1),
        ('gamma "delta" - omega. The quick', "gamma  “delta” — omega.\r\nThe quick", False, 2),
        ("It's a café", "It’s a cafe\u0301", False, 3),
        ("知識グラフ", "知識\nグラフ", False, 4),
        ("識 グラフ", "識\nグラフ", False, 4),
        ("softhyphen", "soft\u00adhyphen", False, 5),
        ("  nbsp here  ", "nbsp\u00a0here", False, 5),
    ],
)
def test_a_quote_is_found_where_it_stands(quote: str, found: str, is_exact: bool, line: int) -> None:
    match = find_quote(SOURCE, quote)
    assert match is not None
    assert SOURCE[match.start : match.end] == found
    assert (match.is_exact, match.line, match.occurrences) == (is_exact, line, 1)


def test_surroundings_are_the_32_characters_on_each_side() -> None:
    text = "x" * 40 + "|quote|" + "y" * 40
    match = find_quote(text, "quote")
    assert match is not None
    assert match.prefix == "x" * 31 + "|"
    assert match.suffix == "|" + "y" * 31
    short = find_quote("a quote", "quote")
    assert short is not None
    assert (short.prefix, short.suffix) == ("a ", "")


def test_half_of_a_composed_character_brings_the_whole() -> None:
    """U+0958 has a normal form of two characters, so a quote may end between them."""
    match = find_quote("say “\u0958” now", 'say "\u0915')
    assert match is not None
    assert (match.start, match.end) == (0, 6)


@pytest.mark.parametrize("quote", ["", "   ", "\n\t", "\u200b", "\u00ad \u00ad"])
def test_a_blank_quote_stands_nowhere(quote: str) -> None:
    assert find_quote(SOURCE, quote) is None
    assert nearest(SOURCE, quote) is None


def test_case_is_not_set_aside() -> None:
    assert find_quote(SOURCE, "The Quick Brown Fox") is None


def test_of_several_occurrences_the_first_is_taken_or_the_one_that_fits() -> None:
    text = "use it now; use it later; use it never"
    first = find_quote(text, "use it")
    assert first is not None
    assert (first.start, first.occurrences) == (0, 3)
    by_suffix = find_quote(text, "use it", suffix=" never")
    by_prefix = find_quote(text, "use it", prefix="now; ")
    neither = find_quote(text, "use it", prefix="§", suffix="§")
    assert by_suffix is not None
    assert by_prefix is not None
    assert neither is not None
    assert (by_suffix.start, by_prefix.start, neither.start) == (26, 12, 0)
    assert by_suffix.occurrences == 3


def test_surroundings_choose_among_inexact_occurrences_too() -> None:
    text = "say “so” once, say “so” twice"
    match = find_quote(text, 'say "so"', suffix=" twice")
    assert match is not None
    assert text[match.start : match.end + 6] == "say “so” twice"
    assert (match.is_exact, match.occurrences) == (False, 2)


def test_repeated_text_counts_without_overlap() -> None:
    match = find_quote("aaaa", "aa", prefix="aa")
    assert match is not None
    assert (match.start, match.occurrences) == (2, 2)


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_any_passage_is_found_exactly(text: str, one: int, other: int) -> None:
    quote = text[min(one, other) : max(one, other)]
    match = find_quote(text, quote)
    if not evened(quote):
        assert match is None
    else:
        assert match is not None
        assert match.is_exact
        assert text[match.start : match.end] == quote
        assert match.start == text.index(quote)
        assert match.occurrences == text.count(quote)


@given(TEXTS, TEXTS, TEXTS)
def test_a_match_slices_back_to_the_quote(text: str, quote: str, prefix: str) -> None:
    match = find_quote(text, quote, prefix=prefix)
    if match is None:
        assert quote not in text or not evened(quote)
        return
    assert 0 <= match.start < match.end <= len(text)
    found = text[match.start : match.end]
    assert evened(quote) in evened(found)
    assert match.is_exact == (found == quote)
    assert match.line == len(text[: match.start].split("\n"))
    assert text[: match.start].endswith(match.prefix)
    assert text[match.end :].startswith(match.suffix)


@given(
    st.lists(st.sampled_from([*LATIN, *BLANK, *OTHER, *TYPOGRAPHY]), min_size=1, max_size=30),
    st.integers(0, 29),
    st.integers(1, 30),
    st.sampled_from(["NFC", "NFD"]),
    st.sampled_from([" ", "\n", "  \n"]),
)
def test_any_passage_is_found_in_another_form(
    pieces: list[str], start: int, length: int, form: Literal["NFC", "NFD"], blank: str
) -> None:
    quote = unicodedata.normalize(form, "".join(pieces[start : start + length]))
    quote = re.sub(r"\s+", blank, quote.translate(str.maketrans("“”’—", '""\'-')))
    match = find_quote("".join(pieces), quote)
    if not evened(quote):
        assert match is None
    else:
        assert match is not None
        assert evened(quote) in evened("".join(pieces)[match.start : match.end])


@given(st.lists(st.sampled_from(["word", "größe", "naïve", "e\u0301a", "“so”", "x—y", "it’s"]), min_size=1, max_size=8))
def test_typography_and_line_breaks_do_not_hide_a_quote(words: list[str]) -> None:
    text = "Before. " + "\n  ".join(words) + " After."
    plain = unicodedata.normalize("NFC", " ".join(words))
    plain = plain.replace("“", '"').replace("”", '"').replace("—", "-").replace("’", "'")
    match = find_quote(text, plain)
    assert match is not None
    assert text[match.start : match.end] == "\n  ".join(words)


def evened(text: str) -> str:
    """The comparison form, made the slow way: one character after another, nothing shared with the code."""
    table = {**dict.fromkeys("“”", '"'), "’": "'", "—": "-"}
    text = unicodedata.normalize("NFC", "".join(table.get(c, c) for c in text))
    return "".join(c for c in text if not c.isspace() and c not in "\u00ad\u200b")


def test_the_nearest_passage_is_whole_words_of_the_source() -> None:
    close = nearest(SOURCE, "the quik brown foxes jumped over a lazy dog")
    assert close is not None
    assert close.text == "The quick brown fox jumps over the lazy dog"
    assert close.text == SOURCE[close.start : close.end]
    assert close.line == 3
    assert 0.6 < close.similarity < 1


def test_the_nearest_passage_leaves_out_what_stands_there_twice() -> None:
    close = nearest("once the the dog barked", "the dog barked at")
    assert close is not None
    assert close.text == "the dog barked"
    assert close.start == 9


@pytest.mark.parametrize(("quote", "text"), [("知識クラフ", "知識\nグラフ"), ("lazy cat", "lazy"), ("omeja", "omega")])
def test_short_quotes_have_a_nearest_passage_too(quote: str, text: str) -> None:
    close = nearest(SOURCE, quote)
    assert close is not None
    assert close.text == text


def test_nothing_in_common_has_no_nearest_passage() -> None:
    assert nearest(SOURCE, "ΩΨΧ ΦΥΤ") is None
    assert nearest("", "quote") is None


@given(TEXTS, TEXTS)
def test_the_nearest_passage_slices_back(text: str, quote: str) -> None:
    close = nearest(text, quote)
    if close is not None:
        assert 0 <= close.start < close.end <= len(text)
        assert text[close.start : close.end] == close.text
        assert 0 < close.similarity <= 1


@given(TEXTS.filter(lambda text: bool(evened(text))), TEXTS, TEXTS)
def test_a_passage_that_stands_there_is_the_nearest_to_itself(quote: str, before: str, after: str) -> None:
    close = nearest(f"{before}. {quote} .{after}", quote)
    assert close is not None
    assert close.similarity == 1


HOSTILE: dict[str, Callable[[int], tuple[str, str]]] = {
    "one letter": lambda n: ("a" * n, "a" * (n // 2) + "b"),
    "a period": lambda n: ("ab " * (n // 3), "ab " * (n // 6) + "c"),
    "marks out of order": lambda n: ("a" + "\u0301\u0315\u0300" * (n // 3), "a\u0300" * 9 + "b"),
    "blanks": lambda n: ("a" + " \n" * (n // 2), "a  b"),
    "blanks between ideographs": lambda n: ("知 " * (n // 2), "知  識" * (n // 8)),
    "invisible": lambda n: ("\u200b" * n, "a\u200bb"),
    "decomposed": lambda n: ("e\u0301" * (n // 2), "é" * (n // 4) + "f"),
    "almost everywhere": lambda n: ("so it is " * (n // 9), "so it is, " * (n // 18)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_work_grows_no_faster_than_the_input(name: str) -> None:
    counts = []
    for size in (4_000, 8_000):
        text, quote = HOSTILE[name](size)
        counts.append(
            lines_run(lambda t=text, q=quote: (find_quote(t, q), find_quote(t, q, prefix=q, suffix=q), nearest(t, q)))
        )
    assert counts[1] <= 2.2 * counts[0] + 200


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of the module a call runs: its loops are all that could grow faster than the input."""
    count = 0

    def on_line(frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return on_line

    def on_call(frame: FrameType, _event: str, _arg: Any) -> Any:
        return on_line if frame.f_code.co_filename == quotes.__file__ else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def test_a_run_of_marks_is_not_put_in_order() -> None:
    """Sorting many combining marks takes quadratic time, so long runs are compared as they are."""
    marks = "\u0315\u0300" * 100
    match = find_quote(f"“x{marks}” end", f'"x{marks}" end')
    assert match is not None
    assert (match.start, match.is_exact) == (0, False)
    assert find_quote(f"“x{marks}” end", f'"x{unicodedata.normalize("NFC", marks)}" end') is None
