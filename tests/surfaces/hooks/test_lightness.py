"""What a hook loads: imports are latency, and a hook runs hundreds of times a day."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

HEAVY = {
    "numpy",
    "argparse",
    "logging",
    "dataclasses",
    "pathlib",
    "subprocess",
    "inspect",
    "tomllib",
    "yaml",
    "asyncio",
}
TOOL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def loaded(taught: Any, event: str, **settings: str) -> set[str]:
    """Names of the modules that one hook imports."""
    told = {"session_id": "s", "cwd": str(taught.project), "prompt": "deploy the shop to staging", **TOOL}
    done = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", "-m", "trivium", "hook", "claude", event],
        input=json.dumps(told),
        env={**taught.environment, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("event", ["PreToolUse", "Stop", "SubagentStop", "Notification", "PostToolUseFailure"])
def test_an_event_without_anything_to_do_loads_next_to_nothing(event: str, taught: Any) -> None:
    found = loaded(taught, event)
    assert "trivium.surfaces.hooks.process" in found
    assert not found & (HEAVY | {"json", "sqlite3", "hashlib", "trivium.engine"})
    assert not any(name.startswith(("trivium.domains", "trivium.store", "trivium.text")) for name in found)


def test_a_quiet_folder_loads_no_database(taught: Any) -> None:
    import shutil

    shutil.rmtree(taught.user / ".claude" / "skills" / "force-push")
    taught.set(hook_tools="on")
    taught.prompt("unrelated words")
    assert not loaded(taught, "PreToolUse") & (HEAVY | {"sqlite3", "trivium.engine"})


def test_a_prompt_loads_nothing_heavy(taught: Any) -> None:
    taught.prompt("deploy the shop to staging")
    found = loaded(taught, "UserPromptSubmit")
    assert "trivium.domains.routing.match" in found
    assert not found & HEAVY
