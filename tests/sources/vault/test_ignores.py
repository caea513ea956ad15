"""Ignore files, as git reads them, and the folders that hold no notes."""

from __future__ import annotations

import pytest

from trivium.sources.vault.ignores import DEFAULT_FOLDERS, Rules

RULES = Rules().with_file("", ".gitignore", "*.tmp.md\n/build/\n!keep.tmp.md\na/b\n# note\n\n[z-a]\n!\n")


@pytest.mark.parametrize(
    ("path", "is_folder", "is_left_out"),
    [
        ("x.tmp.md", False, True),
        ("d/x.tmp.md", False, True),
        ("keep.tmp.md", False, False),
        ("build", True, True),
        ("d/build", True, False),
        ("a/b", True, True),
        ("a/c.md", False, False),
        ("# note", False, False),
    ],
)
def test_rules(path: str, is_folder: bool, is_left_out: bool) -> None:
    assert (RULES.reason(path, is_folder=is_folder) is not None) == is_left_out


def test_a_deeper_file_is_stronger() -> None:
    rules = RULES.with_file("d", ".triviumignore", "!x.tmp.md\n/only.md\n")
    assert rules.reason("d/x.tmp.md", is_folder=False) is None
    assert rules.reason("d/y.tmp.md", is_folder=False) == "a rule in .gitignore"
    assert rules.reason("d/only.md", is_folder=False) == "a rule in d/.triviumignore"
    assert rules.reason("d/e/only.md", is_folder=False) is None


@pytest.mark.parametrize("name", DEFAULT_FOLDERS)
def test_folders_without_notes(name: str) -> None:
    assert "by default" in (Rules().reason(f"a/{name}", is_folder=True) or "")
    assert Rules().reason(f"a/{name}", is_folder=False) is None
    assert Rules().reason(f"a/{name}x", is_folder=True) is None
    assert Rules().reason(f"a/{name.upper()}", is_folder=True) is None


def test_a_rule_brings_a_folder_back() -> None:
    rules = Rules().with_file("", ".triviumignore", "!meta/\n")
    assert rules.reason("meta", is_folder=True) is None
    assert rules.reason("node_modules", is_folder=True) is not None
