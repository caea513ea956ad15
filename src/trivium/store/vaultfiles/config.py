"""`config.json`: which folders of a vault are read by default, and names whose wiki links mean nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

from trivium.errors import ConfigError
from trivium.store.vaultfiles.whole import decode, encode, meta_path, read_whole, write_whole

NAME = "config.json"


class VaultConfig(NamedTuple):
    """Settings of one vault: `scope` folders (none: all of it), `stoplist` names; `fields` is the object as read."""

    scope: tuple[str, ...]
    stoplist: tuple[str, ...]
    fields: dict[str, Any]


def read_config(root: str) -> VaultConfig:
    """The vault's settings; a missing or blank file, or `null`, is none. A text in place of a list is a comma list.

    ConfigError names the key, the value and the file.
    """
    path = meta_path(root, NAME)
    data = read_whole(path)
    if data is None or not data.strip():
        return VaultConfig((), (), {})
    try:
        found = decode(data)
    except ValueError as error:
        raise ConfigError(f"{path} is no JSON: {error}", hint="Repair or remove the file.") from None
    if found is None:
        return VaultConfig((), (), {})
    if not isinstance(found, dict):
        raise ConfigError(f"{path} must hold an object, not {encode(found).decode()[:40].strip()}")
    return VaultConfig(_texts(found, "scope", path), _texts(found, "wikiLinkStoplist", path), found)


def write_config(root: str, fields: dict[str, Any]) -> bool:
    """Write the settings, unknown fields included; False when nothing changed. Hold the lock."""
    return write_whole(meta_path(root, NAME), encode(fields, indent=2))


def _texts(found: dict[str, Any], key: str, path: str) -> tuple[str, ...]:
    value = found.get(key)
    if value is None:
        return ()
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        shown = encode(found[key]).decode().strip()
        raise ConfigError(f"{key} in {path} must be a list of texts, not {shown[:60]}")
    return tuple(item.strip() for item in value if item.strip())
