"""What stands between words: tags, wiki links and addresses told from what looks like them."""

from __future__ import annotations

import pytest

from trivium.text.markdown.inline import addresses, block_refs, is_tag, tags, wiki_links, wiki_parts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#a #b/c #d-e_f #g/", ["a", "b/c", "d-e_f", "g"]),
        ("(#a) [#b] “#c” #d, #e. #f!", ["a", "b", "c", "d", "e", "f"]),
        ("标签：#标签，#日本語。 #한국어", ["标签", "日本語", "한국어"]),
        ("#🐍 #a🐍", ["🐍", "a🐍"]),
        ("#[[two words]] #2024-05-01", ["two words", "2024-05-01"]),
        ("a#b &#39; \\#c ##d #1 #123 #00B7DA #fff #1-2 # e", []),
        ("#b2b #2fa #facade", ["b2b", "2fa", "facade"]),
    ],
)
def test_tags(text: str, names: list[str]) -> None:
    found = list(tags(text))
    assert [name for name, *_ in found] == names
    assert all(text[start:end].strip("#[]") == name for name, start, end, _ in found)


def test_a_tag_needs_a_letter() -> None:
    assert is_tag("y1984")
    assert not is_tag("1984")
    assert not is_tag("-")


def test_blanked_characters_make_no_link() -> None:
    text = "[[a `b` c]] [[d|`e`]]"
    prose = text.replace("`b`", "\0\0\0").replace("`e`", "\0\0\0")
    assert [(link.target, link.label) for link in wiki_links(text, prose, 0, len(text))] == [("d", "`e`")]


def test_links_are_sought_only_between_the_bounds() -> None:
    text = "[[a]] [[b]] [[c]]"
    assert [link.target for link in wiki_links(text, text, 6, 11)] == ["b"]


def test_parts() -> None:
    assert wiki_parts("C#") == ("C", "", None, None)
    assert wiki_parts("a\\|b|c") == ("a", None, None, "b|c")
    assert wiki_parts("a#h#^b|l") == ("a", None, "b", "l")


def test_block_ids_of_roam_have_digits_or_capitals() -> None:
    assert [found[0] for found in block_refs("((x8Bd_f3-q)) ((important)) ((too long to be))")] == ["x8Bd_f3-q"]


def test_addresses_end_before_punctuation() -> None:
    assert [found[0] for found in addresses("(https://a.b/c), https://d.e。 http:// HTTPS://F.G")] == [
        "https://a.b/c",
        "https://d.e",
        "HTTPS://F.G",
    ]
