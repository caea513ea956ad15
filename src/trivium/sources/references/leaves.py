"""Readers of single values: each takes what JSON gave and returns what is stored, or raises `LeafError`."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from trivium.model import DESCRIBES, PREDICATES

from .suggestions import type_hint
from .syntax import NotJsonNumber
from .values import LeafError, shown

MAX_NAME_CHARS = 512
MAX_URL_CHARS = 4096
MAX_TEXT_BYTES = 1024 * 1024
METHODS = ("deterministic", "llm", "user")

_OUTER = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000\u200b\u2060\ufeff"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_ONE_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_NOT_IN_URL = re.compile(r'[\s\x00-\x1f\x7f-\x9f<>"\\\u200b\u202a-\u202e\u2060-\u2069\ufeff]')
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^\[\]:]+)(?::[0-9]*)?")
_RUNS_CODE = ("javascript", "data", "vbscript")
_NEEDS_HOST = ("http", "https", "ftp", "ftps", "ws", "wss", "ssh", "git")
_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_EXAMPLE = "2026-01-31T09:30:00Z"


def kind_of(value: object) -> str:
    """What JSON calls the type of a value, with its article."""
    if isinstance(value, NotJsonNumber):
        return f"{value.name}, which JSON does not have"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    names = {str: "a string", int: "a number", float: "a number", list: "an array"}
    return names.get(type(value), "an object")


def read_text(value: object) -> str:
    """A text of one or more characters, at most 1 MiB, kept as it is."""
    text = _string(value)
    if not text.strip(_OUTER):
        raise LeafError("must not be empty" if not text else "must not be blank")
    if len(text) > MAX_TEXT_BYTES or (not text.isascii() and len(text.encode()) > MAX_TEXT_BYTES):
        raise LeafError(f"is longer than {MAX_TEXT_BYTES // 1048576} MiB", "keep what matters and split the rest")
    if control := _CONTROL.search(text):
        raise LeafError(f"holds the control character U+{ord(control[0]):04X} at character {control.start()}")
    return text


def read_optional_text(value: object) -> str | None:
    """Like `read_text`, but blank means that nothing was given."""
    return None if isinstance(value, str) and not value.strip(_OUTER) else read_text(value)


def read_name(value: object) -> str:
    """One line of at most 512 characters, outer blanks removed, in Unicode form NFC."""
    text = _string(value).strip(_OUTER)
    if not text or all(unicodedata.category(c) == "Cf" for c in text[:MAX_NAME_CHARS]):
        raise LeafError("must not be empty" if value == "" else "must not be blank")
    # Checked before normalising: normal forms of long runs of combining marks take quadratic time.
    if len(text) > MAX_NAME_CHARS:
        raise LeafError(f"is longer than {MAX_NAME_CHARS} characters", "put the explanation into the description")
    if control := _ONE_LINE.search(text):
        what = "a line break" if control[0] in "\n\r\x0b\x0c\x85\u2028\u2029" else "a control character"
        raise LeafError(f"must be one line: {what} (U+{ord(control[0]):04X}) at character {control.start()}")
    if turning := _TURNING.search(text):
        raise LeafError(f"holds U+{ord(turning[0]):04X}, which turns the direction of what is shown")
    text = unicodedata.normalize("NFC", text)
    if len(text) > MAX_NAME_CHARS:
        raise LeafError(f"is longer than {MAX_NAME_CHARS} characters in Unicode form NFC")
    return text


def read_url(value: object) -> str:
    """An absolute URL or IRI, kept as given but for outer blanks."""
    url = _string(value).strip(_OUTER)
    if not url:
        raise LeafError("must not be empty" if value == "" else "must not be blank")
    if len(url) > MAX_URL_CHARS:
        raise LeafError(f"is longer than {MAX_URL_CHARS} characters")
    if wrong := _NOT_IN_URL.search(url):
        raise LeafError(*_no_url_character(url, wrong[0]))
    scheme = _SCHEME.match(url)
    if scheme is None:
        looks_like_host = "." in url.partition("/")[0].strip(".")
        hint = (
            f"did you mean {shown('https://' + url)}?"
            if looks_like_host
            else "start with https://, file:/// or another scheme"
        )
        raise LeafError(f"{shown(url)} is not absolute: it has no scheme", hint)
    name, rest = scheme[1].lower(), url[scheme.end() :]
    if name in _RUNS_CODE:
        raise LeafError(f"{name}: URLs are no source", "give the address of the page")
    if len(name) == 1:
        raise LeafError(f"{shown(url)} is a path, not a URL", "start with file:///")
    if name in _NEEDS_HOST:
        _check_host(url, name, rest)
    elif not rest.strip("/"):
        raise LeafError(f"{shown(url)} has nothing after its scheme")
    return url


def read_moment(value: object) -> str:
    """An RFC 3339 date-time as UTC `YYYY-MM-DDTHH:MM:SS.mmmZ`; digits past the millisecond are cut off.

    23:59:60 UTC, a leap second, is the first instant of the next day (as in POSIX time).
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise LeafError("must be a string, not a number", f"write the time like {_EXAMPLE}")
    import datetime

    text = _string(value).strip(_OUTER)
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise LeafError(*_no_moment(text))
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    is_leap = second == 60
    try:
        local = datetime.datetime(year, month, day, hour, minute, 59 if is_leap else second)
    except ValueError as error:
        raise LeafError(f"{shown(text)} does not exist: {error}") from None
    sign, hours, minutes = match[8], int(match[9] or 0), int(match[10] or 0)
    if hours > 23 or minutes > 59:
        raise LeafError(f"{shown(text)} has an offset that does not exist")
    offset = datetime.timedelta(hours=hours, minutes=minutes)
    try:
        utc = local + offset if sign == "-" else local - offset
        if is_leap and (utc.hour, utc.minute) != (23, 59):
            raise LeafError(f"{shown(text)} does not exist: a leap second comes only at 23:59:60 UTC")
        utc += datetime.timedelta(seconds=1 if is_leap else 0)
    except OverflowError:
        raise LeafError(f"{shown(text)} is outside the years 0001 to 9999 in UTC") from None
    milliseconds = "000" if is_leap else ((match[7] or "") + "000")[:3]
    return f"{utc.isoformat()}.{milliseconds}Z"


