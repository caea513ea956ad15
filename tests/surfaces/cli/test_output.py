"""Text that cannot act on a terminal, colour, progress."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.surfaces.cli.output import Progress, Style, clean, indented, one_line, style_for

ANY_TEXT = st.text(st.characters(codec=None), max_size=80)


@given(ANY_TEXT)
def test_one_line_is_one_line_without_controls(text: str) -> None:
    shown = one_line(text)
    assert "\n" not in shown
    assert shown.isprintable() or not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)


@given(ANY_TEXT)
def test_only_line_feeds_and_tabs_are_left_of_the_controls(text: str) -> None:
    controls = {char for char in clean(text) if ord(char) < 32 or 127 <= ord(char) < 160}
    assert controls <= {"\n", "\t"}


@given(ANY_TEXT)
def test_further_lines_stand_in(text: str) -> None:
    assert all(line.startswith("    ") for line in indented(text, 4).split("\n")[1:])


def test_an_escape_sequence_is_disarmed() -> None:
    assert clean("\x1b[31mred\u202e") == "\ufffd[31mred\ufffd"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_only_for_a_terminal_whose_user_did_not_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert style_for(_Terminal(), is_refused=False)("red", "x") == "\x1b[31mx\x1b[0m"
    assert style_for(io.StringIO(), is_refused=False)("red", "x") == "x"
    assert style_for(_Terminal(), is_refused=True)("red", "x") == "x"
    monkeypatch.setenv("TERM", "dumb")
    assert style_for(_Terminal(), is_refused=False)("red", "x") == "x"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert style_for(_Terminal(), is_refused=False)("red", "x") == "x"
    assert Style(is_on=False)("bold", "x") == "x"


@pytest.mark.parametrize(("stream", "is_drawn"), [(_Terminal(), True), (io.StringIO(), False)])
def test_progress_is_drawn_on_a_terminal_and_wiped(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, is_drawn: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    progress = Progress("Working")
    progress(1, 4)
    assert stream.getvalue() == ""  # work under a second shows nothing
    progress._begin -= 10
    progress._last -= 10
    progress(2, 4)
    progress.close()
    assert ("Working:  50 % (2 of 4)" in stream.getvalue()) is is_drawn
    assert stream.getvalue().endswith("\x1b[2K") is is_drawn
