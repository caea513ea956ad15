"""Names found in texts: borders, longest match, scripts, offsets."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.text.spotting import Spotter

NAMES = ["RAG", "GraphRAG", "vector store", "store", "C", "C++", "検索", "検索増強", "Äpfel", "вера", "ไทย", "Node.js"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("RAG and GraphRAG", ["RAG", "GraphRAG"]),
        ("storage restore store.", ["store"]),
        ("a Vector\n  Store, a store", ["vector store", "store"]),
        ("vector\n\nstore", ["store"]),
        ("C and C++; C#", ["C", "C++", "C"]),
        ("全文検索増強の検索", ["検索増強", "検索"]),
        ("A\u0308pfel und äpfel, apfel", ["Äpfel", "Äpfel"]),
        ("уверенный вера", ["вера"]),
        ("ภาษาไทยดี", ["ไทย"]),
        ("node.js xnode.js", ["Node.js"]),
        ("", []),
        ("snake_RAG RAG_x", []),
    ],
)
def test_names_in_a_text(text: str, found: list[str]) -> None:
    spotter = Spotter(NAMES)
    assert [one.name for one in spotter.find(text)] == found


@given(
    st.lists(st.text("abC +検索é\u0301", min_size=1, max_size=6), max_size=8),
    st.text("abC +検索é\u0301\n", max_size=60),
)
def test_what_is_found_stands_there(names: list[str], text: str) -> None:
    end = 0
    for one in Spotter(names).find(text):
        assert end <= one.start < one.end <= len(text)
        end = one.end
        found = " ".join(unicodedata.normalize("NFC", text[one.start : one.end].lower()).split())
        assert found == " ".join(unicodedata.normalize("NFC", one.name.lower()).split())


@given(
    st.lists(st.sampled_from(["cat", "cat dog", "dog", "dog cat cat", "bird"]), unique=True),
    st.text("catdogbir ", max_size=80),
)
def test_latin_names_are_what_an_expression_finds(names: list[str], text: str) -> None:
    longest = sorted(names, key=len, reverse=True)
    pattern = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest)
    wanted = [(m.start(), m.end()) for m in re.finditer(rf"\b(?:{pattern})\b", text)] if names else []
    assert [(one.start, one.end) for one in Spotter(names).find(text)] == wanted


def test_twenty_thousand_names_take_one_pass() -> None:
    spotter = Spotter(f"name number {n}" for n in range(20_000))
    text = "name number 19999 and name number 5, " * 2_000
    assert sum(1 for _ in spotter.find(text)) == 4_000
