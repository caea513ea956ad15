"""Files are replaced whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import StoreError
from trivium.store.vaultfiles.whole import decode, encode, meta_path, read_whole, sweep, write_whole


def test_write_and_read(tmp_path: Path) -> None:
    path = meta_path(str(tmp_path), "a.json")
    assert read_whole(path) is None
    assert write_whole(path, b"one")
    assert read_whole(path) == b"one"
    assert write_whole(path, b"two")
    assert not write_whole(path, b"two")
    assert os.listdir(tmp_path / "meta/kg") == ["a.json"]


def test_an_unchanged_file_is_not_touched(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    write_whole(path, b"x")
    before = os.stat(path)
    write_whole(path, b"x")
    assert (os.stat(path).st_ino, os.stat(path).st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions as POSIX has them")
def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    path.chmod(0o640)
    write_whole(str(path), b"y")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_refusal_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be"):
        write_whole(str(tmp_path / "file" / "a"), b"y")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="folder cannot be"):
        write_whole(str(tmp_path / "folder"), b"y")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
def test_links_are_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "a").symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError, match="is a link"):
        write_whole(str(tmp_path / "a"), b"y")
    assert (tmp_path / "secret").read_text() == "x"


@pytest.mark.skipif(sys.platform == "win32", reason="processes are ended otherwise")
def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    write_whole(path, b"old")
    code = (
        "import os, signal\n"
        "from trivium.store.vaultfiles import whole\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"whole.write_whole({path!r}, b'new')\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert read_whole(path) == b"old"
    assert len(os.listdir(tmp_path)) == 2
    assert len(sweep(str(tmp_path))) == 1
    assert os.listdir(tmp_path) == ["a"]


def test_sweeping_spares_other_files(tmp_path: Path) -> None:
    for name in ("a.tmp", ".b.tmp", "c.trivium-tmp", ".d.1-ff.trivium-tmp"):
        (tmp_path / name).write_text("x")
    assert sweep(str(tmp_path)) == [".d.1-ff.trivium-tmp"]
    assert sweep(str(tmp_path / "none")) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.sampled_from([None, 2]))
def test_json_comes_back(value: object, indent: int | None) -> None:
    assert decode(encode(value, indent=indent)) == value


def test_the_form_of_kg() -> None:
    value = {"a": [], "b": "é\u2028", "c": {"d": 1}}
    assert encode(value) == '{"a":[],"b":"é\u2028","c":{"d":1}}\n'.encode()
    assert encode(value, indent=2).decode().splitlines()[:2] == ["{", '  "a": [],']
    assert encode("\ud800") == b'"\\ud800"\n'


@pytest.mark.parametrize("data", [b"{", b"NaN", b"\xff", b"[" * 100_000, b"", b"{} {}"])
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        decode(data)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert decode(b"\xef\xbb\xbf[1]") == [1]
    assert json.loads(encode([1])) == [1]
