"""A vault followed while people write: one sync after each burst of changes, told by stat alone."""

from __future__ import annotations

import time
from collections.abc import Callable

from trivium.domains.vault.sync import Synced, SyncOptions, sync
from trivium.domains.vault.vault import Vault
from trivium.errors import ConflictError
from trivium.sources.vault.walk import walk

State = tuple[tuple[str, int, int, int], ...]


def state_of(vault: Vault) -> State:
    """What lies in the vault, by names and stat."""
    return tuple((entry.path, entry.size, entry.mtime_ns, entry.inode) for entry in walk(vault.root).notes)


def watch(
    vault: Vault,
    tell: Callable[[Synced], None],
    *,
    interval_s: float = 1.0,
    settle_s: float = 0.3,
    is_wanted: Callable[[], bool] = lambda: True,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Sync once, then whenever something changed and then kept still for `settle_s`: editors save by way of renames.

    Looks every `interval_s` seconds until `is_wanted` says no. A vault that another process writes is tried again.
    """
    seen: State | None = None
    while is_wanted():
        now = state_of(vault)
        if now != seen:
            sleep(settle_s)
            again = state_of(vault)
            if again == now or seen is None:
                try:
                    done = sync(vault, SyncOptions())
                except ConflictError:
                    continue
                seen = again
                if done.new or done.changed or done.moved or done.deleted:
                    tell(done)
            continue
        sleep(interval_s)
