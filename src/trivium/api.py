"""The Python face: `trivium.open()` gives a memory whose roads are its attributes."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trivium.config import load
from trivium.engine import Clock, Engine, system_clock

if TYPE_CHECKING:
    from trivium.domains.references.browse import ConceptView, FoundPath, Neighbourhood, Page
    from trivium.domains.references.curate import Change, Deletion, Pruned
    from trivium.domains.references.duplicates import Pair
    from trivium.domains.references.history import Event
    from trivium.domains.references.register import Registration
    from trivium.domains.references.search import SearchOptions, SearchResult, WhyNot
    from trivium.domains.references.upkeep import Diagnosis
    from trivium.domains.vault.check import Suspect
    from trivium.domains.vault.concepts import Imported
    from trivium.domains.vault.graph import Edge, Neighbor, View, Way
    from trivium.domains.vault.mentions import Unlinked
    from trivium.domains.vault.metadata import ImportedRecords
    from trivium.domains.vault.notes import Pending
    from trivium.domains.vault.qa import Answer as NoteAnswer
    from trivium.domains.vault.search import SearchResult as NoteResult
    from trivium.domains.vault.sync import Synced, SyncOptions
    from trivium.model import Document


class References:
    """What was read: concepts and typed relations. Every method raises `TriviumError` when it cannot do its work."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def register(
        self,
        payload: dict[str, Any] | Sequence[dict[str, Any]] | bytes | str,
        *,
        source: str | None = None,
        keep_valid: bool = False,
    ) -> Registration:
        """Store a payload (as values, or as JSON text). `source` is the text that quotes are checked against."""
        from trivium.domains.references.register import register

        if not isinstance(payload, bytes | str):
            import json

            payload = json.dumps(payload, ensure_ascii=False)
        return register(self._engine, payload, source=source, is_valid_kept=keep_valid)

    def search(self, query: str, options: SearchOptions | None = None, **changes: Any) -> SearchResult:
        """Find concepts by words, meaning and connections; keywords are fields of `SearchOptions`.

        Has no side effect: what was shown is recorded by whoever shows it, with `record_shown`.
        """
        from trivium.domains.references.search import SearchOptions, search

        return search(self._engine, query, (options or SearchOptions())._replace(**changes))

    def why_not(self, query: str, name: str, options: SearchOptions | None = None, **changes: Any) -> WhyNot:
        """The first gate that kept a concept out of the answer to a query, or its place in it."""
        from trivium.domains.references.search import SearchOptions, why_not

        return why_not(self._engine, query, name, (options or SearchOptions())._replace(**changes))

    def record_shown(self, result: SearchResult) -> None:
        """Count the matched concepts of a result as shown."""
        from trivium.domains.references.search import record_shown

        record_shown(self._engine, result)

    def show(self, name: str) -> ConceptView:
        """Everything about one concept."""
        from trivium.domains.references.browse import show

        return show(self._engine, name)

    def list(self, **choice: Any) -> Page:
        """One page of concepts: `order`, `limit`, `offset`, `is_archived_included`."""
        from trivium.domains.references.browse import list_concepts

        return list_concepts(self._engine, **choice)

    def references(self) -> builtins.list[tuple[Document, int]]:
        """Every reference with the number of concepts it describes."""
        from trivium.domains.references.browse import list_references

        return list_references(self._engine)

    def neighbors(self, name: str, **choice: Any) -> Neighbourhood:
        """What surrounds a concept: `depth` up to 4, `predicates`, `is_archived_included`."""
        from trivium.domains.references.browse import neighbors

        return neighbors(self._engine, name, **choice)

    def paths(self, start: str, end: str, **choice: Any) -> builtins.list[FoundPath]:
        """How two concepts are connected: `max_depth`, `limit`, `predicates`."""
        from trivium.domains.references.browse import paths

        return paths(self._engine, start, end, **choice)

    def stats(self) -> dict[str, Any]:
        """How much of everything there is."""
        from trivium.domains.references.browse import stats

        return stats(self._engine)

    def duplicates(self, **choice: Any) -> tuple[builtins.list[Pair], tuple[str, ...]]:
        """Pairs of concepts that may be one, with notices: `threshold`, `limit`, `is_archived_included`."""
        from trivium.domains.references.duplicates import duplicates

        return duplicates(self._engine, **choice)

    def archive(self, names: Sequence[str], *, reason: str = "") -> Change:
        """Hide concepts from search."""
        from trivium.domains.references.curate import archive

        return archive(self._engine, names, reason=reason)

    def unarchive(self, names: Sequence[str]) -> Change:
        """Bring archived concepts back."""
        from trivium.domains.references.curate import unarchive

        return unarchive(self._engine, names)

    def plan_delete(self, names: Sequence[str]) -> Deletion:
        """What deleting concepts would take with it; changes nothing."""
        from trivium.domains.references.curate import plan_delete

        return plan_delete(self._engine, names)

    def delete(self, names: Sequence[str]) -> Change:
        """Delete concepts with their relations."""
        from trivium.domains.references.curate import delete

        return delete(self._engine, names)

    def rename(self, name: str, new_id: str) -> Change:
        """Give a concept another id."""
        from trivium.domains.references.curate import rename

        return rename(self._engine, name, new_id)

    def merge(self, into: str, names: Sequence[str]) -> Change:
        """Make several concepts one."""
        from trivium.domains.references.curate import merge

        return merge(self._engine, into, names)

    def withdraw(self, url: str) -> Change:
        """Take back a reference with what only it supports."""
        from trivium.domains.references.curate import withdraw

        return withdraw(self._engine, url)

    def unlink(self, subject: str, predicate: str, target: str) -> Change:
        """Delete one relation."""
        from trivium.domains.references.curate import unlink

        return unlink(self._engine, subject, predicate, target)

    def prune(self, **choice: Any) -> Pruned:
        """Find, and with `is_applied` delete, concepts nobody came back to: `older_than_days`, `max_touches`."""
        from trivium.domains.references.curate import prune

        return prune(self._engine, **choice)


