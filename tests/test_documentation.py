"""The commands and programs in the documentation run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", "docs/quickstart.md", "docs/python-api.md"]


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def shell(block: str) -> str:
    """The commands of a console block, without their prompts: a here-document goes on until its end."""
    return "\n".join(line.removeprefix("$ ") for line in block.splitlines())


@pytest.fixture
def place(tmp_path: Path, cache_folder: str) -> dict[str, str]:
    """An environment with a home of its own and the command on the path; relative paths find the examples."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "examples").symlink_to(ROOT / "examples")
    return {
        **os.environ,
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CACHE": str(cache_folder),
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
    }


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_commands(page: str, place: dict[str, str], tmp_path: Path) -> None:
    script = "set -e\n" + "\n".join(shell(block) for block in blocks(page, "console"))
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path / "work", env=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ERROR" not in done.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_programs(page: str, place: dict[str, str], tmp_path: Path) -> None:
    for block in blocks(page, "python"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", block],
            cwd=tmp_path / "work",
            env=place,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_links_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}, which is not there"
