"""Text that no encoding can carry is made well-formed, and no other is changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.embed.base import well_formed


@given(st.text(st.characters(codec="utf-8")))
def test_well_formed_text_is_returned_as_it_is(text: str) -> None:
    assert well_formed(text) == text


@given(st.text(st.characters(categories=["Cs", "Lu", "So"])))
def test_any_text_can_be_encoded_afterwards(text: str) -> None:
    well_formed(text).encode()


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert well_formed("a\ud800b \ud83d\ude00") == "a\ufffdb 😀"
