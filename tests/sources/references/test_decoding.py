"""Decoding: bytes to text with each repair told, and fences that leave every place where it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import PayloadError
from trivium.sources.references.decoding import decode, without_fence


@given(st.text())
def test_utf8_comes_back_as_it_was(text: str) -> None:
    if not text.startswith("\ufeff") and "\0" not in text:
        assert decode(text.encode()) == (text, [])
        assert decode(text) == (text, [])


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_are_understood(codec: str) -> None:
    text, notices = decode('{"é": "日本"}'.encode(codec))
    assert text == '{"é": "日本"}'
    assert len(notices) == 1


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"{}\n\xff", "Invalid JSON: line 2: byte 0xff at offset 3 is not UTF-8 (invalid start byte)"),
        (b'{"a": "\xe3\x81"}', "Invalid JSON: line 1: byte 0xe3 at offset 7 is not UTF-8"),
        (b"\xff\xfe{\0}", "Invalid JSON: line 1: byte 0x7d at offset 4 is not UTF-16"),
        (b"{}\x80", "offset 2"),
    ],
)
def test_other_bytes_are_named_with_their_place(data: bytes, told: str) -> None:
    with pytest.raises(PayloadError) as caught:
        decode(data)
    assert told in caught.value.message


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("```json\n{}\n```", "{}"),
        ("```\n{}\n```\n\n", "{}"),
        ("\n  ~~~~ jsonl\n{}\n{}\n~~~~", "{}\n{}"),
        ("```{}```", "{}"),
        ("```json\n{}", "{}"),
    ],
)
def test_a_fence_around_everything_is_left_out(text: str, inside: str) -> None:
    unfenced, notices = without_fence(text)
    assert unfenced.strip() == inside
    assert len(notices) == 1
    place = text.index("{")
    assert unfenced.index("{") == place
    assert unfenced.count("\n", 0, place) == text.count("\n", 0, place)


@pytest.mark.parametrize("text", ["{}", "Sure:\n```json\n{}\n```", "", "`{}`", "{} ```"])
def test_other_text_stays(text: str) -> None:
    assert without_fence(text) == (text, [])
