"""A whole note: title, headings, offsets that slice back, work that stays in proportion."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.text.markdown import Note, parse

PIECES = [
    "[[a|b]]", "![[é#h]]", "[x](y.md)", "![i](j.png)", "`c`", "```\n", "\n", "\n\n", "# H\n", "- ", "> ", "  ", "\t",
    "#tag", "^id\n", "k:: v\n", "((64a1b2c3-0000-4000-8000-000000000001))", "%%", "<!-- ", " -->", "<a href='q'>",
    "$$", "$", "|", "\\", "[r]: z\n", "[r]", "[^1]", "*", "_", "漢字", "🐍", "e\u0301", "\r\n", "\0",
    "arXiv:1706.03762 ", "10.1000/x ", "https://e.org/a ", "[", "]", "(", ")", "---\n", "title: t\n", "\ufeff",
    "{{embed [[p]]}}", "{{query ",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.booleans())
def test_offsets_slice_back(text: str, is_outline: bool) -> None:
    note = parse(text, is_outline=is_outline)
    assert note.text == text
    for link in note.links:
        assert text[link.start : link.end] == link.raw
        assert link.line == text.count("\n", 0, link.start) + 1
    for tag in note.tags:
        assert tag.name in text[tag.start : tag.end]
    for found in (*note.headings, *note.blocks, *note.properties, *note.tasks, *note.identifiers):
        assert 0 <= found.start <= found.end <= len(text)
        assert found.line == text.count("\n", 0, found.start) + 1
    assert len({heading.slug for heading in note.headings}) == len(note.headings)
    assert [heading.start for heading in note.headings] == sorted(heading.start for heading in note.headings)


@given(st.text(max_size=200))
def test_any_text_is_a_note(text: str) -> None:
    assert parse(text).text == text


def test_half_a_surrogate_pair_is_replaced() -> None:
    note = parse("a\ud800 [[b]]")
    assert note.text == "a\ufffd [[b]]"
    assert note.links[0].raw == "[[b]]"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n## two\n\n#  Late  H1 \n\n# Second\n", "Late  H1"),
        ("# Win Title\r\n\r\nx\r\n", "Win Title"),
        ("Set\next\n===\n", "Set ext"),
        ("# Closed ##\n", "Closed"),
        ("\ufeff# Bom Title\n", "Bom Title"),
        ("```\n# comment\n```\n", None),
        ("---\ntitle: t\n---\n## x\n", None),
        ("#nospace\n####### seven\n", None),
        ("> # quoted\n", None),
        ("- # listed\n", None),
        ("# A *b* `c` [[d|e]] [f](g)\n", "A b c e f"),
        ("%%\n# hidden\n%%\n# shown\n", "shown"),
        ("#\n\n# next\n", "next"),
    ],
)
def test_title(text: str, title: str | None) -> None:
    assert parse(text).title == title


def test_the_given_title_wins() -> None:
    assert parse("---\ntitle: Given\n---\n# H\n").name("stem") == "Given"
    assert parse("title:: Given\n\n- x").name("stem") == "Given"
    assert parse("---\ntitle:\n---\n# H\n").name("stem") == "H"
    assert parse("x").name("stem") == "stem"


def test_headings_have_slugs_of_their_own() -> None:
    note = parse("# Log\n\n## Done\n\nA\n\n## Done\n\n## C# & C++\n\n## 漢字 x {#own}\n\n> ### q\n")
    assert [(heading.level, heading.text, heading.slug) for heading in note.headings] == [
        (1, "Log", "log"),
        (2, "Done", "done"),
        (2, "Done", "done-1"),
        (2, "C# & C++", "c--c"),
        (2, "漢字 x", "own"),
        (3, "q", "q"),
    ]
    assert [heading.is_quoted for heading in note.headings] == [False] * 5 + [True]


def test_slugs_are_stable_when_text_is_added_at_the_end() -> None:
    text = "# Done\n\n# Done\n"
    before = [heading.slug for heading in parse(text).headings]
    assert [heading.slug for heading in parse(text + "\n# Done\n").headings][:2] == before


@pytest.mark.parametrize(
    "text",
    [
        "`[[b]] [x](b.md) #t`",
        "```\n[[b]] [x](b.md) #t\n```",
        "~~~~\n```\n[[b]] #t\n~~~\n~~~~",
        "    [[b]] [x](b.md) #t",
        "<!-- [[b]] [x](b.md) #t -->",
        "%% [[b]] [x](b.md) #t %%",
        "%%\n[[b]]\n\n[x](b.md) #t\n%%",
        "$$\n[[b]] #t\n$$",
        "$[[b]]$",
        "#+BEGIN_SRC x\n[[b]] #t\n#+END_SRC",
        "{{query (and [[b]] [[c]])}}",
        "\\[[b]]",
        "```js one```\n\n```\n[[b]] #t\n```",
    ],
)
def test_nothing_from_code_comments_and_maths(text: str) -> None:
    note = parse(text)
    assert (note.links, note.tags) == ((), ())


def test_what_follows_one_line_code_is_text() -> None:
    assert [link.target for link in parse("```js one```\n\n[[b]]\n").links] == ["b"]
    assert [link.target for link in parse("````md\n```\n[[t]]\n```\n````\n[[b]]\n").links] == ["b"]
    assert [link.target for link in parse("5%% of [[b]]").links] == ["b"]
    assert [link.target for link in parse("x %% y\n\n[[b]]\n\nz %% w").links] == ["b"]


def test_an_outline_has_no_indented_code() -> None:
    text = (
        "## Usage\n\t- Type [[a]]\n\t\t- type:: [[b]]\n\t- code\n\t  ```\n\t  [[c]]\n\t  ```\n\t- [x](d.md) `[[e]]`\n"
    )
    assert [link.target for link in parse(text).links] == []
    note = parse(text, is_outline=True)
    assert [(link.target, link.line) for link in note.links] == [("a", 2), ("b", 3), ("d.md", 8)]
    assert all(text[link.start : link.end] == link.raw for link in note.links)


def test_tags() -> None:
    text = (
        "---\ntags: [kitchen, '#a/b', 2024]\n---\n#real (#in) #y1984 #1984 a#b https://x.example/p#frag `#code` #00B7DA"
    )
    note = parse(text)
    assert [(tag.name, tag.origin) for tag in note.tags] == [
        ("kitchen", "frontmatter"),
        ("a/b", "frontmatter"),
        ("real", "text"),
        ("in", "text"),
        ("y1984", "text"),
    ]
    assert text[note.tags[2].start : note.tags[2].end] == "#real"


def test_frontmatter_tags_as_one_text() -> None:
    assert [tag.name for tag in parse("---\ntags: a b\n---\n").tags] == ["a", "b"]
    assert [tag.name for tag in parse("---\ntag: a, b c\n---\n").tags] == ["a", "b c"]


def test_page_properties_name_tags_and_aliases() -> None:
    note = parse("alias:: [[A B]], c\ntags:: x, [[y z]], #q\n\n- body")
    assert note.aliases == ("A B", "c")
    assert [(tag.name, tag.is_page) for tag in note.tags] == [("x", False), ("y z", True), ("q", False)]


def test_aliases_of_the_frontmatter() -> None:
    assert parse("---\naliases: [Voyage, 1.0]\nalias: x, y\n---\n").aliases == ("Voyage", "1.0", "x", "y")
    assert parse("---\naliases:\n---\n").aliases == ()


def test_properties() -> None:
    text = "---\ntype: book\nrating: 5\n---\nstatus:: done\n\n- item\n  due:: [[2024-01-01]]\nsee [mood:: good]\n"
    note = parse(text)
    assert [(found.key, found.value, found.scope, found.line) for found in note.properties] == [
        ("type", "book", "frontmatter", 2),
        ("rating", 5, "frontmatter", 3),
        ("status", "done", "page", 5),
        ("due", "[[2024-01-01]]", "block", 8),
        ("mood", "good", "inline", 9),
    ]
    assert [text[found.start : found.end] for found in note.properties][:3] == [
        "type: book",
        "rating: 5",
        "status:: done",
    ]
    assert note.links[0].property == "due"


def test_blocks() -> None:
    uuid = "64a1b2c3-0000-4000-8000-000000000001"
    text = f"para one\nline ^p1\n\n- item\n  id:: {uuid}\n  - child\n- other ^p2\n\n| a |\n|---|\n| b |\n\n^p3\n"
    note = parse(text)
    assert [(block.id, block.line) for block in note.blocks] == [("p1", 1), (uuid, 4), ("p2", 7), ("p3", 9)]
    assert text[note.blocks[0].start : note.blocks[0].end] == "para one\nline ^p1"
    assert text[note.blocks[3].start : note.blocks[3].end] == "| a |\n|---|\n| b |\n\n^p3"


def test_tasks() -> None:
    note = parse("- [ ] open `x`\n- [x] done\n1. [/] half\n- TODO later\n- TODOS no\n[ ] no\n")
    assert [(task.status, task.text, task.line) for task in note.tasks] == [
        (" ", "open `x`", 1),
        ("x", "done", 2),
        ("/", "half", 3),
        ("todo", "later", 4),
    ]


def test_identifiers_are_found_in_links_but_not_in_code() -> None:
    text = "see arXiv:1706.03762v2 [p](https://arxiv.org/abs/2305.16291) `2305.16292`\n\n[q](https://doi.org/10.1000/ABC)\n"
    found = parse(text).identifiers
    assert [(one.kind, one.id, one.version, one.line) for one in found] == [
        ("arxiv", "1706.03762", "v2", 1),
        ("arxiv", "2305.16291", "", 1),
        ("doi", "10.1000/abc", "", 3),
    ]


# ---- Work


def lines_run(work: Callable[[], object]) -> int:
    """Python lines executed: a measure of work that no clock disturbs."""
    count = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(before)
    return count


HOSTILE = {
    "spaces in a heading": lambda n: "# a" + " " * 20 * n + "b\n",
    "one long line": lambda n: "word " * 50 * n,
    "open wiki links": lambda n: "[[aaa " * n,
    "half wiki links": lambda n: "[[a [b] " * n,
    "nested wiki links": lambda n: "[[a [[b]] " * n,
    "brackets": lambda n: "[" * 10 * n,
    "nested quotes": lambda n: "> " * n + "x",
    "comments": lambda n: "%% a " * n,
    "comments over paragraphs": lambda n: "a %% b\n\n" * n,
    "queries": lambda n: "{{query a " * n,
    "org blocks": lambda n: "#+BEGIN_SRC\n#+END_EXAMPLE\n" * n,
    "properties": lambda n: "a:: b " * n,
    "property lines": lambda n: "a:: b\n" * n,
    "block ids": lambda n: "^a\n\n" * n,
    "addresses": lambda n: "https://x/" + ")" * 10 * n,
    "figures": lambda n: "2305.12345 .1234 " * n,
    "html": lambda n: "<div>\n" + "<a x='y' " * n,
    "html comments": lambda n: "<div>\n" + "<!--" * n,
    "backslashes": lambda n: "\\" * 10 * n + "[[a]]",
    "templates": lambda n: "---\n" + "a: {{b}}\n" * n + "---\n",
    "ladder": lambda n: "# a\n" + "".join("\n" + " " * (4 + depth) + "x\n" for depth in range(n // 10)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_work_is_linear(name: str) -> None:
    make = HOSTILE[name]
    parse(make(10), is_outline=True)  # what is made once is made
    small = lines_run(lambda: parse(make(300), is_outline=True))
    large = lines_run(lambda: parse(make(1_200), is_outline=True))
    assert large <= 4.4 * small + 400


def test_a_line_of_ten_million_characters() -> None:
    text = "word " * 2_000_000 + "[[last]]"
    note = parse(text)
    assert [link.target for link in note.links] == ["last"]
    assert lines_run(lambda: parse(text)) < 1_000


def test_eighty_thousand_spaces_and_ten_thousand_quotes() -> None:
    assert parse("# a" + " " * 80_000 + "b\n").title == "a" + " " * 80_000 + "b"
    assert parse("> " * 10_000 + "[[x]]").links[0].target == "x"
    assert parse("start " + "[" * 40_000 + " [[t]]").links[0].target == "t"


def sizes(note: Note) -> int:
    return len(note.links) + len(note.headings)


def test_a_wide_table_does_not_multiply() -> None:
    text = "|" + "[[a]]|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + "|x|\n" * 2_000
    assert sizes(parse(text)) == 2_000
