"""The pack format: what is written is read back, what is not whole is refused."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from trivium.embed.use import pack


def _file(sizes: list[int]) -> bytes:
    body = b"".join(
        (bytes([number + 1]) * size).ljust(-(-size // pack.ALIGN) * pack.ALIGN, b"\0")
        for number, size in enumerate(sizes)
    )
    return pack.header(sizes, zlib.crc32(body)) + body


SIZES = [4 * (number % 5 + 1) for number in range(len(pack.SECTIONS))]


def test_sections_are_read_back() -> None:
    found = pack.parse(_file(SIZES))
    assert found is not None
    for number, (name, size) in enumerate(zip(pack.SECTIONS, SIZES, strict=True)):
        assert bytes(found.view(name)) == bytes([number + 1]) * size


def test_sections_start_on_aligned_places() -> None:
    assert all(place % pack.ALIGN == 0 for place in pack.offsets(SIZES))


def test_numbers_are_read_as_rows() -> None:
    found = pack.parse(_file([24, *SIZES[1:]]))
    assert found is not None
    assert found.matrix(pack.SECTIONS[0], 3).shape == (2, 3)
    assert found.floats(pack.SECTIONS[0]).format == "f"


@pytest.mark.parametrize("damage", ["empty", "cut", "longer", "magic", "table"])
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, damage: str) -> None:
    data = bytearray(_file(SIZES))
    if damage == "empty":
        data = bytearray()
    elif damage == "cut":
        del data[-1]
    elif damage == "longer":
        data += b"\0"
    elif damage == "magic":
        data[0] ^= 1
    else:
        data[60] ^= 1
    path = tmp_path / "model.pack"
    path.write_bytes(data)
    assert pack.read(str(path)) is None
    assert not pack.is_intact(str(path))


def test_a_flipped_bit_in_a_section_is_found_by_reading_everything(tmp_path: Path) -> None:
    data = bytearray(_file(SIZES))
    path = tmp_path / "model.pack"
    path.write_bytes(data)
    assert pack.is_intact(str(path))
    data[pack.SECTIONS_START] ^= 1
    path.write_bytes(data)
    assert pack.read(str(path)) is not None
    assert not pack.is_intact(str(path))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    assert pack.read(str(tmp_path / "none")) is None
    assert pack.read(str(tmp_path)) is None
