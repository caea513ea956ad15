"""A memory that a coding agent can trust: read, taught and written knowledge in one local graph."""

from __future__ import annotations

TYPE_CHECKING = False  # asking for help or the version must not load what typing loads
if TYPE_CHECKING:
    from typing import Any

    from trivium.api import Memory
    from trivium.api import open_memory as open
    from trivium.domains.references.search import SearchOptions
    from trivium.errors import TriviumError

__version__ = "0.1.0"

__all__ = ["Memory", "SearchOptions", "TriviumError", "__version__", "open"]

# Names are looked up when they are first used: importing the package must cost nothing.
_HOMES = {
    "Memory": ("trivium.api", "Memory"),
    "SearchOptions": ("trivium.domains.references.search", "SearchOptions"),
    "TriviumError": ("trivium.errors", "TriviumError"),
    "open": ("trivium.api", "open_memory"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trivium' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
