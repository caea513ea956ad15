"""A double-array trie over bytes: the vocabulary as one array of integers that can be walked where it lies.

A unit is `is_leaf << 31 | value << 9 | has_end << 8 | label`. The child of a node for byte c is at `value ^ c`, and
is a child only when its label is c. Where a word ends, the node is a leaf and its value is the index of the word;
where longer words go on from there, the node has an end instead, and the unit at `value ^ 0` holds the index. Double
arrays are due to Aoe (1989), the exclusive-or form to Yata's darts-clone.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LEAF = 1 << 31
HAS_END = 1 << 8
SHIFT = 9
_FREE = 0xFF  # a label that no byte of UTF-8 has
_WINDOW = 256  # a node with several children is tried in the last slots only: earlier gaps are too small for most
_TRIES = 8  # gaps tried for a single child before the first of them is given up


def build(words: Sequence[bytes]) -> array[int]:
    """The trie of distinct, non-empty UTF-8 words without NUL; `find` gives back their indices."""
    order = sorted(range(len(words)), key=words.__getitem__)
    sorted_words = [words[index] for index in order]
    slots = _Slots()
    units = slots.units
    pending = [(0, 0, len(words), 0)]
    while pending:
        node, low, high, depth = pending.pop()
        word = sorted_words[low]
        if high - low == 1 and len(word) == depth:
            units[node] |= LEAF | order[low] << SHIFT
            continue
        if high - low == 1:
            offset = slots.place_one(word[depth])
            units[node] |= offset << SHIFT
            units[offset ^ word[depth]] = word[depth]
            pending.append((offset ^ word[depth], low, high, depth + 1))
            continue
        children = _children(sorted_words, low, high, depth)
        offset = slots.place([label for label, _, _ in children])
        units[node] |= offset << SHIFT
        for label, start, stop in children:
            if label:
                units[offset ^ label] = label
                pending.append((offset ^ label, start, stop, depth + 1))
            else:
                units[node] |= HAS_END
                units[offset] = LEAF | order[start] << SHIFT | _FREE
    return units


def find(units: Sequence[int] | memoryview, word: bytes) -> int:
    """The index of a word, -1 when it is not in the trie."""
    unit = units[0]
    for byte in word:
        if unit & LEAF:
            return -1
        unit = units[unit >> SHIFT ^ byte]
        if unit & 0xFF != byte:
            return -1
    if unit & HAS_END:
        unit = units[unit >> SHIFT]
    return (unit & ~LEAF) >> SHIFT if unit & LEAF else -1


def _children(words: Sequence[bytes], low: int, high: int, depth: int) -> list[tuple[int, int, int]]:
    """(label, start, stop) of each child of the node that these words share; label 0 is the end of a word."""
    found = []
    if len(words[low]) == depth:
        found.append((0, low, low + 1))
        low += 1
    while low < high:
        label = words[low][depth]
        stop = low + 1
        while stop < high and words[stop][depth] == label:
            stop += 1
        found.append((label, low, stop))
        low = stop
    return found


class _Slots:
    """The units, and which of them and which offsets are taken."""

    __slots__ = ("_first_gap", "_is_base", "_is_used", "units")

    def __init__(self) -> None:
        self.units = array("I")
        self._is_used = bytearray()
        self._is_base = bytearray()
        self._first_gap = 0
        self._grow()
        self._is_used[0] = 1
        self.units[0] = 0

    def _grow(self) -> None:
        self.units.extend([_FREE] * 256)
        self._is_used.extend(bytes(256))
        self._is_base.extend(bytes(256))

    def place_one(self, label: int) -> int:
        """Take the slot of an only child; returns the offset of its parent."""
        used, bases = self._is_used, self._is_base
        slot = self._first_gap = used.find(0, self._first_gap)
        tries = 0
        while slot >= 0 and bases[slot ^ label]:
            slot = used.find(0, slot + 1)
            tries += 1
            if tries > _TRIES:
                self._first_gap = slot
        if slot < 0:
            slot = len(used) ^ label
            self._first_gap = len(used)
            self._grow()
        used[slot] = bases[slot ^ label] = 1
        return slot ^ label

    def place(self, labels: Sequence[int]) -> int:
        """Take the slots of several children; returns the offset of their parent."""
        used, bases = self._is_used, self._is_base
        first = labels[0]
        slot = used.find(0, max(0, len(used) - _WINDOW))
        while slot >= 0:
            offset = slot ^ first
            if not bases[offset] and not any(used[offset ^ label] for label in labels):
                break
            slot = used.find(0, slot + 1)
        if slot < 0:
            slot = len(used) ^ first
            self._grow()
        offset = slot ^ first
        bases[offset] = 1
        for label in labels:
            used[offset ^ label] = 1
        return offset
