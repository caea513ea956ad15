"""`vault search` and `vault qa`: words or a question in, passages and connections with their sources out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.vault.search import NoteHit, SearchOptions, SearchResult, search
from trivium.rank.fuse import RECIPES
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, indented, one_line
from trivium.surfaces.cli.parser import Parser, integer, number, one_of, text
from trivium.surfaces.cli.vault.arguments import add_vault, vault_of

_REPEATED = (
    ("--tag", "tags", "TAG", "notes with this tag or one below it; repeatable, all must hold"),
    ("--folder", "folders", "FOLDER", "notes below this folder; repeatable, any of them"),
    ("--property", "properties", "KEY[=VALUE]", "notes with this property; repeatable, all must hold"),
)


def _define_filters(parser: Parser) -> None:
    for option, field, metavar, about in _REPEATED:
        parser.add_argument(option, dest=field, action="append", type=text, metavar=metavar, help=about)
    parser.add_argument("--type", dest="kind", type=text, metavar="TYPE", help="notes whose property type is this")
    parser.add_argument("--since", type=text, metavar="DATE", help="notes dated then or later, such as 2026-03-01")
    parser.add_argument("--until", type=text, metavar="DATE", help="notes dated then or earlier")
    parser.add_argument("--recipe", type=one_of(*RECIPES), metavar="NAME", help=f"{', '.join(RECIPES)}")
    parser.add_argument("--threshold", type=number, metavar="COSINE", help="least cosine of what shares no word")
    parser.add_argument("--limit", type=integer, metavar="N", help="most notes")
    parser.add_argument("--budget-chars", type=integer, metavar="N", help="most characters of the answer's passages")


def _define_search(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("query", metavar="QUERY", type=text, help="words or a sentence, as one argument")
    parser.quoting = "the query"
    _define_filters(parser)
    parser.add_argument(
        "--boolean",
        dest="is_boolean",
        action="store_true",
        default=None,
        help='words only: all of them, AND, OR, NOT, (brackets), "phrases", prefix*',
    )
    parser.add_argument("--trace", dest="is_traced", action="store_true", default=None, help="show every candidate")


def _options(call: Call) -> SearchOptions:
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(call.args).items()
        if name in SearchOptions._fields and value is not None
    }
    return SearchOptions(**given)


def _run_search(call: Call) -> int:
    with vault_of(call) as vault:
        found = search(vault, call.args.query, _options(call))
        call.answer(lambda: _values(found), lambda style: _lines(found.hits, style), found.notices)
    return 0


def _values(found: SearchResult) -> dict[str, Any]:
    values: dict[str, Any] = {
        "query": found.query,
        "recipe": found.recipe,
        "hits": [{**hit._asdict(), "reasons": list(hit.reasons)} for hit in found.hits],
        "is_current": found.is_current,
    }
    if found.trace is not None:
        values["trace"] = found.trace
    return values


def _lines(hits: tuple[NoteHit, ...], style: Style) -> Iterator[str]:
    for hit in hits:
        place = style("cyan", one_line(hit.id))
        yield f"{place}  {style('bold', one_line(hit.heading or hit.title))}  [{hit.score:.3f}]"
        yield f"    {indented(hit.snippet, 4)}"
        yield f"    {style('dim', '; '.join(hit.reasons))}"
    if not hits:
        yield "no results"


# -- qa


def _define_qa(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("question", metavar="QUESTION", type=text, help="in any language, as one argument")
    parser.quoting = "the question"
    _define_filters(parser)
    parser.add_argument("--max-hops", type=integer, default=4, metavar="N", help="most steps between two names (4)")


def _run_qa(call: Call) -> int:
    from trivium.domains.vault.qa import DEFAULT_BUDGET, QaOptions, ask
    from trivium.surfaces.cli.vault.graph import edge_values, view_values

    options = _options(call)
    limit = 8 if call.args.limit is None else call.args.limit
    budget = DEFAULT_BUDGET if call.args.budget_chars is None else call.args.budget_chars
    with vault_of(call) as vault:
        passages = options._replace(budget_chars=None)
        asked = QaOptions(limit, budget, call.args.max_hops, passages)
        found = ask(vault, call.args.question, asked)
        call.answer(
            lambda: {
                "question": found.question,
                "entities": [view_values(view) for view in found.entities],
                "is_path_asked": found.is_path_asked,
                "paths": [
                    {"nodes": [n.as_dict() for n in way.nodes], "edges": [edge_values(e) for e in way.edges]}
                    for way in found.paths
                ],
                "hits": [{**hit._asdict(), "reasons": list(hit.reasons)} for hit in found.hits],
                "context": found.context,
                "left_out": found.left_out,
                "is_current": found.is_current,
            },
            lambda style: (
                [one_line(line) for line in found.context.split("\n")] if found.context else ["nothing known"]
            ),
            found.notices,
        )
    return 0


_HIT = (
    "`id` (path:line), `hash`, `path`, `title`, `heading`, `line`, `snippet`, `text` (the passage), `score`, `parts`, "
    "`cosine`, `bm25`, `reasons`"
)

COMMANDS = {
    "vault search": Command(
        _define_search,
        _run_search,
        {
            "query": "as it was given",
            "recipe": "the recipe that scored it",
            "hits": f"one a note, best first: {_HIT}",
            "is_current": "whether the index is at what the files are, as far as was looked",
        },
    ),
    "vault qa": Command(
        _define_qa,
        _run_qa,
        {
            "question": "as it was given",
            "entities": "concepts named in it, as `vault entity` shows them, with their best edges",
            "is_path_asked": "whether there are two of them",
            "paths": "between the first two: `nodes`, `edges`",
            "hits": f"passages: {_HIT}",
            "context": "lines for a model, each with its source, within the budget",
            "left_out": "lines that had no room",
            "is_current": "whether the index is at what the files are, as far as was looked",
        },
    ),
}
