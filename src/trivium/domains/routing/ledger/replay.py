"""Past prompts asked again: what other settings, or other files, would have shown, and at what cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from trivium.domains.routing.collection import Collection
from trivium.domains.routing.compile import compile_context
from trivium.domains.routing.ledger.records import Shown, prompt_hash
from trivium.domains.routing.occasions import OCCASIONS, consult
from trivium.errors import TriviumError
from trivium.sources.transcripts.reading import read_transcript
from trivium.sources.transcripts.steps import PROMPT

MAX_BYTES = 32 * 1024 * 1024


class Past(NamedTuple):
    """A prompt with the ids of what was shown for it and how many characters that took."""

    text: str
    at: str
    session: str
    host: str
    shown: tuple[str, ...]
    chars: int


class Replayed(NamedTuple):
    """A prompt asked again: `gained` and `lost` are ids."""

    past: Past
    now: tuple[str, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    chars: int


class Replay(NamedTuple):
    """All of them. `silent_before` and `silent_now` are shares; `unfound` prompts are in no transcript."""

    prompts: tuple[Replayed, ...]
    changed: int
    chars_before: int
    chars_now: int
    silent_before: float
    silent_now: float
    unfound: int
    problems: tuple[str, ...]


def past_prompts(answers: Iterable[Shown]) -> tuple[list[Past], int, list[str]]:
    """The prompts of some answers, from the transcripts that hold them; how many were not found; what was unreadable.

    The ledger knows a prompt by its hash alone.
    """
    texts: dict[str, dict[str, str]] = {}
    found: list[Past] = []
    problems: list[str] = []
    unfound = 0
    for answer in answers:
        if answer.event not in _PROMPT_EVENTS:
            continue
        if answer.transcript not in texts:
            texts[answer.transcript] = _prompts(answer.transcript, answer.host, problems)
        text = texts[answer.transcript].get(answer.prompt)
        if text is None:
            unfound += 1
            continue
        ids = tuple(entry.id for entry in answer.entries)
        found.append(Past(text, answer.at, answer.session, answer.host, ids, answer.chars))
    return found, unfound, problems


_PROMPT_EVENTS = ("UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt")


def _prompts(path: str, host: str, problems: list[str]) -> dict[str, str]:
    if not path:
        return {}
    try:
        told = read_transcript(path, host, max_bytes=MAX_BYTES)
    except TriviumError as error:
        problems.append(error.message)
        return {}
    return {prompt_hash(step.text): step.text for step in told.steps if step.kind == PROMPT}


def replay(
    collection: Collection, past: Sequence[Past], *, unfound: int = 0, problems: Sequence[str] = (), **choice: Any
) -> Replay:
    """Ask prompts again as `consult` does; `choice` are its settings and those of `MatchOptions`.

    Every prompt is asked as the first of its session, so that nothing is shortened for having been seen.
    """
    rows: list[Replayed] = []
    for one in past:
        found = consult(collection, "prompt", one.text, host=one.host, **choice)
        context = compile_context(
            collection, found.hits, host=one.host, shown={}, max_chars=OCCASIONS["prompt"].max_chars
        )
        now = tuple(item.id for item in context.items)
        gained = tuple(id for id in now if id not in one.shown)
        lost = tuple(id for id in one.shown if id not in now)
        rows.append(Replayed(one, now, gained, lost, context.chars))
    count = max(1, len(rows))
    return Replay(
        tuple(rows),
        sum(bool(row.gained or row.lost) for row in rows),
        sum(row.past.chars for row in rows),
        sum(row.chars for row in rows),
        sum(not row.past.shown for row in rows) / count,
        sum(not row.now for row in rows) / count,
        unfound,
        tuple(problems),
    )
