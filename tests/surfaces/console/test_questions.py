"""Strict query strings."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.errors import UsageError
from trivium.surfaces.console.questions import integer, number, read, switch, word, words

READERS = {"limit": integer, "threshold": number, "include_archived": switch, "q": word, "type": words}


def test_what_is_given_is_read() -> None:
    values = {"limit": ["-3"], "threshold": ["1e-1"], "include_archived": ["1"], "q": [" x "], "type": ["A", "B"]}
    assert read(values, READERS) == {
        "limit": -3,
        "threshold": 0.1,
        "include_archived": True,
        "q": " x ",
        "type": ("A", "B"),
    }
    assert read({}, READERS) == {}
    assert read({"include_archived": ["FALSE"]}, READERS) == {"include_archived": False}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"limit": ["5abc"]}, "limit must be an integer"),
        ({"limit": [""]}, "limit must be an integer"),
        ({"limit": ["9" * 30]}, "limit must be an integer"),
        ({"limit": ["1", "2"]}, "limit must be given once"),
        ({"threshold": ["nan"]}, "threshold must be a finite number"),
        ({"threshold": ["inf"]}, "threshold must be a finite number"),
        ({"threshold": ["1e"]}, "threshold must be a finite number"),
        ({"include_archived": ["yes"]}, "include_archived must be true or false"),
        ({"limt": ["1"]}, "Unknown parameter 'limt'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(values: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(values, READERS)


def test_the_nearest_parameter_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        read({"limt": ["1"]}, READERS)
    assert caught.value.hint == "Did you mean limit?"
    with pytest.raises(UsageError) as caught:
        read({"x": ["1"]}, {})
    assert caught.value.hint == "Parameters: none"
