"""One payload, an array of payloads or one payload a line: found out, read, and refused or reported."""

from __future__ import annotations

from typing import Any

from trivium.errors import PayloadError

from .decoding import decode, without_fence
from .records import read_payload
from .syntax import parse_json, strict_value
from .values import ParsedBatch, Payload, Report

_MAX_WRAPS = 3
_HINT = "Correct what is listed and send the input again; the schema names every key and type."


class _Item:
    """One payload to read: its JSON value, or why its line is no JSON."""

    __slots__ = ("fault", "line", "value")

    def __init__(self, value: Any = None, line: int = 0, fault: str = "") -> None:
        self.value = value
        self.line = line
        self.fault = fault


def read_batch(data: bytes | str, keep_valid: bool) -> ParsedBatch:
    """See `parse_payloads`."""
    report = Report()
    text, notices = decode(data)
    for notice in notices:
        report.note(notice, "")
    items, is_batch = _items(text, report)
    payloads: list[Payload] = []
    for number, item in enumerate(items):
        path = f"/{number}" if is_batch else ""
        report.line = item.line
        if item.fault:
            report.line = 0
            report.syntax_count += 1
            report.skipped += 1
            report.add(path, item.fault)
        elif (payload := read_payload(item.value, path, report)) is not None:
            payloads.append(payload)
    report.line = 0
    if is_batch and not items:
        report.add("", "holds no payload")
    if report.total and not keep_valid:
        raise _refusal(report, len(items), is_batch)
    return ParsedBatch(tuple(payloads), report.all_problems(), report.notices(), report.skipped)


def _items(text: str, report: Report) -> tuple[list[_Item], bool]:
    """The payloads of a text and whether it was a batch; PayloadError when the text is no JSON."""
    for _ in range(_MAX_WRAPS):
        text, notices = without_fence(text)
        for notice in notices:
            report.note(notice, "")
        value = _whole_value(text, report)
        if value is _LINES:
            return _line_items(text, report), True
        if not isinstance(value, str):
            break
        if not value.lstrip().startswith(("{", "[", "`")):
            break
        report.note("JSON inside a string read as JSON", "(root)")
        text = value
    if isinstance(value, list):
        return [_Item(item) for item in value], True
    return [_Item(value)], False


_LINES = object()


def _whole_value(text: str, report: Report) -> Any:
    """The one value of a text, or `_LINES` when it is one payload a line."""
    try:
        return strict_value(text)
    except (ValueError, RecursionError):
        pass
    if _is_one_a_line(text):
        return _LINES
    value, repairs = parse_json(text)
    for repair in repairs:
        report.note(*repair)
    return value


def _is_one_a_line(text: str) -> bool:
    """Whether a text that is no JSON as a whole is meant as JSON Lines.

    It is when some line alone is an object with a key of a payload, or when every line starts with an opening
    brace: so that one broken line does not hide what the others are.
    """
    lines = [line for _, line in _lines(text)]
    if len(lines) < 2 or lines[0].startswith("[") or any(line.startswith(("```", "~~~")) for line in lines):
        return False
    if all(line.startswith("{") for line in lines):
        return True
    return any(_is_payload(line) for line in lines if line.startswith("{"))


def _is_payload(line: str) -> bool:
    try:
        value = strict_value(line.rstrip(","))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and ("reference" in value or "concepts" in value)


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that hold something, without outer blanks, and their numbers from 1; comment lines left out."""
    numbered = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [(number, line) for number, line in numbered if line and not line.startswith(("#", "//"))]


def _line_items(text: str, report: Report) -> list[_Item]:
    items: list[_Item] = []
    for number, line in _lines(text):
        try:
            value, repairs = parse_json(line, first_line=number)
        except PayloadError as error:
            items.append(_Item(line=number, fault=error.message))
            continue
        for repair in repairs:
            report.note(*repair)
        items.append(_Item(value, number))
    return items


def _refusal(report: Report, count: int, is_batch: bool) -> PayloadError:
    problems = [str(problem) for problem in report.all_problems()]
    if report.total == report.syntax_count == 1:
        message = report.problems[0].message
    elif report.total == report.syntax_count:
        message = f"Invalid JSON: {report.total} of {count} lines cannot be read"
    elif report.total == sum(len(paths) - 1 for _, paths in report.duplicates):
        message = "Duplicate concept ids"
        problems = [
            " = ".join(spellings) + (f" ({', '.join(paths)})" if is_batch else "")
            for spellings, paths in report.duplicates
        ]
    else:
        message = f"Schema validation failed: {report.total} problem" + ("s" if report.total > 1 else "")
    return PayloadError(message, details=problems, hint=_HINT)
