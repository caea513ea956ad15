"""`ref search` and `ref why-not`: a query in, hits with reasons out, or the reason for an absence."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.domains.references.search import (
    Hit,
    SearchOptions,
    SearchResult,
    Shown,
    WhyNot,
    check,
    record_shown,
    search,
    why_not,
)
from trivium.rank.fuse import RECIPES
from trivium.surfaces import shapes
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, clean, indented, one_line
from trivium.surfaces.cli.parser import Parser, add_as_of, integer, number, one_of, text

_DEFAULTS = SearchOptions()

# option, field of SearchOptions, reader, placeholder, help
_SETTINGS = (
    ("--depth", "depth", integer, "N", "steps walked from the hits"),
    ("--limit", "limit", integer, "N", "most hits"),
    ("--threshold", "threshold", number, "COSINE", "least cosine, -1 to 1, of what shares no word with the query"),
    ("--freshness-weight", "freshness_weight", number, "SHARE", "how much newness counts, 0 to 1"),
    ("--half-life", "half_life_days", number, "DAYS", "age at which newness is one half"),
    ("--max-age", "max_age_days", number, "DAYS", "leave out what is older"),
    ("--demote-deprecated", "demote_deprecated", number, "FACTOR", "factor of what is superseded; 0 leaves it out"),
    ("--reinforcement-weight", "reinforcement_weight", number, "SHARE", "how much earlier showing counts, 0 to 1"),
    ("--lexical-weight", "lexical_weight", number, "SHARE", "recipe weighted: share of words in common, 0 to 1"),
    ("--bm25-weight", "bm25_weight", number, "SHARE", "recipe weighted: share of BM25, 0 to 1"),
    ("--max-related", "max_related", integer, "N", "most concepts around the hits"),
    ("--budget-chars", "budget_chars", integer, "N", "most characters of all hits together"),
    ("--drop-off", "drop_off", number, "SHARE", "leave out hits that score less than this share of the best"),
)


def _define_query(parser: Parser) -> None:
    parser.add_argument(
        "query", metavar="QUERY", type=text, help="words or a sentence, in any language, as one argument"
    )
    parser.quoting = "the query"


def _define_settings(parser: Parser) -> None:
    parser.add_argument(
        "--recipe", type=one_of(*RECIPES), metavar="NAME", help=f"how signals become a score: {', '.join(RECIPES)}"
    )
    for option, field, reader, metavar, about in _SETTINGS:
        default = getattr(_DEFAULTS, field)
        parser.add_argument(
            option, dest=field, type=reader, metavar=metavar, help=f"{about} ({'none' if default is None else default})"
        )
    parser.add_argument(
        "--type",
        dest="predicates",
        action="append",
        type=text,
        metavar="TYPE",
        help="walk only relations of this type; repeatable",
    )
    parser.add_argument(
        "--include-archived", dest="is_archived_included", action="store_true", default=None, help="archived ones too"
    )
    add_as_of(parser)


def _define_search(parser: Parser) -> None:
    _define_query(parser)
    _define_settings(parser)
    parser.add_argument("--explain", action="store_true", help="show what each part gave to a score")
    parser.add_argument(
        "--trace", dest="is_traced", action="store_true", default=None, help="show every candidate and step"
    )


def _define_why_not(parser: Parser) -> None:
    _define_query(parser)
    parser.add_argument("id", metavar="ID", type=text, help="the concept that is missed")
    _define_settings(parser)


def _options(call: Call) -> SearchOptions:
    """The options that were given; whatever was not keeps the default that the domain has for it."""
    given = {
        name: value for name, value in vars(call.args).items() if name in SearchOptions._fields and value is not None
    }
    if "predicates" in given:
        given["predicates"] = tuple(given["predicates"])
    options = _DEFAULTS._replace(**given)
    check(options)
    return options


def _run_search(call: Call) -> int:
    options = _options(call)
    found = search(call.engine, call.args.query, options)
    call.answer(lambda: shapes.result(found), lambda style: _lines(found, style, call.args.explain), found.notices)
    if not options.as_of:
        record_shown(call.engine, found)
    return 0


def _run_why_not(call: Call) -> int:
    found = why_not(call.engine, call.args.query, call.args.id, _options(call))
    call.answer(lambda: shapes.why_not(found), lambda style: _why_not_lines(found, style))
    return 0


# -- text


def _lines(found: SearchResult, style: Style, is_explained: bool) -> Iterator[str]:
    yield style("bold", f'# Search: "{one_line(found.query)}"')
    yield ""
    if not found.hits:
        yield "no results"
        yield ""
    else:
        yield from _section(
            "Matched Concepts", [line for one in found.hits for line in [_hit(one, style, is_explained)]], style
        )
    related = [f"- {style('cyan', one_line(one.id))}: {one_line(one.description)}" for one in found.related]
    yield from _section("Related Concepts", related, style)
    yield from _section("Relationships", [_relation(one, style) for one in found.relations], style)
    references = [f"- {one_line(one.title)} ({one_line(one.uri)})" for one in found.references]
    yield from _section("References", references, style)
    if found.trace is not None:
        import json

        yield style("bold", "## Trace")
        yield json.dumps(found.trace, ensure_ascii=False, indent=2)
        yield ""


def _section(title: str, items: list[str], style: Style) -> Iterator[str]:
    if items:
        yield style("bold", f"## {title} ({len(items)})")
        yield from items
        yield ""


def _hit(one: Hit, style: Style, is_explained: bool) -> str:
    lines = [f"- {style('cyan', one_line(one.id))} [{', '.join(_tags(one))}]: {one_line(one.description)}"]
    if one.details:
        lines.append(f"    details: {indented(one.details, 13)}")
    lines.append(f"    why: {'; '.join(one.reasons) or 'asked for without a threshold'}")
    if is_explained:
        lines.append(f"    parts: {_parts(one)}")
    if one.superseded_by:
        lines.append(f"    superseded by: {one_line(one.superseded_by)}")
    if one.suspect:
        lines.append(f"    {style('yellow', 'suspect')}: {one_line('; '.join(one.suspect))}")
    if one.same_as:
        lines.append(f"    same as: {', '.join(map(one_line, one.same_as))}")
    lines += [f"    source: {one_line(uri)}" for uri in one.references]
    return "\n".join(lines)


def _tags(one: Hit) -> Iterator[str]:
    yield "score=none" if one.cosine is None else f"score={one.cosine:.3f}"
    yield f"fresh={one.freshness:.3f}"
    for name, value in (("reinf", one.reinforcement), ("lex", one.lexical), ("bm25", one.bm25)):
        if value > 0:
            yield f"{name}={value:.3f}"
    if one.shown_count:
        yield f"access={one.shown_count}"
    yield f"age={one.age_days:.1f}d"
    yield f"final={one.score:.3f}"
    if one.is_demoted:
        yield "demoted"
    if one.is_archived:
        yield "archived"


def _parts(one: Hit) -> str:
    whole = sum(one.parts.values())
    told = " + ".join(f"{name} {value:.4f}" for name, value in one.parts.items() if value) or "nothing"
    factor = f", x {one.score / whole:.2f} for being superseded = {one.score:.4f}" if one.is_demoted and whole else ""
    return f"{told} = {whole:.4f}{factor}"


def _relation(one: Shown, style: Style) -> str:
    subject, target = style("cyan", one_line(one.subject)), style("cyan", one_line(one.object))
    lines = [f"- {subject} -[{one.predicate}]-> {target} — {one_line(one.reason)}"]
    for item in one.evidence:
        if item.quote:
            place = f", line {item.selector['line']}" if item.selector and "line" in item.selector else ""
            lines.append(f'    quote: "{indented(item.quote, 12)}" ({one_line(item.document)}{place})')
    return "\n".join(lines)


def _why_not_lines(found: WhyNot, style: Style) -> Iterator[str]:
    name = style("cyan", one_line(found.id))
    yield f"{name}: {clean(found.explanation)}"
    if found.gate:
        yield f"  gate: {found.gate}"
    for title, value in (("score", found.score), ("best score", found.best_score), ("cosine", found.cosine)):
        if value is not None:
            yield f"  {title}: {value:.4f}"
    yield f"  bm25: {found.bm25:.4f}"


_SEARCH_KEYS = {
    "query": "as it was given",
    "recipe": "the recipe that scored it",
    "hits": "best first: `id`, `description`, `details`, `type`, `score` (final), `parts` (sum to the score before the "
    "demotion factor), `cosine` (raw, null without a vector), `bm25` (raw), `lexical`, `freshness`, `age_days`, "
    "`reinforcement`, `shown_count` (before this search), `is_demoted`, `is_archived`, `reasons`, `same_as`, "
    "`superseded_by`, `suspect` (the chain), `references` (addresses)",
    "related": "around the hits: `id`, `description`, `details`, `distance` in steps",
    "relations": "`subject`, `predicate`, `object`, `reason`, `evidence` (`document`, `title`, `reason`, `quote`, "
    "`selector`, `method`, `confidence`, `recorded_at`)",
    "references": "`uri`, `title`, `published_at`, `observed_at`, `first_seen_at`, `last_seen_at`, `content_hash`",
}

_WHY_NOT_KEYS = {
    "id": "the concept",
    "gate": "the first gate that rejected it, null when it is a hit",
    "explanation": "the gate in words",
    "rank": "its place when it is a hit",
    "score": "its final score, null when it was not scored",
    "cosine": "its raw cosine to the query, null without a vector",
    "bm25": "its BM25",
    "best_score": "the score of the first hit",
}

COMMANDS = {
    "ref search": Command(_define_search, _run_search, _SEARCH_KEYS),
    "ref why-not": Command(_define_why_not, _run_why_not, _WHY_NOT_KEYS),
}