class Notes:
    """A folder of markdown notes. Use it as a context manager, or close it; notes are never written.

    Answers come from an index outside the folder: `sync` brings it to the files. Every method raises `TriviumError`
    when it cannot do its work, `IndexMissingError` before the first sync.
    """

    def __init__(self, engine: Engine, path: str) -> None:
        from trivium.domains.vault.vault import Vault

        self._vault = Vault(engine, path)

    def __enter__(self) -> Notes:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the index; safe to call twice."""
        self._vault.close()

    def sync(
        self, options: SyncOptions | None = None, *, on_progress: Callable[[int, int], None] | None = None
    ) -> Synced:
        """Read what changed; a note that did not change is not opened."""
        from trivium.domains.vault.sync import SyncOptions, sync

        return sync(self._vault, options or SyncOptions(), on_progress=on_progress)

    def embed(self, *, max_texts: int | None = None, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Make the vectors that are missing; returns how many texts were embedded. What was made is kept."""
        from trivium.domains.vault.sync import embed

        return embed(self._vault, max_texts=max_texts, on_progress=on_progress)

    def search(self, query: str, **changes: Any) -> NoteResult:
        """Find notes; keywords are fields of `domains.vault.search.SearchOptions`. Has no side effect."""
        from trivium.domains.vault.search import SearchOptions, search

        return search(self._vault, query, SearchOptions(**changes))

    def ask(self, question: str, *, limit: int = 8, budget_chars: int = 6_000) -> NoteAnswer:
        """What the notes say to a question: names, ways, passages, and a context pack with a source in each line."""
        from trivium.domains.vault.qa import QaOptions, ask

        return ask(self._vault, question, QaOptions(limit, budget_chars))

    def show(self, name: str) -> View:
        """A concept or a note with all that touches it."""
        from trivium.domains.vault.graph import show

        return show(self._vault, name)

    def neighbors(self, name: str, *, depth: int = 1) -> list[Neighbor]:
        """Notes and concepts around one, nearest first."""
        from trivium.domains.vault.graph import neighbors

        return neighbors(self._vault, name, depth=depth)

    def backlinks(self, name: str) -> list[Edge]:
        """What leads to a note or a concept."""
        from trivium.domains.vault.graph import backlinks

        return backlinks(self._vault, name)

    def paths(self, start: str, end: str, *, max_hops: int = 4, limit: int = 3) -> list[Way]:
        """How two are connected, the shortest first, then the most trusted."""
        from trivium.domains.vault.graph import paths

        return paths(self._vault, start, end, max_hops=max_hops, limit=limit)

    def mentions(self, **choice: Any) -> list[Unlinked]:
        """Names written without a link: `note`, `to`, `limit`, `min_chars`."""
        from trivium.domains.vault.mentions import unlinked

        return unlinked(self._vault, **choice)

    def import_concepts(self, payload: Any) -> Imported:
        """Add concepts, one or a list, or unite them with those of the same name."""
        from trivium.domains.vault.concepts import import_concepts

        return import_concepts(self._vault, payload)

    def import_records(self, payload: Any, *, create_missing: bool = False, replace: bool = False) -> ImportedRecords:
        """Store records of notes, one or a list; quotes must stand verbatim in the note."""
        from trivium.domains.vault.metadata import import_records

        return import_records(self._vault, payload, is_creating=create_missing, is_replacing=replace)

    def pending(self, *, limit: int | None = None) -> list[Pending]:
        """The notes that wait for a record."""
        from trivium.domains.vault.notes import pending

        return pending(self._vault, limit=limit)

    def check(self) -> list[Suspect]:
        """Claims that an edit made suspect."""
        from trivium.domains.vault.check import check

        return check(self._vault)

    def stats(self) -> dict[str, Any]:
        """How much the index holds, and what was left out of it."""
        from trivium.domains.vault.stats import stats

        return stats(self._vault)


