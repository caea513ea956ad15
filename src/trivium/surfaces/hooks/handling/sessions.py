"""A session begins, is compacted, or ends: what it saw is forgotten or summed up, and the guidance is made ready."""

from __future__ import annotations

from trivium.surfaces.hooks.handling import Task
from trivium.surfaces.hooks.protocol import Answer

_FRESH = ("startup", "clear", "compact", "fork", "")
"""Sources of a start after which the agent has nothing of what it saw before."""


def on_event(task: Task) -> Answer:
    """By kind; what is not known here is answered with nothing."""
    kind = task.event.kind
    if kind in ("session_start", "subagent_start"):
        return _on_start(task)
    if kind in ("before_compact", "after_compact"):
        _forget(task)
        return Answer()
    if kind == "session_end":
        return _on_end(task)
    if kind == "file_changed":
        return _on_file(task)
    return Answer()


def _forget(task: Task) -> None:
    from trivium.domains.routing.ledger.disclosure import Disclosure
    from trivium.surfaces.hooks.handling import pending

    Disclosure(task.home, task.event.session).forget()
    pending.drop(task.home, task.event.session)


def _on_start(task: Task) -> Answer:
    from trivium.surfaces.hooks.handling.consulting import Consultation

    is_session = task.event.kind == "session_start"
    if is_session and task.event.source in _FRESH:
        _forget(task)
    talk = Consultation(task)
    try:
        talk.read()
        told = talk.stand(task.event.kind)
        answer = Answer(told.context.text)
        if is_session and task.host.name == "claude":
            answer.watch = _watched(talk.collection.roots)
        task.give(answer)
        if told.context.items:
            talk.remember(told)
        if is_session:
            talk.catch_up()
            from trivium.domains.routing.ledger.disclosure import sweep

            sweep(task.home)
        if task.settings.has_tools:
            from trivium.surfaces.hooks.handling.tools import remember_quiet

            remember_quiet(talk)
    finally:
        talk.close()
    return answer


def _on_end(task: Task) -> Answer:
    """What the transcript proves about what was shown goes into the ledger."""
    from trivium.surfaces.hooks.handling.consulting import Consultation

    task.give(Answer())
    talk = Consultation(task)
    try:
        from trivium.domains.routing.ledger.closing import close_session

        close_session(
            talk.collection,
            talk.ledger,
            session=task.event.session,
            transcript=task.event.transcript,
            host=task.host.name,
            reason=task.event.reason,
            at=talk.at,
        )
    finally:
        talk.close()
    return Answer()


def _on_file(task: Task) -> Answer:
    """A file of guidance was written: it is read now, so that the next prompt need not wait for it."""
    from trivium.surfaces.hooks.handling.consulting import Consultation

    talk = Consultation(task)
    try:
        talk.read()
        talk.catch_up()
    finally:
        talk.close()
    return Answer()


def _watched(roots: object) -> list[str]:
    """Folders and files of guidance that are there."""
    import os

    from trivium.sources.guidance.roots import Root

    assert isinstance(roots, list)
    return [root.path for root in roots if isinstance(root, Root) and os.path.exists(root.path)]
