"""The hosts whose hooks are answered: one module each, a table of its words."""

from __future__ import annotations

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from trivium.surfaces.hooks.protocol import Host

NAMES = ("claude", "codex", "gemini", "cursor")


def host_named(name: str) -> Host:
    """The table of one host. Raises `KeyError` for a host that is not in `NAMES`."""
    if name == "claude":
        from trivium.surfaces.hooks.hosts.claude import HOST
    elif name == "codex":
        from trivium.surfaces.hooks.hosts.codex import HOST
    elif name == "gemini":
        from trivium.surfaces.hooks.hosts.gemini import HOST
    elif name == "cursor":
        from trivium.surfaces.hooks.hosts.cursor import HOST
    else:
        raise KeyError(name)
    return HOST
