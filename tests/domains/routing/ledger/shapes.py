"""Records for tests, with what does not matter left out."""

from __future__ import annotations

from typing import Any

from trivium.domains.routing.ledger.records import Observed, Shown, ShownEntry, prompt_hash


def entry(id: str, **more: Any) -> ShownEntry:
    """An entry as it was shown: a skill, unless said otherwise."""
    values: dict[str, Any] = {
        "version": "v1",
        "name": id.rpartition("/")[2],
        "kind": "skill",
        "path": f"/skills/{id}/SKILL.md",
        "level": "teaser",
        "chars": 100,
        "score": 0.5,
    }
    return ShownEntry(id=id, **{**values, **more})


def shown(prompt: str, *entries: ShownEntry, at: str = "2026-03-01T12:00:00.000000Z", **more: Any) -> Shown:
    """An answer to a prompt."""
    values: dict[str, Any] = {
        "session": "s",
        "host": "claude",
        "event": "UserPromptSubmit",
        "project": "/w",
        "transcript": "",
        "chars": sum(one.chars for one in entries),
        "latency_ms": 10,
    }
    return Shown(at=at, prompt=prompt_hash(prompt), prompt_chars=len(prompt), entries=entries, **{**values, **more})


def observed(id: str, outcome: str, **more: Any) -> Observed:
    """What became of an entry."""
    values: dict[str, Any] = {"at": "2026-03-02T00:00:00.000000Z", "session": "s", "version": "v1"}
    return Observed(entry=id, outcome=outcome, method=more.pop("method", "transcript"), **{**values, **more})
