"""Each address of the API as a function: an engine and parameters in, a JSON value out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trivium.domains.references import browse
from trivium.domains.references.search import SearchOptions, SearchResult, search
from trivium.engine import Engine
from trivium.errors import NotFoundError, UsageError
from trivium.surfaces import shapes
from trivium.surfaces.console.questions import Reader, Values, integer, number, read, switch, word, words

MAX_HITS = 100
MAX_QUERY_CHARS = 4000
_DEFAULT_HITS = 10

# What the domain calls a setting where this surface calls it otherwise.
_NAMES = {"half-life": "half_life_days", "max-age": "max_age_days"}

_SEARCH: dict[str, tuple[Reader, str]] = {
    "limit": (integer, "limit"),
    "depth": (integer, "depth"),
    "threshold": (number, "threshold"),
    "recipe": (word, "recipe"),
    "include_archived": (switch, "is_archived_included"),
    "freshness_weight": (number, "freshness_weight"),
    "half_life_days": (number, "half_life_days"),
    "max_age_days": (number, "max_age_days"),
    "demote_deprecated": (number, "demote_deprecated"),
    "reinforcement_weight": (number, "reinforcement_weight"),
    "lexical_weight": (number, "lexical_weight"),
    "bm25_weight": (number, "bm25_weight"),
    "max_related": (integer, "max_related"),
    "budget_chars": (integer, "budget_chars"),
    "drop_off": (number, "drop_off"),
    "type": (words, "predicates"),
    "as_of": (word, "as_of"),
}


def answer(engine: Engine, segments: Sequence[str], values: Values) -> dict[str, Any]:
    """The JSON value at an address, `segments` being what follows `/api/`.

    Raises `NotFoundError` for an address that does not exist, and what the domain raises.
    """
    match tuple(segments):
        case ("stats",):
            read(values, {})
            return _stats(engine)
        case ("concepts",):
            return _list(engine, values)
        case ("concepts", name):
            read(values, {})
            return shapes.view(browse.show(engine, _named(name)))
        case ("concepts", name, "neighbors"):
            return _neighbors(engine, _named(name), values)
        case ("search",):
            return _result(_search(engine, values, is_traced=False))
        case ("search", "debug"):
            found = _search(engine, values, is_traced=True)
            return {"result": _result(found._replace(trace=None)), "trace": found.trace or {}}
    raise NotFoundError("There is nothing at this address.")


def _named(name: str) -> str:
    if not name.strip():
        raise UsageError("The id is blank.")
    return name


def _stats(engine: Engine) -> dict[str, Any]:
    # Where the file is concerns its owner only, and this port is open to everybody on the machine.
    return {name: value for name, value in browse.stats(engine).items() if name != "path"}


def _list(engine: Engine, values: Values) -> dict[str, Any]:
    given = read(values, {"limit": integer, "offset": integer, "sort": word, "include_archived": switch})
    page = browse.list_concepts(
        engine,
        order=given.get("sort", "last_seen"),
        limit=given.get("limit", 50),
        offset=given.get("offset", 0),
        is_archived_included=given.get("include_archived", False),
    )
    items = [shapes.concept(entity) for entity in page.items]
    return {"total": page.total, "limit": page.limit, "offset": page.offset, "items": items}


def _neighbors(engine: Engine, name: str, values: Values) -> dict[str, Any]:
    given = read(values, {"depth": integer, "include_archived": switch, "type": words})
    found = browse.neighbors(
        engine,
        name,
        depth=given.get("depth", 1),
        predicates=given.get("type"),
        is_archived_included=given.get("include_archived", False),
    )
    return shapes.neighbourhood(found)


def _search(engine: Engine, values: Values, *, is_traced: bool) -> SearchResult:
    readers: dict[str, Callable[[str, str], Any]] = {name: reader for name, (reader, _) in _SEARCH.items()}
    given = read(values, {"q": word, **readers})
    query = given.pop("q", "").strip()
    if not query:
        raise UsageError("q must not be empty.")
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(f"q must be at most {MAX_QUERY_CHARS} characters long.")
    options = SearchOptions(limit=_DEFAULT_HITS, is_traced=is_traced)
    options = options._replace(**{_SEARCH[name][1]: value for name, value in given.items()})
    if options.limit > MAX_HITS:
        raise UsageError(f"limit must be from 1 to {MAX_HITS}, not {options.limit}.")
    if options.depth > browse.MAX_DEPTH:
        raise UsageError(f"depth must be from 0 to {browse.MAX_DEPTH}, not {options.depth}.")
    return search(engine, query, options)


def in_parameters(message: str) -> str:
    """A message that begins with the name of a setting, as the parameter that sets it."""
    name, blank, rest = message.partition(" ")
    known = _NAMES.get(name, name.replace("-", "_"))
    return known + blank + rest if known in _SEARCH else message


def _result(found: SearchResult) -> dict[str, Any]:
    return {**shapes.result(found), "notices": list(found.notices)}
