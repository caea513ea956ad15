"""Whatever changes the vectors changes the identity, and large files are read once."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from embed.onnx import tiny
from trivium.embed.onnx.files import read_folder
from trivium.embed.onnx.identity import file_digest, model_digest
from trivium.errors import EmbedderError


def _digest(folder: Path, cache: Path, **options: str) -> str:
    return model_digest(read_folder(str(folder), options), str(cache))


def test_the_same_files_have_the_same_identity_elsewhere(tmp_path: Path) -> None:
    tiny.folder(tmp_path / "a")
    tiny.folder(tmp_path / "b")
    assert _digest(tmp_path / "a", tmp_path / "cache") == _digest(tmp_path / "b", tmp_path / "cache")


def test_whatever_changes_the_vectors_changes_it(tmp_path: Path) -> None:
    model, cache = tmp_path / "model", tmp_path / "cache"
    tiny.folder(model)
    seen = {_digest(model, cache)}
    for options in ({"pooling": "cls"}, {"max_tokens": "64"}, {"query_prefix": "q"}, {"passage_prefix": "q"}):
        seen.add(_digest(model, cache, **options))
    (model / "model.onnx_data").write_bytes(b"weights")
    seen.add(_digest(model, cache))
    (model / "tokenizer.json").write_text(tiny.tokenizer() + " ")
    seen.add(_digest(model, cache))
    (model / "model.onnx").write_bytes(tiny.graph("pooled"))
    seen.add(_digest(model, cache))
    assert len(seen) == 8


def test_a_file_is_hashed_once_as_long_as_it_stays(tmp_path: Path) -> None:
    file, cache = tmp_path / "file", str(tmp_path / "cache")
    file.write_bytes(b"one")
    state = os.stat(file)
    assert file_digest(str(file), cache) == hashlib.sha256(b"one").hexdigest()
    file.write_bytes(b"two")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert file_digest(str(file), cache) == hashlib.sha256(b"one").hexdigest()
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns + 1000))
    assert file_digest(str(file), cache) == hashlib.sha256(b"two").hexdigest()


def test_a_damaged_note_is_not_believed(tmp_path: Path) -> None:
    file, cache = tmp_path / "file", tmp_path / "cache"
    file.write_bytes(b"one")
    file_digest(str(file), str(cache))
    (note,) = (cache / "embed" / "digests").iterdir()
    note.write_text("half")
    assert file_digest(str(file), str(cache)) == hashlib.sha256(b"one").hexdigest()


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one")
    assert file_digest(str(tmp_path / "file"), str(tmp_path / "file" / "cache")) == hashlib.sha256(b"one").hexdigest()


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="none"):
        file_digest(str(tmp_path / "none"), str(tmp_path))
