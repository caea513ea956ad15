"""Byte offsets, character offsets and lines agree with counting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.text.markdown.offsets import Lines, characters


@given(st.text(max_size=60), st.integers(0, 5))
def test_characters(text: str, base: int) -> None:
    borders = [len(text[:place].encode("utf-8", "surrogatepass")) for place in range(len(text) + 1)]
    if any("\ud800" <= char <= "\udfff" for char in text):
        return
    found = characters(text.encode(), reversed(borders), base)
    assert [found[border] for border in borders] == [base + place for place in range(len(text) + 1)]


@given(st.text("a\n\r", max_size=60), st.lists(st.integers(0, 60), max_size=10))
def test_lines(text: str, places: list[int]) -> None:
    lines = Lines(text)
    for place in places:
        assert lines.line(place) == text.count("\n", 0, place) + 1
