"""Options arrive as texts; what cannot be right is reported by name."""

from __future__ import annotations

import pytest

from trivium.embed.options import choice, number, prefixes, whole
from trivium.errors import ConfigError


def test_given_values_are_read_and_missing_ones_have_their_default() -> None:
    options = {"timeout_s": "2.5", "retries": "3", "pooling": "cls", "empty": ""}
    assert number(options, "timeout_s", 1.0, 0.1, 10.0) == 2.5
    assert whole(options, "retries", 1, 0, 10) == 3
    assert choice(options, "pooling", "mean", ("mean", "cls")) == "cls"
    assert number(options, "empty", 7.0, 0.0, 10.0) == 7.0
    assert choice({}, "pooling", "mean", ("mean", "cls")) == "mean"


def test_prefixes_are_named_by_their_style_or_given_one_by_one() -> None:
    assert prefixes({}) == ("", "")
    assert prefixes({}, "find: ", "") == ("find: ", "")
    assert prefixes({"prefixes": "e5"}) == ("query: ", "passage: ")
    assert prefixes({"prefixes": "e5", "passage_prefix": ""}) == ("query: ", "")
    assert prefixes({"prefixes": "none"}, "find: ", "text: ") == ("", "")
    with pytest.raises(ConfigError, match="e5"):
        prefixes({"prefixes": "e6"})


@pytest.mark.parametrize("text", ["-1", "11", "many", "nan", "inf"])
def test_a_number_out_of_range_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=r"'retries'.*from 0 to 10") as caught:
        number({"retries": text}, "retries", 1, 0, 10)
    assert text in caught.value.message


def test_a_fraction_is_not_a_whole_number() -> None:
    with pytest.raises(ConfigError, match="whole number"):
        whole({"retries": "1.5"}, "retries", 1, 0, 10)


def test_an_unknown_word_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="mean, cls"):
        choice({"pooling": "meen"}, "pooling", "mean", ("mean", "cls"))
