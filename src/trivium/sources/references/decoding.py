"""From the bytes that were handed over to the text that should be JSON."""

from __future__ import annotations

import re

from trivium.errors import PayloadError

MAX_BYTES = 64 * 1024 * 1024
"""The largest input that is read at once."""

_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le", "UTF-32"),
    (b"\x00\x00\xfe\xff", "utf-32-be", "UTF-32"),
    (b"\xff\xfe", "utf-16-le", "UTF-16"),
    (b"\xfe\xff", "utf-16-be", "UTF-16"),
)
_UNMARKED_UTF16 = (("utf-16-le", slice(1, 8, 2)), ("utf-16-be", slice(0, 8, 2)))
_FENCE = re.compile(r"(?:`{3,}|~{3,})[ \t]*[\w.+-]*")


def decode(data: bytes | str) -> tuple[str, list[str]]:
    """Text and the repairs that were needed; PayloadError for what is too large or is no text."""
    if len(data) > MAX_BYTES:
        raise PayloadError(
            f"The input is too large: {len(data) / 1048576:.1f} MiB;"
            f" at most {MAX_BYTES // 1048576} MiB are read at once",
            hint="Send it in several parts.",
        )
    notices: list[str] = []
    text = data if isinstance(data, str) else _from_bytes(data, notices)
    if text.startswith("\ufeff"):
        text = text[1:]
        notices.append("a byte order mark at the start was left out")
    return text, notices


def _from_bytes(data: bytes, notices: list[str]) -> str:
    for mark, codec, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            notices.append(f"the input was read as {name}, as its byte order mark says")
            return _strictly(data[len(mark) :], codec, name, len(mark))
    for codec, zeros in _UNMARKED_UTF16:
        if len(data) >= 8 and not any(data[zeros]):
            notices.append("the input was read as UTF-16, as its zero bytes show")
            return _strictly(data, codec, "UTF-16", 0)
    return _strictly(data, "utf-8", "UTF-8", 0)


def _strictly(data: bytes, codec: str, name: str, skipped: int) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(codec, "replace").count("\n") + 1
        raise PayloadError(
            f"Invalid JSON: line {line}: byte 0x{data[error.start]:02x} at offset {error.start + skipped}"
            f" is not {name} ({error.reason})",
            hint="Save the text as UTF-8.",
        ) from None


def without_fence(text: str) -> tuple[str, list[str]]:
    """The inside of a markdown code fence that encloses the whole text; lines and columns stay where they were."""
    start = len(text) - len(text.lstrip())
    opening = _FENCE.match(text, start)
    if opening is None:
        return text, []
    end = len(text.rstrip())
    body = text[opening.end() : end]
    unfenced = body.rstrip(text[start])
    if len(body) - len(unfenced) >= 3:
        body = unfenced
    return re.sub(r"[^\n]", " ", text[: opening.end()]) + body, ["the markdown code fence around the JSON was left out"]
