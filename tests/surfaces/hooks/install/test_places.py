"""Settings lie where each host reads them; events are those that something is done about."""

from __future__ import annotations

import pytest

from trivium.errors import UsageError
from trivium.surfaces.hooks.hosts import NAMES, host_named
from trivium.surfaces.hooks.install.places import FILES, all_events, default_events, file_of, timeout_of


def test_files() -> None:
    assert set(FILES) == set(NAMES)
    assert file_of("claude", "user", folder="/u/.claude", project="/w") == "/u/.claude/settings.json"
    assert file_of("claude", "local", folder="/u/.claude", project="/w") == "/w/.claude/settings.local.json"
    assert file_of("codex", "project", folder="/u/.codex", project="/w") == "/w/.codex/hooks.json"
    with pytest.raises(UsageError, match="no settings of scope"):
        file_of("cursor", "local", folder="/u", project="/w")


@pytest.mark.parametrize("host", NAMES)
def test_events_that_are_installed_are_answered(host: str) -> None:
    known = host_named(host).events
    assert all(known[event].kind != "observe" for event in all_events(host))
    some = default_events(host, has_tools=False, has_stop=False)
    assert set(some) < set(all_events(host))
    assert all(known[event].kind not in ("before_tool", "stop", "subagent_stop") for event in some)
    assert default_events(host, has_tools=True, has_stop=True) == all_events(host)


@pytest.mark.parametrize("host", NAMES)
def test_the_host_waits_longer_than_we_work(host: str) -> None:
    for event in all_events(host):
        assert timeout_of(event) > host_named(host).events[event].deadline_s + 1
