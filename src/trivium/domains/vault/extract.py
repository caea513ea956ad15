"""Structural extraction as kg writes it: a note's links, and the names of papers and concepts in it, as a record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from trivium.domains.vault.concepts import take_records
from trivium.domains.vault.edges import Ends, Meant, mean
from trivium.domains.vault.indexing import PAPER, read_text
from trivium.domains.vault.metadata import Stored, take
from trivium.domains.vault.names import ConceptIndex
from trivium.domains.vault.notes import pending, registry
from trivium.domains.vault.refresh import refresh
from trivium.domains.vault.vault import Progress, Vault
from trivium.errors import ConflictError, NotFoundError
from trivium.sources.vault.files import ReadNote, read_note
from trivium.sources.vault.resolve import Resolver
from trivium.sources.vault.walk import walk
from trivium.store.vaultfiles import RegistryRow, read_concepts

_BATCH = 500


class Failed(NamedTuple):
    """A note whose record was not stored, and why."""

    path: str
    problems: tuple[str, ...]


class Batch(NamedTuple):
    """What a run over all pending notes did."""

    processed: int
    written: int
    doc_links: int
    mentions: int
    dangling: int
    errors: tuple[Failed, ...]


class Extractor:
    """Extracts from many notes with one look at the vault."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.rows = {row.path: row for row in registry(vault)}
        names = []
        for row in self.rows.values():
            read = read_note(vault.root, row.path)
            if isinstance(read, ReadNote):
                names.append(read_text(row.path, read.text, vault.style).name)
        hashes: dict[str, list[str]] = {}
        for row in self.rows.values():
            hashes.setdefault(row.hash, []).append(row.path)
        concepts = ConceptIndex(read_concepts(vault.root)[0])
        self.ends = Ends(
            Resolver(names, vault.style, walk(vault.root).attachments),
            concepts,
            note_keys=dict.fromkeys(self.rows, 0),
            concept_keys=dict.fromkeys(concepts.by_id, 0),
            hashes=hashes,
            stoplist=vault.config.stoplist,
        )

    def record(self, path: str) -> dict[str, Any]:
        """The record of one note as it is now. Raises `NotFoundError`."""
        read = read_note(self.vault.root, path)
        if not isinstance(read, ReadNote):
            raise NotFoundError(f"{path} cannot be read: {read.message}.")
        text = read_text(path, read.text, self.vault.style)
        links: dict[str, dict[str, Any]] = {}
        mentions: dict[tuple[str, str], dict[str, Any]] = {}
        dangling: dict[str, None] = {}
        for meant in mean(path, text.links, self.ends):
            self._take(path, read.text, meant, links, mentions, dangling)
        made: dict[str, Any] = {"hash": read.hash, "path": path, "doc_links": list(links.values())}
        made["mentions"] = list(mentions.values())
        if dangling:
            made["_dangling"] = sorted(dangling, key=lambda raw: raw.startswith("[["))
        return made

    def _take(
        self,
        path: str,
        text: str,
        meant: Meant,
        links: dict[str, dict[str, Any]],
        mentions: dict[tuple[str, str], dict[str, Any]],
        dangling: dict[str, None],
    ) -> None:
        link = meant.link
        concept = link.target if link.kind == PAPER else meant.concept
        if concept is not None:
            quote = _line(text, link.start, link.end)
            entry = {"concept": concept, "anchor": {"quote": quote}, "method": "deterministic"}
            mentions.setdefault((concept, quote), entry)
        row = self.rows.get(meant.path) if meant.status == "resolved" else None
        if row is not None and row.path != path:
            entry = {"to_hash": row.hash, "to_path": row.path, "raw": link.raw, "method": "deterministic"}
            links.setdefault(row.path, entry)
        elif meant.status in ("dangling", "ambiguous") and concept is None:
            dangling[link.raw] = None


def _line(text: str, start: int, end: int) -> str:
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return text[first : len(text) if last < 0 else last].strip()


def paper_concepts(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Concepts for the papers that a record mentions, by their ids; versions of one paper are names of one concept."""
    made: dict[str, dict[str, Any]] = {}
    for mention in record["mentions"]:
        kind, _, identifier = str(mention["concept"]).partition(":")
        if kind not in ("arxiv", "doi"):
            continue
        head, mark, tail = identifier.rpartition("v")
        bare = head if kind == "arxiv" and mark and tail.isdigit() else identifier
        concept = made.setdefault(bare, {"id": f"{kind}:{bare}", "type": "paper", "aliases": [bare]})
        concept.update(canonical=f"{kind}:{bare}", display=f"{kind}:{bare}")
        if bare != identifier:
            concept["aliases"] += [identifier, f"{kind}:{identifier}"]
    return list(made.values())


def extract(vault: Vault, path: str) -> dict[str, Any]:
    """The structural record of one note; nothing is written."""
    return Extractor(vault).record(path)


def write_one(vault: Vault, path: str) -> Stored:
    """Store the structural record of one note. Raises `ConflictError` when the note changed since the scan."""
    record = extract(vault, path)
    with vault.lock():
        take_records(vault, paper_concepts(record))
        stored, rejected = take(vault, [record], is_creating=True, is_replacing=False)
        refresh(vault)
    if rejected:
        raise ConflictError(
            f"The record of {path} was refused.",
            details=[f"{one.place}: {one.message}" for one in rejected[0].problems],
        )
    return stored[0]


def write_pending(vault: Vault, *, is_written: bool = True, on_progress: Progress | None = None) -> Batch:
    """Store the structural records of all notes that have none; what cannot be stored is told and stops nothing."""
    extractor = Extractor(vault)
    waiting = [extractor.rows[row.path] for row in pending(vault) if row.path in extractor.rows]
    records: list[dict[str, Any]] = []
    errors: list[Failed] = []
    for number, row in enumerate(waiting, 1):
        try:
            record = extractor.record(row.path)
        except NotFoundError as error:
            errors.append(Failed(row.path, (error.message,)))
            continue
        if record["hash"] != row.hash:
            errors.append(Failed(row.path, (f"hash {record['hash']} not in registry: the note changed since",)))
            continue
        records.append(record)
        if on_progress is not None:
            on_progress(number, len(waiting))
    stored: list[Stored] = []
    if is_written and records:
        stored, refused = _store(vault, records, extractor.rows.get)
        errors += refused
    links, mentions, dangling = (
        sum(len(record.get(field, ())) for record in records) for field in ("doc_links", "mentions", "_dangling")
    )
    return Batch(len(waiting), len(stored), links, mentions, dangling, tuple(sorted(errors)))


def _store(
    vault: Vault, records: list[dict[str, Any]], row_of: Callable[[str], RegistryRow | None]
) -> tuple[list[Stored], list[Failed]]:
    papers = [concept for record in records for concept in paper_concepts(record)]
    with vault.lock():
        take_records(vault, papers)
        stored, rejected = take(vault, records, is_creating=True, is_replacing=False)
        refresh(vault)
    return stored, [Failed(one.path, tuple(f"{p.place}: {p.message}" for p in one.problems)) for one in rejected]
