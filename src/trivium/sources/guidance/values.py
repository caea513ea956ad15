"""What guidance is made of: its kinds, and an entry as its file states it."""

from typing import NamedTuple

KINDS: dict[str, str] = {
    "skill": "a way to do something, in a folder of its own",
    "rule": "what is always to be kept",
    "memory": "what was learned about people, projects and places",
    "workflow": "steps that belong together",
    "tool-guidance": "what to mind when a tool is used",
    "stop-rule": "what must be true before work is called done",
    "session-learning": "what one session found out",
}

ACTIVE, RETIRED, MANUAL = "active", "retired", "manual"
"""States of an entry: found by prompts; readable but no longer found; only used when a person asks for it."""


class Problem(NamedTuple):
    """Something of a file that could not be taken as meant; `line` counts from 1, 0 for the file as a whole."""

    line: int
    message: str


class Guide(NamedTuple):
    """One entry. `line` is where it begins; `section` names its part of the file, empty for the whole of it.

    `queries`: prompts it is meant for, as its author wrote them. `paths`: patterns of the files it is about, none for
    any. `hooks`: names of events it is meant for, none for those of its kind. `origin`: where its text came from when
    that was not a person (a URL, a tool): such text is only ever shown as a quotation.
    """

    kind: str
    name: str
    description: str
    body: str
    queries: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    one_liner: str = ""
    when_to_use: str = ""
    boost: float = 0.0
    status: str = ACTIVE
    paths: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    is_always: bool = False
    origin: str = ""
    section: str = ""
    line: int = 1

    def examples(self) -> tuple[str, ...]:
        """The texts that prompts are compared with: queries and keywords, else what it says of itself."""
        if self.queries or self.keywords:
            return tuple(dict.fromkeys((*self.queries, *self.keywords)))[:MAX_EXAMPLES]
        name = self.name.replace("-", " ").replace("_", " ")
        said = self.description if self.description.startswith(self.name) else f"{name}: {self.description}"
        return (said, self.when_to_use) if self.when_to_use else (said,)


MAX_EXAMPLES = 200
"""Queries and keywords of one entry beyond these are only found by their words."""


class Reading(NamedTuple):
    """What a file says. `is_broken`: it could not be read as what it is, so that what it said before still holds."""

    guides: tuple[Guide, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_broken: bool = False
