"""A tool is about to run, or has run: guidance for it, and guidance that waited for this place."""

from __future__ import annotations

import os
import zlib

from trivium.surfaces.hooks.handling import Task
from trivium.surfaces.hooks.protocol import Answer

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from trivium.surfaces.hooks.handling.consulting import Consultation
    from trivium.surfaces.hooks.protocol import Event

MAX_CONTEXT = 200
"""Of a tool's arguments so many characters are asked by."""

# What says most of a call, by the tools of every host.
_TELLING = ("command", "file_path", "path", "absolute_path", "pattern", "query", "url", "skill", "description")


def on_tool(task: Task) -> Answer:
    """What waited for a place comes first; then what speaks to the tool, if that was asked for."""
    waiting = ""
    if task.event.kind == "after_tool" and not task.host.takes_context_at_prompts:
        from trivium.surfaces.hooks.handling import pending

        waiting = pending.take(task.home, task.event.session)
    if waiting or not task.settings.has_tools or not task.event.tool_name or is_quiet(task.home, task.event.cwd):
        return Answer(waiting)
    from trivium.surfaces.hooks.handling.consulting import Consultation
    from trivium.surfaces.hooks.handling.files import in_play

    talk = Consultation(task)
    try:
        question = asked_by(task.event)
        talk.expect_lateness(question)
        talk.read_if_new()
        told = talk.ask(task.event.kind, question, files=in_play(task.event, talk.collection.project))
        answer = Answer(told.context.text)
        task.give(answer)
        if told.context.items:
            talk.remember(told, question=question)
    finally:
        talk.close()
    return answer


def asked_by(event: Event) -> str:
    """A call as a question: `using Bash: git push`."""
    told = [event.tool_input[key] for key in _TELLING if isinstance(event.tool_input.get(key), str)]
    told += [value for value in event.tool_input.values() if isinstance(value, str)]
    first = next((" ".join(value.split()) for value in told if value.strip()), "")
    return f"using {event.tool_name}: {first[:MAX_CONTEXT]}" if first else f"using {event.tool_name} tool"


# -- a folder without guidance for tools is left at once


def _quiet_path(home: str, cwd: str) -> str:
    data = cwd.encode("utf-8", "replace")
    return os.path.join(home, "hooks", "quiet", f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}")


def is_quiet(home: str, cwd: str) -> bool:
    """Whether no entry had anything to say to tools here when the last prompt was answered."""
    return bool(cwd) and os.path.exists(_quiet_path(home, cwd))


def remember_quiet(talk: Consultation) -> None:
    """Note whether any entry may speak to tools here."""
    from trivium.domains.routing.occasions import has_tool_guidance

    path = _quiet_path(talk.task.home, talk.cwd)
    try:
        if has_tool_guidance(talk.collection):
            if os.path.exists(path):
                os.unlink(path)
        elif not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8"):
                pass
    except OSError:
        return
