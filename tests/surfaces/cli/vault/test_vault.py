"""The commands of a vault, as a person and as a program use them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from trivium.surfaces.cli.main import main
from trivium.surfaces.cli.verbs import VAULT, command


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIVIUM_EMBEDDER", "none")
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("# Alpha\n\nRAG is here. [[Beta]] [[nowhere]] #tag\n", encoding="utf-8")
    (root / "b.md").write_text("# Beta\n\n二つ目のノート\n", encoding="utf-8")
    return root


def told(capsys: pytest.CaptureFixture[str], *argv: str, status: int = 0) -> Any:
    assert main([*argv, "--json"]) == status
    captured = capsys.readouterr()
    text = captured.out or captured.err
    return json.loads(text)


def test_every_command_answers_with_the_keys_it_documents(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = str(notes)
    told(capsys, "vault", "sync", vault)
    concept = tmp_path / "c.json"
    concept.write_text('[{"canonical": "RAG", "aliases": ["R2"]}, {"canonical": "Other"}]', encoding="utf-8")
    told(capsys, "vault", "concept", "import", vault, str(concept))
    hash_ = told(capsys, "vault", "resolve", vault, "a.md")["hash"]
    record = {"hash": hash_, "mentions": [{"concept": "RAG", "anchor": {"quote": "RAG is here."}}]}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(record).encode())))
    told(capsys, "vault", "metadata", "import", vault)
    arguments = {
        "vault search": ["alpha"], "vault qa": ["what is RAG?"], "vault entity": ["RAG"], "vault neighbors": ["RAG"],
        "vault backlinks": ["Beta"], "vault paths": ["RAG", "Beta"], "vault concept resolve": ["r2"],
        "vault concept merge": ["RAG", "Other"], "vault concept rename": ["RAG", "RAG!"],
        "vault concept split": ["RAG!", "R2"], "vault extract": ["a.md"], "vault resolve": [hash_[:12]],
        "vault doc-info": ["a.md"], "vault locate": ["a.md", "is here"],
    }  # fmt: skip
    optional = {"trace", "record", "imported", "processed", "accepted", "path"}
    for verb in VAULT:
        if verb in ("vault watch", "vault concept import", "vault metadata import"):
            continue
        given = [str(notes / "a.md")] if verb == "vault doc" else [vault, *arguments.get(verb, [])]
        values = told(capsys, *verb.split(), *given)
        assert values["schema"] == f"trivium.{verb.replace(' ', '.')}/1"
        documented = set(command(verb).keys)
        assert set(values) - {"schema", "notices"} <= documented, verb
        assert documented - set(values) <= optional | {"accepted"}, verb


def test_people_get_lines_with_a_place_to_open(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = str(notes)
    assert main(["vault", "sync", vault]) == 0
    assert "2 notes: 2 new" in capsys.readouterr().out
    assert main(["vault", "search", vault, "ノート"]) == 0
    assert "b.md:3" in capsys.readouterr().out
    assert main(["vault", "unresolved", vault]) == 0
    assert capsys.readouterr().out == "a.md:3 dangling: [[nowhere]]\n"
    assert main(["vault", "qa", vault, "zzz"]) == 0
    assert main(["vault", "mentions", vault]) == 0


def test_statuses(notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = str(notes)
    assert told(capsys, "vault", "search", vault, "x", status=3)["error"]["code"] == "index_missing"
    assert told(capsys, "vault", "sync", str(tmp_path / "no"), status=1)["error"]["code"] == "not_found"
    assert told(capsys, "vault", "sync", str(notes / "a.md"), status=2)["error"]["code"] == "usage"
    (notes / "c.md").write_bytes(b"a\0b")
    assert main(["vault", "sync", vault, "--strict"]) == 5
    assert "c.md" in capsys.readouterr().err
    told(capsys, "vault", "entity", vault, "nothing called so", status=1)
    broken = tmp_path / "broken.json"
    broken.write_text("[1,", encoding="utf-8")
    assert "line 1" in told(capsys, "vault", "concept", "import", vault, str(broken), status=2)["error"]["message"]


@pytest.mark.parametrize("form", ["json", "graphml", "jsonld", "cypher"])
def test_export_writes_the_form_asked_for(notes: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    main(["vault", "sync", str(notes)])
    capsys.readouterr()
    assert main(["vault", "export", str(notes), "--as", form]) == 0
    assert "Alpha" in capsys.readouterr().out
