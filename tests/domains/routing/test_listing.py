"""What a host lists of its skills, what it leaves out, and what it cannot tell apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.config import load
from trivium.domains.routing.listing import Listing, Skill, budget_of, known_uses, predict
from trivium.engine import Engine
from trivium.sources.guidance.roots import standard_roots


class Desk:
    """A user's folders of skills."""

    def __init__(self, root: Path) -> None:
        self.user = root / "user"
        self.project = root / "project"
        self.project.mkdir()
        self.user.mkdir()
        self.engine = Engine(load(embedder="hash"))

    def skill(
        self, name: str, description: str = "", *, where: str = ".claude", head: str = "", body: str = "B"
    ) -> None:
        folder = self.user / where / "skills" / name
        folder.mkdir(parents=True, exist_ok=True)
        said = description or f"What to do about {name}."
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {json.dumps(said)}\n{head}---\n{body}\n")

    def listing(self, host: str = "claude", *, budget: int | None = 8_000, **uses: int) -> Listing:
        roots = standard_roots(str(self.user), str(self.project))
        return predict(self.engine, host, roots, uses, budget_chars=budget)

    def reasons(self, host: str = "claude", **choice: int) -> dict[str, str]:
        return {skill.name: skill.reason for skill in self.listing(host, **choice).skills}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def the(listing: Listing, name: str) -> Skill:
    [found] = [skill for skill in listing.skills if skill.name == name]
    return found


def test_what_fits_is_listed(desk: Desk) -> None:
    desk.skill("a")
    desk.skill("b", "When b. ", head="when_to_use: in spring\n")
    made = desk.listing()
    assert [(skill.name, skill.reason) for skill in made.skills] == [("a", ""), ("b", "")]
    assert the(made, "b").description == "When b. - in spring"
    assert made.used_chars == len("- a: What to do about a.\n") + len("- b: When b. - in spring\n")


def test_the_least_used_are_left_out(desk: Desk) -> None:
    for name in ("a", "b", "c"):
        desk.skill(name, "x" * 100)
    assert desk.reasons(budget=220) == {"a": "", "b": "", "c": "over_budget"}
    assert desk.reasons(budget=220, c=3, b=1) == {"a": "over_budget", "b": "", "c": ""}
    assert set(desk.reasons(budget=10).values()) == {"over_budget"}


def test_two_hundred_skills(desk: Desk) -> None:
    for number in range(200):
        desk.skill(f"s{number:03}", f"{number} " * 60)
    made = desk.listing()
    left_out = [skill for skill in made.skills if skill.reason]
    assert 0 < len(made.skills) - len(left_out) < 60
    assert made.used_chars <= 8_000
    assert {skill.reason for skill in left_out} == {"over_budget"}


def test_what_hosts_skip(desk: Desk) -> None:
    desk.skill("manual", head="disable-model-invocation: true\n")
    desk.skill("retired", head="status: retired\n")
    desk.skill("synced")
    (desk.user / ".claude" / "skills" / "broken").mkdir()
    (desk.user / ".claude" / "skills" / "broken" / "SKILL.md").write_text("no frontmatter")
    assert desk.reasons() == {"broken": "invalid", "manual": "manual", "retired": "retired", "synced": "reserved"}


def test_of_two_skills_of_one_name_the_first_is_read(desk: Desk) -> None:
    desk.skill("a")
    (desk.project / ".claude" / "skills" / "a").mkdir(parents=True)
    (desk.project / ".claude" / "skills" / "a" / "SKILL.md").write_text("---\nname: a\ndescription: Ours.\n---\n")
    made = desk.listing()
    assert [(str(desk.project) in skill.path, skill.reason) for skill in made.skills] == [
        (True, ""),
        (False, "shadowed"),
    ]


def test_notes(desk: Desk) -> None:
    desk.skill("long", "x" * 2_000)
    desk.skill("tall", body="line\n" * 600)
    path = desk.user / ".claude" / "skills" / "tall" / "SKILL.md"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    made = desk.listing()
    assert any("cut after 1536" in note for note in the(made, "long").notes)
    assert the(made, "long").chars == len("- long: ") + 1_536 + 1
    assert len(the(made, "tall").notes) == 2


def test_hosts_read_other_folders(desk: Desk) -> None:
    desk.skill("a")
    desk.skill("b", where=".agents")
    desk.skill("c", where=".gemini")
    assert set(desk.reasons("claude")) == {"a"}
    assert set(desk.reasons("codex")) == {"b"}
    assert set(desk.reasons("gemini")) == {"b", "c"}


def test_descriptions_that_are_alike(desk: Desk) -> None:
    desk.skill("review-code", "Review the code of a pull request and comment on it.")
    desk.skill("code-review", "Review the code of a pull request, commenting on it.")
    desk.skill("chess", "Openings and endings of the game.")
    [pair] = desk.listing().pairs
    assert {pair.one, pair.other} == {"review-code", "code-review"}
    assert 0.8 <= pair.likeness <= 1
    desk.engine = Engine(load(embedder="none"))
    made = desk.listing()
    assert [{pair.one, pair.other} for pair in made.pairs] == [{"review-code", "code-review"}]
    assert made.notices


def test_budgets() -> None:
    assert budget_of("claude", 200_000) == 8_000
    assert budget_of("claude", 1_000_000) == 40_000
    assert budget_of("codex", 1_000) == 8_000
    assert budget_of("gemini", 200_000) is None


def test_uses_that_claude_counts(tmp_path: Path) -> None:
    folder = str(tmp_path / ".claude")
    assert known_uses(folder, {"a": 2}) == {"a": 2}
    counted = {"skillUsage": {"a": {"usageCount": 1}, "b": {"usageCount": 5}, "c": 7, "d": {"usageCount": "x"}}}
    (tmp_path / ".claude.json").write_text(json.dumps(counted))
    assert known_uses(folder, {"a": 2}) == {"a": 2, "b": 5}
    (tmp_path / ".claude.json").write_text("[]")
    assert known_uses(folder, {}) == {}
