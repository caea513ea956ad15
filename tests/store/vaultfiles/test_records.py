"""Records of note versions: kept as given, named by hash, damage kept beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.errors import UsageError
from trivium.store.vaultfiles import Damaged, list_records, read_record, remove_record, write_record

HASH = "a" * 64


def test_a_record_comes_back(tmp_path: Path) -> None:
    root = str(tmp_path)
    record = {
        "hash": HASH,
        "summary": "s",
        "custom": {"k": 1},
        "mentions": [{"concept": "Fox", "anchor": {"quote": "é"}}],
    }
    assert read_record(root, HASH) is None
    assert list_records(root) == []
    assert write_record(root, HASH, record)
    assert not write_record(root, HASH, record)
    assert read_record(root, HASH) == record
    assert list_records(root) == [HASH]
    text = (tmp_path / f"meta/kg/metadata/{HASH}.json").read_text(encoding="utf-8")
    assert text.startswith('{\n  "hash": "aaaa')
    assert text.endswith("}\n")
    assert remove_record(root, HASH)
    assert not remove_record(root, HASH)


def test_a_damaged_record_is_named_and_kept_beside(tmp_path: Path) -> None:
    root = str(tmp_path)
    path = tmp_path / f"meta/kg/metadata/{HASH}.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"hash": ')
    found = read_record(root, HASH)
    assert isinstance(found, Damaged)
    assert (found.file, found.text) == (f"metadata/{HASH}.json", '{"hash": ')
    write_record(root, HASH, {"hash": HASH})
    assert read_record(root, HASH) == {"hash": HASH}
    assert path.with_name(path.name + ".damaged").read_text() == '{"hash": '
    assert list_records(root) == [HASH]


def test_an_array_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / f"meta/kg/metadata/{HASH}.json"
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    found = read_record(str(tmp_path), HASH)
    assert isinstance(found, Damaged)
    assert found.reason == "no object"


@pytest.mark.parametrize("name", ["../../x", "a/b", "", "a.b", "x" * 200])
def test_what_is_no_hash_reaches_no_file(tmp_path: Path, name: str) -> None:
    for work in (read_record, remove_record):
        with pytest.raises(UsageError, match="no hash"):
            work(str(tmp_path), name)
    with pytest.raises(UsageError, match="no hash"):
        write_record(str(tmp_path), name, {})
