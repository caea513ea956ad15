"""A prompt: what speaks to it is shown, or kept for the next place where the host takes it."""

from __future__ import annotations

from trivium.surfaces.hooks.handling import Task
from trivium.surfaces.hooks.protocol import Answer

_NOBODYS = ("<task-notification", "<local-command-", "<command-name>/clear")
"""What hosts submit in a person's place: nothing is asked by it."""

MAX_CHARS = 100_000
"""Of a longer prompt its beginning and its end are looked at."""


def on_prompt(task: Task) -> Answer:
    """Find, fit, answer, remember; then use the time that is left for what is missing."""
    prompt = task.event.prompt
    if not prompt.strip() or prompt.lstrip().startswith(_NOBODYS):
        return Answer()
    from trivium.surfaces.hooks.handling.consulting import Consultation
    from trivium.surfaces.hooks.handling.files import in_play

    talk = Consultation(task)
    try:
        talk.expect_lateness()
        talk.read()
        files = in_play(task.event, talk.collection.project)
        if talk.is_remote():
            # Words answer at once; whatever an endpoint adds comes in time or not at all.
            task.offer(Answer(talk.ask("prompt", shortened(prompt), files=files, recipe="words").context.text))
        told = talk.ask("prompt", shortened(prompt), files=files)
        answer = Answer(told.context.text)
        if task.rule.context or not answer.context:
            task.give(answer)
            talk.remember(told)
        else:
            from trivium.surfaces.hooks.handling import pending

            task.give(Answer())
            pending.put(talk, told)
        if task.settings.has_tools:
            from trivium.surfaces.hooks.handling.tools import remember_quiet

            remember_quiet(talk)
        talk.catch_up()
    finally:
        talk.close()
    return answer


def shortened(prompt: str) -> str:
    """A prompt of bearable length."""
    if len(prompt) <= MAX_CHARS:
        return prompt
    half = MAX_CHARS // 2
    return f"{prompt[:half]}\n\n{prompt[-half:]}"
