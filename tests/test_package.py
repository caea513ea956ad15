"""The public surface is what is written down, and importing it costs nothing."""

from __future__ import annotations

import subprocess
import sys

import trivium


def test_the_surface_is_frozen() -> None:
    assert trivium.__all__ == ["Memory", "SearchOptions", "TriviumError", "__version__", "open"]
    for name in trivium.__all__:
        assert getattr(trivium, name) is not None


def test_importing_loads_nothing_heavy() -> None:
    program = "import sys, trivium; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"sqlite3", "json", "numpy", "simsimd", "argparse", "trivium.engine"} & set(loaded)
