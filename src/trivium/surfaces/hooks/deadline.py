"""The time that an answer may take: when it is over, the best answer so far is given and the process ends."""

from __future__ import annotations

import _thread
import os
import time

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_S = 1.0
"""After this much more the process is ended from outside Python, whatever holds it up."""


class Outlet:
    """The one answer of a process. Whoever gives it first has given it.

    From the start on, everything else that writes to standard output (a warning, a library, a `print`) is sent to
    standard error: what a host reads is the answer and nothing else.
    """

    def __init__(self) -> None:
        self.best = b""
        """What is given when time is over."""

        self.on_late: Callable[[], object] | None = None
        """Done by the watchdog before it ends the process."""

        self.begin = time.monotonic()
        self.due = self.begin
        """When the answer is due, by the same clock."""

        self._given = _thread.allocate_lock()
        self._done = _thread.allocate_lock()
        self._done.acquire()
        _occupy(0, os.O_RDONLY)
        _occupy(2, os.O_WRONLY)
        try:
            self._handle = os.dup(1)
        except OSError:
            self._handle = -1
        os.dup2(2, 1)

    def watch(self, deadline_s: float) -> None:
        """Start the watchdog. Time counts from the start of the process's work."""
        self.due = self.begin + deadline_s
        _thread.start_new_thread(self._wait, (deadline_s,))
        _end_for_certain(deadline_s + GRACE_S)

    def give(self, answer: bytes) -> bool:
        """Write the answer; false when one was given already."""
        if not self._given.acquire(False):
            return False
        view = memoryview(answer)
        try:
            while view and self._handle >= 0:
                view = view[os.write(self._handle, view) :]
        except OSError:
            pass  # the host went away: there is nobody to tell
        return True

    def close(self, status: int) -> None:
        """End the process; the interpreter's own end would only cost time."""
        self._done.release()
        os._exit(status)

    def _wait(self, deadline_s: float) -> None:
        if self._done.acquire(True, deadline_s):
            return
        if not self.give(self.best):
            # What was shown is being written down; whatever else goes on does not matter any more.
            self._done.acquire(True, GRACE_S / 2)
            os._exit(0)
        try:
            if self.on_late is not None:
                self.on_late()
        finally:
            os._exit(0)


def _occupy(handle: int, flags: int) -> None:
    """A stream that the host closed leads nowhere, instead of into the next file that is opened."""
    try:
        os.fstat(handle)
    except OSError:
        nowhere = os.open(os.devnull, flags)
        if nowhere != handle:
            os.dup2(nowhere, handle)
            os.close(nowhere)


def _end_for_certain(after_s: float) -> None:
    """A thread of C, which needs no interpreter lock, ends the process."""
    import faulthandler

    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        faulthandler.dump_traceback_later(after_s, exit=True, file=nowhere)
    except (OSError, ValueError, RuntimeError):
        return  # the watchdog alone has to do
