"""The registry alone, for a vault without an index: what is there, what changed, what records come along."""

from __future__ import annotations

import time

from trivium.domains.vault.registering import FORMER, Registering, known_rows
from trivium.domains.vault.sync import Synced, SyncOptions, sync
from trivium.domains.vault.vault import Vault
from trivium.sources.vault.files import ReadNote, read_note
from trivium.sources.vault.scan import scan
from trivium.store.vaultfiles import RegistryRow, write_registry
from trivium.text.markdown import parse


def register(vault: Vault, options: SyncOptions = SyncOptions()) -> Synced:  # noqa: B008 (immutable)
    """Bring the registry to the files; where there is an index, it comes along, so that it is never behind."""
    if vault.is_built:
        return sync(vault, options)
    begin = time.process_time()
    with vault.lock():
        registering = Registering(vault)
        registering.load()
        titles: dict[str, str] = {}
        former: dict[str, list[str]] = {}

        def receive(note: ReadNote) -> None:
            titles[note.path] = title_of(note)
            former[note.path] = registering.carry(note, registering.former_hash(note.path), (), {})

        found = scan(
            vault.root,
            known_rows(registering.rows.values()),
            now_ns=time.time_ns(),
            scopes=options.scopes if options.scopes is not None else registering.scopes(),
            verify=True,
            trusts_deletions=options.trusts_deletions,
            uses_gitignore=options.uses_gitignore,
            receive=receive,
        )
        rows = []
        for one in found.found:
            if one.state == "moved":
                registering.move(one.moved_from, one.known.path)
                again = read_note(vault.root, one.known.path)
                if isinstance(again, ReadNote):
                    titles[one.known.path] = title_of(again)
            old = registering.rows.get(one.known.path)
            fields = {} if old is None else dict(old.fields)
            if former.get(one.known.path):
                fields = {**dict.fromkeys(("hash", "path", "title", "mtime", "size")), **fields,
                          FORMER: former[one.known.path]}  # fmt: skip
            title = titles.get(one.known.path, "" if old is None else old.title)
            rows.append(
                RegistryRow(one.known.hash, one.known.path, title, one.known.mtime_ns / 1e9, one.known.size, fields)
            )
        rows += [registering.rows[known.path] for known in found.kept]
        write_registry(vault.root, rows, registering.damaged)
    return Synced(
        len(found.found), found.count("new"), found.count("changed"), found.count("unchanged"), found.count("moved"),
        len(found.deleted), len(rows), found.files_read, found.bytes_read, 0, 0, registering.carried, found.skipped,
        found.problems, found.ignored, tuple(found.duplicates.values()), found.empty, found.degraded, False,
        round(time.process_time() - begin, 3),
    )  # fmt: skip


def title_of(note: ReadNote) -> str:
    """What the registry calls a note."""
    found = parse(note.text)
    return found.title or found.given_title or note.path.rpartition("/")[2].rpartition(".")[0]
