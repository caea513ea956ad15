"""`hook install`, `uninstall` and `status`: a host's settings before and after."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from trivium.surfaces.hooks.hosts import NAMES

FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
}
THEIRS = '{\n  "theirs": [1, 2],\n  "hooks": {}\n}\n'


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("host", NAMES)
def test_there_and_back(host: str, cli: Any, user: Path) -> None:
    path = user / FILES[host]
    path.parent.mkdir()
    path.write_text(THEIRS)
    assert cli("hook", "install", host).status == 0
    assert path.read_text().startswith('{\n  "theirs": [1, 2],\n  "hooks": {')
    again = cli("hook", "install", host, "--json").json
    assert again["is_changed"] is False
    assert cli("hook", "uninstall", host, "--json").json["is_changed"] is True
    assert path.read_text() == THEIRS


@pytest.mark.parametrize("host", NAMES)
def test_what_is_installed_runs(host: str, cli: Any, user: Path, home: Path) -> None:
    """From install to uninstall: each installed command is run as the host would run it."""
    cli("hook", "install", host, "--events", "all")
    hooks = json.loads((user / FILES[host]).read_text())["hooks"]
    golden = Path(__file__).resolve().parents[2] / "fixtures" / "hooks" / host
    for event, [group] in hooks.items():
        entry = group if host == "cursor" else group["hooks"][0]
        command = [entry["command"], *entry["args"]] if "args" in entry else shlex.split(entry["command"])
        done = subprocess.run(
            command, input=(golden / f"{event}.in.json").read_bytes(), cwd="/", capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert isinstance(json.loads(done.stdout), dict)
    cli("hook", "uninstall", host)
    assert not (user / FILES[host]).exists()


def test_a_dry_run_writes_nothing(cli: Any, user: Path, home: Path) -> None:
    out = cli("hook", "install", "claude", "--dry-run").out
    assert '+  "hooks": {' in out
    assert "Nothing was written." in out
    assert not (user / ".claude").exists()
    assert not home.exists()


def test_the_home_goes_into_the_command(cli: Any, user: Path, home: Path) -> None:
    cli("hook", "install", "claude", "--events", "Stop")
    entry = json.loads((user / FILES["claude"]).read_text())["hooks"]["Stop"][0]["hooks"][0]
    assert entry["args"][-2:] == ["--home", str(home)]


def test_events(cli: Any, user: Path, monkeypatch: Any) -> None:
    installed = cli("hook", "install", "claude", "--json").json["events"]
    assert installed == ["SessionStart", "UserPromptSubmit", "SessionEnd"]
    monkeypatch.setenv("TRIVIUM_HOOK_TOOLS", "on")
    assert "PreToolUse" in cli("hook", "install", "claude", "--json").json["events"]
    assert cli("hook", "install", "claude", "--events", "Stop,FileChanged", "--json").json["events"] == [
        "Stop",
        "FileChanged",
    ]
    assert list(json.loads((user / FILES["claude"]).read_text())["hooks"]) == ["Stop", "FileChanged"]
    ran = cli("hook", "install", "claude", "--events", "Stopp")
    assert ran.status == 2
    assert "Did you mean Stop?" in ran.err
    assert cli("hook", "install", "claude", "--events", "Notification").status == 2


def test_scopes(cli: Any, tmp_path: Path) -> None:
    project = tmp_path / "work"
    project.mkdir()
    made = cli("hook", "install", "claude", "--scope", "local", "--project", str(project), "--json").json
    assert made["path"] == str(project / ".claude" / "settings.local.json")
    ran = cli("hook", "install", "claude", "--scope", "project", "--project", str(project))
    assert "do not share this file" in ran.err
    assert cli("hook", "install", "codex", "--scope", "local").status == 2


def test_hooks_that_codex_has_in_toml(cli: Any, user: Path) -> None:
    config = user / ".codex" / "config.toml"
    config.parent.mkdir()
    text = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "echo"\n'
    config.write_text(text)
    ran = cli("hook", "install", "codex", "--json")
    assert ran.json["path"] == str(config)
    assert any("/hooks in Codex" in notice for notice in ran.json["notices"])
    assert cli("hook", "install", "codex", "--json").json["is_changed"] is False
    assert "not told to trust it" in cli("hook", "status", "codex").out
    cli("hook", "uninstall", "codex")
    assert config.read_text() == text


def test_settings_that_cannot_be_read_are_left(cli: Any, user: Path) -> None:
    path = user / FILES["claude"]
    path.parent.mkdir()
    path.write_text('{"a": ')
    ran = cli("hook", "install", "claude")
    assert ran.status == 2
    assert "line 1, column 7" in ran.err
    assert path.read_text() == '{"a": '
    status = cli("hook", "status", "claude")
    assert status.status == 1
    assert "is not JSON" in status.out


def test_status(cli: Any, user: Path, home: Path, monkeypatch: Any) -> None:
    assert cli("hook", "status").status == 0
    cli("hook", "install", "claude")
    ran = cli("hook", "status", "claude", "--json")
    files = {one["scope"]: one for one in ran.json["files"]}
    assert [entry["event"] for entry in files["user"]["entries"]] == ["SessionStart", "UserPromptSubmit", "SessionEnd"]
    assert ran.status == 0
    assert files["project"]["entries"] == []
    monkeypatch.setenv("TRIVIUM_HOOK_STOP", "on")
    assert "missing: Stop, SubagentStop" in cli("hook", "status", "claude").out
    (home / "hooks" / "hooks.log").write_text("2026-03-01T00:00:00Z claude Stop [1] something\n")
    assert "Stop [1] something" in cli("hook", "status").out
    path = user / FILES["claude"]
    path.write_text(path.read_text().replace('"hooks": {', '"disableAllHooks": true, "hooks": {', 1))
    assert cli("hook", "status", "claude").status == 1
