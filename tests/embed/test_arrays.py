"""numpy is imported with one thread, and nobody notices in the environment."""

from __future__ import annotations

import os
import subprocess
import sys

CODE = """
import os, sys
from trivium.embed import arrays
before = dict(os.environ)
assert not arrays.is_loaded()
module = arrays.numpy()
assert arrays.is_loaded() and module is sys.modules["numpy"] is arrays.numpy()
assert dict(os.environ) == before
print(len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1)
"""


def _threads(**variables: str) -> int:
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment | variables
    )
    return int(done.stdout)


def test_no_pool_of_threads_is_started_and_the_environment_is_left_as_it_was() -> None:
    assert _threads() == 1


def test_a_number_that_the_user_has_set_is_left_alone() -> None:
    assert _threads(OPENBLAS_NUM_THREADS="1") == 1
