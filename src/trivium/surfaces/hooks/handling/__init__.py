"""What is done about an event: asking the guidance, remembering what was shown, and answering."""

from __future__ import annotations

from trivium.surfaces.hooks.protocol import Answer

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from trivium.config import HookSettings
    from trivium.surfaces.hooks.deadline import Outlet
    from trivium.surfaces.hooks.protocol import Event, Host, Rule


class Task:
    """One event with everything that is needed to answer it."""

    __slots__ = ("event", "home", "host", "outlet", "rule", "settings")

    def __init__(self, event: Event, host: Host, rule: Rule, settings: HookSettings, home: str, outlet: Outlet) -> None:
        self.event = event
        self.host = host
        self.rule = rule
        self.settings = settings
        self.home = home
        self.outlet = outlet

    def offer(self, answer: Answer) -> None:
        """Have this given when time is over."""
        from trivium.surfaces.hooks.encoding import LATE, encoded

        late = Answer(answer.context, again=answer.again, notice=LATE)
        self.outlet.best = encoded(self.host, self.event.name, self.rule, late)

    def give(self, answer: Answer) -> None:
        """Give the answer now; what is done after it is for the next time."""
        from trivium.surfaces.hooks.encoding import encoded

        self.outlet.give(encoded(self.host, self.event.name, self.rule, answer))


def is_idle(rule: Rule, settings: HookSettings) -> bool:
    """Whether there is nothing to do about an event, whatever it says."""
    if rule.kind in ("stop", "subagent_stop"):
        return not settings.has_stop
    return rule.kind == "before_tool" and not settings.has_tools


def answer_to(task: Task) -> Answer:
    """The answer to one event. May raise whatever the guidance raises."""
    kind = task.event.kind
    if kind == "prompt":
        from trivium.surfaces.hooks.handling.prompts import on_prompt

        return on_prompt(task)
    if kind in ("before_tool", "after_tool"):
        from trivium.surfaces.hooks.handling.tools import on_tool

        return on_tool(task)
    if kind in ("stop", "subagent_stop"):
        from trivium.surfaces.hooks.handling.stops import on_stop

        return on_stop(task)
    from trivium.surfaces.hooks.handling import sessions

    return sessions.on_event(task)