class Memory:
    """An open memory. Use it as a context manager, or close it.

    >>> with trivium.open("/tmp/memory") as memory:  # doctest: +SKIP
    ...     memory.ref.search("how are transactions isolated?").hits
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release files and mappings; safe to call twice."""
        self._engine.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What went less well than it should have, in the order it was noticed."""
        return tuple(self._engine.notices)

    @cached_property
    def ref(self) -> References:
        """What was read."""
        return References(self._engine)

    def vault(self, path: str) -> Notes:
        """What was written: the markdown notes in a folder. Raises `NotFoundError` when there is none."""
        return Notes(self._engine, path)

    def history(self, name: str | None = None, *, limit: int = 20) -> list[Event]:
        """The newest journal records, of everything or of one concept or address."""
        from trivium.domains.references.history import history

        return history(self._engine, name=name, limit=limit)

    def undo(self, targets: Sequence[str] = (), *, last: int = 0) -> Change:
        """Take back records by id, or the last n."""
        from trivium.domains.references.history import undo

        return undo(self._engine, targets, last=last)

    def doctor(self, *, is_recovering: bool = False) -> Diagnosis:
        """What is wrong with settings, store, indexes and embedder; recovering makes a damaged store anew."""
        from trivium.domains.references.upkeep import diagnose

        return diagnose(self._engine, is_recovering=is_recovering)

    def reindex(self, *, on_progress: Callable[[int, int], None] | None = None) -> dict[str, int]:
        """Build every derived thing again from the journal."""
        from trivium.domains.references.upkeep import reindex

        return reindex(self._engine, on_progress=on_progress)


def open_memory(home: str | None = None, *, embedder: str | None = None, clock: Clock = system_clock) -> Memory:
    """Open the memory in `home` (default: `TRIVIUM_HOME`, or `.trivium` in the user's home).

    `embedder` names another embedder than the configured one, `none` for words and graph alone. Raises
    `ConfigError` for settings that cannot be; files are opened when they are first needed.
    """
    return Memory(Engine(load(home=home, embedder=embedder), clock=clock))
