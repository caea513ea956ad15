"""Answers never outgrow what was asked for, lose nothing, and cut nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import NotFoundError
from trivium.surfaces.mcp.answers import MAX_CHARS, MIN_CHARS, Row, Shelf, dumped, sendable

ROWS = st.lists(
    st.fixed_dictionaries({"kind": st.just("concept"), "id": st.text(max_size=60), "text": st.text(max_size=900)}),
    max_size=30,
)


def pages(shelf: Shelf, rows: list[Row], max_chars: int, **facts: Any) -> list[Row]:
    found = [shelf.answer(rows, max_chars, **facts)]
    while "more" in found[-1]:
        found.append(shelf.more(found[-1]["more"], max_chars))
    return found


@given(ROWS, st.integers(MIN_CHARS, 4_000))
def test_every_row_comes_once_and_whole(rows: list[Row], max_chars: int) -> None:
    found = pages(Shelf(), rows, max_chars, is_healthy=True)
    assert all(len(dumped(page)) <= max_chars for page in found)
    shown = [row for page in found for row in page["items"]]
    assert len(shown) == len(rows)
    for row, original in zip(shown, sendable(rows), strict=True):
        assert row == original or (row["is_too_large"] and row["chars"] > len(dumped(original)))
    for page, later in zip(found, [*found[1:], None], strict=True):
        left = 0 if later is None else len(later["items"]) + later.get("left", 0)
        assert page.get("left", 0) == left


def test_a_row_that_is_too_large_says_how_to_see_it() -> None:
    row = {"kind": "concept", "id": "big", "text": "x" * 5_000}
    (stub,) = Shelf().answer([row], 2_000)["items"]
    assert (stub["id"], stub["is_too_large"]) == ("big", True)
    needed = int(stub["hint"].split()[0])
    assert Shelf().answer([row], needed)["items"] == [row]
    (huge,) = Shelf().answer([{**row, "id": "n" * 3_000, "text": "x" * MAX_CHARS}], MIN_CHARS)["items"]
    assert huge["hint"] == "read its resource"


def test_a_handle_can_be_used_again() -> None:
    shelf = Shelf()
    first = shelf.answer([{"text": "x" * 400} for _ in range(9)], 1_000)
    assert shelf.more(first["more"], 1_000) == shelf.more(first["more"], 1_000)
    assert shelf.more(first["more"], 40_000)["items"] == [{"text": "x" * 400}] * first["left"]


@pytest.mark.parametrize("handle", ["", "x", "abc-1", "-1", "é-2"])
def test_a_handle_that_nobody_gave(handle: str) -> None:
    with pytest.raises(NotFoundError, match="goes on"):
        Shelf().more(handle, 1_000)


def test_old_rests_are_forgotten_first() -> None:
    shelf = Shelf()
    handles = [shelf.answer([{"text": "x" * 900}] * 3, 1_000)["more"] for _ in range(70)]
    assert shelf.more(handles[-1], 1_000)["items"]
    with pytest.raises(NotFoundError):
        shelf.more(handles[0], 1_000)


def test_nothing_fails_half_way() -> None:
    page = Shelf().answer([{"text": "a\ud800b", "score": float("nan"), "pair": ("x", float("inf"))}], 1_000)
    assert page["items"] == [{"text": "a\ufffdb", "score": None, "pair": ["x", None]}]
    dumped(page).encode()
