"""The pages that are made from the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_made_pages_are_what_the_program_says() -> None:
    ran = subprocess.run([sys.executable, DOCS / "build.py", "--check"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
