"""Searching the matrix gives what a plain loop over its rows gives."""

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.index.dense.oracle import agrees, clustered, exact_vectors, noise, ranking, unit

from trivium.errors import NotFoundError, UsageError
from trivium.index.dense import Matrix, append_matrix, merge, scan, write_matrix
from trivium.index.dense.estimates import SPAN
from trivium.index.dense.segment import CODED_FROM

DIM = 6
MANY = clustered(SPAN + CODED_FROM + 1500, 16)


def matrix_of(path: Path, parts: list[list[tuple[int, bytes]]]) -> Matrix:
    """A matrix whose segments hold these rows, as long as each part is smaller than the one before."""
    dim = len(parts[0][0][1]) // 4
    write_matrix(str(path), parts[0], dim=dim, identity="m")
    for part in parts[1:]:
        with opened(path) as matrix:
            append_matrix(str(path), part, to=matrix)
    return opened(path)


def opened(path: Path) -> Matrix:
    matrix = Matrix.open(str(path), identity="m")
    assert matrix is not None
    return matrix


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    """A large segment with codes, a smaller one with codes, and one without."""
    end = SPAN + 700
    parts = [MANY[:end], MANY[end : end + CODED_FROM + 100], MANY[end + CODED_FROM + 100 :]]
    matrix = matrix_of(tmp_path_factory.mktemp("many") / "v", parts)
    assert [segment.is_coded for segment in matrix.segments] == [True, True, False]
    return matrix


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(exact_vectors(DIM), min_size=1, max_size=60),
    exact_vectors(DIM),
    st.integers(-1, 70),
    st.integers(0, 60),
)
def test_search_is_the_plain_loop_ties_and_all(
    tmp_path: Path, vectors: list[bytes], query: bytes, k: int, cut: int
) -> None:
    rows = [(3 * number, vector) for number, vector in enumerate(vectors, start=1)]
    parts = [rows[:cut], rows[cut:]] if 0 < cut < len(rows) else [rows]
    with matrix_of(tmp_path / "v", parts) as matrix:
        expected = ranking(rows, query, k)
        assert matrix.search(query, k) == expected
        assert matrix.search_many([query] * 9, k) == [expected] * 9
        assert matrix.cosines(query, [0, *range(1, 200)]) == dict(ranking(rows, query, len(rows)))


@pytest.mark.parametrize("k", [1, 10, 110, 5000])
@pytest.mark.parametrize("threads", [None, 3])
def test_search_of_many_rows_is_the_plain_loop(many: Matrix, k: int, threads: int | None) -> None:
    chance = random.Random(k)
    for query in (noise(chance, 16), MANY[40][1], MANY[SPAN + 2000][1], MANY[-1][1]):
        assert agrees(many.search(query, k, max_threads=threads), MANY, query, k)


def test_search_finds_every_row_when_asked_for_more_than_there_are(many: Matrix) -> None:
    query = noise(random.Random(1), 16)
    found = many.search(query, 10**9)
    assert len(found) == many.count == len(MANY)
    assert agrees(found, MANY, query, 10**9)


def test_all_rows_alike_come_in_the_order_of_their_keys(tmp_path: Path) -> None:
    vector = unit([1, 2, 3, 4])
    with matrix_of(tmp_path / "v", [[(2 * key, vector) for key in range(1, CODED_FROM + 2000)]]) as matrix:
        found = matrix.search(vector, 7)
        assert [key for key, _ in found] == [2, 4, 6, 8, 10, 12, 14]
        assert [score for _, score in found] == [pytest.approx(1, abs=1e-6)] * 7
        assert matrix.search(bytes(16), 3) == [(2, 0.0), (4, 0.0), (6, 0.0)]


def test_search_many_is_search_for_each(many: Matrix) -> None:
    chance = random.Random(4)
    queries = [noise(chance, 16) for _ in range(30)] + [MANY[5][1], MANY[5][1], bytes(64)]
    for k in (1, 6):
        assert many.search_many(queries, k) == [many.search(query, k) for query in queries]
        assert many.search_many(queries[:3], k) == [many.search(query, k) for query in queries[:3]]
    assert many.search_many([], 5) == []
    assert many.search_many(queries, 0) == [[]] * len(queries)


def test_search_many_can_ask_for_every_row(tmp_path: Path) -> None:
    rows = clustered(300, 5)
    with matrix_of(tmp_path / "v", [rows[:200], rows[200:]]) as matrix:
        for found in matrix.search_many([rows[3][1]] * 8, 1000):
            assert agrees(found, rows, rows[3][1], 1000)


