"""The index after a change of the vault's own files: brought to them at once, so that it is never behind them."""

from __future__ import annotations

from trivium.domains.vault import derive
from trivium.domains.vault.freshness import stamp
from trivium.domains.vault.vault import STAMP, Vault


def refresh(vault: Vault) -> None:
    """Bring concepts and edges of an index that there is to the files; hold the lock."""
    if not vault.is_built:
        return
    space = vault.space()
    if not space.store.is_writable:
        return
    with space.store.guard(), space.store.write():
        derive.derive(vault, space, derive.Changes({}, set(), True, False), at=vault.engine.clock())
        space.store.set_meta(STAMP, stamp(vault.root))
