"""JSON texts are changed at one place and stay as they are everywhere else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import UsageError
from trivium.surfaces.hooks.install.jsontext import MAX_DEPTH, Node, added, parse, removed, replaced

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t"])


def written(value: object, indent: int | str | None, newline: str = "\n") -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline)


@given(VALUES, LAYOUTS)
def test_values_are_those_that_json_reads(value: object, indent: int | str | None) -> None:
    text = written(value, indent)
    node = parse(text, "f")
    assert node.value == json.loads(text)
    assert text[node.start : node.end] == text


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), VALUES, LAYOUTS, st.sampled_from(["\n", "\r\n"]))
def test_a_member_that_was_added_can_be_taken_back(
    document: dict[str, object], value: object, indent: int | str | None, newline: str
) -> None:
    document.pop("new", None)
    text = written(document, indent, newline) + newline
    grown = added(text, parse(text, "f"), value, "new")
    node = parse(grown, "f")
    assert node.value == {**document, "new": json.loads(json.dumps(value))}
    assert removed(grown, node, len(node.parts) - 1) == text


@given(st.lists(VALUES, max_size=4), VALUES, LAYOUTS)
def test_an_item_that_was_added_can_be_taken_back(items: list[object], value: object, indent: int | str | None) -> None:
    text = written({"a": items, "b": 1}, indent)
    part = parse(text, "f").member("a")
    assert part is not None
    grown = added(text, part.node, value)
    inner = parse(grown, "f").member("a")
    assert inner is not None
    assert inner.node.value == [*items, json.loads(json.dumps(value))]
    assert removed(grown, inner.node, len(items)) == text


@given(st.lists(VALUES, min_size=1, max_size=4), st.data(), LAYOUTS)
def test_any_part_can_be_removed(items: list[object], data: st.DataObject, indent: int | str | None) -> None:
    at = data.draw(st.integers(0, len(items) - 1))
    text = written(items, indent)
    assert parse(removed(text, parse(text, "f"), at), "f").value == [*items[:at], *items[at + 1 :]]


@given(st.lists(VALUES, min_size=1, max_size=3), VALUES, LAYOUTS)
def test_a_part_can_be_replaced(items: list[object], value: object, indent: int | str | None) -> None:
    text = written(items, indent)
    changed = replaced(text, parse(text, "f").parts[0].node, value)
    assert parse(changed, "f").value == [value, *items[1:]]


COMMENTED = """// head
{
    "model": "x", // which one
    /* before */ "list": [
        1, // one
        2 // two
    ],
}
"""


def test_comments_and_trailing_commas_stay() -> None:
    node = parse(COMMENTED, "f")
    assert node.value == {"model": "x", "list": [1, 2]}
    part = node.member("list")
    assert part is not None
    grown = added(COMMENTED, part.node, 3)
    assert "        2, // two\n        3\n    ]," in grown
    again = parse(grown, "f").member("list")
    assert again is not None
    assert removed(grown, again.node, 2) == COMMENTED
    wider = added(COMMENTED, node, {"a": 1}, "hooks")
    root = parse(wider, "f")
    assert root.value["hooks"] == {"a": 1}
    assert removed(wider, root, 2) == COMMENTED


def test_a_byte_order_mark_stays() -> None:
    text = '\ufeff{"a": 1}\n'
    grown = added(text, parse(text, "f"), 2, "b")
    assert grown == '\ufeff{"a": 1, "b": 2}\n'


def test_of_two_members_of_one_name_the_last_counts() -> None:
    node = parse('{"a": 1, "a": 2}', "f")
    part = node.member("a")
    assert part is not None
    assert isinstance(part.node, Node)
    assert (part.node.value, node.value) == (2, {"a": 2})


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1, column 1"),
        ("{", "line 1, column 2"),
        ('{\n  "a": nope\n}', "line 2, column 8"),
        ('{"a": 1} x', "line 1, column 10"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a" 1}', "line 1, column 6"),
        ("[1 2]", "line 1, column 4"),
        ("[01]", "line 1, column 2"),
        ('["\t"]', "line 1, column 2"),
        ("[" * (MAX_DEPTH + 2), f"column {MAX_DEPTH + 2}"),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(UsageError, match=place):
        parse(text, "settings.json")


@given(st.text(alphabet='{}[]",:/*\n 01atrue\\', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = parse(text, "f")
    except UsageError:
        return
    assert 0 <= node.start < node.end <= len(text)
