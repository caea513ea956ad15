"""What a note connects: its links, its record's mentions and relations, each with the words that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from trivium.domains.vault.indexing import PAPER
from trivium.domains.vault.names import ConceptIndex, key
from trivium.sources.vault.names import key as name_of
from trivium.sources.vault.resolve import Resolver
from trivium.store.sqlite.notes.rows import EdgeRow
from trivium.text.markdown import Link
from trivium.text.quotes import find_quote

LINKS, MENTIONS, RELATES = "links_to", "mentions", "relates_to"


class Ends:
    """Where names lead: notes by path, by hash and by former hash, concepts by name."""

    def __init__(
        self,
        resolver: Resolver,
        concepts: ConceptIndex,
        *,
        note_keys: Mapping[str, int],
        concept_keys: Mapping[str, int],
        hashes: Mapping[str, Sequence[str]],
        stoplist: Iterable[str] = (),
    ) -> None:
        self.resolver = resolver
        self.concepts = concepts
        self.note_keys = note_keys
        self.concept_keys = concept_keys
        self.hashes = hashes
        self.stopped = {key(name) for name in stoplist}

    def concept(self, name: str) -> int | None:
        """The entity key of a concept by any of its names."""
        found = self.concepts.find(name)
        return None if found is None else self.concept_keys.get(found)

    def note_of(self, source: str, link: Mapping[str, Any]) -> str | None:
        """The path that a record's link leads to: by its hash, present or former, else by the path it had then."""
        paths = self.hashes.get(str(link.get("to_hash")), ())
        there = link.get("to_path")
        if there in paths or (not paths and there in self.note_keys):
            return str(there)
        others = [path for path in paths if path != source]
        return others[0] if others else None


class Meant(NamedTuple):
    """A link with where it leads: a note by path, or why not; a concept beside it, or alone."""

    link: Link
    status: str
    path: str
    candidates: tuple[str, ...]
    concept: str | None


def mean(source: str, links: Iterable[Link], ends: Ends) -> list[Meant]:
    """What the links of a note mean, those of the stoplist left out."""
    found = []
    for link in links:
        if link.kind == PAPER:
            name = ends.concepts.find(link.target) or ends.concepts.find(_unversioned(link.target))
            found.append(Meant(link, "paper", "", (), name))
            continue
        is_named = link.kind in ("wiki", "frontmatter", "tag")
        if is_named and ends.stopped and key(link.target) in ends.stopped:
            continue
        resolution = ends.resolver.resolve(source, link)
        concept = ends.concepts.find(link.target) if is_named and link.target else None
        found.append(Meant(link, resolution.status, resolution.path, resolution.candidates, concept))
    return found


def _unversioned(target: str) -> str:
    head, _, tail = target.rpartition("v")
    return head if head and tail.isdigit() else target


def asks(source: str, links: Iterable[Link], record: Mapping[str, Any] | None, resolver: Resolver) -> set[str]:
    """The names that decide where the edges of a note lead."""
    found: set[str] = set()
    for link in links:
        if link.kind == PAPER:
            found |= {name_of(link.target), name_of(_unversioned(link.target))}
        else:
            found |= resolver.asks(source, link)
    return found | record_asks(record)


def record_asks(record: Mapping[str, Any] | None) -> set[str]:
    """The names that a record asks for."""
    found = {name_of(name) for name in named(record)}
    for link in entries(record, "doc_links"):
        there = link.get("to_path")
        if isinstance(there, str):
            found.add(name_of(there.rpartition("/")[2]))
        found.add(f"hash {link.get('to_hash')}")
    return found


def named(record: Mapping[str, Any] | None) -> list[str]:
    """The concept names that a record uses."""
    found = [mention.get("concept") for mention in entries(record, "mentions")]
    for relation in entries(record, "relations"):
        found += [relation.get("from"), relation.get("to")]
    return [name for name in found if isinstance(name, str)]


def entries(record: Mapping[str, Any] | None, field: str) -> list[dict[str, Any]]:
    """The objects of one list of a record; anything else in it is passed over."""
    value = (record or {}).get(field)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def quote_of(entry: Mapping[str, Any]) -> str:
    """The quote of a mention or relation, or nothing."""
    anchor = entry.get("anchor")
    quote = anchor.get("quote") if isinstance(anchor, dict) else None
    return quote if isinstance(quote, str) else ""


