"""L1, the vocabulary of a vault: concepts imported, merged, renamed, split; every name keeps leading somewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from trivium.domains.vault.names import (
    ConceptIndex,
    aliases_of,
    all_names,
    canonical_of,
    display_of,
    higher_type,
    in_order,
    key,
    signs,
    slug,
    spelled_slug,
    type_of,
)
from trivium.domains.vault.refresh import refresh
from trivium.domains.vault.vault import Vault
from trivium.errors import ConflictError, NotFoundError, PayloadError, UsageError
from trivium.store.vaultfiles import read_concepts, write_concepts

_FIELDS = ("id", "canonical", "display", "type", "summary")


class Imported(NamedTuple):
    """How many concepts are new, how many were met again, how many there are; `skipped` records had no name."""

    added: int
    updated: int
    total: int
    skipped: int


class Table:
    """The concepts of a vault while they are changed."""

    def __init__(self, concepts: Sequence[dict[str, Any]]) -> None:
        self.concepts = {str(concept["id"]): _filled(concept) for concept in concepts}
        self.index = ConceptIndex(self.concepts.values())

    def take(self, record: Mapping[str, Any]) -> bool | None:
        """Add a record or unite it with the concept it names: True when it is new, None when it names nothing."""
        name = canonical_of(record).strip()
        given = record.get("id")
        if not name:
            return None
        target = given if isinstance(given, str) and given in self.concepts else self._known(name, record)
        if target is None:
            identifier = given.strip() if isinstance(given, str) and given.strip() else self._free_id(name)
            display = record.get("display")
            made = {
                "id": identifier,
                "canonical": name,
                "display": display.strip() if isinstance(display, str) and display.strip() else name,
                "type": type_of(record),
                "aliases": in_order(aliases_of(record)),
                "summary": _summary(record),
                **_unknown(record),
            }
            self.concepts[identifier] = made
            self.index.add(made)
            return True
        self._unite(self.concepts[target], record, name, is_same_id=target == given)
        return False

    def _known(self, name: str, record: Mapping[str, Any]) -> str | None:
        found = self.index.find_same(name)
        for alias in aliases_of(record) if found is None else ():
            found = found or self.index.find_same(alias)
        if found is not None:
            return found
        there = self.concepts.get(slug(name))
        # Names that differ in blanks and hyphens only are one; those that differ in signs are not.
        return str(there["id"]) if there is not None and signs(canonical_of(there)) == signs(name) else None

    def _free_id(self, name: str) -> str:
        base = slug(name)
        if base not in self.concepts:
            return base
        base = spelled_slug(name)
        number, identifier = 2, base
        while identifier in self.concepts:
            number, identifier = number + 1, f"{base}-{number}"
        return identifier

    def _unite(self, concept: dict[str, Any], record: Mapping[str, Any], name: str, *, is_same_id: bool) -> None:
        aliases = [*aliases_of(concept), *aliases_of(record)]
        old = canonical_of(concept)
        if old.startswith("arxiv:") and not name.startswith("arxiv:"):
            aliases.append(old)
            display = record.get("display")
            concept["canonical"] = name
            concept["display"] = display if isinstance(display, str) and display.strip() else name
        elif not is_same_id and key(name) not in {key(one) for one in (*all_names(concept), *aliases)}:
            aliases.append(name)
        concept["aliases"] = in_order(aliases)
        concept["type"] = higher_type(type_of(concept), type_of(record))
        if not concept.get("summary"):
            concept["summary"] = _summary(record)
        for field, value in _unknown(record).items():
            concept.setdefault(field, value)
        self.index.add(concept)


def _filled(concept: dict[str, Any]) -> dict[str, Any]:
    name = canonical_of(concept)
    made = {"id": concept["id"], "canonical": name, "display": display_of(concept), "type": type_of(concept)}
    made |= {"aliases": aliases_of(concept), "summary": _summary(concept)}
    return {**made, **_unknown(concept)}


def _summary(record: Mapping[str, Any]) -> str:
    value = record.get("summary")
    return value if isinstance(value, str) else ""


def _unknown(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in (*_FIELDS, "aliases")}


# -- import


def checked(payload: object) -> list[dict[str, Any]]:
    """The records of a payload, one object or a list. Raises `PayloadError` with every problem and its place."""
    records: list[Any] = payload if isinstance(payload, list) else [payload]
    problems = []
    for number, record in enumerate(records):
        place = f"/{number}" if isinstance(payload, list) else ""
        if not isinstance(record, dict):
            problems.append(f"{place or '/'}: must be an object, not {type(record).__name__}")
            continue
        for field in _FIELDS:
            if record.get(field) is not None and not isinstance(record[field], str):
                problems.append(f"{place}/{field}: must be a text")
        aliases = record.get("aliases")
        if aliases is not None and not isinstance(aliases, str | list):
            problems.append(f"{place}/aliases: must be a list of texts")
        for at, alias in enumerate(aliases if isinstance(aliases, list) else ()):
            if not isinstance(alias, str):
                problems.append(f"{place}/aliases/{at}: must be a text")
    if problems:
        raise PayloadError("The concepts cannot be read. Nothing was changed.", details=problems)
    return records


def import_concepts(vault: Vault, payload: object) -> Imported:
    """Add concepts, or unite them with those of the same name; nothing is removed and no name is lost."""
    records = checked(payload)
    with vault.lock():
        table, counts = _changed(vault, lambda table: _take_all(table, records))
        refresh(vault)
    return Imported(counts[0], counts[1], len(table.concepts), counts[2])


def _take_all(table: Table, records: Sequence[Mapping[str, Any]]) -> tuple[int, int, int]:
    taken = [table.take(record) for record in records]
    return taken.count(True), taken.count(False), taken.count(None)


def _changed(vault: Vault, change: Callable[[Table], Any]) -> tuple[Table, Any]:
    """Read, change and write the concepts, holding the lock; an empty change of no file makes no file."""
    concepts, damaged = read_concepts(vault.root)
    table = Table(concepts)
    result = change(table)
    if table.concepts or concepts or damaged:
        write_concepts(vault.root, table.concepts.values(), damaged)
    return table, result


def add_plain(vault: Vault, names: Sequence[str]) -> None:
    """Add names as plain concepts, holding the lock."""
    if names:
        _changed(vault, lambda table: _take_all(table, [{"canonical": name} for name in names]))


def take_records(vault: Vault, records: Sequence[Mapping[str, Any]]) -> None:
    """Add or unite records, holding the lock."""
    if records:
        _changed(vault, lambda table: _take_all(table, records))


# -- looking


def listed(vault: Vault, *, kind: str | None = None) -> list[dict[str, Any]]:
    """Every concept by id, or those of one type."""
    found = [_filled(concept) for concept in read_concepts(vault.root)[0]]
    return [concept for concept in found if kind is None or concept["type"] == kind]


def resolve(vault: Vault, name: str) -> dict[str, Any]:
    """The concept that a name means. Raises `NotFoundError` with names that are near."""
    table = Table(read_concepts(vault.root)[0])
    return table.concepts[_found(table, name)]


def _found(table: Table, name: str) -> str:
    found = table.index.find(name)
    if found is None:
        import difflib

        names = dict(table.index.names())
        near = difflib.get_close_matches(key(name), names, n=3)
        details = [canonical_of(table.concepts[names[one]]) for one in near]
        raise NotFoundError(f"There is no concept for: {name}", details=list(dict.fromkeys(details)))
    return found


# -- changing


def merge(vault: Vault, into: str, names: Sequence[str]) -> dict[str, Any]:
    """Make several concepts one: their names become aliases, so that every record still resolves."""

    def change(table: Table) -> dict[str, Any]:
        target = _found(table, into)
        others = list(dict.fromkeys(_found(table, name) for name in names))
        if target in others:
            raise UsageError(f"{into!r} cannot be merged into itself.")
        kept = table.concepts[target]
        for identifier in others:
            gone = table.concepts.pop(identifier)
            kept["aliases"] = in_order([*kept["aliases"], *all_names(gone)])
            kept["type"] = higher_type(kept["type"], gone["type"])
            kept["summary"] = kept["summary"] or gone["summary"]
            for field, value in _unknown(gone).items():
                kept.setdefault(field, value)
        return kept

    return _edit(vault, change)


def rename(vault: Vault, name: str, new: str) -> dict[str, Any]:
    """Give a concept another preferred name; the old one stays as an alias and the id stays."""

    def change(table: Table) -> dict[str, Any]:
        concept = table.concepts[_found(table, name)]
        there = table.index.find(new)
        if not new.strip():
            raise UsageError("The new name is empty.")
        if there is not None and there != concept["id"]:
            raise ConflictError(f"{new!r} is the name of another concept, {there!r}.", hint="Merge the two instead.")
        old = concept["canonical"]
        if concept["display"] == old:
            concept["display"] = new.strip()
        concept["canonical"] = new.strip()
        concept["aliases"] = in_order([*(a for a in concept["aliases"] if a != new.strip()), old])
        return concept

    return _edit(vault, change)


def split(vault: Vault, name: str, aliases: Sequence[str], *, kind: str | None = None) -> dict[str, Any]:
    """Make some aliases of a concept a concept of its own, named by the first of them."""

    def change(table: Table) -> dict[str, Any]:
        concept = table.concepts[_found(table, name)]
        wanted = {key(alias) for alias in aliases}
        own = [alias for alias in concept["aliases"] if key(alias) in wanted]
        missing = wanted - {key(alias) for alias in own}
        if missing or not own:
            raise NotFoundError(f"{concept['canonical']!r} has no alias {', '.join(sorted(missing)) or name}.",
                                details=concept["aliases"])  # fmt: skip
        concept["aliases"] = [alias for alias in concept["aliases"] if key(alias) not in wanted]
        first = next(alias for alias in own if key(alias) == key(aliases[0]))
        fresh = Table(list(table.concepts.values()))
        fresh.take({"canonical": first, "aliases": [a for a in own if a != first], "type": kind or concept["type"]})
        table.concepts = fresh.concepts
        return table.concepts[fresh.index.find(first) or ""]

    return _edit(vault, change)


def _edit(vault: Vault, change: Callable[[Table], dict[str, Any]]) -> dict[str, Any]:
    with vault.lock():
        _, result = _changed(vault, change)
        refresh(vault)
    concept: dict[str, Any] = result
    return concept
