"""Listing a vault: names and kinds of files, links, ignore files, scopes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from trivium.errors import UsageError
from trivium.sources.vault.walk import in_scope, order, parse_scopes, walk

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="file names and links as POSIX has them")


def make(root: Path, *paths: str) -> str:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return str(root)


def paths(root: str, *scopes: str) -> list[str]:
    return [entry.path for entry in walk(root, scopes).notes]


def test_notes_in_the_order_of_the_registry(tmp_path: Path) -> None:
    root = make(tmp_path, "b.md", "a/z.md", "B.md", "c.txt", "d.MARKDOWN", "e.Md", "f.md/g.md", "\uff5e.md", "𝒜.md")
    assert paths(root) == ["B.md", "a/z.md", "b.md", "d.MARKDOWN", "e.Md", "f.md/g.md", "𝒜.md", "\uff5e.md"]
    assert walk(root).attachments == ["c.txt"]


@needs_posix
def test_odd_names(tmp_path: Path) -> None:
    names = [
        "# Meeting - [x] (1) & #.md",
        "a\nb.md",
        "a?b/c*.md",
        "e\u0301.md",
        "é.md",
        "🐍.md",
        " .md",
        "长" * 80 + ".md",
    ]
    root = make(tmp_path, *names)
    assert sorted(paths(root)) == sorted(names)


@needs_posix
def test_a_name_that_is_not_unicode_is_reported(tmp_path: Path) -> None:
    make(tmp_path, "ok.md")
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.md"), "w") as file:
        file.write("x")
    found = walk(str(tmp_path))
    assert [entry.path for entry in found.notes] == ["ok.md"]
    assert [(skipped.path, skipped.reason) for skipped in found.skipped] == [("caf\\xe9.md", "name")]


@needs_posix
def test_links_are_never_followed_and_always_reported(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    make(outside, "secret.md")
    make(vault, "ok.md", "d/in.md")
    for name, target in {
        "ln.md": "ok.md",
        "dl": "d",
        "d/up": "..",
        "d/self": "self",
        "gone.md": "nothing.md",
        "out.md": outside / "secret.md",
        "outdir": outside,
        "img.png": "ok.md",
    }.items():
        (vault / name).symlink_to(target)
    found = walk(str(vault))
    assert [entry.path for entry in found.notes] == ["d/in.md", "ok.md"]
    assert {skipped.path: skipped.reason for skipped in found.skipped} == {
        "ln.md": "symlink",
        "dl": "symlink",
        "d/up": "loop",
        "d/self": "loop",
        "gone.md": "broken",
        "out.md": "outside",
        "outdir": "outside",
    }


@needs_posix
def test_a_vault_reached_through_a_link(tmp_path: Path) -> None:
    make(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(str(tmp_path / "link")) == ["a.md"]


@needs_posix
def test_pipes_are_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.md")
    assert [(skipped.path, skipped.reason) for skipped in walk(str(tmp_path)).skipped] == [("p.md", "not_a_file")]


def test_a_placeholder_of_a_cloud_drive(tmp_path: Path) -> None:
    found = walk(make(tmp_path, "d/.a.md.icloud", "d/.b.png.icloud"))
    assert [(skipped.path, skipped.reason) for skipped in found.skipped] == [("d/a.md", "placeholder")]


def test_ignored_folders_are_reported(tmp_path: Path) -> None:
    root = make(tmp_path, "meta/kg/x.md", ".git/y.md", "a/node_modules/z.md", "logseq/bak/b.md", "bak/c.md", "a/k.md")
    found = walk(root)
    assert [entry.path for entry in found.notes] == ["a/k.md", "bak/c.md"]
    assert [path for path, _ in found.ignored] == [".git", "a/node_modules", "logseq/bak", "meta"]


def test_ignore_files(tmp_path: Path) -> None:
    root = make(tmp_path, "a.md", "private/b.md", "d/draft.md", "d/keep/draft.md", "d/x.png", "d/y.png")
    (tmp_path / ".gitignore").write_text("private/\ndraft.md\nx.png\n")
    (tmp_path / "d/keep/.triviumignore").write_text("!draft.md\n")
    found = walk(root)
    assert [entry.path for entry in found.notes] == ["a.md", "d/keep/draft.md"]
    assert found.ignored == [("d/draft.md", "a rule in .gitignore"), ("private", "a rule in .gitignore")]
    assert "d/x.png" not in found.attachments
    assert "private/b.md" in [entry.path for entry in walk(root, uses_gitignore=False).notes]


def test_scopes(tmp_path: Path) -> None:
    root = make(tmp_path, "k/a.md", "k/s/b.md", "kx/c.md", "d.md")
    assert paths(root, "k") == ["k/a.md", "k/s/b.md"]
    assert paths(root, "k/s", "d.md") == ["d.md", "k/s/b.md"]
    found = walk(root, ("nowhere",))
    assert (found.notes, found.skipped[0].reason) == ([], "scope")


def test_rules_above_a_scope_hold_in_it(tmp_path: Path) -> None:
    root = make(tmp_path, "k/a.md", "k/b.md")
    (tmp_path / ".triviumignore").write_text("b.md\n")
    assert paths(root, "k") == ["k/a.md"]


@needs_posix
def test_a_scope_behind_a_link_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "outside", "secret.md")
    make(tmp_path / "vault", "a.md")
    (tmp_path / "vault" / "k").symlink_to(tmp_path / "outside")
    found = walk(str(tmp_path / "vault"), ("k",))
    assert (found.notes, found.skipped[0].reason) == ([], "outside")


@pytest.mark.parametrize(
    ("given", "scopes"),
    [
        (None, ()),
        ("", ()),
        ("all", ()),
        ("k, ,all", ()),
        (".", ()),
        ("k/", ("k",)),
        ("k,k", ("k",)),
        ("k/s,k", ("k",)),
        (" b , a ", ("a", "b")),
        ("k,kx", ("k", "kx")),
        (["a\\b", "./c"], ("a/b", "c")),
    ],
)
def test_parse_scopes(given: str | list[str] | None, scopes: tuple[str, ...]) -> None:
    assert parse_scopes(given) == scopes


@pytest.mark.parametrize("given", ["../x", "a/../../x", "/etc", "C:\\x", "\\\\host\\x"])
def test_scopes_outside_are_refused(given: str) -> None:
    with pytest.raises(UsageError, match="does not lie in the vault"):
        parse_scopes(given)


def test_in_scope() -> None:
    assert in_scope("k/a.md", ("k",))
    assert not in_scope("kx/a.md", ("k",))
    assert in_scope("anything", ())


def test_order_is_that_of_utf_16_units() -> None:
    assert sorted(["\uff5e", "𝒜", "a"], key=order) == ["a", "𝒜", "\uff5e"]
