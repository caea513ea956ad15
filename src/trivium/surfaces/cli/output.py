"""What goes to the terminal: text that cannot act on it, colour where it is wanted, progress on the other stream."""

from __future__ import annotations

import sys
import time

_COLORS = {"bold": "1", "dim": "2", "red": "31", "yellow": "33", "cyan": "36", "green": "32"}

# What a terminal acts on, and what turns the direction of writing. Tab and line feed stay.
_ACTING = (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_HARMLESS = dict.fromkeys(_ACTING, "\ufffd")

_PATIENCE_S = 1.0
_REDRAW_S = 0.1


def clean(text: str) -> str:
    """Stored text as it may be shown: whatever a terminal would act on is replaced."""
    return text.translate(_HARMLESS).replace("\u2028", "\n").replace("\u2029", "\n")


def one_line(text: str) -> str:
    """Stored text on one line: it cannot pretend to be another line of the answer."""
    return clean(" ".join(text.split()))


def indented(text: str, width: int) -> str:
    """Stored text whose further lines stand in by `width` blanks."""
    return ("\n" + " " * width).join(clean(text.replace("\r\n", "\n")).rstrip("\n").split("\n"))


class Style:
    """Colour names to escape sequences, or to nothing."""

    def __init__(self, *, is_on: bool) -> None:
        self.is_on = is_on

    def __call__(self, name: str, text: str) -> str:
        """The text in a colour."""
        return f"\x1b[{_COLORS[name]}m{text}\x1b[0m" if self.is_on else text


def style_for(stream: object, *, is_refused: bool) -> Style:
    """Colour for a terminal whose user did not say no."""
    if is_refused or not getattr(stream, "isatty", lambda: False)():
        return Style(is_on=False)
    from trivium.config import is_color_refused

    return Style(is_on=not is_color_refused())


class Progress:
    """A line on the error stream for work over a second; nothing when that is not a terminal."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.is_on = sys.stderr.isatty()
        self._begin = self._last = time.monotonic()
        self._is_drawn = False

    def __call__(self, done: int, total: int) -> None:
        """Draw how far it is."""
        now = time.monotonic()
        if not self.is_on or now - self._begin < _PATIENCE_S or now - self._last < _REDRAW_S:
            return
        self._last, self._is_drawn = now, True
        share = f"{100 * done // total:3d} %" if total else ""
        sys.stderr.write(f"\r\x1b[2K{self.what}: {share} ({done} of {total})")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the line away."""
        if self._is_drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
