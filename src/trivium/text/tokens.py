"""Text to index terms: one function for what is indexed and what is asked, so that both meet."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from trivium.text.stems import stem

TOKENISER_VERSION = 2
"""Stored with an index: terms of two versions never meet."""

MAX_TOKEN_CHARS = 64
"""Longer words are cut: nobody types them, and one blob must not fill an index."""

# Scripts written without spaces between words, or (Hangul) with endings glued on.
_DENSE = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographic iteration, closing and zero marks
    (0x3040, 0x30FF),  # kana
    (0x3100, 0x318F),  # Bopomofo, Hangul letters
    (0x31A0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),  # Burmese
    (0xAA60, 0xAA7F),
    (0xAC00, 0xD7FF),  # Hangul syllables
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def _kind(char: str) -> str:
    """U upper, L other letter, D digit, M mark, C dense script, S symbol, R half a flag, ~ left out, or itself."""
    code = ord(char)
    category = unicodedata.category(char)
    if category[0] == "M" or char == "\u200d":
        return "~" if code == 0x200D or 0xFE00 <= code <= 0xFE0F or code == 0x20E3 else "M"
    if category[0] in "LN" and any(low <= code <= high for low, high in _DENSE):
        return "C"
    if category[0] == "L":
        return "U" if category in ("Lu", "Lt") else "L"
    if category[0] == "N":
        return "D"
    if 0x1F1E6 <= code <= 0x1F1FF:
        return "R"
    if 0x1F3FB <= code <= 0x1F3FF or category == "Cf":
        return "~"
    if code < 0x80:
        return char if char.isprintable() else " "
    if char == "\u2019":
        return "'"
    if char in "\u2010\u2011":
        return "-"
    return "S" if category[0] == "S" else " "


class _Shapes(dict[int, str]):
    """Character codes to kinds, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(chr(code))
        return kind


_SHAPES = _Shapes()

