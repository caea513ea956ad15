"""Every form of a link, with its parts."""

from __future__ import annotations

import pytest

from trivium.text.markdown import Link, parse


def only(text: str) -> Link:
    (link,) = parse(text).links
    return link


@pytest.mark.parametrize(
    ("text", "kind", "target", "fragment", "block", "label", "is_embed"),
    [
        ("[[Note]]", "wiki", "Note", None, None, None, False),
        ("[[ Note | shown ]]", "wiki", "Note", None, None, "shown", False),
        ("[[Note#Head]]", "wiki", "Note", "Head", None, None, False),
        ("[[Note#A#B|x]]", "wiki", "Note", "A#B", None, "x", False),
        ("[[Note#^id-1]]", "wiki", "Note", None, "id-1", None, False),
        ("[[#Head]]", "wiki", "", "Head", None, None, False),
        ("![[Note#Head]]", "wiki", "Note", "Head", None, None, True),
        ("{{embed [[Note]]}}", "wiki", "Note", None, None, None, True),
        ("#[[two words]]", "wiki", "two words", None, None, None, False),
        ("[[a|`b` c]]", "wiki", "a", None, None, "`b` c", False),
        ("[[paper [Smith 2020]]]", "wiki", "paper [Smith 2020]", None, None, None, False),
        ("[label]([[Page]])", "wiki", "Page", None, None, "label", False),
        ("[x](b.md)", "markdown", "b.md", None, None, "x", False),
        ("[x](<a b.md> 't')", "markdown", "a b.md", None, None, "x", False),
        ("[x](a%20b.md#s)", "markdown", "a%20b.md", "s", None, "x", False),
        ("[x](a.md#^b)", "markdown", "a.md", None, "b", "x", False),
        ("[[1]](http://x.y/#z)", "markdown", "http://x.y/#z", None, None, "[1]", False),
        ("[a [b] c](d.md)", "markdown", "d.md", None, None, "a [b] c", False),
        ("![i](p.png)", "markdown", "p.png", None, None, "i", True),
        ("[x][r]\n\n[r]: <a b.md> 't'", "reference", "a b.md", None, None, "x", False),
        ("[r]\n\n[r]: c.md#d", "reference", "c.md", "d", None, "r", False),
        ("[r][]\n\n[r]: c.md", "reference", "c.md", None, None, "r", False),
        ("<http://a.b/c>", "autolink", "http://a.b/c", None, None, None, False),
        ("see https://a.b/c(d)).", "autolink", "https://a.b/c(d)", None, None, None, False),
        ("<a class=q href='d.md#e'>x</a>", "html", "d.md", "e", None, None, False),
        ('<div>\n<img src="p.png">\n</div>', "html", "p.png", None, None, None, True),
        ("((64a1b2c3-0000-4000-8000-000000000001))", "block-ref", "", None, "64a1b2c3-0000-4000-8000-000000000001",
         None, False),
        ("{{embed ((x8Bd_f3-q))}}", "block-ref", "", None, "x8Bd_f3-q", None, True),
        ("[l](((64a1)))", "block-ref", "", None, "64a1", "l", False),
    ],
)  # fmt: skip
def test_forms(
    text: str, kind: str, target: str, fragment: str | None, block: str | None, label: str | None, is_embed: bool
) -> None:
    link = only(text)
    assert link[:5] == (kind, target, fragment, block, label)
    assert link.is_embed == is_embed
    assert text[link.start : link.end] == link.raw


def test_an_escaped_bar_in_a_table_parts_the_label() -> None:
    link = only("| who | note |\n| --- | --- |\n| [[cat\\|the cat]] | soft |\n")
    assert (link.target, link.label, link.raw) == ("cat", "the cat", "[[cat\\|the cat]]")


def test_a_link_in_a_link() -> None:
    assert [link.target for link in parse("[[a [[b]] c]]").links] == ["a [[b]] c", "b"]
    assert [link.target for link in parse("[![i](p.png)](b.md)").links] == ["b.md", "p.png"]


def test_a_definition_gives_a_wiki_link_its_place() -> None:
    text = "[[wiki page]] [[Other|x]]\n\n[wiki page]: ../wiki-page.md 'Title'\n[other]: o.md\n"
    assert [(link.kind, link.target, link.definition) for link in parse(text).links] == [
        ("wiki", "wiki page", "../wiki-page.md"),
        ("wiki", "Other", "o.md"),
    ]


def test_an_address_in_a_link_is_no_second_link() -> None:
    assert [link.kind for link in parse("[https://a.b](https://a.b/c)").links] == ["markdown"]
    assert [link.kind for link in parse("[[https://a.b]]").links] == ["wiki"]


def test_footnotes_are_no_links() -> None:
    assert [link.target for link in parse("a[^1]\n\n[^1]: see [x](y.md)\n").links] == ["y.md"]


@pytest.mark.parametrize("text", ["[[]]", "[[ ]]", "[[a\nb]]", "[[`a`]]", "[ [a]]", "[x] (y.md)", "((not an id))"])
def test_what_is_no_link(text: str) -> None:
    assert parse(text).links == ()


def test_links_of_the_frontmatter() -> None:
    head = 'related: [[b]]\nparent: "[[c|C]]"\nmany:\n  - \'[[It\'\'s]]\'\n  - "[[d#e]]"\n# hidden: "[[f]]"\n'
    text = f"---\n{head}---\n[[g]]\n"
    found = parse(text).links
    assert [(link.kind, link.target, link.property, link.line) for link in found] == [
        ("frontmatter", "b", "related", 2),
        ("frontmatter", "c", "parent", 3),
        ("frontmatter", "It's", "many", 5),
        ("frontmatter", "d", "many", 6),
        ("wiki", "g", None, 9),
    ]
    assert all(text[link.start : link.end] == link.raw for link in found)


def test_links_of_a_broken_frontmatter() -> None:
    text = '---\ncategories:\n  - "[[Books]]"\ncreated: {{date}} x\n---\n'
    assert [(link.target, link.property) for link in parse(text).links] == [("Books", "categories")]


def test_the_property_a_link_is_the_value_of() -> None:
    text = "type:: [[A]], [[B]]\n\n- c [x:: [[D]]] [[E]]\n"
    assert [(link.target, link.property) for link in parse(text).links] == [
        ("A", "type"),
        ("B", "type"),
        ("D", "x"),
        ("E", None),
    ]


def test_html_comments_hide_html_links() -> None:
    assert [link.target for link in parse("<div>\n<!-- <a href='a.md'> -->\n<a href='b.md'>\n</div>").links] == ["b.md"]
