"""The ledger's files: lines of JSON that are only ever appended, so that any number of processes may write at once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

FOLDER = "ledger"
TEXTS = "texts"
MAX_LINE_BYTES = 256 * 1024
"""A longer record is not written: a line is written by one call, or not at all."""


def line_of(record: dict[str, Any]) -> bytes:
    """A record as the line that stands for it."""
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


class LedgerFiles:
    """The files of one home: one a month, named by it, and the texts that records name by their hash."""

    def __init__(self, home: str) -> None:
        self.folder = os.path.join(home, FOLDER)
        self.unreadable = 0
        """Lines that could not be read so far."""

    def path(self, at: str) -> str:
        """The file of a moment (UTC ISO 8601)."""
        return os.path.join(self.folder, f"{at[:7]}.jsonl")

    def append(self, at: str, line: bytes) -> bool:
        """Write one line with one call; false where it cannot be written."""
        if len(line) > MAX_LINE_BYTES:
            return False
        try:
            handle = self._open(self.path(at))
        except OSError:
            return False
        try:
            return os.write(handle, line) == len(line)
        except OSError:
            return False
        finally:
            os.close(handle)

    def records(self, *, since: str = "", containing: str = "") -> Iterator[dict[str, Any]]:
        """Records, month by month in the order in which they were written; `since` leaves out earlier months.

        Lines in which a text does not stand as a JSON string are passed over unread when `containing` names it.
        """
        needle = json.dumps(containing).encode("ascii") if containing else b""
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.endswith(".jsonl"))
        except OSError:
            return
        for name in names:
            if since and name < f"{since[:7]}.jsonl":
                continue
            with open(os.path.join(self.folder, name), "rb") as stream:
                for line in stream:
                    if needle not in line:
                        continue
                    record = _parsed(line)
                    if record is None:
                        self.unreadable += bool(line.strip())
                    else:
                        yield record

    def keep_text(self, name: str, text: str) -> None:
        """Keep a text under a name that is its hash; a text that is there already costs a look."""
        path = self._text_path(name)
        if os.path.exists(path):
            return
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            scratch = f"{path}.{os.getpid()}"
            with open(scratch, "w", encoding="utf-8", errors="replace", newline="") as stream:
                stream.write(text)
            os.replace(scratch, path)
        except OSError:
            return

    def text(self, name: str) -> str:
        """A kept text, empty when there is none."""
        try:
            with open(self._text_path(name), encoding="utf-8", errors="replace", newline="") as stream:
                return stream.read()
        except OSError:
            return ""

    def texts(self) -> Iterator[str]:
        """Every kept text."""
        base = os.path.join(self.folder, TEXTS)
        for folder, _, names in os.walk(base):
            for name in sorted(names):
                if "." not in name:
                    yield self.text(name) if os.path.basename(folder) == name[:2] else ""

    def _text_path(self, name: str) -> str:
        return os.path.join(self.folder, TEXTS, name[:2], name)

    def _open(self, path: str) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            return os.open(path, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(self.folder, exist_ok=True)
            return os.open(path, flags, 0o600)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