def read_relation_type(value: object) -> str:
    """One of the 15 types, spelt exactly."""
    word = _string(value)
    if word in PREDICATES:
        return word
    if word == DESCRIBES:
        raise LeafError(
            "DESCRIBES is written by the program itself, from the reference to each concept", "leave this relation out"
        )
    if not word.strip():
        raise LeafError("must not be empty", type_hint(""))
    raise LeafError(f"{shown(word)} is not a relation type", type_hint(word))


def read_confidence(value: object) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        hint = "write the number without quotes" if isinstance(value, str) else ""
        raise LeafError(f"must be a number from 0 to 1, not {kind_of(value)}", hint)
    if not 0 <= value <= 1:
        hint = f"{value:g} per cent is {value / 100:g}" if 1 < value <= 100 else ""
        raise LeafError(f"must be a number from 0 to 1, not {value:g}", hint)
    return float(value)


def read_method(value: object) -> str:
    """How a claim was found: one of `METHODS`."""
    word = _string(value)
    if word not in METHODS:
        meant = word.strip().lower()
        hint = f"did you mean {meant}?" if meant in METHODS else ""
        raise LeafError(f"must be deterministic, llm or user, not {shown(word)}", hint)
    return word


def _string(value: Any) -> str:
    if isinstance(value, str):
        if wrong := _SURROGATE.search(value):
            raise LeafError(f"holds half a surrogate pair (\\u{ord(wrong[0]):04x}) at character {wrong.start()}")
        return value
    hint = ""
    if isinstance(value, list):
        hint = "join the parts into one string"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        hint = f'write it in double quotes: "{str(value)[:40]}"' if abs(value) < 1e300 else ""
    raise LeafError(f"must be a string, not {kind_of(value)}", hint)


def _check_host(url: str, name: str, rest: str) -> None:
    authority = re.split(r"[/?#]", rest[2:], maxsplit=1)[0] if rest.startswith("//") else ""
    host = authority.rpartition("@")[2]
    if not rest.startswith("//") or not host or host.startswith(":"):
        raise LeafError(f"{shown(url)} names no host", f"write {name}://host/path")
    if not _HOST.fullmatch(host):
        raise LeafError(f"{shown(url)} has a host that cannot be right: {shown(host)}")


def _no_url_character(url: str, c: str) -> tuple[str, str]:
    if c.isspace():
        return f"{shown(url)} holds a blank", "write %20 for a space"
    if c == "\\":
        return f"{shown(url)} holds a backslash", "write / between the parts, and file:///C:/... for a path"
    if c in "<>":
        return f"{shown(url)} holds {c}", "give the bare address, without < and >"
    return f"holds a character that no URL has (U+{ord(c):04X})", ""


def _no_moment(text: str) -> tuple[str, str]:
    if not text:
        return "must not be empty", "leave the key out when the time is not known"
    what = f"{shown(text)} is not an RFC 3339 date-time"
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return f"{what}: it is a date without a time", f"write {shown(text + 'T00:00:00Z')}"
    if re.fullmatch(r"[0-9-]{10}[Tt ][0-9:]{8}(?:\.[0-9]+)?", text):
        return f"{what}: it has no offset", f"write {shown(text + 'Z')} if it is UTC, else the offset, as in +09:00"
    if re.fullmatch(r"[0-9-]{10}[Tt ][0-9]{2}:[0-9]{2}(?:[Zz]|[+-][0-9:]*)?", text):
        return f"{what}: it has no seconds", f"write it like {_EXAMPLE}"
    if re.fullmatch(r".*[+-][0-9]{4}", text[-40:]):
        return f"{what}: its offset has no colon", f"write {shown(text[:-2] + ':' + text[-2:])}"
    return what, f"write it like {_EXAMPLE}"
