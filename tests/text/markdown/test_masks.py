"""Blanking keeps lengths, lines and everything outside."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.text.markdown.masks import BLANK, blanked, hidden, outside

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda span: (min(span), max(span))), max_size=6)


@given(st.text("ab\n\r", min_size=30, max_size=30), SPANS)
def test_blanked(text: str, spans: list[tuple[int, int]]) -> None:
    made = blanked(text, spans)
    assert len(made) == len(text)
    for place, char in enumerate(text):
        inside = any(start <= place < end for start, end in spans)
        assert made[place] in ((BLANK, "\n", "\r") if inside else (char,))
        if inside and char not in "\r\n":
            assert made[place] == BLANK


def test_a_newline_at_the_end_stays() -> None:
    assert blanked("a\nbc\r\nd", [(2, 6)]) == "a\n\0\0\r\nd"


@given(SPANS, st.integers(0, 31))
def test_outside(spans: list[tuple[int, int]], place: int) -> None:
    assert outside(spans)(place) == (not any(start <= place < end for start, end in spans if end > start))


def test_hidden() -> None:
    text = "a %%b%% c\n%%\nd\n\ne\n%%\n{{query [[f]]}} {{QUERY\n#+begin_src\ng\n#+END_SRC\nh %% i\n\nj %% k"
    shown = blanked(text, hidden(text)).replace(BLANK, "")
    assert shown.split() == ["a", "c", "{{QUERY", "h", "%%", "i", "j", "%%", "k"]
