"""Sections cover the note and know the headings above them."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from trivium.text.markdown import parse, sections


def test_paths() -> None:
    text = "---\na: b\n---\nintro\n\n# A\n\none\n\n### B\n\ntwo\n\n## C\n\n> # quoted\n\nthree\n\n# D\n"
    found = sections(parse(text))
    assert [(section.path, text[section.start : section.end].rsplit(maxsplit=1)[-1]) for section in found] == [
        ((), "intro"),
        (("A",), "one"),
        (("A", "B"), "two"),
        (("A", "C"), "three"),
        (("D",), "D"),
    ]


def test_blank_notes_have_none() -> None:
    assert sections(parse("")) == sections(parse("---\na: b\n---\n \n")) == []


@given(
    st.lists(
        st.sampled_from(["# a\n", "## b\n", "### c\n", "text\n", "\n", "- # d\n", "```\n", "> # e\n"]), max_size=20
    )
)
def test_sections_lose_nothing(lines: list[str]) -> None:
    text = "".join(lines)
    found = sections(parse(text))
    assert all(before.end <= after.start for before, after in itertools.pairwise(found))
    left = text
    for section in reversed(found):
        left = left[: section.start] + left[section.end :]
    assert left.strip() == ""
