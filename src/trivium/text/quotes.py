"""Where a quote stands in a text: verbatim, else but for blanks and typography, else the passage nearest to it.

Offsets count characters and slice the original text. A match carries what a W3C Web Annotation TextQuoteSelector
and TextPositionSelector hold: start, end, and the 32 characters before and after. Every function takes time
proportional to the text plus the quote, whatever they hold.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

CONTEXT_CHARS = 32
MAX_HINT_CHARS = 256
"""Of a hint only this much is compared with each occurrence."""

MAX_CLUSTER_CHARS = 32
"""Longer runs of combining marks are left as they are: their normal forms take quadratic time."""

MAX_WORD_CHARS = 24

MAX_SHORT_CHARS = 15
"""Quotes up to this length are compared by pairs of characters, longer ones by threes."""

_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼʹ′＇", "'"),
        **dict.fromkeys("“”„‟«»″＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    }
)
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_NO_SPACE_SCRIPTS = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_BLANKS = re.compile(
    rf"[\s{_INVISIBLE}]{{2,}}|[^\S ]|[{_INVISIBLE}]|(?<=[{_NO_SPACE_SCRIPTS}]) (?=[{_NO_SPACE_SCRIPTS}])"
)
_WORD_HEAD = re.compile(rf"(?<!\w)([^\W{_NO_SPACE_SCRIPTS}]+)[^\W{_NO_SPACE_SCRIPTS}]$")
_WORD_TAIL = re.compile(rf"[^\W{_NO_SPACE_SCRIPTS}]([^\W{_NO_SPACE_SCRIPTS}]+)(?!\w)")
_BLANK_ONLY = re.compile(rf"[\s{_INVISIBLE}]*")
_UNSPACED = re.compile(f"[{_NO_SPACE_SCRIPTS}]")


class QuoteMatch(NamedTuple):
    """A quote in a text: `text[start:end]` is it, `line` counts from 1, `occurrences` that do not
    overlap.

    `is_exact` is False when blanks, Unicode form, quotation marks or dashes differ from the quote as given.
    """

    start: int
    end: int
    is_exact: bool
    occurrences: int
    line: int
    prefix: str
    suffix: str


class NearestPassage(NamedTuple):
    """The passage most like a quote that stands nowhere: `text` is `[start:end]` of the source.

    `similarity` is the share of the quote's character triples (pairs in a short quote) that it holds, in (0, 1];
    `line` counts from 1.
    """

    start: int
    end: int
    text: str
    similarity: float
    line: int


def find_quote(text: str, quote: str, *, prefix: str = "", suffix: str = "") -> QuoteMatch | None:
    """The place of a quote, or None when it stands nowhere; a blank quote stands nowhere.

    Of several occurrences the first is taken, or the one whose surroundings fit `prefix` and `suffix` best.
    """
    if _BLANK_ONLY.fullmatch(quote):
        return None
    start, count = _choose(text, quote, prefix, suffix)
    if count:
        return _match(text, start, start + len(quote), True, count)
    folded, wanted = _Folded(text), _Folded(quote).text.strip()
    if not wanted:
        return None
    start, count = _choose(folded.text, wanted, _Folded(prefix).text, _Folded(suffix).text)
    if not count:
        return None
    return _match(text, folded.start_of(start), folded.end_of(start + len(wanted)), False, count)


def nearest(text: str, quote: str) -> NearestPassage | None:
    """The passage of about the quote's length that shares most with it, case set aside; None when none does."""
    folded, wanted = _Folded(text), _lower(_Folded(quote).text.strip())
    size = min(3 if len(wanted) > MAX_SHORT_CHARS else 2, len(wanted))
    if not size:
        return None
    grams: dict[str, int] = {}
    for gram in _grams(wanted, size):
        grams[gram] = grams.get(gram, 0) + 1
    length = len(wanted) - size + 1
    best, first, last = _best_window(_grams(_lower(folded.text), size), grams, length)
    if not best:
        return None
    first, end = _whole_words(folded.text, first, last + size)
    end = first + len(folded.text[first:end].rstrip())
    start, end = folded.start_of(first), folded.end_of(end)
    return NearestPassage(start, end, text[start:end], best / length, _line(text, start))


