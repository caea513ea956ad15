"""Light stemming of words in Latin letters: endings that rarely carry the meaning go."""

from __future__ import annotations

_VOWELS = frozenset("aeiouy")


def stem(word: str) -> str:
    """The stem of a folded word; anything but four or more plain Latin letters comes back as it is."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _singular(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            if len(base) >= 3 and not _VOWELS.isdisjoint(base):
                word = base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    if len(word) > 4 and word[-1] == "e":
        return word[:-1]
    if len(word) > 3 and word[-1] == "y" and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word[-1] != "s" or word[-2] in "su" or word.endswith("is"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]
