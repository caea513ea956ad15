"""Links as each application resolves them, and ambiguity that is reported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.sources.vault.names import NoteName, Style, note_name
from trivium.sources.vault.resolve import Resolution, Resolver
from trivium.text.markdown import Link, parse


def vault(texts: dict[str, str], style: str = "auto", files: tuple[str, ...] = ()) -> Resolver:
    return Resolver([note_name(path, parse(text)) for path, text in texts.items()], Style(style), files)


def meaning(resolver: Resolver, source: str, text: str) -> Resolution:
    (link,) = parse(text).links
    return resolver.resolve(source, link)


def leads(resolver: Resolver, source: str, text: str) -> str:
    found = meaning(resolver, source, text)
    return found.path or found.status


NOTES = {
    "t/target.md": '---\naliases: [Tgt, "Other Name"]\n---\n# Target Title\n',
    "b.md": "# B",
    "My note.md": "",
    "d/two.md": "",
    "d/index.md": "",
    "paper [Smith 2020].md": "",
    "C#.md": "",
    "Pick one: tea.md": "",
}


@pytest.mark.parametrize("style", ["auto", "obsidian", "foam"])
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[[target]]", "t/target.md"),
        ("[[TARGET]]", "t/target.md"),
        ("[[t/target]]", "t/target.md"),
        ("[[/t/target]]", "t/target.md"),
        ("[[target.md]]", "t/target.md"),
        ("[[t/target.md|x]]", "t/target.md"),
        ("[[./t/target]]", "t/target.md"),
        ("[[Tgt]]", "t/target.md"),
        ("[[other  name]]", "t/target.md"),
        ("[[Target Title#Sec]]", "t/target.md"),
        ("![[target#^b]]", "t/target.md"),
        ("[[#Head]]", "s.md"),
        ("[[My%20note]]", "My note.md"),
        ("[[paper [Smith 2020]]]", "paper [Smith 2020].md"),
        ("[[C#]]", "C#.md"),
        ("[[Pick one: tea]]", "Pick one: tea.md"),
        ("[[nope]]", "dangling"),
        ("[[x/target]]", "dangling"),
        ("[[../target]]", "dangling"),
        ("[[https://a.b]]", "external"),
        ("[x](b.md)", "b.md"),
        ("[x](./b.md)", "b.md"),
        ("[x](<./b.md> 't')", "b.md"),
        ("[x](/b.md)", "b.md"),
        ("[x](b)", "b.md"),
        ("[x](t/target.md#s)", "t/target.md"),
        ("[x](My%20note.md)", "My note.md"),
        ("[x](<My note.md>)", "My note.md"),
        ("[x](paper%20%5BSmith%202020%5D.md)", "paper [Smith 2020].md"),
        ("[x][r]\n\n[r]: <My note.md>", "My note.md"),
        ("<a href='b.md'>x</a>", "b.md"),
        ("[x](#here)", "s.md"),
        ("[x](d/)", "d/index.md"),
        ("[x](d)", "d/index.md"),
        ("[x](b.md?raw=1)", "b.md"),
        ("[x](../b.md)", "dangling"),
        ("[x](http://a.b/b.md)", "external"),
        ("[x](mailto:a@b.c)", "external"),
        ("[x](//host/b.md)", "external"),
        ("<https://a.b>", "external"),
    ],
)
def test_forms(style: str, text: str, path: str) -> None:
    assert leads(vault(NOTES, style), "s.md", text) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[x](two.md)", "d/two.md"),
        ("[x](../b.md)", "b.md"),
        ("[x](../t/target)", "t/target.md"),
        ("[[two]]", "d/two.md"),
    ],
)
def test_from_a_folder(text: str, path: str) -> None:
    assert leads(vault(NOTES), "d/index.md", text) == path


def test_several_notes_of_one_name() -> None:
    resolver = vault({"p1/Server.md": "", "p2/Server.md": "", "p1/i.md": "", "x/i.md": ""})
    assert leads(resolver, "p1/i.md", "[[Server]]") == "p1/Server.md"
    assert leads(resolver, "p2/i.md", "[[p1/Server]]") == "p1/Server.md"
    found = meaning(resolver, "x/i.md", "[[Server]]")
    assert found == Resolution("ambiguous", "", ("p1/Server.md", "p2/Server.md"), "name")


def test_obsidian_takes_the_path_first_and_then_what_lies_below() -> None:
    notes = {
        "Server.md": "",
        "p/Server.md": "",
        "q/r/Server.md": "",
        "Other.md": "",
        "q/r/Plan.md": "",
        "z/Plan.md": "",
    }
    resolver = vault(notes, "obsidian")
    assert leads(resolver, "p/i.md", "[[Server]]") == "Server.md"
    assert leads(resolver, "q/i.md", "[[Plan]]") == "q/r/Plan.md"
    assert meaning(resolver, "i.md", "[[Plan]]").candidates == ("z/Plan.md", "q/r/Plan.md")


def test_spelling_decides_among_names_that_differ_in_case() -> None:
    resolver = vault({"README.md": "", "readme.md": "", "a-b.md": "", "A-B.md": "", "a b.md": "", "a_b.md": ""})
    for path in ("README", "readme", "a-b", "A-B", "a b", "a_b"):
        assert leads(resolver, "s.md", f"[[{path}]]") == f"{path}.md"
        assert leads(resolver, "s.md", f"[x](<{path}.md>)") == f"{path}.md"
    assert meaning(resolver, "s.md", "[[Readme]]").status == "ambiguous"


def test_unicode_forms_are_one() -> None:
    resolver = vault({"cafe\u0301.md": ""})
    assert leads(resolver, "s.md", "[[café]]") == "cafe\u0301.md"
    assert leads(resolver, "s.md", "[x](./caf%C3%A9.md)") == "cafe\u0301.md"


def test_an_alias_of_two_notes_is_ambiguous() -> None:
    notes = {"Anti Virus.md": "---\naliases: [AV]\n---\n", "Assured Velocity.md": "---\naliases: [av]\n---\n"}
    assert meaning(vault(notes), "i.md", "[[AV]]").candidates == ("Anti Virus.md", "Assured Velocity.md")


def test_a_file_name_is_stronger_than_a_title() -> None:
    assert leads(vault({"x/Plan.md": "", "y/foo.md": "# Plan"}), "s.md", "[[Plan]]") == "x/Plan.md"


def test_attachments() -> None:
    resolver = vault({"a.md": ""}, files=("img/p.png", "q.pdf", "d/q.pdf", "Daily.base"))
    assert meaning(resolver, "a.md", "![[p.png]]") == Resolution("attachment", "img/p.png", (), "path")
    assert leads(resolver, "a.md", "![x](img/p.png)") == "img/p.png"
    assert leads(resolver, "d/s.md", "[[q.pdf]]") == "q.pdf"
    assert leads(resolver, "a.md", "[[Daily.base]]") == "Daily.base"
    assert leads(resolver, "a.md", "![[no.png]]") == "dangling"


LOGSEQ = {
    "pages/lang___c.md": "- C",
    "pages/lang%2Fgo.md": "- Go",
    "pages/file.md": "title:: Real Name\nalias:: RN, [[Short]]\n\n- x\n  id:: 64a1b2c3-0000-4000-8000-000000000001",
    "pages/Multi Word.md": "- # Some heading",
    "journals/2021_08_12.md": "- day",
}


@pytest.mark.parametrize("style", ["logseq", "auto"])
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[[lang/c]]", "pages/lang___c.md"),
        ("[[Lang/Go]]", "pages/lang%2Fgo.md"),
        ("[[real name]]", "pages/file.md"),
        ("[[RN]]", "pages/file.md"),
        ("[[short]]", "pages/file.md"),
        ("#[[Multi Word]]", "pages/Multi Word.md"),
        ("[x]([[RN]])", "pages/file.md"),
        ("[[Aug 12th, 2021]]", "journals/2021_08_12.md"),
        ("((64a1b2c3-0000-4000-8000-000000000001))", "pages/file.md"),
        ("{{embed ((64A1B2C3-0000-4000-8000-000000000001))}}", "pages/file.md"),
        ("((64a1b2c3-0000-4000-8000-00000000000f))", "dangling"),
        ("[x](../pages/file.md)", "pages/file.md"),
    ],
)
def test_logseq(style: str, text: str, path: str) -> None:
    assert leads(vault(LOGSEQ, style), "pages/s.md", text) == path


def test_logseq_knows_no_first_headings() -> None:
    assert leads(vault(LOGSEQ, "logseq"), "pages/s.md", "[[Some heading]]") == "dangling"


def test_a_journal_lies_in_its_folder() -> None:
    assert leads(vault({"pages/2021_08_12.md": ""}, "logseq"), "pages/s.md", "[[Aug 12th, 2021]]") == "dangling"
    notes = [NoteName("days/2021-08-12.md")]
    resolver = Resolver(notes, Style("logseq", "EEE, dd.MM.yyyy", "days"))
    assert leads(resolver, "s.md", "[[Thu, 12.08.2021]]") == "days/2021-08-12.md"


def test_roam() -> None:
    resolver = vault({"August 12th, 2021.md": "", "a [[b]] c.md": "", "b.md": ""}, "roam")
    assert leads(resolver, "s.md", "[[August 12th, 2021]]") == "August 12th, 2021.md"
    (outer, inner) = parse("[[a [[b]] c]]").links
    assert resolver.resolve("s.md", outer).path == "a [[b]] c.md"
    assert resolver.resolve("s.md", inner).path == "b.md"


def test_foam_definitions_decide() -> None:
    texts = {"a/note.md": "", "b/note.md": "", "projects/README.md": ""}
    resolver = vault(texts, "foam")
    text = "[[note]]\n\n[note]: ../b/note.md 'Note'\n"
    assert meaning(resolver, "c/s.md", text) == Resolution("resolved", "b/note.md", (), "definition")
    assert meaning(resolver, "c/s.md", "[[note]]").status == "ambiguous"
    assert leads(resolver, "c/s.md", "[[projects]]") == "projects/README.md"
    assert leads(resolver, "c/s.md", "[[b/note]]\n\n[b/note]: gone.md\n") == "b/note.md"


def test_dendron_writes_the_label_first() -> None:
    resolver = vault({"lang.python.md": "", "label.md": ""}, "dendron")
    assert leads(resolver, "s.md", "[[label|lang.python#h]]") == "lang.python.md"
    assert leads(resolver, "s.md", "[[lang.python]]") == "lang.python.md"


def test_plain_markdown_is_strict() -> None:
    resolver = vault({"d/x.md": "", "y.md": "", "d/s.md": ""}, "markdown")
    assert leads(resolver, "s.md", "[a](x.md)") == "dangling"
    assert leads(resolver, "d/s.md", "[a](y.md)") == "dangling"
    assert leads(resolver, "d/s.md", "[a](../y.md)") == "y.md"


def test_which_base_a_path_without_dots_has() -> None:
    texts = {"d/x.md": "", "d/d/x.md": ""}
    assert leads(vault(texts, "obsidian"), "d/s.md", "[a](d/x.md)") == "d/x.md"
    assert leads(vault(texts, "markdown"), "d/s.md", "[a](d/x.md)") == "d/d/x.md"


def test_dangling_heals_when_the_note_appears() -> None:
    texts = {"a.md": "[[Later]]"}
    assert leads(vault(texts), "a.md", "[[Later]]") == "dangling"
    assert leads(vault({**texts, "Later.md": ""}), "a.md", "[[Later]]") == "Later.md"


# ---- What may change what

STEMS = ["a", "A", "b c", "index", "README", "x___y", "2021_08_12", "n.m"]
PATHS = st.tuples(st.sampled_from(["", "d/", "d/e/", "journals/"]), st.sampled_from(STEMS)).map(
    lambda parts: "".join(parts) + ".md"
)
NAMES = st.builds(
    NoteName,
    PATHS,
    st.sampled_from([None, None, "T", "a"]),
    st.sampled_from([None, "H", "b c"]),
    st.sampled_from([(), ("al",), ("a", "T")]),
    st.sampled_from([(), ("64a1b2c3-0000-4000-8000-000000000001",)]),
)
LINKS = st.sampled_from(
    ["[[a]]", "[[d/a]]", "[[B  C]]", "[[T]]", "[[al]]", "[[H]]", "[[x/y]]", "[[d]]", "[[e]]", "[[./a]]", "[[n.m]]",
     "[[Aug 12th, 2021]]", "[[2021_08_12]]", "[x](a.md)", "[x](../a)", "[x](d/)", "[x](.)", "[x](b%20c.md)",
     "[x](/d/e)", "((64a1b2c3-0000-4000-8000-000000000001))", "[[a#h]]", "[x](n.m)", "[[q]]\n\n[q]: d/a.md", "[x](..)",
     "[x](a.md?b)"]
).map(lambda text: parse(text).links[0])  # fmt: skip


@given(
    st.lists(NAMES, max_size=6, unique_by=lambda note: note.path),
    NAMES,
    LINKS,
    st.sampled_from(["s.md", "d/s.md", "d/e/s.md"]),
    st.sampled_from(["auto", "obsidian", "logseq", "foam", "markdown", "roam", "dendron"]),
)
def test_a_link_depends_only_on_notes_that_answer_what_it_asks(
    notes: list[NoteName], extra: NoteName, link: Link, source: str, style: str
) -> None:
    others = [note for note in notes if note.path != extra.path]
    before, after = Resolver(others, Style(style)), Resolver([*others, extra], Style(style))
    if before.resolve(source, link) != after.resolve(source, link):
        assert before.answers(extra) & before.asks(source, link)


@given(
    st.lists(NAMES, max_size=6, unique_by=lambda note: note.path).flatmap(
        lambda notes: st.tuples(st.just(notes), st.permutations(notes))
    ),
    LINKS,
    st.sampled_from(["auto", "obsidian", "logseq"]),
)
def test_the_order_of_the_notes_does_not_matter(
    both: tuple[list[NoteName], list[NoteName]], link: Link, style: str
) -> None:
    one, other = (Resolver(notes, Style(style)).resolve("d/s.md", link) for notes in both)
    assert one == other
    assert one.status in ("resolved", "ambiguous", "dangling", "external")
    assert bool(one.path) == (one.status == "resolved")
