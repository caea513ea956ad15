"""Connections: `ref neighbors`, `paths`, `duplicates`."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domains.references import browse
from trivium.domains.references.browse import FoundPath, Neighbourhood
from trivium.domains.references.duplicates import Pair, duplicates
from trivium.domains.references.register import SIMILAR_COSINE
from trivium.surfaces import shapes
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, one_line
from trivium.surfaces.cli.parser import Parser, add_as_of, integer, number, text


def _define_types(parser: Parser) -> None:
    parser.add_argument(
        "--type",
        dest="predicates",
        action="append",
        type=text,
        metavar="TYPE",
        help="only relations of this type; repeatable",
    )
    add_as_of(parser)


# -- neighbors


def _define_neighbors(parser: Parser) -> None:
    parser.add_argument("id", metavar="ID", type=text, help="an id, or any name of the concept")
    parser.add_argument("--depth", type=integer, default=1, metavar="N", help=f"steps, 0 to {browse.MAX_DEPTH} (1)")
    parser.add_argument("--include-archived", action="store_true", help="show archived ones and walk through them")
    _define_types(parser)


def _run_neighbors(call: Call) -> int:
    args = call.args
    with call.then() as engine:
        found = browse.neighbors(
            engine,
            args.id,
            depth=args.depth,
            predicates=args.predicates,
            is_archived_included=args.include_archived,
        )
    notices = ["The walk was cut short: ask for less depth."] if found.is_cut else []
    call.answer(lambda: shapes.neighbourhood(found), lambda style: _neighbor_lines(found, style), notices)
    return 0


def _neighbor_lines(found: Neighbourhood, style: Style) -> Iterator[str]:
    yield style("bold", f"# Around {one_line(found.root.id)}, depth {found.depth}")
    yield ""
    yield style("bold", f"## Concepts ({len(found.nodes)})")
    for entity, distance in found.nodes:
        hidden = ", archived" if entity.archived_at else ", withdrawn" if entity.withdrawn_at else ""
        yield f"- {style('cyan', one_line(entity.id))} [distance={distance}{hidden}]: {one_line(entity.description)}"
    yield ""
    if found.relations:
        yield style("bold", f"## Relationships ({len(found.relations)})")
        for one in found.relations:
            ends = style("cyan", one_line(one.subject)), style("cyan", one_line(one.object))
            yield f"- {ends[0]} -[{one.predicate}]-> {ends[1]} — {one_line(one.reason)}"
        yield ""
    references = list(dict.fromkeys((one.title, one.uri) for one, _ in found.references))
    if references:
        yield style("bold", f"## References ({len(references)})")
        yield from (f"- {one_line(title)} ({one_line(uri)})" for title, uri in references)
        yield ""


# -- paths


def _define_paths(parser: Parser) -> None:
    parser.add_argument("start", metavar="FROM", type=text, help="a concept")
    parser.add_argument("end", metavar="TO", type=text, help="another one")
    parser.add_argument("--max-depth", type=integer, default=4, metavar="N", help="most steps, 1 to 8 (4)")
    parser.add_argument("--limit", type=integer, default=5, metavar="N", help="most paths (5)")
    _define_types(parser)


def _run_paths(call: Call) -> int:
    args = call.args
    with call.then() as engine:
        found = browse.paths(
            engine, args.start, args.end, max_depth=args.max_depth, limit=args.limit, predicates=args.predicates
        )
    call.answer(
        lambda: {"start": args.start, "end": args.end, "paths": [shapes.path(one) for one in found]},
        lambda style: _path_lines(found, args.max_depth, style),
    )
    return 0


def _path_lines(found: list[FoundPath], max_depth: int, style: Style) -> Iterator[str]:
    for one in found:
        line = style("cyan", one_line(one.ids[0]))
        for place, relation in enumerate(one.relations):
            is_forward = relation.subject == one.ids[place]
            arrow = f"-[{relation.predicate}]->" if is_forward else f"<-[{relation.predicate}]-"
            line += f" {arrow} {style('cyan', one_line(one.ids[place + 1]))}"
        yield line
        yield from (
            f"    {one_line(r.subject)} {r.predicate} {one_line(r.object)} — {one_line(r.reason)}"
            for r in one.relations
        )
    if not found:
        yield f"no path of at most {max_depth} steps"


# -- duplicates


def _define_duplicates(parser: Parser) -> None:
    parser.add_argument(
        "--threshold",
        type=number,
        default=SIMILAR_COSINE,
        metavar="COSINE",
        help=f"least cosine, -1 to 1 ({SIMILAR_COSINE})",
    )
    parser.add_argument("--limit", type=integer, default=50, metavar="N", help="most pairs (50)")
    parser.add_argument("--include-archived", action="store_true", help="archived and withdrawn ones too")


def _run_duplicates(call: Call) -> int:
    args = call.args
    found, notices = duplicates(
        call.engine, threshold=args.threshold, limit=args.limit, is_archived_included=args.include_archived
    )
    call.answer(lambda: {"pairs": [one._asdict() for one in found]}, lambda style: _pair_lines(found, style), notices)
    return 0


def _pair_lines(found: list[Pair], style: Style) -> Iterator[str]:
    for one in found:
        names = f"{style('cyan', one_line(one.first))} ≈ {style('cyan', one_line(one.second))}"
        yield f"- {names} (score={one.score:.3f}; {one_line(', '.join(one.reasons))})"
    yield f"{len(found)} pairs" + ("; ref merge makes two one, a SAME_AS relation keeps both" if found else "")


_NODE = "`id`, `distance`, `is_root` and the other facts of a concept"
_BARE = "`subject`, `predicate`, `object`, `reason`"

COMMANDS = {
    "ref neighbors": Command(
        _define_neighbors,
        _run_neighbors,
        {
            "root": "the id of the concept",
            "depth": "as asked for",
            "nodes": f"in the order in which they were reached: {_NODE}",
            "relations": _BARE,
            "references": "`uri`, `title`, `concept`",
            "is_cut": "whether there was too much to walk through",
        },
    ),
    "ref paths": Command(
        _define_paths,
        _run_paths,
        {
            "start": "as given",
            "end": "as given",
            "paths": f"shortest first: `ids` on the way and `relations` ({_BARE})",
        },
    ),
    "ref duplicates": Command(
        _define_duplicates, _run_duplicates, {"pairs": "most alike first: `first`, `second`, `score`, `reasons`"}
    ),
}
