"""Reading one file: nothing but a regular file of a bearable size, and its text whatever its bytes."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.sources.vault.files import ReadNote, Skipped, decode, read_note


def test_a_note(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    data = "\ufeff# Café\r\n".encode()
    (tmp_path / "d" / "a.md").write_bytes(data)
    note = read_note(str(tmp_path), "d/a.md")
    assert isinstance(note, ReadNote)
    assert (note.text, note.encoding, note.problem) == ("\ufeff# Café\r\n", "utf-8", "")
    assert note.hash == hashlib.sha256(data).hexdigest()
    assert (note.size, note.is_stable) == (len(data), True)


def test_what_is_not_there(tmp_path: Path) -> None:
    assert read_note(str(tmp_path), "a.md") == Skipped("a.md", "vanished", "it was there a moment ago")


def test_300_megabytes_are_refused_without_reading(tmp_path: Path) -> None:
    with open(tmp_path / "big.md", "wb") as file:
        file.truncate(300_000_000)
    found = read_note(str(tmp_path), "big.md")
    assert isinstance(found, Skipped)
    assert found.reason == "too_large"


def test_the_limit_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"x" * 100)
    assert isinstance(read_note(str(tmp_path), "a.md", max_bytes=100), ReadNote)
    assert isinstance(read_note(str(tmp_path), "a.md", max_bytes=99), Skipped)


def test_nul_characters(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"a\0b")
    found = read_note(str(tmp_path), "a.md")
    assert isinstance(found, Skipped)
    assert found.reason == "binary"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.md")
    found = read_note(str(tmp_path), "p.md")
    assert isinstance(found, Skipped)
    assert found.reason == "not_a_file"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
def test_a_note_swapped_for_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "a.md").symlink_to(tmp_path / "secret")
    found = read_note(str(tmp_path), "a.md")
    assert isinstance(found, Skipped)
    assert found.reason == "symlink"


def test_a_folder_called_like_a_note(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    assert isinstance(read_note(str(tmp_path), "a.md"), Skipped)


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"# Caf\xe9\n\nna\xefve", "# Café\n\nnaïve", "windows-1252"),
        ("café ".encode() + b"\xff", "café \ufffd", "utf-8"),
        ("漢字".encode("utf-16"), "漢字", "utf-16-le"),
        (b"\xfe\xff" + "漢字".encode("utf-16-be"), "漢字", "utf-16-be"),
        (b"\x81", "\ufffd", "windows-1252"),
    ],
)
def test_other_encodings_are_read_and_reported(data: bytes, text: str, encoding: str) -> None:
    found, codec, problem = decode(data)
    assert (found, codec) == (text, encoding)
    assert problem


def test_the_line_of_the_first_bad_byte_is_named() -> None:
    assert "line 2, byte 0xe9" in decode(b"a\nb\xe9")[2]


@given(st.binary(max_size=60))
def test_any_bytes_become_text(data: bytes) -> None:
    text, encoding, problem = decode(data)
    text.encode()
    assert problem or (encoding == "utf-8" and text.encode() == data)
