"""One writer at a time, among threads and processes, also when one is killed."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from trivium.errors import ConflictError, StoreError
from trivium.store.vaultfiles import VaultLock, read_concepts, write_concepts

ADD = """
import sys
from trivium.store.vaultfiles import VaultLock, read_concepts, write_concepts
root, name = sys.argv[1:]
for number in range(3):
    with VaultLock(root) as lock:
        concepts, damaged = read_concepts(root)
        lock.check()
        write_concepts(root, [*concepts, {"id": f"{name}-{number}"}], damaged)
"""


def test_a_second_writer_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    with VaultLock(str(tmp_path)), pytest.raises(ConflictError, match=r"another process \(\d+\)") as failure:
        VaultLock(str(tmp_path), timeout_s=0.01).__enter__()
    assert failure.value.hint
    with VaultLock(str(tmp_path), timeout_s=0):
        pass


def test_24_processes_lose_nothing(tmp_path: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", ADD, str(tmp_path), str(number)]) for number in range(24)]
    assert [process.wait() for process in running] == [0] * 24
    concepts, damaged = read_concepts(str(tmp_path))
    assert {concept["id"] for concept in concepts} == {f"{one}-{other}" for one in range(24) for other in range(3)}
    assert damaged == []


def test_threads_lose_nothing(tmp_path: Path) -> None:
    root = str(tmp_path)

    def add(number: int) -> None:
        with VaultLock(root):
            concepts, _ = read_concepts(root)
            write_concepts(root, [*concepts, {"id": str(number)}])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_concepts(root)[0]) == 8


@pytest.mark.skipif(sys.platform == "win32", reason="processes are ended otherwise")
def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from trivium.store.vaultfiles import VaultLock\n"
        "VaultLock(sys.argv[1]).__enter__()\n"
        "open(os.path.join(sys.argv[1], 'meta/kg/.x.1-a.trivium-tmp'), 'w').close()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == -9
    assert (tmp_path / "meta/kg/.x.1-a.trivium-tmp").exists()
    with VaultLock(str(tmp_path), timeout_s=0) as lock:
        lock.check()
    assert not (tmp_path / "meta/kg/.x.1-a.trivium-tmp").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed")
def test_a_removed_lock_is_noticed(tmp_path: Path) -> None:
    with VaultLock(str(tmp_path)) as lock:
        (tmp_path / "meta/kg/.lock").unlink()
        with pytest.raises(StoreError, match="was removed while it was held"):
            lock.check()
        with VaultLock(str(tmp_path), timeout_s=0) as other:
            other.check()
            with pytest.raises(StoreError):
                lock.check()


def test_a_lock_that_is_not_held(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        VaultLock(str(tmp_path)).check()


def test_a_place_that_cannot_be_locked(tmp_path: Path) -> None:
    (tmp_path / "meta").write_text("a file")
    with pytest.raises(StoreError, match="cannot be locked") as failure:
        VaultLock(str(tmp_path)).__enter__()
    assert failure.value.hint


def test_a_failure_inside_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), VaultLock(str(tmp_path)):
        _ = 1 / 0
    with VaultLock(str(tmp_path), timeout_s=0):
        pass
