"""Tokens: what is indexed and what is asked meet, in every script, and nothing is query syntax."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import cjk_texts, identifiers, texts

from trivium.text.tokens import MAX_TOKEN_CHARS, joined, script, tokens, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case", ["snake_case", "snak", "case"]),
        ("kebab-case", ["kebab-case", "kebab", "case"]),
        ("usePrefixTrie", ["useprefixtrie", "use", "prefix", "trie"]),
        ("XMLParser", ["xmlparser", "xml", "parser"]),
        ("src/foo/barBaz.py", ["src/foo/barbaz.py", "src", "foo", "barbaz.py", "barbaz", "bar", "baz", "py"]),
        ("a.b", ["a.b", "a", "b"]),
        ("v1.2.3", ["v1.2.3", "1.2.3"]),
        ("1.0.21", ["1.0.21"]),
        ("C++ C# F# .NET", ["c++", "c#", "f#", ".net", "net"]),
        ("--dry-run", ["--dry-run", "dry-run", "dry", "run"]),
        ("@scope/pkg", ["@scope/pkg", "scop", "pkg"]),
        ("$PATH #tag", ["$path", "path", "#tag", "tag"]),
        ("std::vector", ["std::vector", "std", "vector"]),
        ("1,000,000", ["1000000"]),
        ("utf8 UTF-8", ["utf8", "utf", "8", "utf-8", "utf", "8"]),
        ("APIs", ["apis"]),
        ("user's l'avion don't", ["user", "avion", "don"]),
        ("state? (docs.) useState()", ["stat", "doc", "usestate", "use", "stat"]),
        ("-> => && ! ::", ["->", "=>", "&&", "!", "::"]),
        ("- -- --- > | ===", []),
        ("hi🎉 👩‍💻 🇯🇵 1️⃣", ["hi", "🎉", "👩", "💻", "🇯🇵", "1"]),
        ("", []),
        (" \t\n\x00", []),
    ],
)
def test_what_a_text_gives(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("猫", ["猫"]),
        ("状態管理", ["状", "状態", "態", "態管", "管", "管理", "理"]),
        ("Redux状態", ["redux", "状", "状態", "態"]),
        ("데이터", ["데", "데이", "이", "이터", "터"]),
        ("ｶﾞ", ["ガ"]),
        ("ไทย", ["ไ", "ไท", "ท", "ทย", "ย"]),
        # Vowel signs stay with their consonant.
        ("မြန်", ["မြ", "မြန်", "န်"]),
    ],
)
def test_unspaced_scripts_give_characters_and_pairs(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Été", "ete"),
        ("Straße", "STRASSE"),
        ("ŁÓDŹ", "lodz"),
        ("İstanbul", "istanbul"),
        ("ὀδός", "οδοσ"),
        ("ёж", "еж"),
        ("العَرَبِيَّة", "العربية"),
        ("שָׁלוֹם", "שלום"),
        ("Ａｂｃ", "abc"),
        ("caf\u0065\u0301", "café"),
        ("caching", "cached"),
        ("studies", "study"),
        ("running", "runs"),
        ("boxes", "box"),
        ("книгами", "книга"),
        ("المدارس", "مدارس"),
    ],
)
def test_spellings_that_meet(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize(
    ("one", "other"), [("が", "か"), ("हिन्दी", "हनद"), ("й", "и"), ("C++", "C"), ("v1.2.3", "1.2.4"), ("class", "clas")]
)
def test_spellings_that_stay_apart(one: str, other: str) -> None:
    assert set(tokens(one)).isdisjoint(tokens(other))


def test_words_are_the_leaves() -> None:
    assert words("usePrefixTrie, --dry-run: C++ 状態 v1.2.3") == [
        "use", "prefix", "trie", "dry", "run", "c++", "状態", "v1.2.3"
    ]  # fmt: skip


def test_order_and_multiplicity_are_kept() -> None:
    assert tokens("b a b") == ["b", "a", "b"]


def test_a_blob_is_cut() -> None:
    assert tokens("x" * 5000) == ["x" * MAX_TOKEN_CHARS]
    assert all(len(token) <= MAX_TOKEN_CHARS for token in tokens("https://example.org/" + "ab/" * 400))


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("word", "latin"),
        ("ü", "latin"),
        ("状態", "dense"),
        ("слово", "other"),
        ("12", ""),
        ("🎉", ""),
        ("v1.2", "latin"),
    ],
)
def test_script(token: str, expected: str) -> None:
    assert script(token) == expected


@given(st.one_of(texts(), cjk_texts(), identifiers()))
def test_tokens_are_safe_terms(text: str) -> None:
    found = tokens(text)
    for token in found:
        assert token
        assert len(token) <= MAX_TOKEN_CHARS
        assert not any(char.isspace() or unicodedata.category(char) == "Cc" for char in token)
        assert not any("A" <= char <= "Z" for char in token)
    assert set(words(text)) <= set(found)


@given(texts(), texts())
def test_a_blank_is_a_boundary(left: str, right: str) -> None:
    assert tokens(f"{left} {right}") == tokens(left) + tokens(right)


@given(st.one_of(texts(), identifiers()))
def test_tokens_do_not_depend_on_what_came_before(text: str) -> None:
    first = tokens(text)
    tokens(text.upper() + " other words")
    assert tokens(text) == first


@given(st.sampled_from("日本語検索概念図中文知识图谱"), cjk_texts())
def test_every_character_of_a_dense_script_can_be_asked_for(char: str, text: str) -> None:
    assert char in tokens(text[: len(text) // 2] + char + text[len(text) // 2 :])


@given(st.one_of(st.text(), st.text("ab 検索、。ไทยé\u0301-+#_./A1", max_size=40)))
def test_joined_is_the_tokens_joined(text: str) -> None:
    assert joined(text) == " ".join(tokens(text))
