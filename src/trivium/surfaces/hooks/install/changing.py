"""A change of a host's settings as a whole: planned, shown, written in one step, and taken back to the byte."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from typing import Any, NamedTuple

from trivium.errors import ConflictError, StoreError
from trivium.surfaces.hooks.install import edit, tomltext

_RECORD = "installed.json"


class Plan(NamedTuple):
    """What is to become of one file: `before` is None for a file that is not there, `after` for one that goes."""

    host: str
    path: str
    before: bytes | None
    after: bytes | None
    events: list[str]
    made: list[str]

    @property
    def is_change(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after


def plan_install(host: str, path: str, wanted: dict[str, dict[str, Any]], home: str) -> Plan:
    """The file with one entry for each wanted event, and with no other entries of ours.

    Raises `UsageError` or `ConflictError` for a file that cannot be changed safely.
    """
    before = _read(path)
    text = "" if before is None else _text(before, path)
    made: list[str] = []
    if path.endswith(".toml"):
        after = tomltext.with_entries(text, path, wanted)
    else:
        kept = tuple(wanted)
        text = edit.without_entries(text, host, path, made=_known(home, path), keep=kept) if text.strip() else text
        after, made = edit.with_entries(text, host, path, wanted)
    made = list(dict.fromkeys([*(_known(home, path) or []), *made]))
    return Plan(host, path, before, after.encode("utf-8"), list(wanted), made)


def plan_uninstall(host: str, path: str, home: str) -> Plan:
    """The file without our entries: as it was before, to the byte, if nobody changed it since."""
    before = _read(path)
    if before is None:
        return Plan(host, path, None, None, [], [])
    record = _records(home).get(path, {})
    if record.get("after") == _hash(before) and "backup" in record:
        kept = record["backup"]
        if record.get("is_new") is True and not record.get("is_shared"):
            return Plan(host, path, before, None, [], [])
        if isinstance(kept, str) and kept and (old := _read(os.path.join(home, kept))) is not None:
            return Plan(host, path, before, old, [], [])
    text = _text(before, path)
    if path.endswith(".toml"):
        after = tomltext.without_entries(text, path)
        is_bare = not after.strip()
    else:
        after = edit.without_entries(text, host, path, made=record.get("made"))
        is_bare = edit.is_bare(after, host, path)
    if record.get("is_new") is True and is_bare:
        return Plan(host, path, before, None, [], [])
    return Plan(host, path, before, after.encode("utf-8"), [], [])


def carry_out(plan: Plan, home: str) -> str:
    """Write the change and remember what was before; returns the path of the copy, empty without one.

    Raises `ConflictError` when the file changed in the meantime, `StoreError` when it cannot be written.
    """
    if not plan.is_change:
        return ""
    if _read(plan.path) != plan.before:
        raise ConflictError(f"{plan.path} was changed by someone else just now.", hint="Try again.")
    records = _records(home)
    known = records.get(plan.path)
    is_install = bool(plan.events)
    kept = _keep(plan, home) if plan.before is not None else ""
    try:
        if plan.after is None:
            os.unlink(plan.path)
            _leave(plan, known)
        else:
            folders = _make_folders(os.path.dirname(plan.path))
            _write(plan.path, plan.after)
            if is_install:
                first = known or {"is_new": plan.before is None, "backup": kept, "folders": folders}
                if known and plan.before is not None and known.get("after") != _hash(plan.before):
                    # Someone wrote in between: what was before the first time is no longer what to go back to.
                    first = {**known, "backup": "", "is_shared": True}
                records[plan.path] = {**first, "host": plan.host, "after": _hash(plan.after), "made": plan.made}
    except OSError as error:
        raise StoreError(f"{plan.path} cannot be written ({error.strerror}).") from error
    if not is_install:
        records.pop(plan.path, None)
    _write(os.path.join(home, "hooks", _RECORD), json.dumps(records, indent=2, sort_keys=True).encode("utf-8"))
    return os.path.join(home, kept) if kept else ""


def _known(home: str, path: str) -> list[str] | None:
    made = _records(home).get(path, {}).get("made")
    return made if isinstance(made, list) else None


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror}).") from error


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConflictError(f"{path} is not UTF-8 (byte {error.start}); it was left as it is.") from error


def _records(home: str) -> dict[str, dict[str, Any]]:
    """What was installed, by file; a record that cannot be read says nothing."""
    data = _read(os.path.join(home, "hooks", _RECORD))
    try:
        found = json.loads(data) if data else {}
    except ValueError:
        return {}
    return {path: one for path, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _keep(plan: Plan, home: str) -> str:
    """A copy of the file as it was, relative to the home."""
    assert plan.before is not None
    place, content = _hash(plan.path.encode("utf-8", "surrogatepass")), _hash(plan.before)
    name = f"{plan.host}-{place[:8]}-{content[:12]}-{os.path.basename(plan.path)}"
    kept = os.path.join("hooks", "backups", name)
    try:
        _write(os.path.join(home, kept), plan.before)
    except OSError as error:
        raise StoreError(f"No copy of {plan.path} can be kept in {home} ({error.strerror}).") from error
    return kept


def _make_folders(folder: str) -> list[str]:
    """Make what is missing of a path; returns the folders that were made, the innermost first."""
    missing = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        os.mkdir(one)
    return missing


def _leave(plan: Plan, known: dict[str, Any] | None) -> None:
    """Remove the folders that were made for a file that went, if nothing else is in them."""
    for folder in (known or {}).get("folders") or ():
        try:
            os.rmdir(folder)
        except OSError:
            return


def _write(path: str, data: bytes) -> None:
    """Replace a file in one step; what a link points to is replaced, and its permissions stay."""
    path = os.path.realpath(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".trivium-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.chmod(scratch, os.stat(path).st_mode & 0o7777)
        except FileNotFoundError:
            os.chmod(scratch, 0o600)
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise
