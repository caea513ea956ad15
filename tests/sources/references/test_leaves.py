"""Leaves: what each single value may be, what it becomes, and what the refusal says."""

from __future__ import annotations

import datetime
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.model import PREDICATES
from trivium.sources.references.leaves import (
    MAX_NAME_CHARS,
    MAX_TEXT_BYTES,
    MAX_URL_CHARS,
    kind_of,
    read_confidence,
    read_method,
    read_moment,
    read_name,
    read_optional_text,
    read_relation_type,
    read_text,
    read_url,
)
from trivium.sources.references.syntax import NotJsonNumber
from trivium.sources.references.values import LeafError

READERS = [read_text, read_optional_text, read_name, read_url, read_moment, read_relation_type, read_confidence, read_method]  # fmt: skip  # noqa: E501


def refusal(read: Any, value: object) -> str:
    """Message and hint of the refusal of a value."""
    with pytest.raises(LeafError) as caught:
        read(value)
    return f"{caught.value.message} | {caught.value.hint}"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        *[(None, "null"), (True, "true"), (False, "false"), (1, "a number"), (0.5, "a number"), ("", "a string")],
        *[([], "an array"), ({}, "an object"), (NotJsonNumber("NaN"), "NaN, which JSON does not have")],
    ],
)
def test_types_are_called_what_json_calls_them(value: object, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("value", [None, True, [], {}, NotJsonNumber("Infinity")])
def test_a_value_of_another_type_is_refused(read: Any, value: object) -> None:
    if read is not read_optional_text or value is not None:
        assert "must be a" in refusal(read, value)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters()), st.lists))
@pytest.mark.parametrize("read", READERS)
def test_any_value_is_read_or_refused(read: Any, value: object) -> None:
    try:
        once = read(value)
    except LeafError:
        return
    assert once is None or read(once) == once


def test_texts_are_kept_as_they_are() -> None:
    text = "  two\n\tlines e\u0301 \x0c "
    assert read_text(text) == text
    assert read_optional_text(text) == text
    assert read_optional_text(" \n") is None
    assert read_text("x" * MAX_TEXT_BYTES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "must not be empty"),
        (" \u3000\u200b", "must not be blank"),
        ("a\x00b", "holds the control character U+0000 at character 1"),
        ("\x1b[31m", "holds the control character U+001B at character 0"),
        ("ok \udc80", "holds half a surrogate pair (\\udc80) at character 3"),
        ("x" * (MAX_TEXT_BYTES + 1), "is longer than 1 MiB"),
        ("知" * (MAX_TEXT_BYTES // 3 + 1), "is longer than 1 MiB"),
    ],
)
def test_texts_that_cannot_be_kept(text: str, told: str) -> None:
    assert told in refusal(read_text, text)


def test_the_limit_of_a_text_is_counted_in_bytes() -> None:
    assert read_text("知" * (MAX_TEXT_BYTES // 3))


@pytest.mark.parametrize(
    ("given_name", "read"),
    [
        ("A", "A"),
        (" A\n", "A"),
        ("\ufeffA\u200b\u3000", "A"),
        ("e\u0301", "é"),
        ("\u1112\u1161\u11ab", "한"),
        ("two  words", "two  words"),
        ("q|IS_A|r", "q|IS_A|r"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("x" * MAX_NAME_CHARS, "x" * MAX_NAME_CHARS),
    ],
)
def test_names_are_trimmed_and_composed(given_name: str, read: str) -> None:
    assert read_name(given_name) == read


@given(st.text(max_size=600))
def test_a_name_is_in_one_form(text: str) -> None:
    try:
        name = read_name(text)
    except LeafError:
        return
    assert name == name.strip() == unicodedata.normalize("NFC", name)
    assert len(name) <= MAX_NAME_CHARS
    assert len(name.splitlines()) == 1
    assert unicodedata.normalize("NFC", text.strip("\u200b\u2060\ufeff \n")).strip("\u200b\u2060\ufeff \n")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "must not be empty"),
        ("  ", "must not be blank"),
        ("\u200d", "must not be blank"),
        ("a\nb", "must be one line: a line break (U+000A) at character 1"),
        ("a\u2028b", "must be one line: a line break (U+2028)"),
        ("a\tb", "must be one line: a control character (U+0009)"),
        ("a\u202eb", "holds U+202E, which turns the direction"),
        ("x" * 513, "is longer than 512 characters | put the explanation into the description"),
        ("\u0958" * 512, "is longer than 512 characters in Unicode form NFC"),
        (3, 'must be a string, not a number | write it in double quotes: "3"'),
        (["A"], "must be a string, not an array | join the parts into one string"),
    ],
)
def test_names_that_cannot_be_kept(name: object, told: str) -> None:
    assert told in refusal(read_name, name)


def test_a_long_run_of_marks_is_measured_before_it_is_sorted() -> None:
    assert "longer than 512" in refusal(read_name, "a" + "\u0315\u0300" * 500_000)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "HTTPS://user@example.com:8080/a?b=c#d",
        "http://[::1]:80/",
        "http://例え.jp/日本?q=語",
        "https://e.com/a|b{c}^",
        "file:///home/a/notes.md",
        "file://host/a",
        "urn:isbn:0-306-40615-2",
        "doi:10.1000/182",
        "mailto:a@b.c",
        "git+ssh://host/x",
        "ftp://example.com/",
    ],
)
def test_absolute_urls_are_kept_as_given(url: str) -> None:
    assert read_url(url) == url
    assert read_url(f" {url}\n") == url


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "must not be empty"),
        (" ", "must not be blank"),
        ("example.com/a", 'is not absolute: it has no scheme | did you mean "https://example.com/a"?'),
        ("/etc/passwd", "it has no scheme | start with https://"),
        ("[a](https://e.com)", "it has no scheme"),
        ("https://e.com/a b", "holds a blank | write %20 for a space"),
        ("https://e.com/\u200ba", "holds a character that no URL has (U+200B)"),
        ("<https://e.com>", "holds < | give the bare address"),
        ('https://e.com/"', "holds a character that no URL has (U+0022)"),
        ("C:\\notes\\a.md", "holds a backslash | write / between the parts, and file:///C:/..."),
        ("C:/notes/a.md", "is a path, not a URL | start with file:///"),
        ("javascript:alert(1)", "javascript: URLs are no source"),
        ("JavaScript://%0aalert(1)", "javascript: URLs are no source"),
        ("data:text/html,x", "data: URLs are no source"),
        ("vbscript:x", "vbscript: URLs are no source"),
        ("http://", "names no host | write http://host/path"),
        ("http:", "names no host"),
        ("https:/e.com", "names no host"),
        ("https:///a", "names no host"),
        ("https://:80/", "names no host"),
        ("https://user@/", "names no host"),
        ("https://?q", "names no host"),
        ("https://e.com:port/", 'has a host that cannot be right: "e.com:port"'),
        ("https://[::1/", "has a host that cannot be right"),
        ("urn:", "has nothing after its scheme"),
        ("file://", "has nothing after its scheme"),
        ("https://e.com/" + "a" * MAX_URL_CHARS, "is longer than 4096 characters"),
    ],
)
def test_urls_that_cannot_be_kept(url: str, told: str) -> None:
    assert told in refusal(read_url, url)


@pytest.mark.parametrize(
    ("moment", "utc"),
    [
        ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31t09:30:00z", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31 09:30:00.1Z", "2026-01-31T09:30:00.100Z"),
        ("2026-01-31T09:30:00.9999999+09:00", "2026-01-31T00:30:00.999Z"),
        ("2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00.000Z"),
        ("2024-02-29T00:00:00-00:00", "2024-02-29T00:00:00.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ("2017-01-01T08:59:60.5+09:00", "2017-01-01T00:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        (" 2026-01-31T09:30:00Z ", "2026-01-31T09:30:00.000Z"),
    ],
)
def test_moments_become_utc_with_milliseconds(moment: str, utc: str) -> None:
    assert read_moment(moment) == utc


