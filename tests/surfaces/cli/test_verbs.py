"""The table of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.surfaces.cli import verbs

CLI = Path(verbs.__file__).parent


@pytest.mark.parametrize("verb", verbs.VERBS)
def test_every_command_is_where_the_table_says(verb: str) -> None:
    found = verbs.command(verb)
    assert found.keys
    assert callable(found.run)


def test_every_command_of_every_module_is_in_the_table() -> None:
    from importlib import import_module

    for module in {place for place, _ in verbs.VERBS.values()}:
        for verb in import_module(verbs.ROOT + module).COMMANDS:
            assert verbs.VERBS[verb][0] == module


def test_the_longest_command_is_taken() -> None:
    assert verbs.split(["ref", "search", "x"]) == ("ref search", ["x"])
    assert verbs.split(["doctor", "ref"]) == ("doctor", ["ref"])
    assert verbs.split(["ref"]) == ("", ["ref"])
    assert verbs.split([]) == ("", [])


def test_what_a_command_does_fits_on_its_line() -> None:
    assert all(len(line) <= 110 for line in verbs.overview().splitlines())
