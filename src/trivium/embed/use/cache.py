"""Where the pack lies: in the cache, else in a private temporary folder, else in memory; made once, never half."""

from __future__ import annotations

import os

from trivium.embed.use import pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trivium.embed.base import Progress

_FOLDER = f"use-multilingual-3-0db566fd0af8-{pack.LAYOUT}"  # the start of the sha256 of the weights
_LOCK_WAIT_S = 30.0
_LOCK_POLL_S = 0.05


def path_in(folder: str) -> str:
    """The file of the pack under a cache folder; its name says which weights and which layout."""
    return os.path.join(folder, "embed", _FOLDER, "model.pack")


def find(cache_dir: str) -> pack.Pack | None:
    """The pack if it has been made already, in the cache folder or in the private one."""
    found = pack.read(path_in(cache_dir))
    if found is None:
        try:
            found = pack.read(path_in(_private_folder(is_made=False)))
        except OSError:
            return None
    return found


def open_pack(cache_dir: str, on_progress: Progress | None = None) -> pack.Pack:
    """The pack, made first where there is none; a second or two, once.

    Two processes that need it at the same time make it once. Where the cache cannot be written, or is full, it is
    made in a private temporary folder, or in memory for this process. Raises `EmbedderError` when the weights are
    missing or are not the expected ones.
    """
    found = find(cache_dir)
    if found is not None:
        return found
    try:
        return make(cache_dir, on_progress)
    except OSError:
        pass
    try:
        return make(_private_folder(is_made=True), on_progress)
    except OSError:
        return _in_memory(on_progress)


def make(folder: str, on_progress: Progress | None = None) -> pack.Pack:
    """Make the pack under this folder unless a whole one is there by the time it is our turn."""
    path = path_in(folder)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _Turn(path + ".lock") as is_alone:
        found = pack.read(path)
        if found is None:
            _write(path, on_progress, is_alone=is_alone)
            found = pack.read(path)
    if found is None:
        raise OSError(f"The file cannot be mapped into memory: {path}")
    return found


def _write(path: str, on_progress: Progress | None, *, is_alone: bool) -> None:
    from trivium.embed.use.repack import write_pack

    folder, name = os.path.split(path)
    for left in os.listdir(folder) if is_alone else ():
        if left.startswith(name) and left.endswith(".new"):  # of a process that was killed
            os.unlink(os.path.join(folder, left))
    new = f"{path}.{os.getpid()}.new"
    try:
        with open(new, "wb") as stream:
            write_pack(stream, on_progress)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(new, path)
    except BaseException:
        if os.path.exists(new):
            os.unlink(new)
        raise


def _private_folder(*, is_made: bool) -> str:
    """A folder in the temporary one that only this user can write; raises `OSError` when it is not."""
    import stat
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else None
    folder = os.path.join(tempfile.gettempdir(), "trivium" if user is None else f"trivium-{user}")
    if is_made:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode) or (user is not None and (state.st_uid != user or state.st_mode & 0o022)):
        raise PermissionError(f"Not a private folder: {folder}")
    return folder


def _in_memory(on_progress: Progress | None) -> pack.Pack:
    from io import BytesIO

    from trivium.embed.use.repack import write_pack
    from trivium.errors import EmbedderError

    stream = BytesIO()
    write_pack(stream, on_progress)
    found = pack.parse(stream.getbuffer())
    if found is None:
        raise EmbedderError("The default embedder could not be prepared in memory", hint="Choose another embedder")
    return found


class _Turn:
    """Waits for other processes that make the same file; gives up waiting where locks do not work, or take too long.

    Going on without the lock wastes work and breaks nothing: the file appears whole, by a rename.
    """

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def __enter__(self) -> bool:
        """Whether no other process can be at it."""
        try:
            import fcntl
        except ImportError:
            return False
        import time

        end = time.monotonic() + _LOCK_WAIT_S
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if time.monotonic() > end:
                    return False
                time.sleep(_LOCK_POLL_S)
            except OSError:
                return False

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)
