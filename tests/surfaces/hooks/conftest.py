"""Hooks as hosts run them: a process of its own, with a user's guidance and a project to work in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


class Reply(NamedTuple):
    """How a hook ended."""

    status: int
    out: bytes
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object that was answered."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def context(self) -> str:
        """The text for the agent, wherever a host carries it."""
        answer = self.json
        specific = answer.get("hookSpecificOutput", {})
        return str(specific.get("additionalContext", "") or answer.get("additional_context", ""))


class Place:
    """A user, a project, and hooks run there."""

    def __init__(self, root: Path, home: Path, cache: Path) -> None:
        self.user = root / "user"
        self.project = root / "project"
        self.home = home
        self.transcripts = root / "transcripts"
        for folder in (self.user, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ,
            "HOME": str(self.user),
            "USERPROFILE": str(self.user),
            "TRIVIUM_HOME": str(home),
            "TRIVIUM_CACHE": str(cache),
            "TRIVIUM_EMBEDDER": "hash",
            # A loaded machine must not turn answers into late ones.
            "TRIVIUM_HOOK_DEADLINE_S": "60",
        }

    def set(self, **settings: str) -> None:
        """Change settings by the names of their variables without the prefix."""
        self.environment.update({f"TRIVIUM_{key.upper()}": value for key, value in settings.items()})

    def teach(self) -> None:
        """Give the user the guidance of the fixtures."""
        source = FIXTURES / "hooks" / "guidance"
        for name in ("skills", "rules"):
            shutil.copytree(source / name, self.user / ".claude" / name)
        shutil.copytree(source / "memory", self.user / ".claude" / "projects" / self.encoded / "memory")
        shutil.copytree(FIXTURES / "transcripts", self.transcripts)

    @property
    def encoded(self) -> str:
        """The project as Claude Code names its folder."""
        return "".join(char if char.isalnum() else "-" for char in str(self.project))

    def filled(self, text: str) -> str:
        """A text of a fixture with the folders of this place."""
        for name in ("user", "project", "transcripts", "encoded"):
            text = text.replace(f"{{{name}}}", str(getattr(self, name)))
        return text

    def run(self, host: str, event: str = "", payload: Any = b"", *arguments: str) -> Reply:
        """Run one hook; a payload that is no bytes is sent as JSON."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        words = [host, *([event] if event else []), *arguments]
        done = subprocess.run(
            [sys.executable, "-I", "-m", "trivium", "hook", *words],
            input=data,
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            check=False,
        )
        return Reply(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def prompt(self, text: str, session: str = "s", host: str = "claude") -> Reply:
        """Submit a prompt."""
        names = {"claude": "UserPromptSubmit", "codex": "UserPromptSubmit", "gemini": "BeforeAgent"}
        event = names.get(host, "beforeSubmitPrompt")
        key = "conversation_id" if host == "cursor" else "session_id"
        told = {"hook_event_name": event, key: session, "prompt": text, "cwd": str(self.project)}
        return self.run(host, event, told)

    def ledger(self) -> list[dict[str, Any]]:
        """The records of the ledger."""
        lines = [
            line for path in sorted((self.home / "ledger").glob("*.jsonl")) for line in path.read_text().splitlines()
        ]
        return [json.loads(line) for line in lines]

    def log(self) -> str:
        """What was written about problems."""
        path = self.home / "hooks" / "hooks.log"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Place:
    """A user without guidance."""
    return Place(tmp_path / "place", home, tmp_path / "cache")


@pytest.fixture
def taught(place: Place) -> Place:
    """A user with the guidance of the fixtures."""
    place.teach()
    return place


@pytest.fixture
def golden() -> Callable[[str, str, str], str]:
    """A file of `fixtures/hooks` by host, event and ending."""

    def read(host: str, event: str, ending: str) -> str:
        return (FIXTURES / "hooks" / host / f"{event}.{ending}.json").read_text(encoding="utf-8")

    return read
