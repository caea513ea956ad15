"""A memory in a temporary home with a clock that ticks a second a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trivium.api import Memory, open_memory


class Ticking:
    """A clock that moves one second with each reading, so that records have an order."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> str:
        self.seconds += 1
        minutes, seconds = divmod(self.seconds, 60)
        hours, minutes = divmod(minutes, 60)
        return f"2026-06-01T{hours:02d}:{minutes:02d}:{seconds:02d}.000000Z"


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_memory(str(tmp_path / "home"), embedder="hash", clock=clock) as opened:
        yield opened


Payload = dict[str, Any]


@pytest.fixture
def payload() -> Callable[..., Payload]:
    def make(url: str, concepts: dict[str, str], *relations: tuple[str, str, str], **more: Any) -> Payload:
        return {
            "reference": {"url": url, "title": f"Title of {url}", **more},
            "concepts": [{"id": name, "description": text} for name, text in concepts.items()],
            "relationships": [
                {"source": a, "type": kind, "target": b, "reason": f"{a} {kind} {b}"} for a, kind, b in relations
            ],
        }

    return make
