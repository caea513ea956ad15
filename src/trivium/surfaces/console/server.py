"""Serving until told to stop: a socket on the loopback interface, its address told, signals heeded."""

from __future__ import annotations

import socket
from collections.abc import Callable

from trivium.engine import Engine
from trivium.errors import ConflictError, MissingExtraError, UsageError

LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}


def serve(engine: Engine, *, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM; `announce` is told the URL once connections are taken.

    Raises `UsageError` for a host that others could reach, `MissingExtraError` when the server is not installed,
    `ConflictError` when the port cannot be had, and `KeyboardInterrupt` at SIGINT.
    """
    if host not in LOOPBACK:
        raise UsageError(
            f"host must be {', '.join(LOOPBACK)}, not {host!r}.",
            hint="The console knows no users: whoever can reach it can read everything.",
        )
    try:
        import uvicorn

        from trivium.surfaces.console.application import Console
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"The console needs a package that is not installed: {error.name}.", hint="pip install 'trivium[console]'"
        ) from error
    with _listening(host, port) as listener:
        name = f"[{host}]" if ":" in host else host
        announce(f"http://{name}:{listener.getsockname()[1]}")
        settings = uvicorn.Config(
            Console(engine),
            access_log=False,
            http="h11",
            lifespan="off",
            limit_concurrency=100,
            log_level="warning",
            loop="asyncio",
            server_header=False,
            timeout_graceful_shutdown=2,
            ws="none",
        )
        uvicorn.Server(settings).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    address = "127.0.0.1" if host == "localhost" else host
    listener = socket.socket(LOOPBACK[host], socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ConflictError(
            f"Port {port} of {host} cannot be used: {error.strerror}.", hint="Port 0 takes one that is free."
        ) from error
    return listener
