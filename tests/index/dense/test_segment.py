"""The vector file: what is written is read, what is damaged is not."""

import math
import random
from array import array
from pathlib import Path

import numpy as np
import pytest
from tests.index.dense.oracle import clustered, noise, unit

from trivium.errors import StoreError, UsageError
from trivium.index.dense.segment import CODED_FROM, NO_PARENT, Segment, write_segment

UID = b"segment1"
PAGE = 4096


def write(path: Path, rows: list[tuple[int, bytes]], dim: int = 8, identity: str = "model", after: int = 0) -> int:
    return write_segment(str(path), iter(rows), dim=dim, identity=identity, uid=UID, parent=NO_PARENT, after=after)


def opened(path: Path, identity: str = "model") -> Segment:
    segment = Segment.open(str(path), identity=identity)
    assert segment is not None
    return segment


@pytest.mark.parametrize("count", [0, 1, 5, 300])
@pytest.mark.parametrize("dim", [1, 3, 8])
def test_what_is_written_is_read(tmp_path: Path, count: int, dim: int) -> None:
    rows = clustered(count, dim)
    assert write(tmp_path / "s", rows, dim) == count
    segment = opened(tmp_path / "s")
    assert list(segment.rows()) == rows
    assert (segment.dim, segment.count, segment.uid, segment.parent) == (dim, count, UID, NO_PARENT)
    assert segment.last_key == (rows[-1][0] if rows else 0)
    assert [segment.find(key) for key, _ in rows] == list(range(count))
    assert [segment.find(key) for key in (0, 2, 3 * count + 1)] == [-1, -1, -1]
    assert segment.is_intact()
    assert not segment.is_coded
    segment.close()


def test_codes_are_within_the_recorded_error_of_the_rows(tmp_path: Path) -> None:
    dim = 7
    rows = [*clustered(CODED_FROM, dim), (4 * CODED_FROM, bytes(4 * dim)), (4 * CODED_FROM + 1, unit([0.0] * 6 + [1]))]
    write(tmp_path / "s", rows, dim)
    segment = opened(tmp_path / "s")
    assert segment.is_coded
    floats = np.array(segment.floats).reshape(-1, dim)
    fits = np.array(segment.codes).reshape(-1, dim) * np.array(segment.scales)[:, None]
    errors = np.linalg.norm(floats - fits, axis=1)
    assert 0 < errors.max() <= segment.error < 0.02
    assert errors[-2:].tolist() == pytest.approx([0, 0], abs=1e-6)
    assert list(segment.rows()) == rows
    assert segment.is_intact()
    segment.close()


def test_a_file_of_another_identity_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "s", clustered(3, 8), identity="model")
    for other in ("", "mode", "model ", "model\0", "other"):
        assert Segment.open(str(tmp_path / "s"), identity=other) is None
    opened(tmp_path / "s").close()


def test_there_is_nothing_in_a_missing_file_or_a_folder(tmp_path: Path) -> None:
    assert Segment.open(str(tmp_path / "none"), identity="model") is None
    assert Segment.open(str(tmp_path), identity="model") is None


@pytest.mark.parametrize("count", [3, CODED_FROM])
def test_a_truncated_file_is_not_read(tmp_path: Path, count: int) -> None:
    write(tmp_path / "whole", clustered(count, 8))
    whole = (tmp_path / "whole").read_bytes()
    floats = PAGE + 32 * count
    keys = floats + 8 * count
    places = {0, 1, 7, 8, 100, PAGE - 1, PAGE, PAGE + 31, floats - 1, floats, floats + 64, keys - 1, keys, keys + 64}
    for size in sorted({place for place in places if place < len(whole)} | {len(whole) - 1}):
        (tmp_path / "cut").write_bytes(whole[:size])
        assert Segment.open(str(tmp_path / "cut"), identity="model") is None, size
    (tmp_path / "cut").write_bytes(whole + b"\0")
    assert Segment.open(str(tmp_path / "cut"), identity="model") is None


def test_a_flipped_bit_in_the_header_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "s", clustered(3, 8))
    whole = (tmp_path / "s").read_bytes()
    for place in [*range(80), 500, PAGE - 5, PAGE - 1]:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        (tmp_path / "s").write_bytes(flipped)
        assert Segment.open(str(tmp_path / "s"), identity="model") is None, place


def test_a_flipped_bit_in_the_rows_is_found_by_the_check(tmp_path: Path) -> None:
    write(tmp_path / "s", clustered(3, 8))
    whole = (tmp_path / "s").read_bytes()
    for place in (PAGE, PAGE + 50, len(whole) - 30):
        flipped = bytearray(whole)
        flipped[place] ^= 4
        (tmp_path / "s").write_bytes(flipped)
        segment = opened(tmp_path / "s")
        assert not segment.is_intact(), place
        segment.close()


def test_a_last_key_that_the_keys_do_not_end_in_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "s", clustered(3, 8))
    whole = bytearray((tmp_path / "s").read_bytes())
    whole[-8] ^= 1
    (tmp_path / "s").write_bytes(whole)
    assert Segment.open(str(tmp_path / "s"), identity="model") is None


@pytest.mark.parametrize("number", [math.nan, math.inf, 1.1, 0.5], ids=["nan", "infinite", "long", "short"])
def test_only_unit_vectors_and_zero_are_written(tmp_path: Path, number: float) -> None:
    write(tmp_path / "s", [(1, bytes(12)), (2, unit([1, 0, 0]))], 3)
    with pytest.raises(StoreError, match="Vector 2 is not of unit length"):
        write(tmp_path / "s", [(1, bytes(12)), (2, array("f", [number, 0, 0]).tobytes())], 3)


def test_a_row_of_another_dimension_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Vector 4 has 16 bytes where 12"):
        write(tmp_path / "s", [(4, noise(random.Random(1), 4))], 3)


@pytest.mark.parametrize("keys", [(2, 2), (2, 1), (0,), (-1,)])
def test_keys_ascend_from_one(tmp_path: Path, keys: tuple[int, ...]) -> None:
    with pytest.raises(StoreError, match="keys must be positive and ascend"):
        write(tmp_path / "s", [(key, unit([1, 1])) for key in keys], 2)


def test_keys_ascend_from_the_segment_before(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Vector 10 comes after vector 10"):
        write(tmp_path / "s", [(10, unit([1, 1]))], 2, after=10)
    write(tmp_path / "s", [], 2, after=10)
    segment = opened(tmp_path / "s")
    assert (segment.count, segment.last_key) == (0, 10)
    segment.close()


def test_what_does_not_fit_the_format_is_refused(tmp_path: Path) -> None:
    for dim, identity in ((0, "model"), (1 << 17, "model"), (8, "m" * 5000)):
        with pytest.raises(UsageError):
            write(tmp_path / "s", [], dim, identity)