class NoteEdges:
    """The edges of one note. `text` gives its text when something must be found in it, None when it is gone."""

    def __init__(self, note: int, path: str, ends: Ends, text: Callable[[], str | None]) -> None:
        self.note = note
        self.path = path
        self.ends = ends
        self._text = text
        self.made: dict[tuple[Any, ...], EdgeRow] = {}

    @cached_property
    def text(self) -> str | None:
        """The text of the note."""
        return self._text()

    def rows(self, links: Iterable[Link], record: Mapping[str, Any] | None) -> list[EdgeRow]:
        """All edges: those of the record first, for what was judged stands before what was found."""
        for mention in entries(record, "mentions"):
            self._claim(mention, self.note, MENTIONS, mention.get("concept"))
        for relation in entries(record, "relations"):
            subject = relation.get("from")
            end = self.ends.concept(subject) if isinstance(subject, str) else None
            predicate = relation.get("relation")
            name = predicate if isinstance(predicate, str) and predicate.strip() else RELATES
            self._claim(relation, end, name, relation.get("to"))
        for link in entries(record, "doc_links"):
            self._doc_link(link)
        for meant in mean(self.path, links, self.ends):
            self._link(meant)
        return list(self.made.values())

    def _add(self, identity: tuple[Any, ...], row: EdgeRow) -> None:
        self.made.setdefault(identity, row)

    def _claim(self, entry: Mapping[str, Any], subject: int | None, predicate: str, target: object) -> None:
        name = target if isinstance(target, str) else ""
        end = self.ends.concept(name)
        quote = quote_of(entry)
        found = find_quote(self.text, quote) if quote and self.text is not None else None
        confidence = entry.get("confidence")
        is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
        method = entry.get("method")
        row = EdgeRow(
            self.note,
            "record",
            "ok" if subject is not None and end is not None else "unknown",
            subject,
            predicate,
            end,
            name if end is None else str(entry.get("from", "")) if subject is None else name,
            method if isinstance(method, str) and method else "llm",
            float(confidence) if is_number and confidence is not None else None,
            quote or None,
            None if found is None else found.start,
            None if found is None else found.end,
            None if found is None else found.line,
            None,
        )
        self._add((subject, predicate, end, name, quote if predicate == MENTIONS else ""), row)

    def _doc_link(self, link: Mapping[str, Any]) -> None:
        path = self.ends.note_of(self.path, link)
        end = None if path is None else self.ends.note_keys.get(path)
        raw, method = link.get("raw"), link.get("method")
        text = raw if isinstance(raw, str) else None
        start = -1 if text is None or self.text is None else self.text.find(text)
        line = None if start < 0 or self.text is None else self.text.count("\n", 0, start) + 1
        row = EdgeRow(
            self.note,
            "record",
            "unknown" if end is None else "ok",
            self.note,
            LINKS,
            end,
            str(link.get("to_path") or link.get("to_hash") or ""),
            method if isinstance(method, str) and method else "deterministic",
            None,
            text if line is not None else None,
            None if line is None else start,
            None if line is None or text is None else start + len(text),
            line,
            text,
        )
        self._add((self.note, LINKS, end, row.target if end is None else ""), row)

    def _link(self, meant: Meant) -> None:
        link = meant.link
        if meant.concept is not None:
            quote, start, end = self._line_of(link)
            row = self._text_row(link, "ok", MENTIONS, self.ends.concept_keys.get(meant.concept))
            self._add(
                (self.note, MENTIONS, row.object, meant.concept, quote), row._replace(quote=quote, start=start, end=end)
            )
        if meant.status == "paper" or (meant.status == "dangling" and meant.concept is not None):
            return
        if meant.status == "external" or meant.path == self.path:
            return
        is_note = meant.status == "resolved"
        end_key = self.ends.note_keys.get(meant.path) if is_note else None
        status = "ok" if is_note and end_key is not None else "dangling" if is_note else meant.status
        row = self._text_row(link, status, LINKS, end_key)
        if meant.candidates:
            row = row._replace(raw=f"{link.raw}\n" + "\n".join(meant.candidates))
        self._add((self.note, LINKS, end_key, "" if end_key is not None else f"{status} {link.raw}"), row)

    def _text_row(self, link: Link, status: str, predicate: str, end: int | None) -> EdgeRow:
        return EdgeRow(
            self.note, "text", status, self.note, predicate, end, link.target, "deterministic", None,
            link.raw, link.start, link.end, link.line, link.raw,
        )  # fmt: skip

    def _line_of(self, link: Link) -> tuple[str, int, int]:
        """The trimmed line that a link stands in, with its place."""
        if self.text is None:
            return link.raw, link.start, link.end
        start = self.text.rfind("\n", 0, link.start) + 1
        end = self.text.find("\n", link.end)
        line = self.text[start : len(self.text) if end < 0 else end]
        start += len(line) - len(line.lstrip())
        return line.strip(), start, start + len(line.strip())