def test_cosines_are_those_of_search(many: Matrix) -> None:
    query = noise(random.Random(8), 16)
    found = dict(many.search(query, 50))
    assert many.cosines(query, [*found, 2, 10**9, -4]) == found


def test_vectors_are_returned_as_they_were_written(many: Matrix) -> None:
    for key, vector in MANY[:: len(MANY) // 50]:
        assert many.vector(key) == vector
    for key in (0, 2, MANY[-1][0] + 1):
        with pytest.raises(NotFoundError, match=f"no vector {key} "):
            many.vector(key)


def test_matrix_and_scan_together_cover_everything(tmp_path: Path) -> None:
    rows = clustered(400, 8)
    query = noise(random.Random(6), 8)
    with matrix_of(tmp_path / "v", [rows[:300]]) as matrix:
        late = [row for row in rows if row[0] > matrix.last_key]
        assert agrees(merge(matrix.search(query, 20), scan(late, query, 20), k=20), rows, query, 20)


@pytest.mark.parametrize("size", [0, 3, 20, 28, 48])
def test_a_query_of_another_dimension_is_refused(tmp_path: Path, size: int) -> None:
    with matrix_of(tmp_path / "v", [clustered(10, DIM)]) as matrix:
        message = f"has {size} bytes; this index compares vectors of 6 float32 numbers"
        with pytest.raises(UsageError, match=message):
            matrix.search(bytes(size), 3)
        with pytest.raises(UsageError, match=message):
            matrix.cosines(bytes(size), [1])
        with pytest.raises(UsageError, match=message):
            matrix.search_many([bytes(size)] * 10, 3)


def test_an_empty_matrix_finds_nothing(tmp_path: Path) -> None:
    write_matrix(str(tmp_path / "v"), [], dim=4, identity="m")
    with opened(tmp_path / "v") as matrix:
        assert matrix.search(unit([1, 0, 0, 0]), 5) == []
        assert matrix.search_many([unit([1, 0, 0, 0])] * 10, 5) == [[]] * 10
        assert matrix.cosines(unit([1, 0, 0, 0]), [1]) == {}


def test_closing_releases_the_files(tmp_path: Path) -> None:
    matrix = matrix_of(tmp_path / "v", [clustered(CODED_FROM, 4), clustered(5, 4, first=10**6)])
    matrix.search(unit([1, 1, 1, 1]), 3)
    matrix.search_many([unit([1, 1, 1, 1])] * 10, 3)
    assert matrix.is_intact()
    matrix.close()
    matrix.close()
    with pytest.raises(ValueError, match="released"):
        matrix.search(unit([1, 1, 1, 1]), 3)


def test_a_reader_keeps_its_view_while_writers_go_on(tmp_path: Path) -> None:
    rows = clustered(900, 8)
    query = noise(random.Random(7), 8)
    write_matrix(str(tmp_path / "v"), rows[:100], dim=8, identity="m")
    expected = {count: ranking(rows[:count], query, 5) for count in range(100, 901, 25)}
    problems: list[object] = []
    is_done = threading.Event()

    def read() -> None:
        while not is_done.is_set():
            matrix = Matrix.open(str(tmp_path / "v"), identity="m")
            if matrix is None:
                problems.append("no matrix")
                continue
            with matrix:
                for _ in range(3):
                    found = matrix.search(query, 5)
                    if [key for key, _ in found] != [key for key, _ in expected[matrix.count]]:
                        problems.append((matrix.count, found))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for end in range(125, 901, 25):
        with opened(tmp_path / "v") as matrix:
            append_matrix(str(tmp_path / "v"), rows[end - 25 : end], to=matrix)
        if end % 200 == 0:
            write_matrix(str(tmp_path / "v"), rows[:end], dim=8, identity="m")
    is_done.set()
    for reader in readers:
        reader.join()
    assert problems == []
    with opened(tmp_path / "v") as matrix:
        assert matrix.count == 900


def test_answering_does_not_load_numpy(tmp_path: Path) -> None:
    matrix_of(tmp_path / "v", [clustered(CODED_FROM, 4)]).close()
    program = (
        "import sys; from array import array; from trivium.index import dense\n"
        "query = array('f', [0.5] * 4).tobytes()\n"
        "with dense.Matrix.open(sys.argv[1], identity='m') as matrix:\n"
        "    found = matrix.search(query, 3)\n"
        "print(len(dense.merge(found, dense.scan([(10**9, query)], query, 3), k=3)), 'numpy' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "v")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["3", "False"]
