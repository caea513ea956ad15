"""`doctor skills`: the prediction as people and as programs read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("deploy", "deploy-again"):
        folder = tmp_path / "work" / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: How the shop is deployed.\n---\nB\n")
    return tmp_path / "work"


def test_everything_fits(cli: Any, project: Path) -> None:
    ran = cli("doctor", "skills", "--host", "claude", "--project", str(project), "--json")
    assert (ran.status, ran.json["left_out"]) == (0, 0)
    [host] = ran.json["hosts"]
    assert [skill["name"] for skill in host["skills"]] == ["deploy", "deploy-again"]
    out = cli("doctor", "skills", "--project", str(project)).out
    assert "claude: 2 of 2 skills are listed" in out
    assert "gemini: 0 of 0 skills are listed, 0 characters, no limit is known" in out
    assert "alike deploy and deploy-again" in out


def test_something_is_left_out(cli: Any, project: Path) -> None:
    ran = cli("doctor", "skills", "--host", "claude", "--project", str(project), "--budget", "40")
    assert ran.status == 1
    assert "left out deploy-again: the listing is full" in ran.out
    wide = cli("doctor", "skills", "--host", "claude", "--project", str(project), "--context", "1000000", "--json")
    assert wide.json["hosts"][0]["budget_chars"] == 40_000


def test_what_cannot_be(cli: Any) -> None:
    assert cli("doctor", "skills", "--host", "emacs").status == 2
    assert cli("doctor", "skills", "--budget", "0").status == 2
    assert cli("doctor", "skill").status == 2


def test_doctor_itself_stays(cli: Any) -> None:
    assert cli("doctor", "--json").json["schema"] == "trivium.doctor/1"
