"""What every test stands on: a home of its own, a clock that is set by hand, and no network."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

IS_EXPLORING = bool(os.environ.get("TRIVIUM_EXPLORE"))
"""Set it to look for new counter-examples; without it every run tries the same ones."""

settings.register_profile(
    "trivium",
    deadline=None,
    derandomize=not IS_EXPLORING,
    max_examples=1_000 if IS_EXPLORING else 60,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("trivium")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--cases DIR`: another folder of black-box cases than the one beside the repository."""
    parser.addoption("--cases", metavar="DIR", help="a folder of black-box cases (default: ../shared/cases)")


_LOCAL = ("127.0.0.1",)
_RESOLVED = ("127.0.0.1", "localhost", None, "")
_attempts: list[str] = []


class FixedClock:
    """A clock that stands still: call it for the time as the journal writes it, set or advance it by hand."""

    def __init__(self, start: str = "2026-03-01T12:00:00.000000Z") -> None:
        self.now = start

    def __call__(self) -> str:
        return self.now

    def advance(self, **amount: float) -> str:
        """Move by a `timedelta` given by its keywords (`days=1`, `seconds=-5`); returns the new time."""
        self.now = (datetime.fromisoformat(self.now) + timedelta(**amount)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return self.now

    @property
    def moment(self) -> datetime:
        """The time as a value."""
        return datetime.fromisoformat(self.now).astimezone(UTC)


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at noon of the first of March 2026, UTC."""
    return FixedClock()


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """One cache for the whole run, for all its workers: what is derived from weights is made once."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if hasattr(request.config, "workerinput") else base) / "use-cache"
    place.mkdir(exist_ok=True)
    return place


@pytest.fixture(autouse=True)
def home(tmp_path: Path, cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that `TRIVIUM_HOME` names in this test; it does not exist yet. The user's own is out of reach."""
    for name in [name for name in os.environ if name.startswith(("TRIVIUM_", "XDG_", "CLAUDE_"))]:
        monkeypatch.delenv(name)
    place = tmp_path / "home"
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "user"))
    monkeypatch.setenv("TRIVIUM_HOME", str(place))
    monkeypatch.setenv("TRIVIUM_CACHE", str(cache_folder))
    monkeypatch.setenv("TRIVIUM_ACTOR", "tester")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return place


@pytest.fixture(autouse=True, scope="session")
def _blocked_network() -> Iterator[None]:
    """Sockets reach 127.0.0.1 and nothing else; child processes are sent to a proxy that is not there."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex", "sendto", "sendmsg"):
        patch.setattr(socket.socket, name, _guarded(name, getattr(socket.socket, name)))
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        patch.setattr(socket, name, _resolving(name, getattr(socket, name)))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        patch.setenv(name, "http://127.0.0.1:9")
        patch.setenv(name.lower(), "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        patch.setenv(name, "127.0.0.1,localhost")
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _no_attempt_to_leave() -> Iterator[None]:
    """Fails a test also when the refusal was swallowed, or happened in another thread."""
    _attempts.clear()
    yield
    assert not _attempts, f"the test tried to reach the network: {_attempts}"


def _guarded(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def checked(self: socket.socket, *arguments: Any) -> Any:
        is_network = self.family in (socket.AF_INET, socket.AF_INET6)
        address = next((one for one in arguments if isinstance(one, tuple)), None)
        if is_network and address is not None and address[0] not in _LOCAL:
            _refuse(f"{name} {address[0]}")
        return call(self, *arguments)

    return checked


def _resolving(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def checked(host: Any, *arguments: Any, **options: Any) -> Any:
        wanted = host.decode() if isinstance(host, bytes) else host
        if wanted not in _RESOLVED:
            _refuse(f"{name} {wanted}")
        return call(host, *arguments, **options)

    return checked


def _refuse(what: str) -> None:
    _attempts.append(what)
    # Not an OSError: code that copes with a missing network must not hide that it tried.
    pytest.fail(f"the network is blocked in tests: {what}")
