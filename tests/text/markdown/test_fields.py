"""Properties, blocks and tasks told from what looks like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.text.markdown.fields import Span, enclosing, fields, is_uuid, marks, tasks


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("key:: value", [("key", "value", "page")]),
        ("a:: 1\nb:: 2\n\ntext\nc:: 3", [("a", "1", "page"), ("b", "2", "page"), ("c", "3", "block")]),
        ("- a:: 1\n  b:: 2\n- c:: 3", [("a", "1", "page"), ("b", "2", "page"), ("c", "3", "page")]),
        ("text\n**Due Date**:: x", [("Due Date", "x", "block")]),
        ("a::\nb:: ", [("a", "", "page"), ("b", "", "page")]),
        ("x [k:: v] (m:: [[n]]) y", [("k", "v", "inline"), ("m", "[[n]]", "inline")]),
        ("std::vector f :: Int http://x::1 a::b ::", []),
        ("this is a long sentence, not a key:: x", []),
        ("a:: b:: c", [("a", "b:: c", "page")]),
        ("a:: 1\r\nb:: 2\r\n", [("a", "1", "page"), ("b", "2", "page")]),
    ],
)
def test_fields(text: str, found: list[tuple[str, str, str]]) -> None:
    made = list(fields(text, 0))
    assert [(field.key, field.value, field.scope) for field in made] == found
    assert all(text[field.value_start :].startswith(field.value) for field in made)


def test_marks_stand_at_the_end_of_a_line() -> None:
    assert [mark[0] for mark in marks("a ^b1\n^c\nd^e\n^f g\n[^1] ^h ", 0)] == ["b1", "c", "h"]


def test_block_ids() -> None:
    assert is_uuid("64a1b2c3-0000-4000-8000-000000000001")
    assert not is_uuid("64a1b2c3")


def test_states_of_tasks() -> None:
    text = "- [ ] a\n* [X] b\n+ [-] c\n12. [>] d\n> - [ ] e\n- DONE f\n- [] g\n-[ ] h\n- [ ]\n"
    assert [(status, text[begin:end]) for status, _, begin, end in tasks(text, 0)] == [
        (" ", "a"),
        ("X", "b"),
        ("-", "c"),
        (">", "d"),
        (" ", "e"),
        ("done", "f"),
    ]


@st.composite
def nested(draw: st.DrawFn) -> list[Span]:
    spans: list[Span] = []

    def fill(start: int, end: int, depth: int) -> None:
        at = start
        while at < end and depth < 4 and draw(st.booleans()):
            first = draw(st.integers(at, end - 1))
            last = draw(st.integers(first + 1, end))
            spans.append((first, last))
            fill(first, last, depth + 1)
            at = last

    fill(0, 40, 0)
    return spans


@given(nested(), st.lists(st.integers(0, 40), max_size=10))
def test_the_innermost_part_is_found(parts: list[Span], places: list[int]) -> None:
    found = enclosing(parts, places)
    for place in places:
        around = [part for part in parts if part[0] <= place < part[1]]
        assert found.get(place) == (min(around, key=lambda part: part[1] - part[0]) if around else None)
