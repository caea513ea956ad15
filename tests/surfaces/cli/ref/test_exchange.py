"""`ref import` and `ref export` through the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TRIVIUM = [sys.executable, "-m", "trivium", "--embedder", "hash"]


def trivium(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TRIVIUM, *arguments], input=stdin, capture_output=True, text=True, check=False)


def test_out_and_in_again(tmp_path: Path) -> None:
    tables = tmp_path / "tables.json"
    rows = {"concepts": [{"id": "A", "description": "apples"}, {"id": " ", "description": "x"}], "edges": []}
    tables.write_text(json.dumps(rows))
    done = trivium("ref", "import", str(tables), "--json", "--strict")
    assert (done.returncode, json.loads(done.stdout)["concepts"]) == (5, 1)
    assert "references imported: 0 (1" in trivium("ref", "import", str(tables)).stdout.lower()
    text = trivium("ref", "export").stdout
    assert json.loads(text)["concepts"][0]["id"] == "A"
    again = trivium("--home", str(tmp_path / "other"), "ref", "register", "-f", "-", stdin=text)
    assert (again.returncode, again.stderr) == (0, "")
    file = tmp_path / "out.md"
    told = json.loads(trivium("ref", "export", "--as", "markdown", "-o", str(file), "--json").stdout)
    assert told["characters"] == len(file.read_text()) > 0
    assert "apples" in json.loads(trivium("ref", "export", "--as", "graphml", "--json").stdout)["content"]


def test_mistakes(tmp_path: Path) -> None:
    missing = trivium("ref", "import", str(tmp_path / "none.db"))
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith("ERROR: ")
    assert trivium("ref", "export", "--as", "csv").returncode == 2
    assert trivium("ref", "export", "-o", str(tmp_path / "no" / "such" / "file")).returncode == 2