def _best_window(places: Iterable[str], grams: dict[str, int], length: int) -> tuple[int, int, int]:
    """Shared grams, first and last place of the window of `length` places that shares most; the first of equals."""
    spare = dict(grams)
    window: deque[tuple[int, str]] = deque()
    shared = best = first = last = 0
    for place, gram in enumerate(places):
        if gram not in spare:
            continue
        window.append((place, gram))
        shared += spare[gram] > 0
        spare[gram] -= 1
        while window[0][0] <= place - length or spare[window[0][1]] < 0:
            gone = window.popleft()[1]
            spare[gone] += 1
            shared -= spare[gone] > 0
        if shared > best:
            best, first, last = shared, window[0][0], place
    return best, first, last


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span widened to whole words, where words are short and set apart by spaces."""
    left = text[max(0, start - MAX_WORD_CHARS) : start + 1]
    right = text[end - 1 : end + MAX_WORD_CHARS]
    before, after = _WORD_HEAD.search(left), _WORD_TAIL.match(right)
    return start - (len(before[1]) if before else 0), end + (len(after[1]) if after else 0)


def _grams(text: str, size: int) -> Iterator[str]:
    return map("".join, zip(*(text[shift:] for shift in range(size)), strict=False))


def _lower(text: str) -> str:
    """Lower case that keeps each character in its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _choose(text: str, quote: str, prefix: str, suffix: str) -> tuple[int, int]:
    """Start of the occurrence to take and how many there are that do not overlap; (-1, 0) for none."""
    if not prefix and not suffix:
        return text.find(quote), text.count(quote)
    before, after = prefix[-MAX_HINT_CHARS:][::-1], suffix[:MAX_HINT_CHARS]
    best, best_fit, count = -1, -1, 0
    start = text.find(quote)
    while start >= 0:
        end = start + len(quote)
        fit = _common(text[max(0, start - len(before)) : start][::-1], before)
        fit += _common(text[end : end + len(after)], after)
        if fit > best_fit:
            best, best_fit = start, fit
        count += 1
        start = text.find(quote, end)
    return best, count


def _common(one: str, other: str) -> int:
    """How many characters two texts share from their start."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _match(text: str, start: int, end: int, is_exact: bool, count: int) -> QuoteMatch:
    prefix, suffix = text[max(0, start - CONTEXT_CHARS) : start], text[end : end + CONTEXT_CHARS]
    return QuoteMatch(start, end, is_exact, count, _line(text, start), prefix, suffix)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


class _Folded:
    """A text with its typography evened out, and the way back to the places of the original."""

    __slots__ = ("_steps", "text")

    def __init__(self, original: str) -> None:
        text = original.translate(_TYPOGRAPHY)
        self._steps: list[_Replaced] = []
        for pattern, new in ((_clusters(text), _composed), (_BLANKS, _blank)):
            if pattern is not None:
                step = _Replaced()
                text = step.apply(text, pattern, new)
                self._steps.append(step)
        self.text = text

    def start_of(self, place: int) -> int:
        """The original place where the character at a folded place starts."""
        for step in reversed(self._steps):
            place = step.start_of(place)
        return place

    def end_of(self, place: int) -> int:
        """The original place where the character before a folded place ends."""
        for step in reversed(self._steps):
            place = step.end_of(place)
        return place


class _Replaced:
    """The spans that one pass replaced: places after it (`new`) and before it (`old`), in order."""

    __slots__ = ("new_ends", "new_starts", "old_ends", "old_starts")

    def __init__(self) -> None:
        self.new_starts: list[int] = []
        self.new_ends: list[int] = []
        self.old_starts: list[int] = []
        self.old_ends: list[int] = []

    def apply(self, text: str, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> str:
        """The text with each match of the pattern replaced."""
        pieces: list[str] = []
        done = length = 0
        for match in pattern.finditer(text):
            replacement = new(match)
            if replacement == match[0]:
                continue
            start, end = match.span()
            pieces += (text[done:start], replacement)
            length += start - done
            self.old_starts.append(start)
            self.old_ends.append(end)
            self.new_starts.append(length)
            length += len(replacement)
            self.new_ends.append(length)
            done = end
        return "".join([*pieces, text[done:]])

    def start_of(self, place: int) -> int:
        span = bisect_right(self.new_starts, place) - 1
        if span < 0:
            return place
        inside = place < self.new_ends[span]
        return self.old_starts[span] if inside else self.old_ends[span] + place - self.new_ends[span]

    def end_of(self, place: int) -> int:
        span = bisect_right(self.new_starts, place - 1) - 1
        if span < 0:
            return place
        return self.old_ends[span] + max(0, place - self.new_ends[span])


def _clusters(text: str) -> re.Pattern[str] | None:
    """What may change under NFC in this text: bases with their combining marks; None when nothing may."""
    beyond = {c for c in set(text) if c > "\xff"}
    marks = "".join(c for c in beyond if unicodedata.category(c)[0] == "M" or "\u1160" <= c <= "\u11ff")
    singles = "".join(c for c in beyond if unicodedata.normalize("NFC", c) != c)
    parts = []
    if marks:
        parts.append(f".[{re.escape(marks)}]+")
    if singles:
        parts.append(f"[{re.escape(singles)}]")
    return re.compile("|".join(parts), re.DOTALL) if parts else None


def _composed(match: re.Match[str]) -> str:
    cluster = match[0]
    return cluster if len(cluster) > MAX_CLUSTER_CHARS else unicodedata.normalize("NFC", cluster)


def _blank(match: re.Match[str]) -> str:
    """One space, or nothing where nothing was visible or where the script puts no spaces between words."""
    if not any(c.isspace() for c in match[0]):
        return ""
    before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
    is_unspaced = _UNSPACED.fullmatch(before) and _UNSPACED.fullmatch(after)
    return "" if is_unspaced else " "
