"""`vault entity`, `neighbors`, `backlinks`, `unresolved`, `paths`, `export`: connections."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from trivium.domains.vault import graph
from trivium.domains.vault.graph import Edge, Node, View, Way
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, one_line
from trivium.surfaces.cli.parser import Parser, integer, number, one_of, text
from trivium.surfaces.cli.vault.arguments import add_vault, vault_of


def _define_name(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("name", metavar="NAME", type=text, help="a concept or a note: name, alias, id, title or path")


def edge_values(edge: Edge) -> dict[str, Any]:
    """An edge as JSON."""
    return {
        "id": edge.id,
        "from": None if edge.subject is None else edge.subject.as_dict(),
        "relation": edge.relation,
        "to": None if edge.object is None else edge.object.as_dict(),
        "method": edge.method,
        "confidence": edge.confidence,
        "trust": round(edge.trust, 4),
        "quote": edge.quote,
        "line": edge.line,
        "source": edge.source.as_dict(),
        "status": edge.status,
        "target": edge.target,
        "raw": edge.raw,
        "candidates": list(edge.candidates),
    }


def view_values(view: View) -> dict[str, Any]:
    """A concept or note as JSON."""
    return {
        "entity": {
            **view.node.as_dict(),
            "summary": view.summary,
            "aliases": list(view.aliases),
            "mention_count": view.mention_count,
            "facets": [{"key": key, "value": value} for key, value in view.facets],
        },
        "out_edges": [edge_values(edge) for edge in view.out_edges],
        "in_edges": [edge_values(edge) for edge in view.in_edges],
    }


def _run_entity(call: Call) -> int:
    with vault_of(call) as vault:
        view = graph.show(vault, call.args.name)
    call.answer(lambda: view_values(view), lambda style: _view_lines(view, style))
    return 0


def _view_lines(view: View, style: Style) -> Iterator[str]:
    node = view.node
    yield f"{style('bold', one_line(node.name))} [{one_line(node.type)}] {one_line(node.path)}"
    if view.aliases:
        yield f"also: {', '.join(map(one_line, view.aliases))}"
    if view.summary:
        yield one_line(view.summary)
    yield from (_edge_line(edge, style) for edge in view.out_edges)
    yield from (_edge_line(edge, style) for edge in view.in_edges)


def _shown(node: Node | None, target: str, style: Style) -> str:
    return one_line(target) + " (?)" if node is None else style("cyan", one_line(node.name))


def _edge_line(edge: Edge, style: Style) -> str:
    place = f"{one_line(edge.source.path)}:{edge.line}" if edge.line else one_line(edge.source.path)
    sure = "" if edge.confidence is None else f" {edge.confidence:g}"
    quote = f' "{one_line(edge.quote)}"' if edge.quote else ""
    ends = _shown(edge.subject, edge.target, style), _shown(edge.object, edge.target, style)
    return f"- {ends[0]} -[{one_line(edge.relation)}]-> {ends[1]}{quote} ({place}, {edge.method}{sure})"


def _run_backlinks(call: Call) -> int:
    with vault_of(call) as vault:
        found = graph.backlinks(vault, call.args.name)
    call.answer(
        lambda: {"edges": [edge_values(edge) for edge in found]}, lambda style: (_edge_line(e, style) for e in found)
    )
    return 0


def _run_unresolved(call: Call) -> int:
    with vault_of(call) as vault:
        found = graph.unresolved(vault)
    call.answer(lambda: {"edges": [edge_values(edge) for edge in found]}, lambda style: _open_lines(found, style))
    return 0


def _open_lines(found: list[Edge], style: Style) -> Iterator[str]:
    for edge in found:
        place = style("cyan", f"{one_line(edge.source.path)}:{edge.line or 0}")
        yield f"{place} {edge.status}: {one_line(edge.raw or edge.target)}"
        yield from (f"    may be {one_line(candidate)}" for candidate in edge.candidates)


def _define_neighbors(parser: Parser) -> None:
    _define_name(parser)
    parser.add_argument("--depth", type=integer, default=1, metavar="N", help=f"steps, 0 to {graph.MAX_DEPTH} (1)")


def _run_neighbors(call: Call) -> int:
    with vault_of(call) as vault:
        found = graph.neighbors(vault, call.args.name, depth=call.args.depth)
    call.answer(
        lambda: {"nodes": [{**one.node.as_dict(), "relation": one.relation, "depth": one.depth} for one in found]},
        lambda style: (
            f"- {style('cyan', one_line(one.node.name))} [{one.node.kind}, distance {one.depth}, {one.relation}]"
            for one in found
        ),
    )
    return 0


def _define_paths(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("start", metavar="FROM", type=text, help="a concept or a note")
    parser.add_argument("end", metavar="TO", type=text, help="another one")
    parser.add_argument("--max-hops", type=integer, default=4, metavar="N", help="most steps, 1 to 8 (4)")
    parser.add_argument("--limit", type=integer, default=3, metavar="N", help="most paths (3)")


def _run_paths(call: Call) -> int:
    args = call.args
    with vault_of(call) as vault:
        found = graph.paths(vault, args.start, args.end, max_hops=args.max_hops, limit=args.limit)
    call.answer(
        lambda: {
            "paths": [
                {
                    "nodes": [node.as_dict() for node in way.nodes],
                    "edges": [edge_values(edge) for edge in way.edges],
                    "trust": round(way.trust, 4),
                }
                for way in found
            ]
        },
        lambda style: _path_lines(found, args.max_hops, style),
    )
    return 0


def _path_lines(found: list[Way], most: int, style: Style) -> Iterator[str]:
    for way in found:
        line = style("cyan", one_line(way.nodes[0].name))
        for node, following, edge in zip(way.nodes, way.nodes[1:], way.edges, strict=False):
            is_forward = edge.subject is not None and edge.subject.key == node.key
            arrow = f" -[{edge.relation}]-> " if is_forward else f" <-[{edge.relation}]- "
            line += arrow + style("cyan", one_line(following.name))
        yield f"{line}  [trust {way.trust:.2f}]"
        yield from (f"    {_edge_line(edge, style)}" for edge in way.edges)
    if not found:
        yield f"no path of at most {most} steps"


# -- export


def _define_export(parser: Parser) -> None:
    from trivium.domains.vault.export import FORMATS

    add_vault(parser)
    parser.add_argument(
        "--as", dest="form", type=one_of(*FORMATS), default="json", metavar="|".join(FORMATS), help="(json)"
    )
    parser.add_argument("--method", type=text, metavar="METHOD", help="only edges of this method")
    parser.add_argument("--min-confidence", type=number, default=0.0, metavar="SHARE", help="only edges as sure (0)")


def _run_export(call: Call) -> int:
    from trivium.domains.vault import export

    with vault_of(call) as vault:
        found = export.graph(vault, method=call.args.method, min_confidence=call.args.min_confidence)
    if call.is_json and call.args.form == "json":
        call.answer(found._asdict, lambda style: ())
    else:
        sys.stdout.write(export.written(found, call.args.form))
    return 0


_EDGE = (
    "`id`, `from`, `relation`, `to`, `method`, `confidence`, `trust`, `quote`, `line`, `source`, `status`, `target`, "
    "`raw`, `candidates`"
)
_NODE = "`kind` and `title`, `path`, `hash` of a note or `id`, `name`, `type` of a concept"

COMMANDS = {
    "vault entity": Command(
        _define_name,
        _run_entity,
        {
            "entity": f"{_NODE}; `summary`, `aliases`, `mention_count`, `facets`",
            "out_edges": f"most trusted first: {_EDGE}",
            "in_edges": "the same",
        },
    ),
    "vault neighbors": Command(
        _define_neighbors, _run_neighbors, {"nodes": f"nearest first: {_NODE}; `relation`, `depth`"}
    ),
    "vault backlinks": Command(_define_name, _run_backlinks, {"edges": f"by note and line: {_EDGE}"}),
    "vault unresolved": Command(add_vault, _run_unresolved, {"edges": f"by note and line: {_EDGE}"}),
    "vault paths": Command(
        _define_paths, _run_paths, {"paths": f"shortest first: `nodes` ({_NODE}), `edges`, `trust`"}
    ),
    "vault export": Command(
        _define_export, _run_export, {"nodes": "notes `d:n` and concepts `e:n`", "edges": "with `source` and `target`"}
    ),
}
