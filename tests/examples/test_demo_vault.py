"""The vault that the repository carries: its records hold, and questions in two languages are answered."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import trivium
from trivium.config import load
from trivium.domains.vault.metadata import validate
from trivium.domains.vault.vault import Vault
from trivium.engine import Engine

VAULT = Path(__file__).resolve().parents[2] / "examples" / "vault"


def test_its_records_stand_and_it_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    shutil.copytree(VAULT, tmp_path / "vault")
    with trivium.open(embedder="none") as memory, memory.vault(str(tmp_path / "vault")) as notes:
        assert notes.sync().total == 13
        assert notes.stats()["unresolved"] == 0
        answer = notes.ask("How does MVCC lead to write skew?")
        assert [view.node.name for view in answer.entities] == ["Write skew", "Snapshot isolation"]
        assert "Snapshot isolation.md:12" in answer.context
        assert notes.search("単語から文書を引く").hits[0].path.startswith("検索/")
    vault = Vault(Engine(load(embedder="none")), str(tmp_path / "vault"))
    found = validate(vault)
    assert (found.ok, found.failed, found.orphans) == (4, (), ())
    vault.close()
