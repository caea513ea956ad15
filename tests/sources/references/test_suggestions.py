"""Suggestions: the key or type that was meant, and none when nothing is near."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.model import PREDICATES
from trivium.sources.references.suggestions import _KEYS, _PASSIVE, _TYPES, nearest_key, type_hint

CONCEPT = ("id", "description", "details", "aliases", "type", "quote")
RELATION = ("source", "subject", "type", "predicate", "target", "object", "reason", "quote", "confidence", "method")


@pytest.mark.parametrize(
    ("word", "allowed", "meant"),
    [
        ("ID", CONCEPT, "id"),
        ("Description", CONCEPT, "description"),
        ("descripton", CONCEPT, "description"),
        ("name", CONCEPT, "id"),
        ("also_known_as", CONCEPT, "aliases"),
        ("from", RELATION, "source"),
        ("relationship", RELATION, "type"),
        ("description", RELATION, "reason"),
        ("published-at", ("publishedAt", "fetchedAt"), "publishedAt"),
        ("from", CONCEPT, ""),
        ("zzz", CONCEPT, ""),
        ("", CONCEPT, ""),
        ("---", CONCEPT, ""),
    ],
)
def test_the_nearest_key(word: str, allowed: tuple[str, ...], meant: str) -> None:
    assert nearest_key(word, allowed) == meant


@pytest.mark.parametrize("name", PREDICATES)
@pytest.mark.parametrize("spell", [str.lower, str.title, lambda name: name.replace("_", "-"), lambda name: f" {name} "])
def test_another_spelling_of_a_type_is_recognised(name: str, spell: object) -> None:
    assert callable(spell)
    assert type_hint(spell(name)) == f"did you mean {name}?"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("partOf", "did you mean PART_OF?"),
        ("is a", "did you mean IS_A?"),
        ("DEPEND_ON", "did you mean DEPENDS_ON?"),
        ("requires", "did you mean DEPENDS_ON?"),
        ("SUPERSEDES", "did you mean REPLACES?"),
        ("replaced by", "did you mean REPLACES, with the two ends exchanged?"),
        ("依存", "the types are " + ", ".join(PREDICATES)),
    ],
)
def test_the_nearest_type(word: str, hint: str) -> None:
    assert type_hint(word) == hint


def test_the_tables_hold_folded_words_and_real_types() -> None:
    assert all(word.isalnum() and word == word.casefold() for word in (*_KEYS, *_TYPES, *_PASSIVE))
    assert {*_TYPES.values(), *_PASSIVE.values()} <= set(PREDICATES)


@given(st.text(min_size=65, max_size=200))
def test_long_words_are_not_compared(word: str) -> None:
    assert nearest_key(word, CONCEPT) == ""
    assert type_hint(word).startswith("the types are ")