# All patterns below run over the kinds of the characters, not over the characters.
_WORD = r"[ULD][ULDM]*"
_PIECE = re.compile(
    # an option (--dry-run), a scope (@scope/pkg), a dot name (.NET), a variable ($PATH), a tag (#tag)
    rf"(?P<word>(?:(?<![-ULDMC])--?|(?<![.ULDMC])\.|(?<![ULDMC])[@$#])?"
    rf"{_WORD}(?:\+\+|(?<=^U)#|(?<=[^-_./:@+&ULDM]U)#)?"
    rf"(?:(?:://|::|->|/[.@]?|[-_.:@+&#']){_WORD}(?:\+\+)?)*)"
    r"|(?P<dense>C[CM]*)"
    r"|(?P<flag>RR)"
    r"|(?P<symbol>S)"
    r"|(?P<operator>(?<![^ ])[-!$%&+/<=>?^|~:]{1,3}(?![^ ]))"
)
_UNIT = re.compile("CM*")
_RUN = re.compile("C+")
_SEGMENT = re.compile(r"[^/:@&']+")
_PART = re.compile(rf"{_WORD}(?:\+\+|#(?![ULD]))?")
_HUMP = re.compile(r"[UM]+(?=U[LM])|U?[LM]+|[UM]+|D[DM]*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_VERSION = re.compile(r"v?\d+(?:[.:]\d+)+")
# Bullets, rulers and quotation marks of plain text, which are no operators.
_RULERS = frozenset(("-", "--", "---", "=", "===", ":", "/", "//", "~", "~~", "~~~", "?", "??", ">", ">>", ">>>", "|"))

# Not compiled at import: an ASCII query never needs them.
_ACCENTS = "(?<![\u0400-\u052f])[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]+"
_POINTS = "[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]"
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ё": "е"})

# Most chunks of a text have been met before: the memory makes indexing several times faster.
_KNOWN: dict[str, tuple[tuple[str, bool], ...]] = {}
_KNOWN_LIMIT = 50_000
_KNOWN_CHARS = 24


def tokens(text: str) -> list[str]:
    """Every index term of a text, in order and as often as it occurs.

    NFKC, case folded, without diacritics where they are optional. An identifier gives itself and its parts, a Latin
    word its stem, a run of an unspaced script its characters and its pairs. Terms hold no white space, are at most
    `MAX_TOKEN_CHARS` long, and are never query syntax.
    """
    return [token for chunk in _chunks(text) for token, _ in chunk]


class _Joined(dict[str, str]):
    """Chunks to their terms joined by blanks, filled as chunks are met."""

    def __missing__(self, chunk: str) -> str:
        shape = chunk.translate(_SHAPES)
        if shape.strip("C "):
            found = " ".join([term for term, _ in _terms(chunk)])
        else:
            found = " ".join([_dense_text(chunk[run.start() : run.end()]) for run in _RUN.finditer(shape)])
        if len(chunk) <= _KNOWN_CHARS:
            if len(self) >= _KNOWN_LIMIT:
                self.clear()
            self[chunk] = found
        return found


_JOINED = _Joined()


def joined(text: str) -> str:
    """`tokens`, joined by blanks: what a word index stores, in a third of the time."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(filter(None, map(_JOINED.__getitem__, text.split())))


def _dense_text(run: str) -> str:
    return " ".join([term for unit, following in pairwise(run) for term in (unit, unit + following)] + [run[-1]])


def words(text: str) -> list[str]:
    """The units a reader would count, without compounds beside their parts: a subset of `tokens`."""
    return [token for chunk in _chunks(text) for token, is_leaf in chunk if is_leaf]


def script(token: str) -> str:
    """What a token is written in: `dense` (unspaced scripts), `latin`, `other`, or empty for numbers and symbols."""
    for char in token:
        kind = _SHAPES[ord(char)]
        if kind == "C":
            return "dense"
        if kind in "UL":
            return "latin" if ord(char) < 0x250 else "other"
    return ""


def _chunks(text: str) -> list[tuple[tuple[str, bool], ...]]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    found = []
    for chunk in text.split():
        terms = _KNOWN.get(chunk)
        if terms is None:
            terms = tuple(_terms(chunk))
            if len(chunk) <= _KNOWN_CHARS:
                if len(_KNOWN) >= _KNOWN_LIMIT:
                    _KNOWN.clear()
                _KNOWN[chunk] = terms
        found.append(terms)
    return found


def _terms(chunk: str) -> list[tuple[str, bool]]:
    """Terms of a text without white space, each with whether it is a leaf."""
    if chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk[1:].islower() or chunk.isupper()):
        return [(stem(chunk.lower()[:MAX_TOKEN_CHARS]), True)]
    if "," in chunk:
        chunk = _THOUSANDS.sub("", chunk)
    shape = chunk.translate(_SHAPES)
    if "~" in shape:
        chunk = "".join(char for char, kind in zip(chunk, shape, strict=True) if kind != "~" or char == "~")
        shape = chunk.translate(_SHAPES)
    terms: list[tuple[str, bool]] = []
    for match in _PIECE.finditer(shape):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "word":
            _word_terms(chunk[start:end], shape[start:end], terms)
        elif kind == "dense":
            _dense_terms(chunk[start:end], shape[start:end], terms)
        elif kind != "operator" or chunk[start:end] not in _RULERS:
            terms.append((chunk[start:end], True))
    return terms


def _dense_terms(run: str, shape: str, terms: list[tuple[str, bool]]) -> None:
    if "M" not in shape:
        last = run[-1]
        terms += [term for unit, following in pairwise(run) for term in ((unit, False), (unit + following, True))]
        terms.append((last, len(run) == 1))
        return
    units = [run[match.start() : match.end()] for match in _UNIT.finditer(shape)]
    for at, unit in enumerate(units):
        terms.append((unit, len(units) == 1))
        if at + 1 < len(units):
            terms.append((unit + units[at + 1], True))


def _word_terms(piece: str, shape: str, terms: list[tuple[str, bool]]) -> None:
    """A word, or a compound: itself, its segments (of a path, an address) and its parts."""
    whole = fold(piece)
    if _VERSION.fullmatch(whole):
        terms.append((whole[:MAX_TOKEN_CHARS], True))
        if whole[0] == "v":
            terms.append((whole[1:MAX_TOKEN_CHARS], False))
        return
    if _PART.fullmatch(shape):
        _part_terms(piece, shape, terms)
        return
    if "'" not in shape and len(whole) <= MAX_TOKEN_CHARS:
        terms.append((whole, False))
    for segment in _SEGMENT.finditer(shape):
        parts = [match.span() for match in _PART.finditer(shape, *segment.span())]
        if len(parts) > 1:
            name = fold(piece[parts[0][0] : parts[-1][1]])
            if name != whole and len(name) <= MAX_TOKEN_CHARS:
                terms.append((name, False))
        for low, high in parts:
            # The l of l'avion and the s of user's are no words.
            if high - low > 1 or "'" not in (shape[low - 1 : low], shape[high : high + 1]):
                _part_terms(piece[low:high], shape[low:high], terms)


def _part_terms(part: str, shape: str, terms: list[tuple[str, bool]]) -> None:
    """One word of a piece and, if it has humps or digits, those."""
    word = fold(part)[:MAX_TOKEN_CHARS]
    is_plural_acronym = shape[-1] == "L" and part[-1] == "s" and not shape[:-1].strip("U")
    names = []
    if not is_plural_acronym and shape[-1] not in "+#":
        humps = [match.span() for match in _HUMP.finditer(shape)]
        if len(humps) > 1:
            names = [fold(part[low:high]) for low, high in humps if high - low > 1 or shape[low] == "D"]
    if names:
        terms.append((word, False))
        terms.extend((stem(name), True) for name in names)
    else:
        terms.append((stem(word), True))


def fold(word: str) -> str:
    """Case folded, without accents of Latin and Greek and points of Hebrew and Arabic; other marks stay."""
    if word.isascii():
        return word.lower()
    bare = re.sub(_POINTS, "", re.sub(_ACCENTS, "", unicodedata.normalize("NFD", word.casefold())))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)
