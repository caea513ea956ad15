"""A question answered with sources: the names in it, the ways between them, their best edges, the passages."""

from __future__ import annotations

from typing import NamedTuple

from trivium.domains.vault.edges import LINKS, MENTIONS
from trivium.domains.vault.freshness import freshness
from trivium.domains.vault.graph import Edge, Node, View, Way, by_trust, edges_of, nodes_of, ways
from trivium.domains.vault.names import ConceptIndex, all_names
from trivium.domains.vault.search import NoteHit, SearchOptions, SearchResult, search
from trivium.domains.vault.vault import Vault
from trivium.errors import UsageError
from trivium.store.sqlite.notes import reading
from trivium.store.sqlite.notes.reading import CONCEPT
from trivium.store.vaultfiles import read_concepts
from trivium.text.spotting import Spotter

MOST_NAMES = 4
MOST_EDGES = 8
DEFAULT_BUDGET = 6_000


class QaOptions(NamedTuple):
    """`limit` hits at most; `budget_chars` for the context pack; `search` for the passages."""

    limit: int = 8
    budget_chars: int = DEFAULT_BUDGET
    max_hops: int = 4
    search: SearchOptions = SearchOptions()


class Answer(NamedTuple):
    """What a vault says to a question. `context` is text for a model: each line with its source, within the budget.

    `left_out` counts the lines that had no room.
    """

    question: str
    entities: tuple[View, ...]
    path: Way | None
    is_path_asked: bool
    paths: tuple[Way, ...]
    hits: tuple[NoteHit, ...]
    context: str
    left_out: int
    is_current: bool
    notices: tuple[str, ...]


def ask(vault: Vault, question: str, options: QaOptions = QaOptions()) -> Answer:  # noqa: B008 (immutable)
    """Gather what the vault holds about a question; nothing is made up and nothing is written."""
    if options.limit < 0:
        raise UsageError(f"limit must be an integer of at least 0, not {options.limit}.")
    if options.budget_chars < 1:
        raise UsageError(f"budget-chars must be at least 1, not {options.budget_chars}.")
    if not question.strip():
        raise UsageError("The question is empty.")
    views = _views(vault, question)
    first = [view.node.key for view in views[:2]]
    found = ways(vault, *first, max_hops=options.max_hops, limit=3) if len(first) == 2 else []
    result = _passages(vault, question, views, options)
    context, left_out = pack(views, found, result.hits, options.budget_chars)
    now = freshness(vault, [hit.path for hit in result.hits])
    return Answer(
        question,
        tuple(views),
        found[0] if found else None,
        len(first) == 2,
        tuple(found),
        result.hits,
        context,
        left_out,
        now.is_current,
        tuple(dict.fromkeys((*result.notices, *now.notices))),
    )


def _views(vault: Vault, question: str) -> list[View]:
    concepts = read_concepts(vault.root)[0]
    index = ConceptIndex(concepts)
    names: dict[str, str | None] = {}
    for concept in concepts:
        for name in all_names(concept):
            if len(name) >= 2:
                names.setdefault(name, index.find(name))
    spotter = Spotter(names)
    spotted: dict[str, int] = {}
    for found in spotter.find(question):
        identifier = names[found.name]
        if identifier is not None:
            spotted[identifier] = max(spotted.get(identifier, 0), found.end - found.start)
    chosen = sorted(spotted, key=lambda one: -spotted[one])[:MOST_NAMES]
    keys = reading.concept_keys(vault.space().store.connection)
    return [_view(vault, keys[CONCEPT + one], index) for one in chosen if CONCEPT + one in keys]


def _view(vault: Vault, key: int, index: ConceptIndex) -> View:
    connection = vault.space().store.connection
    edges = by_trust(edges_of(vault, reading.edges(connection, ends=[key])))
    edges.sort(key=lambda edge: edge.method != "deterministic")
    node = nodes_of(vault, [key])[key]
    concept = index.by_id[node.path]
    summary = concept.get("summary")
    return View(
        node,
        summary if isinstance(summary, str) else "",
        tuple(name for name in all_names(concept) if name not in (node.name, node.path)),
        reading.mention_counts(connection, [key]).get(key, 0),
        tuple(edges[:MOST_EDGES]),
        (),
        (),
    )


def _passages(vault: Vault, question: str, views: list[View], options: QaOptions) -> SearchResult:
    found = search(vault, question, options.search._replace(limit=options.limit))
    if len(found.hits) >= options.limit or not views:
        return found
    # A question is mostly words that say nothing of its matter: what speaks of the names in it comes after.
    names = " ".join(view.node.name for view in views)
    more = search(vault, names, options.search._replace(limit=options.limit))
    there = {hit.path for hit in found.hits}
    added = [hit for hit in more.hits if hit.path not in there]
    return found._replace(hits=(*found.hits, *added)[: options.limit])


# -- the context pack


def pack(views: list[View], found: list[Way], hits: tuple[NoteHit, ...], budget: int) -> tuple[str, int]:
    """Lines for a model, the most telling first, each with its source; none is cut. Also how many had no room.

    Summaries, the shortest way, relations; then passages, whole where they fit, else their best lines; then the rest.
    """
    lines = [f"{_name(view.node)}: {_flat(view.summary)} [vocabulary]" for view in views if view.summary]
    edges = [edge for way in found[:1] for edge in way.edges]
    edges += [edge for view in views for edge in view.out_edges if edge.relation not in (MENTIONS, LINKS)]
    lines += [_edge_line(edge) for edge in edges]
    room = budget - sum(len(line) + 1 for line in lines)
    for hit in hits:
        whole, best = (f'passage: "{_flat(text)}" [{hit.path}:{hit.line}]' for text in (hit.text, hit.snippet))
        lines.append(whole if len(whole) < room // 2 else best)
        room -= len(lines[-1]) + 1
    lines += [_edge_line(edge) for way in found[1:] for edge in way.edges]
    lines += [_edge_line(edge) for view in views for edge in view.out_edges]
    chosen: list[str] = []
    room, left_out = budget, 0
    for line in dict.fromkeys(lines):
        if len(line) + 1 > room:
            left_out += 1
            continue
        chosen.append(line)
        room -= len(line) + 1
    return "\n".join(chosen), left_out


def _name(node: Node | None) -> str:
    return "?" if node is None else _flat(node.name)


def _edge_line(edge: Edge) -> str:
    quote = f' "{_flat(edge.quote)}"' if edge.quote else ""
    place = f"{edge.source.path}:{edge.line}" if edge.line else edge.source.path
    sure = "" if edge.confidence is None else f" {edge.confidence:g}"
    return f"{_name(edge.subject)} -[{edge.relation}]-> {_name(edge.object)}{quote} [{place} {edge.method}{sure}]"


def _flat(text: str) -> str:
    return " ".join(text.split())
