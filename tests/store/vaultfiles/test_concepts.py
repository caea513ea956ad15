"""The vocabulary comes back with every field, and is never taken for empty when it is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.errors import StoreError
from trivium.store.vaultfiles import read_concepts, write_concepts
from trivium.store.vaultfiles.concepts import NAME


def file(root: Path) -> Path:
    folder = root / "meta/kg"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / NAME


def test_the_shape_of_kg(tmp_path: Path) -> None:
    concepts = [{"id": "b", "canonical": "B", "mine": {"k": 1}}, {"id": "a", "aliases": []}]
    assert write_concepts(str(tmp_path), concepts)
    assert file(tmp_path).read_text() == (
        '[\n  {\n    "id": "a",\n    "aliases": []\n  },\n'
        '  {\n    "id": "b",\n    "canonical": "B",\n    "mine": {\n      "k": 1\n    }\n  }\n]\n'
    )
    assert read_concepts(str(tmp_path)) == ([concepts[1], concepts[0]], [])
    assert not write_concepts(str(tmp_path), concepts)


@pytest.mark.parametrize("text", [None, "", " \n", "[]"])
def test_nothing_is_an_empty_vocabulary(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        file(tmp_path).write_text(text)
    assert read_concepts(str(tmp_path)) == ([], [])


@pytest.mark.parametrize("text", ["[", "{}", "null", "[{}] x", "<<<<<<< HEAD\n[]"])
def test_a_broken_file_is_an_error_and_stays(tmp_path: Path, text: str) -> None:
    file(tmp_path).write_text(text)
    with pytest.raises(StoreError, match="cannot be read") as failure:
        read_concepts(str(tmp_path))
    assert failure.value.hint
    assert file(tmp_path).read_text() == text


def test_entries_without_an_id_are_set_aside(tmp_path: Path) -> None:
    file(tmp_path).write_text('[{"id":"a"},5,{"canonical":"X"},{"id":""}]')
    concepts, damaged = read_concepts(str(tmp_path))
    assert concepts == [{"id": "a"}]
    assert [(one.line, one.reason) for one in damaged] == [(2, "no object"), (3, "no id"), (4, "no id")]
    write_concepts(str(tmp_path), concepts, damaged)
    assert (tmp_path / "meta/kg/quarantine.jsonl").read_text().count("\n") == 3
    assert read_concepts(str(tmp_path)) == ([{"id": "a"}], [])
