"""A vault's own knowledge files, kg's format under `meta/kg/`: read, written whole, locked; unknown fields survive."""

from trivium.store.vaultfiles.concepts import read_concepts, write_concepts
from trivium.store.vaultfiles.config import VaultConfig, read_config, write_config
from trivium.store.vaultfiles.lock import VaultLock
from trivium.store.vaultfiles.quarantine import Damaged, set_aside
from trivium.store.vaultfiles.records import list_records, read_record, remove_record, write_record
from trivium.store.vaultfiles.registry import Registry, RegistryRow, read_registry, update_registry, write_registry

__all__ = [
    "Damaged",
    "Registry",
    "RegistryRow",
    "VaultConfig",
    "VaultLock",
    "list_records",
    "read_concepts",
    "read_config",
    "read_record",
    "read_registry",
    "remove_record",
    "set_aside",
    "update_registry",
    "write_concepts",
    "write_config",
    "write_record",
    "write_registry",
]
