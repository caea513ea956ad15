"""Sloppy arguments: taken when nothing is lost, refused by name when something would be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import UsageError
from trivium.surfaces.mcp.arguments import Argument, one_of, read, schema, switch, text, texts, value_of, whole

TAKEN = {
    "limit": Argument(whole(1, 50), {"type": "integer"}, 5),
    "id": Argument(text, {"type": "string"}, "", is_required=True),
    "max_chars": Argument(whole(1000, 40_000), {"type": "integer"}, 8_000),
}


@pytest.mark.parametrize(("given_value", "meant"), [(5, 5), ("5", 5), (" 5 ", 5), ("+5", 5), (5.0, 5), ("-0", 0)])
def test_whole_numbers_in_other_clothes(given_value: Any, meant: int) -> None:
    assert whole(0, 50)("limit", given_value) == meant


@pytest.mark.parametrize("given_value", [5.5, "5.5", "five", True, [5], {"a": 5}, "٥", float("inf"), "", "1e1"])
def test_what_is_no_whole_number(given_value: Any) -> None:
    with pytest.raises(UsageError, match="limit must be an integer"):
        whole(0, 50)("limit", given_value)


@pytest.mark.parametrize("given_value", [1e9, 10**30, "51", -1])
def test_out_of_range_names_the_range(given_value: Any) -> None:
    with pytest.raises(UsageError, match="depth must be from 0 to 4"):
        whole(0, 4)("depth", given_value)


def test_an_id_may_look_like_a_number() -> None:
    assert read(TAKEN, {"id": 123})["id"] == "123"
    for lossy in (1.50, True, None, ["a"], {}):
        with pytest.raises(UsageError):
            read(TAKEN, {"id": lossy})


def test_null_is_the_default_and_names_may_be_spelled_otherwise() -> None:
    assert read(TAKEN, {"id": "x", "limit": None, "maxChars": "2000", "junk": None}) == {
        "limit": 5,
        "id": "x",
        "max_chars": 2000,
    }
    with pytest.raises(UsageError, match="given twice"):
        read(TAKEN, {"id": "x", "max_chars": 2000, "maxChars": 3000})


def test_what_is_unknown_or_missing_is_named() -> None:
    with pytest.raises(UsageError, match="limt") as caught:
        read(TAKEN, {"id": "x", "limt": 3})
    assert caught.value.hint == "Did you mean limit?"
    with pytest.raises(UsageError, match="Missing: id"):
        read(TAKEN, None)


@pytest.mark.parametrize(
    ("given_value", "meant"),
    [("a", ["a"]), (["a", 2], ["a", "2"]), ('["a", "b"]', ["a", "b"]), ("[draft] note", ["[draft] note"]), (7, ["7"])],
)
def test_several_texts(given_value: Any, meant: list[str]) -> None:
    assert texts("ids", given_value) == meant


def test_switches_words_and_structures() -> None:
    assert [switch("s", value) for value in (True, "true", "FALSE", 1, "0")] == [True, True, False, True, False]
    assert one_of("archive", "undo")("action", "Archive") == "archive"
    with pytest.raises(UsageError) as caught:
        one_of("archive", "undo")("action", "archiv")
    assert caught.value.hint == "Did you mean archive?"
    assert value_of("{")("reference", '{"url": "x"}') == {"url": "x"}
    assert value_of("[")("concepts", {"id": "x"}) == [{"id": "x"}]
    for wrong in ("{broken", 5, [1]):
        with pytest.raises(UsageError, match="reference must be an object"):
            value_of("{")("reference", wrong)
    with pytest.raises(UsageError):
        switch("s", 2)


def test_the_schema_names_what_is_needed() -> None:
    assert schema(TAKEN)["required"] == ["id"]
    assert "required" not in schema({"limit": TAKEN["limit"]})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_value_is_read_or_refused(value: Any) -> None:
    for reader in (whole(0, 9), text, texts, switch, one_of("a", "b"), value_of("{"), value_of("[")):
        refused = ""
        try:
            reader("name", value)
        except UsageError as error:
            refused = error.message
        assert refused.startswith("name") or not refused
