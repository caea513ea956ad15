"""Files of one matrix: they appear whole, follow one another, and go when they are no longer needed."""

import os
import random
from pathlib import Path

import pytest
from tests.index.dense.oracle import clustered, noise

from trivium.errors import StoreError
from trivium.index.dense import Matrix, append_matrix, remove_matrix, write_matrix

DIM = 8
ROWS = clustered(600, DIM)


def opened(path: Path, identity: str = "m") -> Matrix:
    matrix = Matrix.open(str(path), identity=identity)
    assert matrix is not None
    return matrix


def contents(path: Path) -> list[tuple[int, bytes]]:
    with opened(path) as matrix:
        assert matrix.count == sum(segment.count for segment in matrix.segments)
        return [row for segment in matrix.segments for row in segment.rows()]


def write(path: Path, rows: list[tuple[int, bytes]]) -> int:
    return write_matrix(str(path), iter(rows), dim=DIM, identity="m")


def append(path: Path, rows: list[tuple[int, bytes]]) -> int:
    with opened(path) as matrix:
        return append_matrix(str(path), rows, to=matrix)


def test_there_is_no_matrix_before_one_is_written(tmp_path: Path) -> None:
    assert Matrix.open(str(tmp_path / "v"), identity="m") is None
    assert Matrix.open(str(tmp_path / "nowhere" / "v"), identity="m") is None


def test_a_matrix_is_written_and_replaced(tmp_path: Path) -> None:
    assert write(tmp_path / "v", ROWS[:10]) == 10
    assert contents(tmp_path / "v") == ROWS[:10]
    assert write(tmp_path / "v", ROWS[5:8]) == 3
    assert contents(tmp_path / "v") == ROWS[5:8]
    assert len(os.listdir(tmp_path)) == 1


def test_a_matrix_may_be_empty(tmp_path: Path) -> None:
    assert write(tmp_path / "v", []) == 0
    with opened(tmp_path / "v") as matrix:
        assert (matrix.count, matrix.last_key) == (0, 0)
    assert append(tmp_path / "v", ROWS[:2]) == 2
    assert contents(tmp_path / "v") == ROWS[:2]


def test_another_identity_finds_nothing(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:10])
    assert Matrix.open(str(tmp_path / "v"), identity="other") is None


def test_a_path_that_begins_like_another_has_files_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:10])
    write(tmp_path / "v.w", ROWS[:20])
    write(tmp_path / "v", ROWS[:5])
    assert contents(tmp_path / "v.w") == ROWS[:20]
    assert contents(tmp_path / "v") == ROWS[:5]


def test_appending_writes_the_new_rows_only(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:500])
    before = set(os.listdir(tmp_path))
    assert append(tmp_path / "v", ROWS[500:510]) == 10
    assert before < set(os.listdir(tmp_path))
    assert contents(tmp_path / "v") == ROWS[:510]


@pytest.mark.parametrize("sizes", [[1] * 40, [100, 7, 7, 7, 7, 200], [1, 500], [30, 29, 28, 27, 26, 25]])
def test_appending_again_and_again_keeps_files_few_and_rows_whole(tmp_path: Path, sizes: list[int]) -> None:
    write(tmp_path / "v", [])
    end = written = 0
    for size in sizes:
        written += append(tmp_path / "v", ROWS[end : end + size])
        end += size
        assert contents(tmp_path / "v") == ROWS[:end]
        with opened(tmp_path / "v") as matrix:
            counts = [segment.count for segment in matrix.segments]
        assert len(os.listdir(tmp_path)) == len(counts) <= end.bit_length() + 1
        assert counts == sorted(counts, reverse=True)
    assert written <= end * (end.bit_length() + 1)


def test_appended_rows_come_after_what_is_there(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:10])
    with pytest.raises(StoreError, match="ascend"):
        append(tmp_path / "v", ROWS[9:12])
    assert contents(tmp_path / "v") == ROWS[:10]
    assert len(os.listdir(tmp_path)) == 1


