"""One writer at a time: the lock on a vault's own files."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from types import TracebackType

from trivium.errors import ConflictError, StoreError
from trivium.store.vaultfiles.whole import meta_path, sweep

NAME = ".lock"
_BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class VaultLock:
    """Exclusive among processes and threads while its `with` block runs; not re-entrant.

    Entering waits at most `timeout_s` seconds and then raises ConflictError, which names the process that holds the
    lock. The system frees the lock of a process that dies. On entering, temporary files of killed writers are removed.
    """

    def __init__(self, root: str, *, timeout_s: float = 30.0) -> None:
        self.root = root
        self.path = meta_path(root, NAME)
        self.timeout_s = timeout_s
        self._handle: int | None = None

    def __enter__(self) -> VaultLock:
        deadline = time.monotonic() + self.timeout_s
        pause_s = 0.005
        while not self._try():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise ConflictError(
                    f"The vault {self.root} is being written by another process{self._holder()}",
                    hint="Wait for it to finish, or end it, and try again.",
                )
            time.sleep(min(pause_s, left_s))
            pause_s = min(pause_s * 2, 0.1)
        for folder in (os.path.dirname(self.path), meta_path(self.root, "metadata")):
            sweep(folder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
            _unlock(handle)
            os.close(handle)

    def check(self) -> None:
        """Raise StoreError when the lock was lost: its file was removed or replaced while it was held."""
        if self._handle is None or not self._is_current(self._handle):
            raise StoreError(
                f"The lock {self.path} was removed while it was held: nothing more is written",
                hint="Do not delete the lock file while a program works on the vault; run the command again.",
            )

    def _try(self) -> bool:
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            _lock(handle)
        except OSError as error:
            os.close(handle)
            if error.errno in _BUSY:
                return False
            raise self._unusable(error) from error
        if not self._is_current(handle):  # removed between opening and locking
            _unlock(handle)
            os.close(handle)
            return False
        with contextlib.suppress(OSError):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0) if hasattr(os, "pwrite") else None
        self._handle = handle
        return True

    def _is_current(self, handle: int) -> bool:
        try:
            there, mine = os.stat(self.path), os.fstat(handle)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def _holder(self) -> str:
        try:
            with open(self.path, encoding="ascii", errors="replace") as file:
                pid = file.read(20).strip()
        except OSError:
            return ""
        return f" ({pid})" if pid.isdigit() else ""

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            f"The vault cannot be locked: {self.path}: {error.strerror or type(error).__name__}",
            hint="The folder must be writable and on a file system that has locks.",
        )


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _unlock(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
