"""Names as the applications derive them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.sources.vault.names import (
    Dates,
    NoteName,
    Style,
    bare,
    detect_style,
    key,
    note_name,
    page_name,
    tag_links,
    without_climbs,
)
from trivium.text.markdown import parse


def test_key_joins_spellings_and_keeps_names_apart() -> None:
    assert key("Café  Crème") == key("CAFE\u0301 cre\u0300me")
    assert len({key(name) for name in ("a b", "a_b", "a-b", "ab", "C", "C++", "C#", "ß")}) == 8


@given(st.text(max_size=20))
def test_key_is_stable(name: str) -> None:
    assert key(key(name)) == key(name)


@pytest.mark.parametrize(
    ("path", "name"),
    [("a/b.md", "a/b"), ("b.c.md", "b.c"), ("x.MARKDOWN", "x"), (".md", ".md"), ("a", "a"), ("a.png", "a.png")],
)
def test_bare(path: str, name: str) -> None:
    assert bare(path) == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("pages/lang___c.md", "lang/c"),
        ("pages/lang%2Fgo.md", "lang/go"),
        ("pages/New%3F.md", "New?"),
        ("pages/100%.md", "100%"),
        ("pages/plain.md", "plain"),
    ],
)
def test_page_names(path: str, name: str) -> None:
    assert page_name(path) == name


@pytest.mark.parametrize(
    ("path", "clean"),
    [("a/./b", "a/b"), ("a/../b", "b"), ("../b", None), ("a/../../b", None), ("/a//b", "a/b"), ("", "")],
)
def test_without_climbs(path: str, clean: str | None) -> None:
    assert without_climbs(path) == clean


@pytest.mark.parametrize(
    ("format_", "name", "day"),
    [
        ("MMM do, yyyy", "Aug 12th, 2021", "2021-08-12"),
        ("MMM do, yyyy", "Sept 1st, 2021", "2021-09-01"),
        ("MMMM do, yyyy", "august 3rd, 2021", "2021-08-03"),
        ("yyyy_MM_dd", "2021_08_12", "2021-08-12"),
        ("EEEE, yyyy/MM/dd", "Thursday, 2021/08/12", "2021-08-12"),
        ("dd-MM-yyyy", "12-08-2021", "2021-08-12"),
        ("yyyy-MM-dd", "2021-13-01", None),
        ("yyyy-MM-dd", "2021-1-1", None),
        ("MMM do, yyyy", "Foo 1st, 2021", None),
        ("MM-dd", "08-12", None),
        ("yyyy-MM-dd yyyy", "2021-08-12 2021", "2021-08-12"),
    ],
)
def test_dates(format_: str, name: str, day: str | None) -> None:
    assert Dates(format_).day(name) == day


def test_styles(tmp_path: Path) -> None:
    assert detect_style(str(tmp_path)) == Style()
    (tmp_path / ".obsidian").mkdir()
    assert detect_style(str(tmp_path)).name == "obsidian"
    (tmp_path / "logseq").mkdir()
    (tmp_path / "logseq/config.edn").write_text(
        '{;; :journal/page-title-format "no"\n :journal/page-title-format "yyyy-MM-dd"\n :journals-directory "days/"}'
    )
    assert detect_style(str(tmp_path)).name == "auto"
    (tmp_path / ".obsidian").rmdir()
    assert detect_style(str(tmp_path)) == Style("logseq", "yyyy-MM-dd", "days")


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("dendron.yml", "version: 5", "dendron"),
        (".vscode/extensions.json", '{"recommendations": ["foam.foam-vscode"]}', "foam"),
        (".vscode/settings.json", "{}", "auto"),
        (".foam/x", "", "foam"),
    ],
)
def test_other_styles(tmp_path: Path, path: str, text: str, name: str) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert detect_style(str(tmp_path)).name == name


def test_names_of_a_note() -> None:
    note = parse("title:: T\nalias:: A, B\n\n- # H\n- x ^short\n  id:: 64A1B2C3-0000-4000-8000-000000000001\n")
    assert note_name("p.md", note) == NoteName("p.md", "T", None, ("A", "B"), ("64a1b2c3-0000-4000-8000-000000000001",))


def test_tags_are_links_where_they_are_pages() -> None:
    note = parse("tags:: x\n\n- #a #[[b c]]\n")
    assert [(link.target, link.raw, link.line) for link in tag_links(note, Style("logseq"))] == [
        ("x", "x", 1),
        ("a", "#a", 3),
    ]
    assert tag_links(note, Style("obsidian")) == []
