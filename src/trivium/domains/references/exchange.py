"""Knowledge in from refmesh, and out as JSON lines, GraphML or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trivium import ingest
from trivium.domains.references.curate import mutate
from trivium.engine import Engine
from trivium.errors import EmbedderError, UsageError
from trivium.index.space import Space
from trivium.model import Entity, Evidence, Relation
from trivium.sources import refmesh

FORMATS = ("jsonl", "graphml", "markdown")


class Imported(NamedTuple):
    """What an import did: `losses` names everything that could not be taken over."""

    references: int
    concepts: int
    relations: int
    archived: int
    unchanged: int
    losses: tuple[str, ...]
    notices: tuple[str, ...]


def import_refmesh(engine: Engine, path: str, *, on_progress: ingest.Progress | None = None) -> Imported:
    """Take over a refmesh database file, or its tables as JSON. Doing it again changes nothing.

    Dates, touches, archive state and reasons are kept; vectors are made anew, because they are of another model.
    """
    dump = refmesh.read(path)
    space = engine.concepts
    engine.require_writable(space)
    ingest.ensure_index(space)
    counts = {"references": 0, "concepts": 0, "relations": 0, "unchanged": 0}
    for payload in refmesh.registrations(dump):
        if _is_stored(space, payload):
            counts["unchanged"] += 1
            continue
        mutate(engine, "register", payload)
        counts["references"] += 1
        counts["concepts"] += len(payload["concepts"])
        counts["relations"] += len(payload["relations"])
    archived = _archive(engine, space, dump.tables["concepts"])
    losses = [*dump.losses, *_unkept(dump)]
    notices: list[str] = []
    try:
        embedder = engine.embedder()
        if embedder is not None:
            ingest.embed_missing(space, embedder, on_progress=on_progress)
    except EmbedderError as error:
        notices.append(f"Imported, but some texts have no vector yet: {error.message}")
    return Imported(**counts, archived=archived, losses=tuple(losses), notices=tuple(notices))


def _is_stored(space: Space, payload: dict[str, Any]) -> bool:
    """Whether a registration of exactly this content still counts."""
    void = space.store.void_ids()
    return any(
        record.op == "register" and record.id not in void and record.payload == payload
        for record in space.store.records(key=payload["reference"]["url"])
    )


def _archive(engine: Engine, space: Space, rows: Iterable[dict[str, Any]]) -> int:
    groups: dict[str, list[str]] = {}
    for row in rows:
        if row.get("archived_at"):
            groups.setdefault(row.get("archive_reason") or "", []).append(row["id"])
    count = 0
    for reason, ids in groups.items():
        live = [i for i, entity in space.store.by_ids(ids).items() if entity.archived_at is None]
        if live:
            mutate(engine, "archive", {"ids": sorted(live), "reason": reason})
            count += len(live)
    return count


def _unkept(dump: refmesh.Dump) -> list[str]:
    shown = sum(1 for row in dump.tables["concepts"] if row.get("access_count"))
    archived = sum(1 for row in dump.tables["concepts"] if row.get("archived_at"))
    kept = []
    if shown:
        kept.append(f"access counts of {shown} concepts: they count what this memory showed, so they start at 0")
    if archived:
        kept.append(f"dates at which {archived} concepts were archived: they are archived as of now")
    return kept


def export(engine: Engine, format_name: str, *, is_archived_included: bool = False) -> Iterator[str]:
    """The concept space as text, in pieces to be written one after the other.

    `jsonl`: one register payload a reference, which registering reads back. `graphml`: nodes and typed edges.
    `markdown`: one page, concepts by name, with relations as links and sources.
    """
    if format_name not in FORMATS:
        raise UsageError(f"The format must be one of {', '.join(FORMATS)}, not {format_name!r}.")
    space = engine.concepts_to_read()
    writers = {"jsonl": _jsonl, "graphml": _graphml, "markdown": _markdown}
    return writers[format_name](_Graph.read(space, is_archived_included))


class _Graph(NamedTuple):
    entities: dict[int, Entity]
    aliases: dict[int, tuple[str, ...]]
    relations: list[Relation]
    evidence: dict[int, list[Evidence]]
    mentions: dict[int, list[Evidence]]
    dates: dict[str, tuple[str, str | None, str | None]]

    @classmethod
    def read(cls, space: Space | None, is_archived_included: bool) -> _Graph:
        if space is None:
            return cls({}, {}, [], {}, {}, {})
        store = space.store
        texts = {text.key: text for text in store.texts()}
        entities = {k: e for k, e in store.entities(texts).items() if is_archived_included or not e.is_hidden}
        relations = [
            relation
            for relation in store.relations(entities)
            if relation.subject_key in entities and relation.object_key in entities
        ]
        dates = {d.uri: (d.title, d.published_at, d.observed_at) for d, _ in store.documents()}
        return cls(
            dict(sorted(entities.items(), key=lambda pair: pair[1].id)),
            {key: texts[key].aliases for key in entities},
            sorted(relations, key=lambda r: (r.subject, r.predicate, r.object)),
            store.evidence(relation.key for relation in relations),
            store.mentions(entities),
            dates,
        )


def _jsonl(graph: _Graph) -> Iterator[str]:
    concepts: dict[str, list[dict[str, Any]]] = {uri: [] for uri in graph.dates}
    relations: dict[str, list[dict[str, Any]]] = {uri: [] for uri in graph.dates}
    for key, entity in graph.entities.items():
        for mention in graph.mentions.get(key, ()):
            concepts[mention.document].append(_concept(entity, graph.aliases[key], mention))
    for relation in graph.relations:
        for item in graph.evidence.get(relation.key, ()):
            relations[item.document].append(_edge(relation, item))
    for uri, (title, published, fetched) in graph.dates.items():
        reference = _given(url=uri, title=title, publishedAt=published, fetchedAt=fetched)
        if concepts[uri]:
            payload = {"reference": reference, "concepts": concepts[uri], "relationships": relations[uri]}
            yield json.dumps(payload, ensure_ascii=False) + "\n"


def _concept(entity: Entity, aliases: tuple[str, ...], mention: Evidence) -> dict[str, Any]:
    return _given(
        id=entity.id,
        description=mention.reason,
        details=entity.details,
        aliases=list(aliases),
        type=entity.type,
        quote=mention.quote,
    )


def _edge(relation: Relation, item: Evidence) -> dict[str, Any]:
    return _given(
        source=relation.subject,
        type=relation.predicate,
        target=relation.object,
        reason=item.reason or relation.reason or relation.predicate,
        method=item.method,
        quote=item.quote,
        confidence=item.confidence,
    )


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def _graphml(graph: _Graph) -> Iterator[str]:
    from xml.sax.saxutils import escape, quoteattr

    def text(value: str) -> str:
        return escape(_printable(value))

    def attribute(value: str) -> str:
        return quoteattr(_printable(value))

    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name, kind in (
        ("label", "node"),
        ("description", "node"),
        ("details", "node"),
        ("type", "edge"),
        ("reason", "edge"),
    ):
        yield f'  <key id="{kind[0]}_{name}" for="{kind}" attr.name="{name}" attr.type="string"/>\n'
    yield '  <graph edgedefault="directed">\n'
    for key, entity in graph.entities.items():
        yield f'    <node id="n{key}"><data key="n_label">{text(entity.id)}</data>'
        yield f'<data key="n_description">{text(entity.description)}</data>'
        yield f'<data key="n_details">{text(entity.details)}</data>' if entity.details else ""
        yield "</node>\n"
    for relation in graph.relations:
        ends = f"source={attribute(f'n{relation.subject_key}')} target={attribute(f'n{relation.object_key}')}"
        yield f'    <edge {ends}><data key="e_type">{text(relation.predicate)}</data>'
        yield f'<data key="e_reason">{text(relation.reason)}</data></edge>\n'
    yield "  </graph>\n</graphml>\n"


def _printable(value: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(
        c for c in value if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
    )


def _markdown(graph: _Graph) -> Iterator[str]:
    yield "# Concepts\n"
    outgoing: dict[int, list[Relation]] = {}
    for relation in graph.relations:
        outgoing.setdefault(relation.subject_key, []).append(relation)
    for key, entity in graph.entities.items():
        yield f"\n## {_line(entity.id)}\n\n{entity.description}\n"
        if entity.details:
            fence = "`" * max(3, _longest_run(entity.details) + 1)
            yield f"\n{fence}\n{entity.details}\n{fence}\n"
        if graph.aliases[key]:
            yield f"\nAlso: {', '.join(map(_line, graph.aliases[key]))}\n"
        if key in outgoing:
            yield "\n"
        for relation in outgoing.get(key, ()):
            yield f"- {relation.predicate} [[{_line(relation.object)}]]: {_line(relation.reason)}\n"
        sources = [f"- {_line(m.title)} <{m.document}>\n" for m in graph.mentions.get(key, ())]
        yield "\nSources:\n\n" + "".join(sources) if sources else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _longest_run(text: str) -> int:
    import re

    return max((len(run) for run in re.findall(r"`+", text)), default=0)
