"""What keeps a host from running a hook is found out from its own files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trivium.surfaces.hooks.install.command import argv, handler
from trivium.surfaces.hooks.install.skipping import problems, trust_hash


def settings(host: str, event: str, **more: Any) -> str:
    entry = handler(host, event, argv(host, event), 10, is_shell=False)
    group = entry if host == "cursor" else {"hooks": [entry]}
    return json.dumps({"hooks": {event: [group]}, **more})


def told(host: str, text: str, path: Path, folder: Path, project: str = "/nowhere") -> list[tuple[str, str]]:
    return [(one.event, one.problem) for one in problems(host, str(path), text, folder=str(folder), project=project)]


@pytest.mark.parametrize(("host", "event"), [("claude", "Stop"), ("gemini", "BeforeAgent"), ("cursor", "stop")])
def test_a_hook_that_runs_has_no_problem(host: str, event: str, tmp_path: Path) -> None:
    assert told(host, settings(host, event), tmp_path / "f.json", tmp_path) == [(event, "")]


def test_switches_of_the_hosts(tmp_path: Path) -> None:
    [(_, problem)] = told("claude", settings("claude", "Stop", disableAllHooks=True), tmp_path / "f.json", tmp_path)
    assert "disableAllHooks" in problem
    text = settings("gemini", "BeforeAgent", hooksConfig={"enabled": False})
    assert "hooksConfig" in told("gemini", text, tmp_path / "f.json", tmp_path)[0][1]
    (tmp_path / "config.toml").write_text("[features]\nhooks = false\n")
    assert "config.toml" in told("codex", settings("codex", "Stop"), tmp_path / "hooks.json", tmp_path)[0][1]


def test_a_python_that_is_gone_is_told(tmp_path: Path) -> None:
    entry = {
        "type": "command",
        "command": str(tmp_path / "python"),
        "args": ["-m", "trivium", "hook", "claude", "Stop"],
    }
    text = json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}})
    assert "not there any more" in told("claude", text, tmp_path / "f.json", tmp_path)[0][1]


def test_trust_of_codex(tmp_path: Path) -> None:
    path, config = tmp_path / "hooks.json", tmp_path / "config.toml"
    text = settings("codex", "UserPromptSubmit")
    assert "was not told to trust it" in told("codex", text, path, tmp_path)[0][1]
    key = f"{path}:user_prompt_submit:0:0"
    config.write_text(f'[hooks.state."{key}"]\ntrusted_hash = "sha256:{"0" * 64}"\n')
    assert "another form" in told("codex", text, path, tmp_path)[0][1]
    entry = json.loads(text)["hooks"]["UserPromptSubmit"][0]["hooks"][0]
    right = trust_hash("UserPromptSubmit", entry)
    config.write_text(f'[hooks.state."{key}"]\ntrusted_hash = "{right}"\n')
    assert told("codex", text, path, tmp_path) == [("UserPromptSubmit", "")]
    config.write_text(f'[hooks.state."{key}"]\ntrusted_hash = "{right}"\nenabled = false\n')
    assert "switched off" in told("codex", text, path, tmp_path)[0][1]
    config.write_text("not toml")
    assert "was not told to trust it" in told("codex", text, path, tmp_path)[0][1]


def test_a_project_of_codex_must_be_trusted_too(tmp_path: Path) -> None:
    project, folder = tmp_path / "work", tmp_path / "codex"
    path = project / ".codex" / "hooks.json"
    folder.mkdir()
    text = settings("codex", "Stop")
    right = trust_hash("Stop", json.loads(text)["hooks"]["Stop"][0]["hooks"][0])
    state = f'[hooks.state."{path}:stop:0:0"]\ntrusted_hash = "{right}"\n'
    (folder / "config.toml").write_text(state)
    assert "this project" in told("codex", text, path, folder, str(project))[0][1]
    (folder / "config.toml").write_text(f'{state}[projects."{project}"]\ntrust_level = "trusted"\n')
    assert told("codex", text, path, folder, str(project)) == [("Stop", "")]


def test_the_hash_is_that_of_the_normal_form() -> None:
    # By hand: sha256 of {"event_name":"stop","hooks":[{"async":false,"command":"echo","timeout":600,"type":"command"}]}
    expected = (
        "sha256:"
        + __import__("hashlib")
        .sha256(b'{"event_name":"stop","hooks":[{"async":false,"command":"echo","timeout":600,"type":"command"}]}')
        .hexdigest()
    )
    assert trust_hash("Stop", {"type": "command", "command": "echo"}) == expected
    assert trust_hash("Stop", {"type": "command", "command": "echo", "timeout": 10}) != expected