def test_a_refused_row_leaves_the_old_matrix_and_no_other_file(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:10])
    with pytest.raises(StoreError):
        write(tmp_path / "v", [*ROWS[:3], (10**6, noise(random.Random(1), DIM + 1))])
    assert contents(tmp_path / "v") == ROWS[:10]
    assert len(os.listdir(tmp_path)) == 1


def test_a_damaged_file_at_the_end_leaves_what_is_before_it(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:100])
    append(tmp_path / "v", ROWS[100:110])
    end = sorted(tmp_path.iterdir())[-1]
    end.write_bytes(end.read_bytes()[:-1])
    assert contents(tmp_path / "v") == ROWS[:100]
    assert append(tmp_path / "v", ROWS[100:120]) == 20
    assert contents(tmp_path / "v") == ROWS[:120]
    assert len(os.listdir(tmp_path)) == 2


def test_a_damaged_file_at_the_beginning_leaves_nothing(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:100])
    append(tmp_path / "v", ROWS[100:110])
    beginning = sorted(tmp_path.iterdir())[0]
    beginning.write_bytes(b"")
    assert Matrix.open(str(tmp_path / "v"), identity="m") is None
    assert write(tmp_path / "v", ROWS[:120]) == 120
    assert len(os.listdir(tmp_path)) == 1


def test_files_with_names_that_mean_nothing_are_left_alone(tmp_path: Path) -> None:
    for name in ("v", "v.", "v.1", "v.00000009-xyz", "v.00000009-zzzzzzzzzzzzzzzz", "v.²-0011223344556677", "v.txt"):
        (tmp_path / name).write_bytes(b"mine")
    write(tmp_path / "v", ROWS[:10])
    assert contents(tmp_path / "v") == ROWS[:10]
    assert len(os.listdir(tmp_path)) == 8


def test_what_a_killed_writer_left_goes_after_an_hour(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:10])
    for name, is_old in (("v.0011223344556677.tmp", True), ("v.8899aabbccddeeff.tmp", False)):
        (tmp_path / name).write_bytes(b"half a file")
        if is_old:
            os.utime(tmp_path / name, (1, 1))
    write(tmp_path / "v", ROWS[:20])
    assert [name for name in os.listdir(tmp_path) if name.endswith(".tmp")] == ["v.8899aabbccddeeff.tmp"]
    assert contents(tmp_path / "v") == ROWS[:20]


def test_appending_to_what_another_writer_replaced_adds_nothing(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:100])
    with opened(tmp_path / "v") as stale:
        write(tmp_path / "v", ROWS[:150])
        append_matrix(str(tmp_path / "v"), ROWS[100:110], to=stale)
    assert contents(tmp_path / "v") == ROWS[:150]
    assert len(os.listdir(tmp_path)) == 1


def test_two_writers_that_append_at_once_leave_one_of_both(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:100])
    with opened(tmp_path / "v") as one, opened(tmp_path / "v") as two:
        append_matrix(str(tmp_path / "v"), ROWS[100:110], to=one)
        append_matrix(str(tmp_path / "v"), ROWS[100:120], to=two)
    assert contents(tmp_path / "v") in (ROWS[:110], ROWS[:120])


def test_a_matrix_is_removed_with_all_its_files(tmp_path: Path) -> None:
    write(tmp_path / "v", ROWS[:100])
    append(tmp_path / "v", ROWS[100:110])
    (tmp_path / "v.txt").write_bytes(b"mine")
    remove_matrix(str(tmp_path / "v"))
    assert os.listdir(tmp_path) == ["v.txt"]
    remove_matrix(str(tmp_path / "v"))


def test_writing_into_a_missing_folder_is_the_callers_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "nowhere" / "v", ROWS[:10])


def test_a_bare_name_means_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("v"), ROWS[:10])
    assert contents(Path("v")) == ROWS[:10]
