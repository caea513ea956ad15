"""Reading one SKILL.md: the fields of agentskills.io, those of the hosts, and our own."""

from __future__ import annotations

import re

from trivium.sources.guidance.fields import read
from trivium.sources.guidance.values import Guide, Problem, Reading
from trivium.text.frontmatter import Frontmatter, split

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_NAME, _MAX_DESCRIPTION = 64, 1024


def read_skill(text: str, folder: str) -> Reading:
    """A skill needs a description; a name that is missing is that of its folder."""
    front = split(text)
    if not front.syntax:
        return Reading(problems=(Problem(1, "no skill: the file has no frontmatter"),))
    fields, problems = read(front)
    if not fields.description:
        if is_faulty(front):
            return Reading(problems=tuple(problems), is_broken=True)
        return Reading(problems=(*problems, Problem(1, "no skill: the frontmatter has no description")))
    name = fields.name or folder
    problems += _name_problems(fields.name, folder, front.lines.get("name", 1))
    if len(fields.description) > _MAX_DESCRIPTION:
        line = front.lines.get("description", 1)
        problems.append(Problem(line, f"the description has {len(fields.description)} characters, more than 1,024"))
    guide = Guide(
        fields.kind or "skill",
        name,
        fields.description,
        text[front.body :].strip(),
        queries=fields.queries,
        keywords=fields.keywords,
        one_liner=fields.one_liner,
        when_to_use=fields.when_to_use,
        boost=fields.boost,
        status=fields.status,
        paths=fields.paths,
        hooks=fields.hooks,
        origin=fields.origin,
    )
    return Reading((guide,), tuple(problems))


def is_faulty(front: Frontmatter) -> bool:
    """Whether the frontmatter could not be read as YAML or TOML at all."""
    return any("not valid" in message or "not read" in message for _, message in front.problems)


def _name_problems(name: str, folder: str, line: int) -> list[Problem]:
    if not name:
        return [Problem(1, f"the frontmatter has no name: {folder} is taken")]
    if name != folder and folder:
        return [Problem(line, f"the name {name!r} is not that of the folder, {folder!r}: hosts may skip it")]
    if len(name) > _MAX_NAME or not _NAME.fullmatch(name):
        return [Problem(line, f"the name {name!r} is not 1 to 64 of a-z, 0-9 and single hyphens: hosts may skip it")]
    return []
