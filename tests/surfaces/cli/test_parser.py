"""Strict values, arguments behind options, and messages that name what is wrong."""

from __future__ import annotations

import argparse
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import UsageError
from trivium.surfaces.cli.parser import Parser, build, integer, number, one_of, text
from trivium.surfaces.cli.verbs import VERBS


@given(st.integers(min_value=-(2**63) + 1, max_value=2**63 - 1))
def test_integers_are_read(value: int) -> None:
    assert integer(str(value)) == value


@pytest.mark.parametrize(
    "value", ["", " ", "5abc", "5.0", "1e3", "5_000", "0x1", "--5", "+", "½", "٣", "nan", str(2**63), "9" * 5000]
)
def test_what_is_no_integer_is_refused(value: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be an integer"):
        integer(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read(value: float) -> None:
    assert math.isclose(number(repr(value)), value)


@pytest.mark.parametrize("value", ["", "5abc", "nan", "inf", "-inf", "1e999", "1_0", " 1", "1,5", "٣", "e", "--1"])
def test_what_is_no_finite_number_is_refused(value: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be a finite number"):
        number(value)


@given(st.text(st.characters(codec=None), max_size=20))
def test_text_can_always_be_encoded(value: str) -> None:
    read = text(value)
    assert len(read) == len(value)
    assert read.encode().decode() == read


def test_a_word_of_several_is_taken_or_the_nearest_named() -> None:
    choose = one_of("text", "json")
    assert choose("json") == "json"
    with pytest.raises(argparse.ArgumentTypeError, match="did you mean json"):
        choose("jsn")


@pytest.fixture
def parser() -> Parser:
    made = Parser("try", "Try it")
    made.add_argument("names", nargs="+", type=text)
    made.spill = "names"
    made.add_argument("--limit", type=integer)
    made.add_argument("--older-than", type=number, required=True)
    return made


def test_arguments_behind_options_belong_to_the_list(parser: Parser) -> None:
    found = parser.parse(["a", "--older-than", "3", "b", "c"])
    assert found.names == ["a", "b", "c"]


def test_what_stands_behind_two_dashes_is_no_option(parser: Parser) -> None:
    assert parser.parse(["--older-than=1", "--", "-a", "--b"]).names == ["-a", "--b"]


def test_negative_numbers_are_values(parser: Parser) -> None:
    assert parser.parse(["a", "--limit", "-3", "--older-than", "-1.5"]).limit == -3


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["a"], "Missing: --older-than.", "--help"),
        (["--older-than", "1"], "Missing: names.", "--help"),
        (["a", "--older-than"], "--older-than needs a value.", "--help"),
        (["a", "--older-than", "1", "--limit", "x"], "--limit must be an integer, not 'x'.", "--help"),
        (["a", "--older-than", "1", "--limt", "3"], "Unknown option '--limt'.", "Did you mean --limit?"),
        (["a", "--older", "1"], "Unknown option '--older'.", "Did you mean --older-than?"),
        (["a", "-1x", "--older-than", "1"], "Unknown option '-1x'.", "--help"),
    ],
)
def test_a_mistake_is_named(parser: Parser, argv: list[str], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parser.parse(argv)
    assert caught.value.message == message
    assert hint in caught.value.hint


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_has_the_common_options(verb: str) -> None:
    wanted = {"--json", "--format", "--home", "--embedder", "--no-color", "--help"}
    assert wanted <= set(build(verb).option_names())


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_explained(verb: str) -> None:
    silent = [action.dest for action in build(verb)._actions if not action.help]
    assert not silent


@pytest.mark.parametrize("verb", VERBS)
def test_a_misspelt_format_is_refused_before_anything_is_opened(cli: Any, files: Any, verb: str) -> None:
    ran = cli(*verb.split(), *_NEEDED.get(verb, []), "--format", "jsn")
    assert (ran.status, ran.out) == (2, "")
    assert "--format must be text or json, not 'jsn'; did you mean json?" in ran.err
    assert files() == []


_NEEDED = {"ref search": ["x"]}
