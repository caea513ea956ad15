"""Telling what we ourselves told: text that was shown to an agent is no new knowledge when it comes back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from zlib import adler32, crc32

from trivium.domains.routing.compile import CLOSING, OPENING
from trivium.domains.routing.ledger.records import Ledger

MIN_CHARS = 16
"""A shorter piece says nothing of where it came from; scripts without spaces say as much in half of that."""

_BLOCK = re.compile(re.escape(OPENING) + r".*?(?:" + re.escape(CLOSING) + r"|\Z)", re.DOTALL)
_HEAD = re.compile(r"^## [^\n]{1,200}\(relevance: \d+%\)[ \t]*$", re.MULTILINE)
_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？．])|\n+")
_MARKS = re.compile(r"^[\s>*+#\-\d.()`_|]+|[\s*`_|.,;:!?。！？]+$")


def without_blocks(text: str) -> str:
    """A text without the blocks that were put into it, also those that were cut off before their end."""
    return _HEAD.sub("", _BLOCK.sub("", text))


class Echoes:
    """Everything that was ever shown, by the fingerprints of its sentences."""

    def __init__(self, ledger: Ledger) -> None:
        self._known: set[int] = set()
        for text in ledger.files.texts():
            self._known.update(number for _, number in _pieces(text) if number)

    def __len__(self) -> int:
        return len(self._known)

    def share(self, text: str) -> float:
        """How much of a text was shown before, in [0, 1] of its letters; 0 for a text that says nothing."""
        pieces = list(_pieces(text))
        total = sum(len(piece) for piece, _ in pieces)
        bare = {number for _, number in _pieces(without_blocks(text))}
        told = sum(len(piece) for piece, number in pieces if number in self._known or number not in bare)
        return told / total if total else 0.0

    def without(self, text: str) -> str:
        """What of a text is its own: blocks and sentences that were shown are taken out."""
        kept = [piece for piece, number in _pieces(without_blocks(text)) if number not in self._known]
        # Words of two letters that remain of a quotation are no knowledge either.
        own = "\n".join(kept).strip()
        return own if sum(map(str.isalnum, own)) >= 3 else ""

    def is_echo(self, text: str) -> bool:
        """Whether a text is nothing but what was shown before."""
        return bool(text.strip()) and not self.without(text)


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """Sentences and lines of a text, each with its fingerprint; 0 for one too short to have one."""
    for piece in _ENDS.split(text):
        if not piece or not piece.strip():
            continue
        plain = _MARKS.sub("", " ".join(unicodedata.normalize("NFKC", piece).casefold().split()))
        weight = sum(2 if char > "\u2e80" else 1 for char in plain)
        yield piece, _number(plain) if weight >= MIN_CHARS else 0


def _number(plain: str) -> int:
    data = plain.encode("utf-8", "replace")
    return (crc32(data) << 32) | adler32(data)
