"""Looking at what is stored: `ref show`, `list`, `references`, `stats`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.references import browse
from trivium.domains.references.browse import ConceptView, Page
from trivium.model import Document, Entity, Evidence
from trivium.surfaces import shapes
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, indented, one_line
from trivium.surfaces.cli.parser import Parser, add_as_of, integer, one_of, text

CONCEPT_KEYS = (
    "`id`, `description`, `details`, `type`, `first_seen_at`, `last_seen_at`, `touch_count`, `shown_count`, "
    "`is_archived`, `archived_at`, `archive_reason`, `is_withdrawn`, `withdrawn_at`"
)

DOCUMENT_KEYS = "`uri`, `title`, `published_at`, `observed_at`, `first_seen_at`, `last_seen_at`, `content_hash`"


# -- show


def _define_show(parser: Parser) -> None:
    parser.add_argument("id", metavar="ID", type=text, help="an id, or any name of the concept")
    add_as_of(parser)


def _run_show(call: Call) -> int:
    with call.then() as engine:
        view = browse.show(engine, call.args.id)
        call.answer(lambda: shapes.view(view), lambda style: _show_lines(view, style))
    return 0


def _show_lines(view: ConceptView, style: Style) -> Iterator[str]:
    entity = view.entity
    yield style("bold", f"# {one_line(entity.id)}")
    yield indented(entity.description, 0)
    if entity.details:
        yield f"    details: {indented(entity.details, 13)}"
    yield ""
    if view.aliases:
        yield f"Also called: {', '.join(map(one_line, view.aliases))}"
    if entity.type:
        yield f"Type: {one_line(entity.type)}"
    yield f"Seen: first {entity.first_seen_at}, last {entity.last_seen_at}"
    yield f"Used: touched {entity.touch_count}, shown {entity.shown_count}"
    yield from (f"State: {state}" for state in _states(view))
    yield ""
    if view.mentions:
        yield style("bold", f"## Sources ({len(view.mentions)})")
        for mention in view.mentions:
            yield from _mention(mention)
        yield ""
    if view.relations:
        yield style("bold", f"## Relationships ({len(view.relations)})")
        for relation in view.relations:
            ends = style("cyan", one_line(relation.subject)), style("cyan", one_line(relation.object))
            yield f"- {ends[0]} -[{relation.predicate}]-> {ends[1]} — {one_line(relation.reason)}"
            for evidence in view.evidence.get(relation.key, ()):
                yield f"    source: {one_line(evidence.title)} ({one_line(evidence.document)}), {evidence.recorded_at}"
                yield from _quoted(evidence)
        yield ""


def _states(view: ConceptView) -> Iterator[str]:
    entity = view.entity
    if entity.archived_at:
        yield f"archived at {entity.archived_at}" + (
            f" ({one_line(entity.archive_reason)})" if entity.archive_reason else ""
        )
    if entity.withdrawn_at:
        yield f"withdrawn at {entity.withdrawn_at}: no source describes it any more"
    if view.superseded_by is not None:
        yield f"superseded by {one_line(view.superseded_by.subject)} — {one_line(view.superseded_by.reason)}"
    if view.suspicion is not None:
        chain = "; ".join(f"{r.subject} -[{r.predicate}]-> {r.object}" for r in view.suspicion.chain)
        yield f"suspect: {one_line(chain)}; {one_line(view.suspicion.cause)}"


def _mention(mention: Evidence) -> Iterator[str]:
    yield f"- {one_line(mention.title)} ({one_line(mention.document)})"
    yield f"    says: {indented(mention.reason, 10)}"
    yield from _quoted(mention)


def _quoted(evidence: Evidence) -> Iterator[str]:
    if evidence.quote:
        place = f" (line {evidence.selector['line']})" if evidence.selector and "line" in evidence.selector else ""
        yield f'    quote: "{indented(evidence.quote, 12)}"{place}'


# -- list


def _define_list(parser: Parser) -> None:
    parser.add_argument(
        "--sort",
        type=one_of("last-seen", "id", "touch", "shown"),
        default="last-seen",
        metavar="ORDER",
        help="last-seen (newest first), id, touch or shown (most first)",
    )
    parser.add_argument("--limit", type=integer, default=50, metavar="N", help="most concepts, at most 500 (50)")
    parser.add_argument("--offset", type=integer, default=0, metavar="N", help="skip so many (0)")
    parser.add_argument("--include-archived", action="store_true", help="archived and withdrawn ones too")
    add_as_of(parser)


def _run_list(call: Call) -> int:
    args = call.args
    with call.then() as engine:
        page = browse.list_concepts(
            engine,
            order=args.sort.replace("-", "_"),
            limit=args.limit,
            offset=args.offset,
            is_archived_included=args.include_archived,
        )
        call.answer(lambda: _page(page), lambda style: _list_lines(page, style))
    return 0


def _page(page: Page) -> dict[str, Any]:
    return {
        "total": page.total,
        "limit": page.limit,
        "offset": page.offset,
        "items": [shapes.concept(entity) for entity in page.items],
    }


def _list_lines(page: Page, style: Style) -> Iterator[str]:
    for entity in page.items:
        yield f"- {style('cyan', one_line(entity.id))} [{', '.join(_facts(entity))}]: {one_line(entity.description)}"
    last = page.offset + len(page.items)
    more = f"; --offset {last} shows more" if last < page.total else ""
    yield f"{len(page.items)} of {page.total} concepts{more}"


def _facts(entity: Entity) -> Iterator[str]:
    yield f"touch={entity.touch_count}"
    yield f"shown={entity.shown_count}"
    yield f"seen={entity.last_seen_at[:10]}"
    if entity.archived_at:
        yield "archived"
    if entity.withdrawn_at:
        yield "withdrawn"


# -- references and stats


def _define_reading(parser: Parser) -> None:
    add_as_of(parser)


def _run_references(call: Call) -> int:
    with call.then() as engine:
        found = browse.list_references(engine)
    call.answer(
        lambda: {"items": [{**shapes.reference(one), "concepts": count} for one, count in found]},
        lambda style: _reference_lines(found, style),
    )
    return 0


def _reference_lines(found: list[tuple[Document, int]], style: Style) -> Iterator[str]:
    for document, count in found:
        published = f", published={document.published_at[:10]}" if document.published_at else ""
        facts = f"concepts={count}{published}, seen={document.last_seen_at[:10]}"
        yield f"- {style('cyan', one_line(document.uri))} [{facts}]: {one_line(document.title)}"
    yield f"{len(found)} references"


def _run_stats(call: Call) -> int:
    with call.then() as engine:
        found = browse.stats(engine)
    call.answer(lambda: found, lambda style: _stats_lines(found))
    return 0


def _stats_lines(found: dict[str, Any]) -> Iterator[str]:
    for name, value in found.items():
        title = name.replace("_", " ").capitalize()
        if isinstance(value, dict):
            yield f"{title}:"
            yield from (f"  {kind}: {count}" for kind, count in value.items() if count)
        else:
            yield f"{title}: {'none' if value is None else value}"


COMMANDS = {
    "ref show": Command(
        _define_show,
        _run_show,
        {
            "id": f"with the other facts of a concept: {CONCEPT_KEYS}",
            "aliases": "other names that lead to it",
            "superseded_by": "the id of what took its place, or null",
            "suspect": "`chain` of relations and `cause`, or null",
            "mentions": "what each source says of it: `document`, `title`, `reason` (its words), `quote`, `selector`, "
            "`method`, `confidence`, `recorded_at`",
            "references": DOCUMENT_KEYS,
            "relations": "`subject`, `predicate`, `object`, `reason`, `evidence`",
        },
    ),
    "ref list": Command(
        _define_list,
        _run_list,
        {
            "total": "how many there are",
            "limit": "as asked for, at most 500",
            "offset": "as asked for",
            "items": CONCEPT_KEYS,
        },
    ),
    "ref references": Command(
        _define_reading,
        _run_references,
        {"items": f"{DOCUMENT_KEYS}, `concepts` (how many it describes)"},
    ),
    "ref stats": Command(
        _define_reading,
        _run_stats,
        {
            "path": "the database file",
            "size_bytes": "its size",
            "concepts": "with `archived_concepts` and `withdrawn_concepts` among them",
            "references": "sources",
            "relations": "with mentions; `relations_by_type` names all 16 types",
            "evidence": "pieces of evidence; `evidence_with_quote` of them with a verbatim quote",
            "records": "of the journal",
            "vectors": "of texts in use, of all embedders",
            "last_seen_at": "the newest registration, null when there is none",
        },
    ),
}
