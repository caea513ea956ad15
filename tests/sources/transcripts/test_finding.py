"""Transcripts are found where each host keeps them, and nothing else is taken for one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trivium.sources.transcripts.finding import transcripts

FILES = {
    "claude": {
        "projects/-home-ann-shop/5c0f.jsonl": True,
        "projects/-home-ann-shop/memory/MEMORY.md": False,
        "x.jsonl": False,
    },
    "codex": {
        "sessions/2026/10/12/rollout-2026-10-12T07-30-00-0199.jsonl": True,
        "archived_sessions/rollout-1.jsonl": True,
        "sessions/2026/10/12/rollout-1.jsonl.zst": False,
        "sessions/2026/10/12/notes.jsonl": False,
    },
    "gemini": {
        "tmp/9f2c/chats/session-2026.jsonl": True,
        "tmp/9f2c/chats/session-2025.json": True,
        "tmp/9f2c/logs.json": False,
        "tmp/9f2c/checkpoints/session-1.json": False,
    },
    "cursor": {
        "projects/home-ann-shop/agent-transcripts/e1/e1.jsonl": True,
        "projects/home-ann-shop/agent-transcripts/e2.txt": True,
        "projects/home-ann-shop/terminals/1.txt": False,
    },
}


@pytest.mark.parametrize("host", sorted(FILES))
def test_places(host: str, tmp_path: Path) -> None:
    for name in FILES[host]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    found = transcripts(host, str(tmp_path))
    assert {Path(one.path).relative_to(tmp_path).as_posix() for one in found} == {
        name for name, is_one in FILES[host].items() if is_one
    }


def test_the_latest_come_first_and_old_ones_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "p"
    folder.mkdir(parents=True)
    for name, at in (("a", 100), ("b", 300), ("c", 200)):
        (folder / f"{name}.jsonl").write_text("{}")
        os.utime(folder / f"{name}.jsonl", (at, at))
    assert [Path(one.path).stem for one in transcripts("claude", str(tmp_path))] == ["b", "c", "a"]
    assert [Path(one.path).stem for one in transcripts("claude", str(tmp_path), since=200)] == ["b", "c"]


def test_no_folder_has_none(tmp_path: Path) -> None:
    assert transcripts("codex", str(tmp_path / "absent")) == []
