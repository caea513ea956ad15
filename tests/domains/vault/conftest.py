"""A vault in a folder of the test, on an engine without an embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.domains.vault.contents import Folder

from trivium.config import load
from trivium.engine import Engine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """An empty vault."""
    monkeypatch.setenv("TRIVIUM_EMBEDDER", "none")
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "vault"
    root.mkdir()
    made = Folder(root, Engine(load()))
    yield made
    for vault in made.opened:
        vault.close()
