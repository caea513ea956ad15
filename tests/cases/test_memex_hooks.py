"""The hook cases of memex: a user's files, then events one after another, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cases.conftest import folder
from trivium.domains.routing.compile import FULL
from trivium.domains.routing.ledger.disclosure import Disclosure

# memex's settings -> ours: the variable, and the value for each of theirs.
SETTINGS: dict[tuple[str, ...], tuple[str, dict[Any, str]]] = {
    ("autoMemoryMode",): ("TRIVIUM_HOOK_MEMORIES", {"assist": "assist", "takeover": "takeover"}),
    ("hooks", "PreToolUse", "enabled"): ("TRIVIUM_HOOK_TOOLS", {True: "on", False: "off"}),
    ("hooks", "Stop", "enabled"): ("TRIVIUM_HOOK_STOP", {True: "on", False: "off"}),
}
_CLAIMS = {"context_has", "context_lacks", "stdout_empty", "exit", "blocks", "big_rule_not_marked_as_shown"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a case whose operation is a hook."""
    file = folder(metafunc.config) / "memex.json"
    if not file.is_file():
        mark = pytest.mark.skip(reason=f"there are no cases at {file}; name a folder with --cases")
        metafunc.parametrize("hook", [pytest.param(None, id="none", marks=mark)])
        return
    cases = json.loads(file.read_text(encoding="utf-8"))["cases"]
    metafunc.parametrize("hook", [pytest.param(case, id=case["id"]) for case in cases if case["op"] == "hook"])


def test_memex_hooks(hook: dict[str, Any], tmp_path: Path, home: Path, cache_folder: Path) -> None:
    assert set(hook["in"]) == {"setup", "events"}
    unknown = set(hook["expect"]) - _CLAIMS
    assert not unknown, f"unknown claims: {unknown}"
    user, project = tmp_path / "user", tmp_path / "project"
    project.mkdir()
    encoded = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(project))
    for name, text in hook["in"]["setup"].items():
        kind, _, _ = name.partition("/")
        assert kind in ("rules", "skills", "memory"), name
        path = user / ".claude" / (f"projects/{encoded}/{name}" if kind == "memory" else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    environment = {**os.environ, "HOME": str(user), "USERPROFILE": str(user), "TRIVIUM_HOOK_DEADLINE_S": "60"}
    environment["TRIVIUM_CACHE"] = str(_prepared(cache_folder, tmp_path))
    answers = [_answer(event, environment, project, tmp_path) for event in hook["in"]["events"]]
    _check(hook["expect"], answers, home)


def _prepared(cache: Path, scratch: Path) -> Path:
    """A cache of the test's own that has the weights of the shared one."""
    from trivium.embed.registry import prefetch

    prefetch("use", cache_dir=str(cache))
    own = scratch / "cache"
    own.mkdir()
    for path in cache.iterdir():
        if path.name not in ("guidance", "vaults"):
            (own / path.name).symlink_to(path)
    return own


def _answer(event: dict[str, Any], environment: dict[str, str], project: Path, scratch: Path) -> dict[str, Any]:
    sent = dict(event)
    environment = dict(environment)
    for keys, (variable, values) in SETTINGS.items():
        value: Any = sent.get("config", {})
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            environment[variable] = values[value]
    sent.pop("config", None)
    raw = sent.pop("raw", None)
    if "transcript_lines" in sent:
        transcript = scratch / "transcript.jsonl"
        transcript.write_text("".join(json.dumps(line) + "\n" for line in sent.pop("transcript_lines")))
        sent["transcript_path"] = str(transcript)
    name = sent.get("hook_event_name", "UserPromptSubmit")
    done = subprocess.run(
        [sys.executable, "-I", "-m", "trivium", "hook", "claude", name],
        input=(json.dumps({"cwd": str(project), **sent}) if raw is None else raw).encode(),
        env=environment,
        cwd=project,
        capture_output=True,
        check=False,
    )
    answer = json.loads(done.stdout)
    specific = answer.get("hookSpecificOutput", {})
    assert not specific or specific["hookEventName"] == name
    return {
        "context": specific.get("additionalContext", ""),
        "is_empty": answer == {},
        "exit": done.returncode,
        "blocks": answer.get("decision") == "block",
    }


def _check(expect: dict[str, Any], answers: list[dict[str, Any]], home: Path) -> None:
    for claim in ("context_has", "context_lacks"):
        told = expect.get(claim, [])
        # A case of one event lists its texts without a list around them.
        each = [told] if told and isinstance(told[0], str) else told
        for answer, texts in zip(answers, each or [[]] * len(answers), strict=True):
            for text in texts:
                assert (text in answer["context"]) is (claim == "context_has"), (claim, text, answer["context"])
    for claim, key in (("stdout_empty", "is_empty"), ("exit", "exit"), ("blocks", "blocks")):
        if claim in expect:
            assert [answer[key] for answer in answers] == expect[claim], claim
    if expect.get("big_rule_not_marked_as_shown"):
        levels = {id: level for id, (level, _) in Disclosure(str(home), "s").shown().items()}
        assert levels.get("user-rules/big.md") != FULL
        assert levels["user-rules/small.md"] == FULL
