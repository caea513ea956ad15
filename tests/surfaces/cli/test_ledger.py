"""The commands about what was shown: on a ledger that hooks and transcripts would have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trivium.domains.routing.ledger.records import Ledger, Observed, Shown, ShownEntry, prompt_hash

SKILL = "user-skills/deploy/SKILL.md"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user with two skills."""
    folder = tmp_path / "user" / ".claude" / "skills"
    for name, query in (("deploy", "deploy the shop"), ("chess", "play a game of chess")):
        (folder / name).mkdir(parents=True)
        head = f"---\nname: {name}\ndescription: About {name}.\nqueries:\n  - {query}\n---\n"
        (folder / name / "SKILL.md").write_text(f"{head}The text about {name} is here.\n")
    return tmp_path / "user"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def told(user: Path, project: Path, tmp_path: Path, home: Path) -> Path:
    """Two answers in a session whose transcript is there; returns the transcript."""
    skill = user / ".claude" / "skills" / "deploy" / "SKILL.md"
    transcript = tmp_path / "talk.jsonl"
    lines = [
        {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "deploy the shop"}},
        {
            "type": "assistant",
            "message": {"content": [{"type": "tool_use", "name": "Read", "input": {"file_path": str(skill)}}]},
        },
        {"type": "user", "message": {"role": "user", "content": "play a game of chess"}},
    ]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ledger = Ledger(str(home))
    entry = ShownEntry(SKILL, "v1", "deploy", "skill", str(skill), "teaser", 80, 0.71, "deploy the shop")
    ledger.keep(["The text about deploy is here."])
    for prompt, entries in (("deploy the shop", (entry,)), ("play a game of chess", ())):
        ledger.write(
            Shown(
                "2026-03-01T12:00:00.000000Z",
                "s1",
                "claude",
                "UserPromptSubmit",
                str(project),
                str(transcript),
                prompt_hash(prompt),
                len(prompt),
                entries,
                chars=sum(one.chars for one in entries),
                latency_ms=40,
            )
        )
    return transcript


def test_report(cli: Any, told: Path) -> None:
    assert "Nothing was shown yet" in cli("route", "report", "--since", "2027-01-01").out
    made = cli("route", "report", "--json").json
    assert (made["prompts"], made["silent"], made["chars"], made["p95_ms"]) == (2, 0.5, 80, 40)
    assert made["entries"][0]["queries"] == {"deploy the shop": 1}
    out = cli("route", "report").out
    assert f"{SKILL} | 1 | 1 | 2026-03-01 | 0/0/0/0 | deploy the shop: 1" in out


def test_one_session(cli: Any, told: Path) -> None:
    out = cli("route", "session", "s").out
    assert f"{SKILL} teaser, 80 characters, 0.710 by 'deploy the shop'" in out
    assert cli("route", "session", "s1", "--json").json["shown"][0]["entries"][0]["score"] == 0.71
    ran = cli("route", "session", "zz", "--json")
    assert (ran.status, ran.error["code"], ran.error["details"]) == (1, "not_found", ["s1"])


def test_a_beginning_that_fits_several_sessions(cli: Any, told: Path, home: Path) -> None:
    Ledger(str(home)).write(Observed("2026-03-01T12:00:00.000000Z", "s2", SKILL, "v1", "used", "agent"))
    assert cli("route", "session", "s", "--json").error["details"] == ["s1", "s2"]
    assert cli("route", "session", "s2").status == 0


def test_observing(cli: Any, told: Path) -> None:
    assert cli("route", "observe", SKILL, "used").status == 2
    assert cli("route", "observe", "nothing", "used", "--session", "s1").status == 1
    assert cli("route", "observe", SKILL, "loved", "--session", "s1").status == 2
    ran = cli("route", "observe", SKILL, "corrected", "--session", "s1", "--why", "told otherwise", "--json")
    assert ran.json["observed"]["method"] == "agent"
    assert ran.json["observed"]["prompt"] == prompt_hash("deploy the shop")
    assert cli("route", "report", "--json").json["entries"][0]["outcomes"]["corrected"] == 1
    assert "corrected" in cli("route", "session", "s1").out


def test_outcomes_of_past_sessions(cli: Any, told: Path, project: Path) -> None:
    made = cli("route", "outcomes", "--project", str(project), "--json").json
    assert [(one["entry"], one["outcome"]) for one in made["observed"]] == [(SKILL, "used")]
    assert (made["sessions"], made["traces"]) == (1, 1)
    assert "unknown after 2 prompts and 0 replies, 0 calls failed; tools: Read 1" in cli("route", "session", "s1").out
    # The trace says that this session was read.
    assert cli("route", "outcomes", "--project", str(project), "--json").json["sessions"] == 0


def test_a_transcript_that_is_gone_is_told(cli: Any, told: Path, project: Path) -> None:
    told.unlink()
    ran = cli("route", "outcomes", "--project", str(project))
    assert "cannot be read" in ran.err
    assert cli("route", "replay", "--project", str(project), "--json").json["unfound"] == 2


def test_replay(cli: Any, told: Path, project: Path) -> None:
    same = cli("route", "replay", "--project", str(project), "--json").json
    assert [row["gained"] for row in same["prompts"]] == [[], ["user-skills/chess/SKILL.md"]]
    assert (same["changed"], same["silent_before"], same["silent_now"]) == (1, 0.5, 0.0)
    out = cli("route", "replay", "--project", str(project), "--mode", "absolute", "--threshold", "99").out
    assert f"- {SKILL}" in out
    assert "2 prompts, 1 answered otherwise; characters 80 -> 0; silent 50 % -> 100 %" in out
    assert cli("route", "replay", "--project", str(project), "--last", "1", "--json").json["changed"] == 1
    assert cli("route", "replay", "--project", str(project), "--recipe", "none").status == 2


def test_suggestions(cli: Any, told: Path, project: Path, home: Path) -> None:
    assert "nothing to propose" in cli("route", "suggest", "--project", str(project)).out
    Ledger(str(home)).write(
        Observed("2026-03-02T12:00:00.000000Z", "s1", "user-skills/chess/SKILL.md", "v", "missed", "agent")
    )
    made = cli("route", "suggest", "--project", str(project), "--json").json["suggestions"]
    assert [(one["kind"], one["entry"]) for one in made] == [("missed", "user-skills/chess/SKILL.md")]


def test_what_is_new(cli: Any, told: Path) -> None:
    text = "The text about deploy is here.\nThe staging server is called heron.\n"
    assert cli("route", "strip", "-", stdin=text).out == "The staging server is called heron.\n"
    made = cli("route", "strip", "-", "--json", stdin="> The text about deploy is here.").json
    assert (made["text"], made["is_echo"], made["echo_share"]) == ("", True, 1.0)


def test_damage_is_told(cli: Any, told: Path, home: Path) -> None:
    with (home / "ledger" / "2026-03.jsonl").open("a") as stream:
        stream.write("{broken\n")
    assert "1 lines of the ledger could not be read" in cli("route", "report").err
    assert cli("route", "report", "--json").json["unreadable"] == 1
