"""The MCP Inspector's command line, a client that this project did not write, lists and calls every tool."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from trivium.surfaces.mcp.tools import TOOLS

from .conftest import PAYLOAD

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def inspector() -> list[str]:
    """The command that `make inspector` installed."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the inspector runs on it")
    found = ROOT / ".inspector" / "node_modules" / ".bin" / "mcp-inspector"
    if not found.exists():
        pytest.skip("the inspector is not installed: make inspector fetches it with npm")
    return [str(found), "--cli"]


def inspect(inspector: list[str], method: str, *options: str) -> Any:
    server = [sys.executable, "-m", "trivium", "mcp"]
    own = [
        word for name, value in os.environ.items() if name.startswith("TRIVIUM_") for word in ("-e", f"{name}={value}")
    ]
    done = subprocess.run(
        [*inspector, *own, *server, "--method", method, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def call(inspector: list[str], name: str, **arguments: Any) -> Any:
    given = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in arguments.items()]
    options = [word for one in given for word in ("--tool-arg", one)]
    return inspect(inspector, "tools/call", "--tool-name", name, *options)


@pytest.mark.slow
def test_it_lists_and_calls_every_tool(inspector: list[str]) -> None:
    listed = {tool["name"] for tool in inspect(inspector, "tools/list")["tools"]}
    assert listed == TOOLS.keys()
    answers = {"register": call(inspector, "register", **PAYLOAD)}
    asked: dict[str, dict[str, Any]] = {
        "recall": {"query": "log of changes", "limit": 3},
        "show": {"id": "WAL mode"},
        "connect": {"id": "checkpoint", "to": "rollback journal"},
        "curate": {"action": "unarchive", "ids": ["checkpoint"]},
        "history": {},
        "status": {},
    }
    with ThreadPoolExecutor(2) as pool:
        answers.update(zip(asked, pool.map(lambda name: call(inspector, name, **asked[name]), asked), strict=True))
    for name, answer in answers.items():
        assert not answer.get("isError"), (name, answer)
        assert answer["structuredContent"]["items"]
    # Each of its calls is a server of its own, which has no earlier answer to go on with.
    assert call(inspector, "more", handle="none-1")["structuredContent"]["error"]["code"] == "not_found"
    assert len(inspect(inspector, "resources/list")["resources"]) == 5
    assert inspect(inspector, "prompts/list")["prompts"]
