"""What a concept may be called: one index for every command, so that a name never means two things."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

TYPES = ("section", "doc", "concept", "framework", "method", "person", "paper")
"""Types in rising order: of two, the later one is kept; any other type gives way to these."""

_SEPARATORS = frozenset(" \t\n-_./,:;'\"’()[]{}?!·•、。")


def key(name: str) -> str:
    """What spellings of one concept name share: NFC, lower case, white space folded."""
    return " ".join(unicodedata.normalize("NFC", name).lower().split())


def slug(name: str) -> str:
    """An id for a name: letters and digits of any script, the rest as single hyphens; `concept` when none is left."""
    shown = "".join(char if unicodedata.category(char)[0] in "LN" else "-" for char in key(name))
    return "-".join(part for part in shown.split("-") if part) or "concept"


def signs(name: str) -> str:
    """The characters of a name that make it another name although no slug shows them: the pluses of `C++`."""
    return "".join(c for c in key(name) if unicodedata.category(c)[0] not in "LNMZ" and c not in _SEPARATORS)


def spelled_slug(name: str) -> str:
    """A slug that spells the signs out, for a name whose plain slug belongs to another one."""
    spelled = name.replace("+", " plus ").replace("#", " sharp ")
    return slug("".join(f" {unicodedata.name(c, '')} " if signs(c) else c for c in spelled))


def higher_type(one: str, other: str) -> str:
    """The type that stays when two records of one concept differ."""
    ranks = {name: rank for rank, name in enumerate(TYPES)}
    return other if ranks.get(other, -1) > ranks.get(one, -1) else one


class ConceptIndex:
    """Names to concepts: canonicals before ids, those before display names and aliases, the first by id of equals."""

    def __init__(self, concepts: Iterable[Mapping[str, Any]]) -> None:
        self.by_id: dict[str, Mapping[str, Any]] = {}
        self._firm: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._loose: dict[str, str] = {}
        for concept in concepts:
            self.add(concept)

    def add(self, concept: Mapping[str, Any]) -> None:
        """Take in a concept, or its new names."""
        identifier = str(concept["id"])
        self.by_id[identifier] = concept
        self._firm.setdefault(key(canonical_of(concept)), identifier)
        self._ids.setdefault(key(identifier), identifier)
        self._loose.setdefault(key(display_of(concept)), identifier)
        for alias in aliases_of(concept):
            self._loose.setdefault(key(alias), identifier)

    def find(self, name: str) -> str | None:
        """The id of the concept that a name means."""
        wanted = key(name)
        if not wanted:
            return None
        return self._firm.get(wanted) or self._ids.get(wanted) or self._loose.get(wanted)

    def find_same(self, name: str) -> str | None:
        """`find`, but for an id that says less than the name it was made of: `c` of `C++` is no `C`."""
        found = self.find(name)
        wanted = key(name)
        if found is None or wanted in self._firm or self._ids.get(wanted) != found:
            return found
        is_same = signs(canonical_of(self.by_id[found])) == signs(name)
        return found if is_same else self._loose.get(wanted)

    def names(self) -> Iterable[tuple[str, str]]:
        """(name key, id) of every name."""
        yield from {**self._loose, **self._ids, **self._firm}.items()


def canonical_of(concept: Mapping[str, Any]) -> str:
    """The preferred name, else what stands in for it."""
    for field in ("canonical", "display", "id"):
        value = concept.get(field)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def display_of(concept: Mapping[str, Any]) -> str:
    """The name to show."""
    value = concept.get("display")
    return value if isinstance(value, str) and value.strip() else canonical_of(concept)


def type_of(concept: Mapping[str, Any]) -> str:
    """The type, `concept` when none is given."""
    value = concept.get("type")
    return value if isinstance(value, str) and value.strip() else "concept"


def aliases_of(concept: Mapping[str, Any]) -> list[str]:
    """The other names; a text in place of a list is one name."""
    value = concept.get("aliases")
    found = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [alias for alias in found if isinstance(alias, str) and alias.strip()]


def all_names(concept: Mapping[str, Any]) -> list[str]:
    """Every name of a concept, the preferred one first, each key once."""
    found: dict[str, str] = {}
    for name in (canonical_of(concept), display_of(concept), *aliases_of(concept), str(concept["id"])):
        found.setdefault(key(name), name)
    return list(found.values())


def in_order(names: Iterable[str]) -> list[str]:
    """Names sorted as kg sorts them: by UTF-16 units, each once."""
    return sorted(dict.fromkeys(names), key=lambda name: name.encode("utf-16-be", "surrogatepass"))
