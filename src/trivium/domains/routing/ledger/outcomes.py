"""What became of guidance, as far as a transcript proves it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trivium.domains.routing.ledger.records import Observed, Shown, ShownEntry, Trace, prompt_hash
from trivium.sources.transcripts.reading import Transcript
from trivium.sources.transcripts.steps import CALL, PROMPT, REPLY, RESULT, Step, Turn, turns

_SKILL_TOOLS = ("skill", "activate_skill", "use_skill")
_OPENED_KINDS = ("skill", "workflow")
_MIN_NAME = 6


class Known(NamedTuple):
    """An entry that could have been shown."""

    id: str
    version: str
    name: str
    kind: str
    path: str


class _Use(NamedTuple):
    turn: int
    entry: str
    how: str


def observe(transcript: Transcript, shown: Sequence[Shown], known: Iterable[Known], *, at: str) -> list[Observed]:
    """Observations of one session, one for each entry of each answer that something can be said about.

    Used: after an entry was shown, a tool opened its file or ran its skill, or a reply named it. Ignored: a skill that
    was told of and that nothing was done with before the session ended. Missed: a skill that was opened and that was
    not shown before. Nothing is said of rules and memories that leave no trace.
    """
    told = turns(transcript.steps)
    entries = {one.id: one for one in known}
    for answer in shown:
        for entry in answer.entries:
            entries.setdefault(entry.id, Known(entry.id, entry.version, entry.name, entry.kind, entry.path))
    uses = [use for number, turn in enumerate(told) for use in _uses(number, turn, entries.values())]
    found: list[Observed] = []
    first_shown: dict[str, int] = {}
    for answer in shown:
        place = _turn_of(answer, told)
        for entry in answer.entries:
            first_shown[entry.id] = min(place, first_shown.get(entry.id, place))
            made = _verdict(entry, place, uses, len(told))
            if made:
                outcome, why = made
                found.append(_observed(answer, entry, outcome, why, at))
    for use in uses:
        one = entries[use.entry]
        is_missed = use.turn < first_shown.get(use.entry, len(told)) and one.kind in _OPENED_KINDS
        if is_missed and use.how != "named" and not any(row.entry == one.id for row in found):
            prompt = told[use.turn].prompt
            found.append(
                Observed(
                    at,
                    transcript.session,
                    one.id,
                    one.version,
                    "missed",
                    "transcript",
                    prompt_hash(prompt) if prompt else "",
                    "",
                    use.how,
                )
            )
    return found


def trace_of(
    transcript: Transcript, shown: Sequence[Shown], *, project: str, at: str, reason: str = ""
) -> Trace | None:
    """The trace of a session; None for one of at most two messages in which no tool ran."""
    steps = transcript.steps
    prompts = sum(step.kind == PROMPT for step in steps)
    replies = sum(step.kind == REPLY for step in steps)
    tools: dict[str, int] = {}
    for step in steps:
        if step.kind == CALL:
            tools[step.name or "?"] = tools.get(step.name or "?", 0) + 1
    if prompts + replies <= 2 and not tools:
        return None
    times = sorted(step.at for step in steps if step.at)
    ids = tuple(dict.fromkeys(entry.id for answer in shown for entry in answer.entries))
    is_answered = bool(steps) and steps[-1].kind == REPLY
    outcome = "error" if reason == "error" else "completed" if is_answered else "unknown"
    failed = sum(step.kind == RESULT and step.is_error for step in steps)
    return Trace(
        at,
        transcript.session,
        transcript.host,
        project,
        transcript.path,
        times[0] if times else "",
        times[-1] if times else "",
        prompts,
        replies,
        tools,
        ids,
        failed,
        outcome,
    )


# -- proof


def _verdict(entry: ShownEntry, place: int, uses: Sequence[_Use], turn_count: int) -> tuple[str, str] | None:
    use = next((use for use in uses if use.entry == entry.id and use.turn >= place), None)
    if use is not None:
        return "used", use.how
    if entry.kind in _OPENED_KINDS and place < turn_count:
        return "ignored", "never opened"
    return None


def _observed(answer: Shown, entry: ShownEntry, outcome: str, why: str, at: str) -> Observed:
    return Observed(
        at,
        answer.session,
        entry.id,
        entry.version,
        outcome,
        "transcript",
        answer.prompt,
        entry.query,
        why,
    )


def _turn_of(answer: Shown, told: Sequence[Turn]) -> int:
    """The turn that an answer belongs to: that of its prompt, else the last that began before it."""
    same = [number for number, turn in enumerate(told) if turn.prompt and prompt_hash(turn.prompt) == answer.prompt]
    earlier = [number for number, turn in enumerate(told) if turn.at and turn.at <= answer.at]
    if same:
        return next((number for number in reversed(same) if told[number].at <= answer.at), same[0])
    return earlier[-1] if earlier else 0


def _uses(number: int, turn: Turn, entries: Iterable[Known]) -> Iterable[_Use]:
    calls = [step for step in turn.steps if step.kind == CALL]
    said = "\n".join(step.text for step in turn.steps if step.kind == REPLY).casefold()
    for entry in entries:
        how = next((how for step in calls if (how := _opened(step, entry))), "")
        if not how and _is_telling(entry.name) and entry.name.casefold() in said:
            how = "named"
        if how:
            yield _Use(number, entry.id, how)


def _opened(step: Step, entry: Known) -> str:
    """How a call used an entry, empty when it did not."""
    if step.name.casefold() in _SKILL_TOOLS and entry.kind in _OPENED_KINDS:
        words = (step.arguments.get(key) for key in ("skill", "name", "command", "skill_name"))
        names = {word.rpartition(":")[2].lstrip("/").split(" ")[0] for word in words if isinstance(word, str)}
        return f"ran by {step.name}" if entry.name in names else ""
    if entry.kind not in _OPENED_KINDS and not entry.path:
        return ""
    places = (entry.path, _tail(entry.path))
    for text in _texts(step.arguments):
        if any(place and place in text.replace("\\", "/") for place in places):
            return f"opened by {step.name}"
    return ""


def _tail(path: str) -> str:
    """The end of a skill's path that names it wherever it is spoken of; empty for files of common names."""
    parts = path.replace("\\", "/").split("/")
    return "/".join(parts[-3:]) if len(parts) >= 3 and parts[-1] == "SKILL.md" else ""


def _texts(arguments: Mapping[str, object]) -> Iterable[str]:
    """Short texts among the arguments of a call: what is written into a file does not open one."""
    for value in arguments.values():
        items = value if isinstance(value, list) else [value]
        for item in items:
            if isinstance(item, str) and len(item) <= 4_000:
                yield item


def _is_telling(name: str) -> bool:
    """Whether a name is of a form that nobody writes by chance."""
    return len(name) >= _MIN_NAME and any(mark in name for mark in "-_ ")
