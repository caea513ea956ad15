"""The values between a host and the guidance: what happened, what to answer, and in which words a host reads it.

This module is imported by every hook process, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from typing import Any

SPECIFIC = "hookSpecificOutput"
"""A carrier of context: `{"hookSpecificOutput": {"hookEventName": ..., "additionalContext": ...}}`."""

KINDS = (
    "prompt",
    "session_start",
    "subagent_start",
    "before_tool",
    "after_tool",
    "stop",
    "subagent_stop",
    "before_compact",
    "after_compact",
    "session_end",
    "file_changed",
    "observe",
)
"""What an event means, whatever a host calls it; `observe` is answered with nothing."""


class Rule:
    """How one event of one host is answered.

    `kind` is one of `KINDS`. `context` is the carrier of text for the agent: `SPECIFIC`, the name of a top-level key,
    or empty where the host reads none. `again` is what makes the agent go on after a stop: fixed keys and the key of
    the reason. `deadline_s` is when the answer is due. `neutral` is the answer that changes nothing. `is_silent` is an
    event whose output is not read as JSON: nothing is written at all.
    """

    __slots__ = ("again", "context", "deadline_s", "has_notice", "is_silent", "kind", "neutral")

    def __init__(
        self,
        kind: str,
        deadline_s: float = 1.0,
        *,
        context: str = "",
        again: tuple[dict[str, str], str] | None = None,
        neutral: dict[str, Any] | None = None,
        has_notice: bool = True,
        is_silent: bool = False,
    ) -> None:
        self.kind = kind
        self.deadline_s = deadline_s
        self.context = context
        self.again = again
        self.neutral: dict[str, Any] = neutral or {}
        self.has_notice = has_notice
        self.is_silent = is_silent


class Host:
    """What one host calls things.

    `fields` maps our names to the names a value may have in the input, the first one present wins. `cap` is the most
    text that reaches the agent, counted in bytes of UTF-8 (`measure` "utf-8") or in UTF-16 units ("utf-16").
    `notice` is the key of a line that the user sees, empty where there is none.
    """

    __slots__ = ("cap", "events", "fields", "measure", "name", "notice")

    def __init__(
        self,
        name: str,
        events: dict[str, Rule],
        fields: dict[str, tuple[str, ...]],
        *,
        cap: int,
        measure: str,
        notice: str,
    ) -> None:
        self.name = name
        self.events = events
        self.fields = fields
        self.cap = cap
        self.measure = measure
        self.notice = notice

    @property
    def takes_context_at_prompts(self) -> bool:
        """Whether text can be given to the agent together with a prompt."""
        return any(rule.kind == "prompt" and rule.context for rule in self.events.values())

    def size(self, text: str) -> int:
        """The size of a text as this host counts it."""
        if self.measure == "utf-8":
            return len(text.encode("utf-8", "replace"))
        return len(text) + sum(char > "\uffff" for char in text)


class Event:
    """One thing that happened, in words that every host shares; what was not told is empty.

    `tool_input` is the tool's arguments, `message` the agent's last words, `is_repeat` whether the agent is running
    because a stop was refused before.
    """

    __slots__ = (
        "change",
        "cwd",
        "host",
        "is_repeat",
        "kind",
        "message",
        "name",
        "path",
        "problems",
        "prompt",
        "reason",
        "session",
        "source",
        "summary",
        "tool_input",
        "tool_name",
        "transcript",
    )

    def __init__(self, host: str, name: str, kind: str) -> None:
        self.host = host
        self.name = name
        self.kind = kind
        self.session = self.cwd = self.transcript = self.prompt = ""
        self.tool_name = self.message = self.source = self.reason = self.summary = ""
        self.path = self.change = ""
        self.tool_input: dict[str, Any] = {}
        self.is_repeat = False
        self.problems: list[str] = []


class Answer:
    """What a hook says: text for the agent, a reason to go on, a line for the user, folders to watch, a status."""

    __slots__ = ("again", "context", "notice", "status", "watch")

    def __init__(self, context: str = "", *, again: str = "", notice: str = "", status: int = 0) -> None:
        self.context = context
        self.again = again
        self.notice = notice
        self.status = status
        self.watch: list[str] = []


def encode(host: Host, name: str, rule: Rule, answer: Answer) -> dict[str, Any]:
    """The answer as the object that this host reads for this event; what it has no place for is left out."""
    out: dict[str, Any] = dict(rule.neutral)
    specific: dict[str, Any] = {}
    if answer.context and rule.context == SPECIFIC:
        specific["additionalContext"] = answer.context
    elif answer.context and rule.context:
        out[rule.context] = answer.context
    if answer.watch and rule.kind == "session_start" and host.name == "claude":
        specific["watchPaths"] = answer.watch
    if specific:
        out[SPECIFIC] = {"hookEventName": name, **specific}
    if answer.again and rule.again is not None:
        fixed, key = rule.again
        out.update(fixed)
        out[key] = answer.again
    if answer.notice and host.notice and rule.has_notice:
        out[host.notice] = answer.notice
    return out
