"""Syntax: strict JSON reads as ever, lossless repairs read the same value, faults have their exact place."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import PayloadError
from trivium.sources.references.syntax import (
    MAX_DEPTH,
    MAX_REPAIRS,
    NotJsonNumber,
    RepeatedKeys,
    parse_json,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1, "\t"]))
def test_json_is_read_without_repairs(value: Any, indent: int | str | None) -> None:
    assert parse_json(json.dumps(value, indent=indent)) == (value, [])
    assert parse_json(json.dumps(value, ensure_ascii=False)) == (value, [])


def loosely(value: Any, draw: Any) -> str:
    """JSON as people write it: trailing commas, comments and odd blanks wherever they do no harm."""
    gap = draw(st.sampled_from(["", " ", "\n", "/* , ] } */", "// , ]\n", "# }\n", "\u00a0", "\u3000", "\ufeff"]))
    comma = draw(st.sampled_from(["", ",", f" {gap},"]))
    if isinstance(value, list) and value:
        return gap + "[" + ",".join(loosely(item, draw) for item in value) + comma + gap + "]"
    if isinstance(value, dict) and value:
        pairs = [f"{gap}{json.dumps(key)}{gap}:{loosely(item, draw)}" for key, item in value.items()]
        return "{" + ",".join(pairs) + comma + gap + "}" + gap
    return gap + json.dumps(value) + gap


@given(VALUES, st.data())
def test_repairs_read_the_same_value(value: Any, data: st.DataObject) -> None:
    text = loosely(value, data.draw)
    read, repairs = parse_json(text)
    assert read == value
    if not repairs:
        assert json.loads(text) == value


@given(st.text(st.sampled_from("{}[]\",:\\/*#` \n1-.eNultrfasI\u00a0'…“")) | st.text())
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    try:
        parse_json(text)
    except PayloadError as error:
        message = error.message
    else:
        return
    line, column = (int(word.split(" ")[-1]) for word in message.split(":")[1].split(","))
    lines = text.split("\n")
    assert message.startswith("Invalid JSON: line ")
    assert 1 <= line <= len(lines)
    assert 1 <= column <= len(lines[line - 1]) + 1


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("", "line 1, column 1", "the input is empty"),
        ("[1,\n2", "line 2, column 2", "the text ends early: the '[' opened at line 1, column 1 is never closed"),
        ('{"a": [', "line 1, column 8", "and 1 around it"),
        ('["a', "line 1, column 4", "the text ends early, inside the string that starts at line 1, column 2"),
        ('["\\', "line 1, column 3", "the text ends early, inside an escape"),
        ('["\\u12g4"]', "line 1, column 3", "\\u takes four hexadecimal digits"),
        ('["\\x"]', "line 1, column 3", "\\x is no escape of JSON"),
        ('["a\tb"]', "line 1, column 4", "the control character U+0009 inside a string: write it as \\u0009"),
        ("[01]", "line 1, column 2", "not a number of JSON"),
        ("[1.]", "line 1, column 2", "not a number of JSON"),
        ("[0x1F]", "line 1, column 2", "not a number of JSON"),
        ("[1_000]", "line 1, column 2", "not a number of JSON"),
        ("[-]", "line 1, column 2", "a minus sign without a number after it"),
        ("[+1]", "line 1, column 2", "a number has no plus sign in JSON"),
        ("[.5]", "line 1, column 2", "a number starts with a digit in JSON"),
        ("[,1]", "line 1, column 2", "a comma without a value before it"),
        ("{,}", "line 1, column 2", "a comma without anything before it"),
        ('{"a" 1}', "line 1, column 6", 'a colon is missing after the key "a"'),
        ('{"a": }', "line 1, column 7", 'a value is missing after the key "a"'),
        ('{"a":,}', "line 1, column 6", 'a value is missing after the key "a"'),
        ('{"a": 1 "b": 2}', "line 1, column 9", "a comma is missing before this"),
        ('["a": 1]', "line 1, column 5", "a colon stands only after a key, inside { }"),
        ("[1}", "line 1, column 3", "'}' cannot close the '[' opened at line 1, column 1"),
        ("[1, }", "line 1, column 5", "'}' cannot close the '[' opened at line 1, column 1"),
        ("]", "line 1, column 1", "the JSON cannot start with ']'"),
        ("{1: 2}", "line 1, column 2", "a key in double quotes was expected here, not '1'"),
        ("{“a”: 2}", "line 1, column 2", 'strings stand in straight double quotes ("), not in typographic ones'),
        ("[1 @]", "line 1, column 4", "',' or ']' was expected here, not '@'"),
        ("[@]", "line 1, column 2", "a value was expected here, not '@'"),
        ("[\x01]", "line 1, column 2", "a value was expected here, not U+0001"),
        ("[1, ...]", "line 1, column 5", "three dots stand for nothing in JSON"),
        ("[1, …]", "line 1, column 5", "three dots stand for nothing in JSON"),
        ("[`a`]", "line 1, column 2", "not in backticks"),
        ("[undefined]", "line 1, column 2", "JSON has no undefined: leave the key out"),
        ("[True]", "line 1, column 2", "Python's True is written true in JSON"),
        ("[1] /* never", "line 1, column 5", "a comment starts here and never ends"),
        ("[1] [2]", "line 1, column 5", "a second value starts here"),
        ("[1] ok", "line 1, column 5", "text stands after the end of the JSON"),
        ("[1]]", "line 1, column 4", "one ']' too many: everything was closed before it"),
        ("see [1]", "line 1, column 1", "text stands before the JSON, which starts at line 1, column 5"),
    ],
)
def test_a_fault_has_its_place_and_its_name(text: str, place: str, what: str) -> None:
    with pytest.raises(PayloadError) as caught:
        parse_json(text)
    assert caught.value.message.startswith(f"Invalid JSON: {place}: ")
    assert what in caught.value.message


def test_the_surroundings_of_a_fault_are_shown() -> None:
    with pytest.raises(PayloadError) as caught:
        parse_json('{"title": None}', first_line=9)
    assert caught.value.message.startswith("Invalid JSON: line 9, column 11: ")
    assert caught.value.details == ('near: {"title": >>>None}',)


def test_repairs_are_counted_by_kind_with_the_first_place() -> None:
    value, repairs = parse_json("[1, // one\n [2,], # two\n]")
    assert value == [1, [2]]
    assert sorted(repairs) == [
        ("comment left out", "line 1, column 5 and 1 more"),
        ("trailing comma left out", "line 2, column 4 and 1 more"),
    ]


def test_marks_inside_strings_are_no_comments() -> None:
    assert parse_json('["http://e.com/#a /* b */", ",]",]')[0] == ["http://e.com/#a /* b */", ",]"]


def test_numbers_that_json_lacks_stay_in_their_place() -> None:
    for text in ("[NaN, Infinity, -Infinity, 1]", "[NaN, Infinity, -Infinity, 1,]"):
        value, _ = parse_json(text)
        assert [item.name for item in value[:3] if isinstance(item, NotJsonNumber)] == ["NaN", "Infinity", "-Infinity"]


def test_a_key_given_twice_is_remembered() -> None:
    value, _ = parse_json('{"a": 1, "b": 2, "a": 3, "a": 4}')
    assert isinstance(value, RepeatedKeys)
    assert value.repeated == ("a",)
    assert value == {"a": 4, "b": 2}


def test_a_number_too_long_to_convert_is_infinite() -> None:
    assert math.isinf(parse_json("9" * 5000)[0])
    assert parse_json("9" * 200)[0] == int("9" * 200)


def test_depth_and_repairs_have_limits() -> None:
    assert parse_json("[" * MAX_DEPTH + "1," + "]" * MAX_DEPTH)[1]
    with pytest.raises(PayloadError, match=f"nested deeper than {MAX_DEPTH} levels"):
        parse_json("[" * (MAX_DEPTH + 1) + "1," + "]" * (MAX_DEPTH + 1))
    with pytest.raises(PayloadError, match=f"more than {MAX_REPAIRS} commas and comments"):
        parse_json("[" + "#\n" * (MAX_REPAIRS + 1) + "]")
