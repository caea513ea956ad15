"""Text to piece ids: the nmt_nfkc normaliser and the unigram model of SentencePiece, walked where they lie in the pack.

The best segmentation is found word by word, which is exact for this vocabulary: no piece reaches across a space.
Unigram model: Kudo (2018), https://arxiv.org/abs/1804.10959.
"""

from __future__ import annotations

from trivium.embed.use.pack import Pack
from trivium.embed.use.trie import HAS_END, LEAF, SHIFT

UNKNOWN = 0
START = 1
STOP = 2
_SPACE = b"\xe2\x96\x81"  # U+2581 stands for the space before a word
_UNKNOWN_PENALTY = 10.0  # an unknown character scores this much less than the worst piece
_BLANKS = bytes.maketrans(b"\t\n\f\r", b"    ")
_CACHED_WORDS = 1 << 15
_CACHED_BYTES = 48
# A longer word is segmented in windows; of each but the last, the pieces near its end are found again in the next one.
_WINDOW_BYTES = 1 << 15
_OVERLAP_BYTES = 1 << 8


class Tokenizer:
    """Turns texts into piece ids; remembers the words it has seen."""

    __slots__ = ("_charsmap", "_charsmap_text", "_scores", "_trie", "_unknown_score", "_words")

    def __init__(self, pack: Pack) -> None:
        self._charsmap = pack.view("charsmap").cast("I")
        self._charsmap_text = bytes(pack.view("charsmap_text"))
        self._trie = pack.view("trie").cast("I")
        self._scores = pack.floats("scores")
        self._unknown_score = pack.floats("constants")[1] - _UNKNOWN_PENALTY
        self._words: dict[bytes, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """The ids of a text between START and STOP; a text without a visible character is one UNKNOWN."""
        ids = [START]
        words = self._words
        for word in _utf8(text).translate(_BLANKS).split(b" "):
            if not word:
                continue
            found = words.get(word)
            if found is None:
                found = self._word(word)
                if len(word) <= _CACHED_BYTES:
                    if len(words) >= _CACHED_WORDS:
                        words.clear()
                    words[word] = found
            ids += found
        if len(ids) == 1:
            ids.append(UNKNOWN)
        ids.append(STOP)
        return ids

    def _word(self, word: bytes) -> list[int]:
        """The ids of a run of bytes without ASCII blanks; normalising may split it into words, or leave none."""
        normal = word if word.isascii() else self._normalised(word)
        ids: list[int] = []
        for part in normal.split(b" "):
            if part:
                rest = _SPACE + part
                while rest:
                    found, size = self._segmented(rest[:_WINDOW_BYTES], is_last=len(rest) <= _WINDOW_BYTES)
                    ids += found
                    rest = rest[size:]
        return ids

    def _normalised(self, word: bytes) -> bytes:
        """Each longest match of the table replaced by its text, every other character kept."""
        units, texts = self._charsmap, self._charsmap_text
        root = units[0] >> 10 << ((units[0] & 0x200) >> 6)
        parts = []
        position, size = 0, len(word)
        while position < size:
            node, end, value = root, 0, 0
            for index in range(position, size):
                byte = word[index]
                node ^= byte
                unit = units[node]
                if unit & 0x800000FF != byte:
                    break
                node ^= unit >> 10 << ((unit & 0x200) >> 6)
                if unit & 0x100:
                    end, value = index + 1, units[node] & 0x7FFFFFFF
            if end:
                parts.append(texts[value : texts.index(b"\0", value)])
            else:
                end = position + _width(word[position])
                parts.append(word[position:end])
            position = end
        return b"".join(parts)

    def _segmented(self, word: bytes, *, is_last: bool) -> tuple[list[int], int]:
        """The pieces of the best segmentation and how many bytes they cover: all, unless more of the word follows.

        Of two segmentations with one score, the one whose last piece starts earlier is taken.
        """
        units, scores, unknown = self._trie, self._scores, self._unknown_score
        size = len(word)
        best = [-1e38] * (size + 1)
        best[0] = 0.0
        start_of = [0] * (size + 1)
        piece_of = [UNKNOWN] * (size + 1)
        root = units[0] >> SHIFT
        start = 0
        while start < size:
            base = best[start]
            next_start = start + _width(word[start])
            offset, is_single = root, False
            for index in range(start, size):
                byte = word[index]
                unit = units[offset ^ byte]
                if unit & 0xFF != byte:
                    break
                offset = unit >> SHIFT
                if unit & (LEAF | HAS_END):
                    piece = (unit if unit & LEAF else units[offset]) >> SHIFT & 0x3FFFFF
                    end = index + 1
                    score = base + scores[piece]
                    if score > best[end]:
                        best[end], start_of[end], piece_of[end] = score, start, piece
                    is_single = is_single or end == next_start
                    if unit & LEAF:
                        break
            if next_start > size:  # the window ends inside a character
                break
            if not is_single and base + unknown > best[next_start]:
                best[next_start], start_of[next_start], piece_of[next_start] = base + unknown, start, UNKNOWN
            start = next_start
        return _backward(start_of, piece_of, start, size if is_last else size - _OVERLAP_BYTES)


def _backward(start_of: list[int], piece_of: list[int], end: int, limit: int) -> tuple[list[int], int]:
    """The pieces of the best path that end at the limit or before, and where the last of them ends."""
    ids: list[int] = []
    covered = 0
    while end > 0:
        if end <= limit:
            ids.append(piece_of[end])
            covered = covered or end
        end = start_of[end]
    ids.reverse()
    return ids, covered


def _width(lead: int) -> int:
    """How many bytes the UTF-8 character with this first byte has."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _utf8(text: str) -> bytes:
    """UTF-8, with U+FFFD, which the normaliser takes for a blank, in place of surrogates that stand alone."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
