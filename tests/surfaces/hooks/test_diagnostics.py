"""Problems are lines of a file that stays small."""

from __future__ import annotations

from pathlib import Path

from trivium.surfaces.hooks.diagnostics import MAX_BYTES, MAX_LINE, note, path


def test_lines(home: Path) -> None:
    note(str(home), "claude", "Stop", "a\nb  c")
    note(str(home), "codex", "", "\ud800" + "x" * 5_000)
    first, second = Path(path(str(home))).read_text().splitlines()
    assert first.endswith("a b c")
    assert " claude Stop [" in first
    assert " codex - [" in second
    assert len(second) == MAX_LINE


def test_a_full_file_is_set_aside_once(home: Path) -> None:
    place = Path(path(str(home)))
    place.parent.mkdir(parents=True)
    place.write_text("x" * MAX_BYTES)
    note(str(home), "claude", "Stop", "over")
    assert not place.exists()
    assert place.with_name(place.name + ".1").stat().st_size > MAX_BYTES
    note(str(home), "claude", "Stop", "again")
    assert place.read_text().count("\n") == 1


def test_a_home_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    note(str(tmp_path / "file"), "claude", "Stop", "lost")
    assert (tmp_path / "file").read_text() == ""
