"""The agent wants to stop: rules for that may ask it to go on, once."""

from __future__ import annotations

from trivium.surfaces.hooks.handling import Task
from trivium.surfaces.hooks.protocol import Answer

MAX_CHARS = 2_000
"""Of the agent's last words so many are asked by."""

_TAIL_BYTES = 512 * 1024


def on_stop(task: Task) -> Answer:
    """A stop that follows one that was refused is always let through."""
    if task.event.is_repeat:
        return Answer()
    words = task.event.message or last_words(task.event.transcript, task.host.name)
    if not words.strip():
        return Answer()
    from trivium.surfaces.hooks.handling.consulting import Consultation
    from trivium.surfaces.hooks.handling.files import in_play

    talk = Consultation(task)
    try:
        question = words.strip()[:MAX_CHARS]
        talk.expect_lateness(question)
        talk.read()
        told = talk.ask(task.event.kind, question, files=in_play(task.event, talk.collection.project))
        answer = Answer(again=told.context.text)
        task.give(answer)
        if told.context.items:
            talk.remember(told, question=question)
    finally:
        talk.close()
    return answer


def last_words(path: str, host: str) -> str:
    """What the agent said last, by its transcript; empty where it cannot be read."""
    if not path:
        return ""
    from trivium.errors import TriviumError
    from trivium.sources.transcripts.reading import read_transcript
    from trivium.sources.transcripts.steps import REPLY

    try:
        steps = read_transcript(path, host, max_bytes=_TAIL_BYTES).steps
    except TriviumError:
        return ""
    return next((step.text for step in reversed(steps) if step.kind == REPLY and step.text.strip()), "")