@given(
    st.datetimes(min_value=datetime.datetime(2, 1, 1), max_value=datetime.datetime(9998, 12, 31)),
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_moments_agree_with_the_standard_library(local: datetime.datetime, minutes: int) -> None:
    aware = local.replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=minutes)))
    utc = aware.astimezone(datetime.UTC)
    expected = utc.strftime("%m-%dT%H:%M:%S") + f".{utc.microsecond // 1000:03d}Z"
    assert read_moment(aware.isoformat()) == f"{utc.year:04d}-{expected}"


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        ("", "must not be empty | leave the key out"),
        ("not-a-date", "is not an RFC 3339 date-time | write it like 2026-01-31T09:30:00Z"),
        ("2026-01-01", 'it is a date without a time | write "2026-01-01T00:00:00Z"'),
        ("2026-01-01T09:30:00", 'it has no offset | write "2026-01-01T09:30:00Z" if it is UTC'),
        ("2026-01-01T09:30Z", "it has no seconds"),
        ("2026-01-01T09:30:00+0900", 'its offset has no colon | write "2026-01-01T09:30:00+09:00"'),
        ("2026-01-01T09:30:00,5Z", "is not an RFC 3339 date-time"),
        ("２０２６-01-01T09:30:00Z", "is not an RFC 3339 date-time"),
        ("Thu, 01 Jan 2026 09:30:00 GMT", "is not an RFC 3339 date-time"),
        ("2026-02-30T00:00:00Z", '"2026-02-30T00:00:00Z" does not exist: day is out of range'),
        ("2026-13-01T00:00:00Z", "does not exist"),
        ("0000-01-01T00:00:00Z", "does not exist"),
        ("2026-01-01T24:00:00Z", "does not exist"),
        ("2026-01-01T00:00:61Z", "does not exist"),
        ("2026-01-01T00:00:00+24:00", "has an offset that does not exist"),
        ("2016-12-31T23:58:60Z", "a leap second comes only at 23:59:60 UTC"),
        ("2016-12-31T23:59:60+01:00", "a leap second comes only at 23:59:60 UTC"),
        ("0001-01-01T00:00:00+00:01", "is outside the years 0001 to 9999 in UTC"),
        ("9999-12-31T23:59:60Z", "is outside the years 0001 to 9999 in UTC"),
        (1767225600, "must be a string, not a number | write the time like"),
    ],
)  # fmt: skip
def test_moments_that_are_none(moment: object, told: str) -> None:
    assert told in refusal(read_moment, moment)


@pytest.mark.parametrize("name", PREDICATES)
def test_relation_types_are_spelt_exactly(name: str) -> None:
    assert read_relation_type(name) == name
    assert (
        refusal(read_relation_type, name.lower()) == f'"{name.lower()}" is not a relation type | did you mean {name}?'
    )


def test_the_internal_type_is_refused_by_name() -> None:
    assert "DESCRIBES is written by the program itself" in refusal(read_relation_type, "DESCRIBES")
    assert "must not be empty | the types are IS_A" in refusal(read_relation_type, " ")


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.25, 1e-300])
def test_confidence_is_a_number_from_0_to_1(value: float) -> None:
    read = read_confidence(value)
    assert read == value
    assert type(read) is float


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (-0.1, "must be a number from 0 to 1, not -0.1"),
        (90, "not 90 | 90 per cent is 0.9"),
        (1e400, "not inf"),
        (float("nan"), "not nan"),
        (10**299, "not 1e+299"),
        ("0.9", "not a string | write the number without quotes"),
        (True, "not true"),
    ],
)
def test_confidence_that_is_none(value: object, told: str) -> None:
    assert told in refusal(read_confidence, value)


def test_methods_are_three() -> None:
    assert [read_method(word) for word in ("deterministic", "llm", "user")] == ["deterministic", "llm", "user"]
    assert refusal(read_method, "LLM") == 'must be deterministic, llm or user, not "LLM" | did you mean llm?'
    assert refusal(read_method, "guess").endswith(" | ")
