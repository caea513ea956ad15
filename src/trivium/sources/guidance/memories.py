"""Reading memories: one file with frontmatter, `##` sections with their triggers, or plain prose."""

from __future__ import annotations

import re

from trivium.sources.guidance.fields import Fields, read
from trivium.sources.guidance.parts import cut, first_line
from trivium.sources.guidance.values import Guide, Problem, Reading
from trivium.text.frontmatter import split

_TRIGGER = re.compile(r"triggers?[:：](.*)", re.IGNORECASE)
_WORD = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'(?=\s*(?:[,，、;；]|$))|([^,，、;；]*))\s*(?:[,，、;；]|$)""")
_QUOTES = "\"'“”‘’「」"


def read_memories(text: str, stem: str) -> Reading:
    """Every memory of a file.

    With a name or a description in the frontmatter the file is one memory. Else each `##` section is one, with the
    comma lists of its lines `Triggers:` as queries; a file without sections is one memory named by the file.
    """
    front = split(text)
    fields, problems = read(front)
    body = text[front.body :]
    if fields.name or fields.description:
        guide = _whole(fields, stem, body)
        if guide is None:
            return Reading(problems=(*problems, Problem(1, "no memory: the file says nothing")))
        return Reading((guide,), tuple(problems))
    first = text.count("\n", 0, front.body) + 1
    parts = cut(body, levels=(2,), first_line=first)
    guides = [guide for part in parts[1:] for guide in _section(part.heading, part.text, part.line, fields)]
    if len(parts) == 1 and parts[0].text.strip():
        said, queries = _without_triggers(body)
        description = first_line(said) or stem
        guides.append(_guide(fields, stem, description, said, queries, "", first))
    elif parts[0].text.strip() and len(parts) > 1 and not _is_title(parts[0].text):
        problems.append(Problem(first, "the text before the first section belongs to no memory: left out"))
    if not guides:
        problems.append(Problem(1, "no memory: the file says nothing"))
    return Reading(tuple(guides), tuple(problems))


def _is_title(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) == 1 and lines[0].startswith("# ")


def _whole(fields: Fields, stem: str, body: str) -> Guide | None:
    said = body.strip()
    if not said and not fields.queries:
        return None
    name = fields.name or stem
    return _guide(fields, name, fields.description or first_line(said) or name, said, fields.queries, "", 1)


def _section(heading: str, text: str, line: int, fields: Fields) -> list[Guide]:
    body, queries = _without_triggers(text)
    if not body and not queries:
        return []
    return [_guide(fields, heading, first_line(body) or heading, body, queries, heading, line)]


def _guide(
    fields: Fields, name: str, description: str, body: str, queries: tuple[str, ...], section: str, line: int
) -> Guide:
    return Guide(
        fields.kind or "memory",
        name,
        description,
        body,
        queries=queries,
        keywords=fields.keywords,
        one_liner=fields.one_liner,
        when_to_use=fields.when_to_use,
        boost=fields.boost,
        status=fields.status,
        paths=fields.paths,
        hooks=fields.hooks,
        origin=fields.origin,
        section=section,
        line=line,
    )


def _without_triggers(text: str) -> tuple[str, tuple[str, ...]]:
    kept: list[str] = []
    queries: list[str] = []
    for line in text.splitlines():
        found = _TRIGGER.match(line)
        if found:
            queries += triggers(found[1])
        else:
            kept.append(line)
    return "\n".join(kept).strip(), tuple(dict.fromkeys(queries))


def triggers(text: str) -> list[str]:
    """The parts of a comma list; a comma inside quotation marks does not separate."""
    found = []
    for match in _WORD.finditer(text):
        word = match[1] or match[2] or (match[3] or "").strip().strip(_QUOTES)
        if word.strip():
            found.append(" ".join(word.split()))
    return found
