"""Claims that an edit made suspect: what changed in the text, and what else rests on them."""

from __future__ import annotations

import difflib
from typing import Any, NamedTuple

from trivium.domains.vault.edges import entries, quote_of
from trivium.domains.vault.names import ConceptIndex
from trivium.domains.vault.notes import registry
from trivium.domains.vault.refresh import refresh
from trivium.domains.vault.requote import SUSPECT
from trivium.domains.vault.vault import Vault
from trivium.store.vaultfiles import list_records, read_concepts, read_record, write_record

_MOST_DEPENDENTS = 10


class Suspect(NamedTuple):
    """A claim whose quote no longer stands: `diff` goes from the quote to the nearest passage, word by word."""

    path: str
    hash: str
    claim: str
    state: str
    quote: str
    nearest: dict[str, Any] | None
    diff: tuple[str, ...]
    dependents: tuple[str, ...]


def check(vault: Vault) -> list[Suspect]:
    """Every suspect claim, by note. `dependents` are claims of other notes about the same concepts."""
    index = ConceptIndex(read_concepts(vault.root)[0])
    paths = {row.hash: row.path for row in registry(vault)}
    found: list[tuple[Suspect, set[str]]] = []
    claims: list[tuple[str, str, set[str]]] = []
    for hash_ in list_records(vault.root):
        record = read_record(vault.root, hash_)
        if not isinstance(record, dict) or hash_ not in paths:
            continue
        for relation in entries(record, "relations"):
            claims.append((paths[hash_], told(relation), _concepts(relation, index)))
        for one in entries(record, SUSPECT):
            entry = one.get("entry")
            if isinstance(entry, dict):
                found.append((_suspect(paths[hash_], hash_, one, entry), _concepts(entry, index)))
    return [
        one._replace(dependents=_dependents(one, names, claims)) for one, names in sorted(found, key=lambda p: p[0])
    ]


def told(entry: dict[str, Any]) -> str:
    """A claim in one line."""
    if "concept" in entry:
        return f"mentions {entry['concept']}"
    return f"{entry.get('from')} -[{entry.get('relation') or 'relates_to'}]-> {entry.get('to')}"


def _concepts(entry: dict[str, Any], index: ConceptIndex) -> set[str]:
    names = [entry.get(field) for field in ("concept", "from", "to")]
    return {found for name in names if isinstance(name, str) and (found := index.find(name)) is not None}


def _suspect(path: str, hash_: str, one: dict[str, Any], entry: dict[str, Any]) -> Suspect:
    near = one.get("nearest") if isinstance(one.get("nearest"), dict) else None
    quote = quote_of(entry)
    state = str(one.get("state") or "gone")
    diff = _diff(quote, str(near["text"])) if near and state == "changed" else ()
    return Suspect(path, hash_, told(entry), state, quote, near, diff, ())


def _diff(old: str, new: str) -> tuple[str, ...]:
    """Words taken away and added, as `- ...` and `+ ...` with what is alike as `  ...`."""
    lines = [line for line in difflib.ndiff(old.split(), new.split()) if not line.startswith("?")]
    joined: list[str] = []
    for line in lines:
        if joined and joined[-1][0] == line[0]:
            joined[-1] += " " + line[2:]
        else:
            joined.append(line)
    return tuple(joined)


def _dependents(one: Suspect, names: set[str], claims: list[tuple[str, str, set[str]]]) -> tuple[str, ...]:
    found = [f"{path}: {claim}" for path, claim, other in claims if other & names and path != one.path]
    return tuple(found[:_MOST_DEPENDENTS])


def drop(vault: Vault) -> int:
    """Give up the claims whose quote is gone; returns how many. Those that changed stay to be judged."""
    dropped = 0
    with vault.lock():
        for hash_ in list_records(vault.root):
            record = read_record(vault.root, hash_)
            if not isinstance(record, dict):
                continue
            suspects = entries(record, SUSPECT)
            kept = [one for one in suspects if one.get("state") != "gone"]
            if len(kept) != len(suspects):
                dropped += len(suspects) - len(kept)
                rest = {name: value for name, value in record.items() if name != SUSPECT}
                write_record(vault.root, hash_, {**rest, SUSPECT: kept} if kept else rest)
        if dropped:
            refresh(vault)
    return dropped
