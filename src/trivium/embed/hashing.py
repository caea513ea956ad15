"""An embedder that needs no model: words and character n-grams hashed into a vector, for tests and bare machines.

It finds texts that share words or parts of words, in any script; it knows nothing of meaning. Feature hashing:
Weinberger et al. (2009), https://arxiv.org/abs/0902.2206.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivium.embed.base import Progress

VERSION = 1
DEFAULT_DIM = 512
MIN_DIM, MAX_DIM = 16, 65536
_PART_WEIGHT = 0.4  # of an n-gram of characters, beside 1 for the word it stands in


class HashEmbedder:
    """Deterministic on every machine: the same text gives the same bytes."""

    is_remote = False

    def __init__(self, dim: int = DEFAULT_DIM) -> None:
        self.dim = dim
        self.id = f"hash-{VERSION}/{dim}"

    def embed(
        self, texts: Sequence[str], *, is_query: bool = False, on_progress: Progress | None = None
    ) -> list[bytes]:
        """See `Embedder.embed`."""
        vectors = []
        for text in texts:
            vectors.append(self._vector(text))
            if on_progress is not None:
                on_progress(len(vectors), len(texts))
        return vectors

    def _vector(self, text: str) -> bytes:
        import sys
        from zlib import crc32

        values = array("f", bytes(4 * self.dim))
        for (feature, weight), count in Counter(_features(text)).items():
            data = feature.encode("utf-8", "surrogatepass")
            sign = 1.0 if crc32(data, 0x5EED) & 1 else -1.0
            values[crc32(data) % self.dim] += sign * weight * (1.0 + math.log(count))
        length = math.sqrt(math.fsum(value * value for value in values))
        if length == 0.0:  # no features, or such as cancel each other
            values[0] = length = 1.0
        unit = array("f", [value / length for value in values])
        if sys.byteorder == "big":
            unit.byteswap()
        return unit.tobytes()


def _features(text: str) -> Iterator[tuple[str, float]]:
    """(feature, weight) of each word and its n-grams: of 3 and 4 characters, of 1 and 2 where words are not spaced."""
    from unicodedata import normalize

    for word in _words(normalize("NFKC", text).casefold()):
        yield f"w{word}", 1.0
        framed = f"<{word}>"
        for size in (3, 4) if word.isascii() or ord(word[0]) < 0x0E00 else (1, 2):
            for start in range(len(framed) - size + 1):
                yield f"{size}{framed[start : start + size]}", _PART_WEIGHT


def _words(text: str) -> Iterator[str]:
    """Runs of letters, digits, underscores and the marks that go with them."""
    from unicodedata import category

    start = -1
    for index, character in enumerate(text):
        if character.isalnum() or character == "_" or category(character)[0] == "M":
            if start < 0:
                start = index
        elif start >= 0:
            yield text[start:index]
            start = -1
    if start >= 0:
        yield text[start:]
