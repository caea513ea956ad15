"""Light stemming: endings (and the Arabic article) that rarely carry the meaning go, without asking for a language."""

from __future__ import annotations

import re

_VOWELS = frozenset("aeiouy")

# Cases and persons of Russian and its neighbours, longest first.
_CYRILLIC = (
    "(?<=...)(?:"
    "ться|ает|ала|али|ами|ать|его|ела|ели|ему|еть|ием|ила|или|ими|ить|иям|иях|ого|ому|тся|ыми|яет|"
    "яла|ями|ять|ал|ам|ат|ах|ая|ев|ее|ей|ел|ем|ет|ие|ии|ий|ил|им|ит|их|ию|ия|ов|ое|ой|ом|ут|ую|ые|ый|"
    "ым|ых|ют|юю|ял|ям|ят|ях|яя|а|е|и|й|о|у|ы|ь|ю|я"
    ")$"
)
# After "Light10" (Larkey, Ballesteros and Connell 2007).
_ARABIC_FRONT = ("وال", "بال", "كال", "فال", "ال", "لل", "و")
_ARABIC_ENDINGS = ("ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي")


def stem(word: str) -> str:
    """The stem of a folded word of Latin, Cyrillic or Arabic letters; anything else comes back as it is."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word.isascii():
        return _latin(word)
    if "\u0400" <= word[0] < "\u0530":
        return _cyrillic(word)
    return _arabic(word) if "\u0600" <= word[0] < "\u0700" else word


def _latin(word: str) -> str:
    """English plurals, -ed, -ing, a last e; the plural and verb ending -en of German and Dutch."""
    word = _singular(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            if len(base) >= 3 and not _VOWELS.isdisjoint(base):
                word = base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    if len(word) >= 6 and word.endswith("en"):
        return word[:-2]
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


def _cyrillic(word: str) -> str:
    if len(word) > 5 and word.endswith(("ся", "сь")):
        word = word[:-2]
    return re.sub(_CYRILLIC, "", word)


def _arabic(word: str) -> str:
    for front in _ARABIC_FRONT:
        if word.startswith(front) and len(word) - len(front) >= (3 if len(front) == 1 else 2):
            word = word[len(front) :]
            break
    for _ in range(2):
        for ending in _ARABIC_ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 2 + (len(ending) == 1):
                word = word[: -len(ending)]
                break
        else:
            break
    return word
