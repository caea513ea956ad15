"""Reading rules: one file each, or the sections of an AGENTS.md, CLAUDE.md or GEMINI.md."""

from __future__ import annotations

from trivium.sources.guidance.fields import Fields, read
from trivium.sources.guidance.parts import cut, first_line
from trivium.sources.guidance.skills import is_faulty
from trivium.sources.guidance.values import Guide, Problem, Reading
from trivium.text.frontmatter import split

_MAX_DESCRIPTION = 300


def read_rule(text: str, stem: str) -> Reading:
    """A rule is its whole file: nothing is required of it but that it says something."""
    front = split(text)
    fields, problems = read(front)
    if front.syntax and not front.data and is_faulty(front):
        return Reading(problems=tuple(problems), is_broken=True)
    body = text[front.body :].strip().lstrip("\ufeff")
    name = fields.name or stem
    if not body and not fields.description and not fields.queries:
        return Reading(problems=(*problems, Problem(1, "no rule: the file says nothing")))
    description = fields.description or first_line(body)[:_MAX_DESCRIPTION] or name
    return Reading((_guide(fields, name, description, body),), tuple(problems))


def _guide(fields: Fields, name: str, description: str, body: str) -> Guide:
    return Guide(
        fields.kind or "rule",
        name,
        description,
        body,
        queries=fields.queries,
        keywords=fields.keywords,
        one_liner=fields.one_liner or description,
        when_to_use=fields.when_to_use,
        boost=fields.boost,
        status=fields.status,
        paths=fields.paths,
        hooks=fields.hooks,
        is_always=fields.is_always,
        origin=fields.origin,
    )


def read_instructions(text: str, stem: str) -> Reading:
    """The sections of a file that a host gives to its agent whole: each heading of the first two levels is a rule."""
    front = split(text)
    fields, problems = read(front)
    body = text[front.body :]
    guides: list[Guide] = []
    first = text.count("\n", 0, front.body) + 1
    for part in cut(body, levels=(1, 2), first_line=first):
        said = part.text.strip().lstrip("\ufeff")
        if not said:
            continue
        name = part.heading or stem
        description = first_line(said)[:_MAX_DESCRIPTION] or name
        guides.append(
            Guide(
                "rule",
                name,
                description,
                said,
                one_liner=description,
                paths=fields.paths,
                is_always=True,
                section=part.heading,
                line=part.line,
            )
        )
    if not guides:
        problems.append(Problem(1, "no rules: the file says nothing"))
    return Reading(tuple(guides), tuple(problems))
