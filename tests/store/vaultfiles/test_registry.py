"""The registry comes back as it was, and damage in it costs one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.store.vaultfiles import RegistryRow, read_registry, update_registry, write_registry
from trivium.store.vaultfiles.quarantine import Damaged
from trivium.store.vaultfiles.registry import NAME


def file(root: Path) -> Path:
    folder = root / "meta/kg"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / NAME


def test_the_shape_of_kg(tmp_path: Path) -> None:
    rows = [
        RegistryRow("h2", "b.md", "Bé", 1.5, 6),
        RegistryRow("h1", "a/z.md", "z", 3.0, 2),
        RegistryRow("h3", "B.md", "B", 2.0, 4),
    ]
    assert write_registry(str(tmp_path), rows)
    assert file(tmp_path).read_text(encoding="utf-8").splitlines() == [
        '{"hash":"h3","path":"B.md","title":"B","mtime":2,"size":4}',
        '{"hash":"h1","path":"a/z.md","title":"z","mtime":3,"size":2}',
        '{"hash":"h2","path":"b.md","title":"Bé","mtime":1.5,"size":6}',
    ]
    assert not write_registry(str(tmp_path), reversed(rows))


def test_no_file_is_an_empty_registry(tmp_path: Path) -> None:
    assert read_registry(str(tmp_path)) == ([], [])
    write_registry(str(tmp_path), [])
    assert file(tmp_path).read_bytes() == b""


def test_unknown_fields_survive_in_their_order(tmp_path: Path) -> None:
    line = '{"extra":{"k":[1]},"hash":"h","path":"a.md","title":"A","mtime":1700000000.123,"size":3,"z":null}\n'
    file(tmp_path).write_text(line)
    found = read_registry(str(tmp_path))
    assert not write_registry(str(tmp_path), found.rows, found.damaged)
    write_registry(str(tmp_path), [row._replace(title="New") for row in found.rows])
    assert file(tmp_path).read_text() == line.replace('"A"', '"New"')


def test_two_paths_of_one_hash_are_two_rows(tmp_path: Path) -> None:
    rows = [RegistryRow("h", "a.md", "", 1.0, 1), RegistryRow("h", "b.md", "", 1.0, 1)]
    write_registry(str(tmp_path), rows)
    assert [row.path for row in read_registry(str(tmp_path)).rows] == ["a.md", "b.md"]


GOOD = '{"hash":"h","path":"a.md","title":"A","mtime":1,"size":1}'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON"),
        ('{"path":"b.md"}', "no hash"),
        ('{"hash":"h","path":""}', "no path"),
        ("[]", "no object"),
        ("<<<<<<< HEAD", "no JSON"),
        ('{"hash":"h","path":"b.md","mtime":NaN}', "no JSON"),
        ('{"hash":"h","path":"b.md","mtime":1e400}', "no JSON"),
    ],
)
def test_a_damaged_line_is_named_and_set_aside(tmp_path: Path, line: str, reason: str) -> None:
    file(tmp_path).write_text(f"{GOOD}\n{line}\n")
    found = read_registry(str(tmp_path))
    assert [row.path for row in found.rows] == ["a.md"]
    assert [(one.file, one.line, one.text) for one in found.damaged] == [(NAME, 2, line)]
    assert found.damaged[0].reason.startswith(reason)
    write_registry(str(tmp_path), found.rows, found.damaged)
    assert file(tmp_path).read_text() == GOOD + "\n"
    kept = json.loads((tmp_path / "meta/kg/quarantine.jsonl").read_text())
    assert (kept["file"], kept["line"], kept["text"]) == (NAME, 2, line)


def test_every_cut_of_the_last_line_spares_the_others(tmp_path: Path) -> None:
    write_registry(str(tmp_path), [RegistryRow(f"h{number}", f"{number}.md", "é", 1.0, 1) for number in range(3)])
    whole = file(tmp_path).read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(last, len(whole)):
        file(tmp_path).write_bytes(whole[:cut])
        found = read_registry(str(tmp_path))
        assert [row.path for row in found.rows][:2] == ["0.md", "1.md"]
        assert len(found.rows) + len(found.damaged) == (2 if cut == last else 3)


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    file(tmp_path).write_bytes(GOOD.encode() + b'\n{"hash":"h","path":"caf\xe9.md"}\n')
    (damaged,) = read_registry(str(tmp_path)).damaged
    assert (damaged.line, damaged.text) == (2, '{"hash":"h","path":"caf\\xe9.md"}')


def test_a_path_twice_keeps_the_last(tmp_path: Path) -> None:
    file(tmp_path).write_text(f'{GOOD}\n{GOOD}\n{{"hash":"i","path":"a.md"}}\n')
    found = read_registry(str(tmp_path))
    assert [row.hash for row in found.rows] == ["i"]
    assert [(one.line, one.reason) for one in found.damaged] == [(2, "line 3 names the same path again")]


def test_fields_of_another_kind(tmp_path: Path) -> None:
    file(tmp_path).write_text('{"hash":"h","path":"a.md","title":5,"mtime":"x","other":9,"size":true}\n')
    (row,) = read_registry(str(tmp_path)).rows
    assert (row.title, row.mtime, row.size) == ("", 0.0, -1)
    file(tmp_path).write_text('{"hash":"h","path":"a.md","mtime":' + "9" * 400 + "}\n")
    assert read_registry(str(tmp_path)).rows[0].mtime == 0.0


ROWS = st.builds(
    RegistryRow,
    st.text("0123456789abcdef", min_size=1, max_size=8),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.floats(0, 1e12),
    st.integers(0, 2**53),
    st.just({}),
)


@given(st.lists(ROWS, max_size=5, unique_by=lambda row: row.path))
def test_rows_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[RegistryRow]) -> None:
    root = str(tmp_path_factory.mktemp("vault"))
    write_registry(root, rows)
    found = read_registry(root)
    assert {row[:5] for row in found.rows} == {row[:5] for row in rows}
    assert not write_registry(root, found.rows)
    assert found.damaged == list[Damaged]()


def test_some_rows_written_anew_are_as_all_written(tmp_path: Path) -> None:
    def row(path: str, hash_: str = "h", **fields: object) -> RegistryRow:
        return RegistryRow(hash_, path, path, 1.5, 3, fields)

    paths = ["b.md", "a.md", "é.md", "日本.md", "x/y.md", 'q"uote.md', "\U0001f600.md", "\uff01.md"]
    other = tmp_path / "other"
    write_registry(str(tmp_path), [row(path) for path in paths])
    wanted = [row(path, "new" if path in ("é.md", "0.md") else "h") for path in [*paths[1:], "0.md"]]
    assert update_registry(str(tmp_path), [row("é.md", "new"), row("0.md", "new")], ["b.md", "unknown.md"])
    write_registry(str(other), wanted)
    assert (tmp_path / "meta/kg/registry.jsonl").read_bytes() == (other / "meta/kg/registry.jsonl").read_bytes()
    assert not update_registry(str(tmp_path), [], [])
