"""The page on errors names every one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium.errors import TriviumError

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")


def _below(kind: type[TriviumError]) -> Iterator[type[TriviumError]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


@pytest.mark.parametrize("kind", [one for one in _below(TriviumError) if one.__module__ == "trivium.errors"])
def test_the_page_has_code_and_exit_status(kind: type[TriviumError]) -> None:
    assert f"| `{kind.__name__}` | `{kind.code}` | {kind.exit_status} |" in PAGE
