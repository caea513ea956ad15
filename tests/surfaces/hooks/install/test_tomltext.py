"""Hooks in TOML are one block at the end of the file."""

from __future__ import annotations

import tomllib

import pytest

from trivium.errors import ConflictError, UsageError
from trivium.surfaces.hooks.install.command import argv, handler
from trivium.surfaces.hooks.install.tomltext import BEGIN, END, entries, with_entries, without_entries

WANTED = {
    event: handler("codex", event, argv("codex", event, home='/a "b" é'), 10, is_shell=False)
    for event in ("SessionStart", "Stop")
}
THEIRS = '# mine\nmodel = "x"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "echo"\n'


@pytest.mark.parametrize("text", ["", THEIRS, THEIRS.replace("\n", "\r\n"), 'model = "x" # no line feed\n'])
def test_the_block_comes_and_goes(text: str) -> None:
    grown = with_entries(text, "f", WANTED)
    assert grown.startswith(text)
    hooks = tomllib.loads(grown)["hooks"]
    assert hooks["SessionStart"] == [{"hooks": [WANTED["SessionStart"]]}]
    assert hooks["Stop"][-1] == {"hooks": [WANTED["Stop"]]}
    assert with_entries(grown, "f", WANTED) == grown
    assert without_entries(grown, "f") == text


def test_entries_are_told_with_their_place() -> None:
    found = entries(with_entries(THEIRS, "f", WANTED), "f")
    assert [(at, inner, entry["command"]) for at, inner, entry in found["Stop"]] == [
        (0, 0, "echo"),
        (1, 0, WANTED["Stop"]["command"]),
    ]


def test_lists_that_nothing_can_follow_are_refused() -> None:
    with pytest.raises(ConflictError, match="nothing can follow"):
        with_entries("[hooks]\nStop = []\n", "f", WANTED)


def test_what_is_no_toml_is_refused() -> None:
    with pytest.raises(UsageError, match="not TOML"):
        with_entries("a = ", "f", WANTED)
    with pytest.raises(ConflictError, match="no end"):
        without_entries(f"{BEGIN}\n", "f")
    assert END not in without_entries(f"a = 1\n{BEGIN}\n{END}\n", "f")
