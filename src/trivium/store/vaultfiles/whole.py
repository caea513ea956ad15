"""Files that are replaced whole: a reader sees the old text or the new one, also when the writer is killed."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

from trivium.errors import StoreError

FOLDER = "meta/kg"
_TEMPORARY = ".trivium-tmp"


def meta_path(root: str, *names: str) -> str:
    """A path below the vault's own folder."""
    return os.path.join(root, *FOLDER.split("/"), *names)


def read_whole(path: str) -> bytes | None:
    """The bytes of a file, None when there is none; StoreError when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _refused("read", path, error) from error


def write_whole(path: str, data: bytes) -> bool:
    """Replace a file by way of a temporary one beside it, synced to the disk; False when it holds `data` already.

    Raises StoreError when the system refuses (then the old file is untouched) or when the path is a link.
    """
    if os.path.islink(path):
        raise StoreError(f"{path} is a link and is not written through", hint="Put the file itself into the vault.")
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".{os.path.basename(path)}.{os.getpid()}-{os.urandom(4).hex()}{_TEMPORARY}")
    try:
        if read_whole(path) == data:
            return False
        os.makedirs(folder, exist_ok=True)
        _fill(temporary, data, _mode(path))
        os.replace(temporary, path)
        _sync_folder(folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise _refused("written", path, error) from error
    return True


def sweep(folder: str) -> list[str]:
    """Remove temporary files that a killed writer left; call it only while holding the lock. Returns their names."""
    removed = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for name in sorted(os.listdir(folder)):
            if name.startswith(".") and name.endswith(_TEMPORARY):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, name))
                    removed.append(name)
    return removed


def encode(value: Any, *, indent: int | None = None) -> bytes:
    """JSON as kg writes it: UTF-8, compact or indented, whole numbers without a fraction; ends with a newline."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, allow_nan=False) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair: only an escape can carry it
        return (json.dumps(value, indent=indent, separators=separators, allow_nan=False) + "\n").encode()


def decode(data: bytes) -> Any:
    """The value of a JSON text; ValueError says what is wrong and where."""
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8") from None
    except RecursionError:
        raise ValueError("it nests too deep") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits[:20]} is too large")
    return number


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode & 0o777
    except OSError:
        return None


def _fill(path: str, data: bytes, mode: int | None) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(handle, mode)
    finally:
        os.close(handle)


def _sync_folder(folder: str) -> None:
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):  # some file systems cannot sync a folder; the rename is atomic all the same
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _refused(done: str, path: str, error: OSError) -> StoreError:
    reason = error.strerror or type(error).__name__
    return StoreError(
        f"{path} cannot be {done}: {reason}",
        hint="Check the permissions of the folder and the space left on the disk.",
    )
