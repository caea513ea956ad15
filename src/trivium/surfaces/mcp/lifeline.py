"""The server ends with whoever started it, also when that was killed, and whatever it is doing then."""

from __future__ import annotations

import os
import select
import threading
import time

GRACE_S = 1.2
"""So long after the client is gone a call may still finish; then the process ends. Together under two seconds."""

_LOOK_S = 0.2


class Lifeline:
    """Watches the client from a thread of its own. `descriptor` is the pipe that the client holds the other end of."""

    def __init__(self, descriptor: int, *, grace_s: float = GRACE_S) -> None:
        self._descriptor = descriptor
        self._grace_s = grace_s
        self._parent = os.getppid()
        self._gone = threading.Event()

    def hold(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name="lifeline", daemon=True).start()

    def let_go(self) -> None:
        """The client said that it is done: the process ends after the grace at the latest."""
        self._gone.set()

    def _watch(self) -> None:
        while not (self._gone.is_set() or self._is_hung_up() or os.getppid() != self._parent):
            pass
        time.sleep(self._grace_s)
        # Threads that still work must not keep the process: what they have not committed was not acknowledged.
        os._exit(0)

    def _is_hung_up(self) -> bool:
        """Whether nobody holds the other end any more; waits a little for it."""
        if not hasattr(select, "poll"):
            return self._gone.wait(_LOOK_S)
        poll = select.poll()
        poll.register(self._descriptor, 0)
        events = poll.poll(_LOOK_S * 1000)
        return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in events)
