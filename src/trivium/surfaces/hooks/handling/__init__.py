"""What is done about an event: asking the guidance, remembering what was shown, and answering."""

from __future__ import annotations

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from trivium.config import HookSettings
    from trivium.surfaces.hooks.deadline import Outlet
    from trivium.surfaces.hooks.protocol import Answer, Event, Host, Rule


def is_idle(rule: Rule, settings: HookSettings) -> bool:
    """Whether there is nothing to do about an event, whatever it says."""
    if rule.kind in ("stop", "subagent_stop"):
        return not settings.has_stop
    return rule.kind == "before_tool" and not settings.has_tools


def answer_to(event: Event, host: Host, rule: Rule, settings: HookSettings, home: str, outlet: Outlet) -> Answer:
    """The answer to one event. May raise whatever the guidance raises."""
    from trivium.surfaces.hooks.protocol import Answer

    return Answer()
