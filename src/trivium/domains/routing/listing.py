"""What a host shows its agent of the skills there are: which it leaves out, and which are hard to tell apart.

The limits are those that the hosts' public documentation states; what a host will do is predicted, not asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from trivium.errors import EmbedderError
from trivium.sources.guidance.files import parse, read_bytes
from trivium.sources.guidance.roots import Root
from trivium.sources.guidance.survey import survey
from trivium.sources.guidance.values import ACTIVE, MANUAL, Problem

if TYPE_CHECKING:
    from trivium.engine import Engine


class Limits(NamedTuple):
    """`share` of the context window that a listing may take, in tokens of four characters; `entry_chars` the most of
    one entry; None where no limit is known. `roots` the keys of the folders a host reads; `reserved` names it keeps."""

    share: float | None
    entry_chars: int | None
    roots: tuple[str, ...]
    reserved: tuple[str, ...] = ()


LIMITS: dict[str, Limits] = {
    "claude": Limits(0.01, 1_536, ("skills", "user-skills"), ("synced", "anthropic-skills")),
    "codex": Limits(0.01, 1_024, ("agent-skills", "user-agent-skills")),
    "gemini": Limits(None, None, ("gemini-skills", "agent-skills", "user-gemini-skills", "user-agent-skills")),
}
CONTEXT_TOKENS = 200_000
MIN_BUDGET_CHARS = 8_000
CHARS_PER_TOKEN = 4

MAX_BODY_LINES = 500

REASONS: dict[str, str] = {
    "invalid": "the host skips a file that is no valid skill",
    "shadowed": "another skill of this name is read first",
    "reserved": "the host keeps this name for itself",
    "over_budget": "the listing is full, and others are used more",
    "manual": "only people may call it: it is not listed by its own wish",
    "retired": "it is retired",
}

ALIKE = 0.8
"""Descriptions with this cosine, or more, are hard to tell apart."""

ALIKE_WORDS = 0.6
"""The same by shared words, where there is no embedder."""


class Skill(NamedTuple):
    """One skill of a host. `reason` is why it is not listed, empty when it is; `chars` what its line takes; `notes`
    are what else is wrong with it, such as a description that is cut."""

    name: str
    path: str
    description: str
    uses: int
    chars: int
    reason: str
    notes: tuple[str, ...]


class Pair(NamedTuple):
    """Two listed skills whose descriptions are alike; `likeness` in [0, 1]."""

    one: str
    other: str
    likeness: float


class Listing(NamedTuple):
    """The prediction for one host. `budget_chars` and `used_chars` are those of the whole listing."""

    host: str
    budget_chars: int | None
    used_chars: int
    skills: tuple[Skill, ...]
    pairs: tuple[Pair, ...]
    notices: tuple[str, ...]


def budget_of(host: str, context_tokens: int) -> int | None:
    """Characters that a listing may take in a context window of that size; None where no limit is known."""
    share = LIMITS[host].share
    return None if share is None else max(MIN_BUDGET_CHARS, int(share * context_tokens * CHARS_PER_TOKEN))


def predict(
    engine: Engine, host: str, roots: Iterable[Root], uses: Mapping[str, int], *, budget_chars: int | None
) -> Listing:
    """What a host would list; `uses` says by name how often each skill was used, the least used are left out first."""
    limits = LIMITS[host]
    order = {key: place for place, key in enumerate(limits.roots)}
    mine = sorted((root for root in roots if root.key in order), key=lambda root: order[root.key])
    found = _read(mine, uses, limits)
    kept, used = _fitted([skill for skill in found if not skill.reason], budget_chars)
    listed = {skill.path for skill in kept}
    skills = [
        skill if skill.reason or skill.path in listed else skill._replace(reason="over_budget") for skill in found
    ]
    pairs, notices = _alike(engine, kept)
    return Listing(host, budget_chars, used, tuple(skills), tuple(pairs), tuple(notices))


def _read(roots: Sequence[Root], uses: Mapping[str, int], limits: Limits) -> list[Skill]:
    skills: list[Skill] = []
    names: set[str] = set()
    for found in survey(roots).files:
        data = read_bytes(found)
        folder = os.path.basename(os.path.dirname(found.path))
        if isinstance(data, Problem):
            skills.append(Skill(folder, found.path, "", 0, 0, "invalid", (data.message,)))
            continue
        reading = parse(data, found)
        notes = [problem.message for problem in reading.problems]
        if data.startswith(b"\xef\xbb\xbf"):
            notes.append("the file begins with a byte order mark: Claude Code before 2.1.239 does not see it")
        if not reading.guides:
            skills.append(Skill(folder, found.path, "", 0, 0, "invalid", tuple(notes)))
            continue
        guide = reading.guides[0]
        said = f"{guide.description} - {guide.when_to_use}" if guide.when_to_use else guide.description
        if limits.entry_chars is not None and len(said) > limits.entry_chars:
            notes.append(f"the description has {len(said)} characters: it is cut after {limits.entry_chars}")
            said = said[: limits.entry_chars]
        if guide.body.count("\n") >= MAX_BODY_LINES:
            notes.append(f"the text has more than {MAX_BODY_LINES} lines: better parted into files of its own")
        reason = _reason(guide.name, guide.status, names, limits)
        names.add(guide.name)
        chars = len(f"- {guide.name}: {said}\n")
        skills.append(Skill(guide.name, found.path, said, uses.get(guide.name, 0), chars, reason, tuple(notes)))
    return skills


def _reason(name: str, status: str, names: set[str], limits: Limits) -> str:
    if name in names:
        return "shadowed"
    if name in limits.reserved:
        return "reserved"
    if status != ACTIVE:
        return "manual" if status == MANUAL else "retired"
    return ""


def _fitted(skills: Sequence[Skill], budget_chars: int | None) -> tuple[list[Skill], int]:
    """The skills that find room, those used most first; in their own order."""
    used = 0
    kept: set[str] = set()
    for skill in sorted(skills, key=lambda one: -one.uses):
        if budget_chars is not None and used + skill.chars > budget_chars:
            break
        used += skill.chars
        kept.add(skill.path)
    return [skill for skill in skills if skill.path in kept], used


def _alike(engine: Engine, skills: Sequence[Skill]) -> tuple[list[Pair], list[str]]:
    """Pairs of skills whose descriptions are alike, the most alike first."""
    notices: list[str] = []
    embedder = None
    scores: dict[tuple[int, int], float] = {}
    try:
        embedder = engine.embedder() if skills else None
        if embedder is not None:
            scores = _cosines(embedder.embed([f"{one.name.replace('-', ' ')}: {one.description}" for one in skills]))
        elif skills:
            notices.append("No embedder is configured: descriptions are compared by their words.")
    except EmbedderError as error:
        embedder = None
        notices.append(f"Descriptions are compared by their words: {error.message}")
    if embedder is None:
        scores = _shared([skill.description for skill in skills])
    least = ALIKE_WORDS if embedder is None else ALIKE
    pairs = [
        Pair(skills[one].name, skills[other].name, round(score, 3))
        for (one, other), score in scores.items()
        if score >= least
    ]
    return sorted(pairs, key=lambda pair: (-pair.likeness, pair.one, pair.other)), notices


def _cosines(vectors: Sequence[bytes]) -> dict[tuple[int, int], float]:
    import numpy

    rows = numpy.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    products = rows @ rows.T
    return {
        (one, other): float(products[one, other])
        for one in range(len(vectors))
        for other in numpy.flatnonzero(products[one] >= ALIKE).tolist()
        if other > one
    }


def _shared(texts: Sequence[str]) -> dict[tuple[int, int], float]:
    from itertools import combinations

    from trivium.text.tokens import tokens

    words = [set(tokens(text)) for text in texts]
    return {
        (one, other): len(words[one] & words[other]) / max(1, len(words[one] | words[other]))
        for one, other in combinations(range(len(texts)), 2)
    }


def known_uses(claude_folder: str, told: Mapping[str, int]) -> dict[str, int]:
    """How often each skill was used, by name: what Claude Code counts itself, and what the ledger has seen."""
    import json

    found = dict(told)
    try:
        with open(f"{claude_folder.rstrip(os.sep)}.json", encoding="utf-8") as stream:
            counted = json.load(stream).get("skillUsage")
    except (OSError, ValueError, AttributeError):
        counted = None
    for name, one in counted.items() if isinstance(counted, dict) else ():
        count = one.get("usageCount") if isinstance(one, dict) else None
        if isinstance(count, int):
            found[name] = max(found.get(name, 0), count)
    return found
