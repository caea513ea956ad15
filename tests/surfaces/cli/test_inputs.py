"""Reading files and standard input."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from trivium.errors import UsageError
from trivium.surfaces.cli.inputs import read_bytes, read_text


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfa\r\n\xe3\x81\x82")
    assert read_bytes(str(path), what="payload") == path.read_bytes()
    assert read_text(str(path), what="source") == "a\r\nあ"


@pytest.mark.parametrize("name", ["nothing", ".", "a/b\0c"])
def test_what_cannot_be_read_is_one_clear_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="The payload cannot be read: ") as caught:
        read_bytes(os.path.join(tmp_path, name), what="payload")
    assert "\n" not in caught.value.message


def test_a_terminal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Terminal())
    with pytest.raises(UsageError, match="that is a terminal") as caught:
        read_bytes("-", what="payload")
    assert "--file" in caught.value.hint


def test_a_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="expected on standard input"):
        read_bytes("-", what="payload")


def test_text_without_bytes_behind_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("あ"))
    assert read_bytes("-", what="payload") == "あ".encode()


def test_a_source_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"caf\xe9")
    with pytest.raises(UsageError, match="byte 0xe9 at offset 3"):
        read_text(str(path), what="source")
