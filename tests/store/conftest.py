"""A folder that can only be read, also when the tests run as root."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

_NOBODY = 65534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may look into (those of pytest are for their owner only)."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    yield place
    _allow(place, is_writable=True)
    shutil.rmtree(place)


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """A folder in memory where the system has one: for tests that make hundreds of stores and wait for no disk."""
    memory = "/dev/shm"
    place = Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None))
    yield place
    shutil.rmtree(place)


@pytest.fixture
def only_reading(open_folder: Path) -> Callable[[], AbstractContextManager[None]]:
    """Within it, `open_folder` and all that is in it can be read and not written."""

    @contextlib.contextmanager
    def run() -> Iterator[None]:
        _allow(open_folder, is_writable=False)
        is_root = os.geteuid() == 0
        if is_root:
            os.setresuid(_NOBODY, _NOBODY, 0)
        try:
            yield
        finally:
            if is_root:
                os.setresuid(0, 0, 0)
            _allow(open_folder, is_writable=True)

    return run


def _allow(place: Path, *, is_writable: bool) -> None:
    more = 0o200 if is_writable else 0
    for path in (place, *place.rglob("*")):
        path.chmod((0o555 if path.is_dir() else 0o444) | more)
