"""The one table between refmesh's words and ours: verbs, flags, parameters, JSON keys, exit statuses, lines of text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

VERBS = {
    "types": ("ref", "types"),
    "register": ("ref", "register"),
    "search": ("ref", "search"),
    "archive": ("ref", "archive"),
    "unarchive": ("ref", "unarchive"),
    "prune": ("ref", "prune"),
    "prefetch": ("prefetch",),
    "console": ("console",),
}

DEFAULT_BM25_WEIGHT = 0.3

# Our names of the gates in theirs; what is not here they do not count as excluded.
EXCLUDED = {"archived": "archived", "max_age": "maxAge", "demoted": "demoted-zero"}
NO_CANDIDATE = ("below_threshold", "below_noise", "not_retrieved")

SORTS = {"lastSeenAt": "last_seen", "touchCount": "touch", "id": "id"}

PARAMETERS = {
    "q": "q",
    "limit": "limit",
    "offset": "offset",
    "depth": "depth",
    "threshold": "threshold",
    "sort": "sort",
    "includeArchived": "include_archived",
    "freshnessWeight": "freshness_weight",
    "halfLifeDays": "half_life_days",
    "maxAgeDays": "max_age_days",
    "demoteDeprecated": "demote_deprecated",
    "reinforcementWeight": "reinforcement_weight",
    "lexicalWeight": "lexical_weight",
    "bm25Weight": "bm25_weight",
}


# -- what is asked


def command(argv: Sequence[str], *, is_weighted: bool) -> list[str]:
    """Their command line as ours; `is_weighted` asks for the documented formula instead of our default recipe."""
    words = [_threshold_word(argv, place) for place in range(len(argv))]
    if words[:1] == ["help"] and words[1:2] and words[1] in VERBS:
        return ["help", *VERBS[words[1]]]
    if not words or words[0] not in VERBS:
        return words
    recipe = ["--recipe", "weighted"] if words[0] == "search" and is_weighted else []
    return [*VERBS[words[0]], *words[1:], *recipe]


def _threshold_word(argv: Sequence[str], place: int) -> str:
    """Theirs is (1 + cosine) / 2, ours the cosine."""
    word = argv[place]
    if word.startswith("--threshold="):
        return "--threshold=" + cosine(word.partition("=")[2])
    if place and argv[place - 1] == "--threshold":
        return cosine(word)
    return word


def cosine(threshold: str) -> str:
    """A threshold of theirs on our axis; what is no number stays what it is."""
    try:
        return repr(2 * float(threshold) - 1)
    except ValueError:
        return threshold


def option(argv: Sequence[str], name: str, default: float) -> float:
    """The value of a numeric option of a command line."""
    for place, word in enumerate(argv):
        text = word.partition("=")[2] if word.startswith(f"{name}=") else argv[place + 1] if word == name else None
        if text is not None:
            return float(text)
    return default


def address(path: str) -> str:
    """Their address as ours. An unknown sort means their default; there is no such thing with us."""
    where, mark, query = path.partition("?")
    if not mark or _is_malformed(query):
        return path
    pairs = []
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name == "sort" and value not in SORTS:
            continue
        ours = SORTS[value] if name == "sort" else cosine(value) if name == "threshold" else value
        pairs.append((PARAMETERS.get(name, name), ours))
    if where in ("/api/search", "/api/search/debug"):
        pairs.append(("recipe", "weighted"))
    return f"{where}?{urlencode(pairs)}"


def _is_malformed(query: str) -> bool:
    pieces = query.split("%")[1:]
    return any(len(piece) < 2 or not all(c in "0123456789abcdefABCDEF" for c in piece[:2]) for piece in pieces)


# -- what is answered


def answer(verb: str, ours: Mapping[str, Any], argv: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON of a command in their keys."""
    if verb == "search":
        return result(ours, option(argv, "--bm25-weight", DEFAULT_BM25_WEIGHT))
    if verb == "types":
        kinds = [
            {"type": kind["name"], "category": kind["category"], "description": kind["meaning"]}
            for kind in ours["relation_types"]
        ]
        return {
            "edgeTypes": kinds,
            "categories": ours["categories"],
            "registerInputSchema": ours["register_schema"],
        }
    if verb == "prefetch":
        return {"modelId": ours["embedder"], "modelDir": ours["cache_dir"], "downloaded": ours["is_new"]}
    return dict(ours)


def body(path: str, ours: Mapping[str, Any]) -> dict[str, Any]:
    """The body of an address of the API in their keys."""
    where, _, query = path.partition("?")
    segments = where.strip("/").split("/")
    weight = float(dict(parse_qsl(query)).get("bm25Weight", DEFAULT_BM25_WEIGHT))
    if "error" in ours:
        return {"error": _error(ours["error"])}
    match segments[1:]:
        case ["stats"]:
            return stats(ours)
        case ["concepts"]:
            return {**ours, "items": [concept(item) for item in ours["items"]]}
        case ["concepts", _]:
            return {**concept(ours), "references": [_reference(one) for one in ours["references"]]}
        case ["concepts", _, "neighbors"]:
            return neighbors(ours)
        case ["search"]:
            return result(ours, weight)
        case ["search", "debug"]:
            return {"result": result(ours["result"], weight), "trace": trace(ours["trace"], query, weight)}
    raise ValueError(f"unknown address {path!r}")


def _error(message: str) -> str:
    """A message that names a parameter, with their name of it."""
    name, blank, rest = message.partition(" ")
    theirs = next((key for key, value in PARAMETERS.items() if value == name), name)
    return theirs + blank + rest


def result(ours: Mapping[str, Any], bm25_weight: float) -> dict[str, Any]:
    """The answer to a query."""
    return {
        "query": ours["query"],
        "matchedConcepts": [_hit(one, bm25_weight) for one in ours["hits"]],
        "relatedConcepts": [_with_details(one) for one in ours["related"]],
        "references": [_reference(one) for one in ours["references"]],
        "edges": [_edge(one) for one in ours["relations"]],
    }


def _with_details(one: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"id": one["id"], "description": one["description"]}
    return {**shown, "details": one["details"]} if one["details"] else shown


def _scores(one: Mapping[str, Any], bm25_weight: float) -> dict[str, Any]:
    """Their `bm25` is a share in [0, 1]: ours is what BM25 gave to the score, divided by its weight."""
    given = one["parts"].get("bm25", 0.0)
    return {
        "freshness": one["freshness"],
        "ageDays": one["age_days"],
        "finalScore": one["score"],
        "demoted": one["is_demoted"],
        "accessCount": one["shown_count"],
        "reinforcement": one["reinforcement"],
        "lexical": one["lexical"],
        "bm25": given / bm25_weight if bm25_weight else one["bm25"],
    }


def _hit(one: Mapping[str, Any], bm25_weight: float) -> dict[str, Any]:
    # Their score is (1 + cosine) / 2 in the printed value too; ours is the cosine and the mix is of the cosine.
    return {**_with_details(one), "score": one["cosine"] or 0.0, **_scores(one, bm25_weight)}


def _reference(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"url": one["uri"], "title": one["title"]}


def _edge(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "source": one["subject"],
        "target": one["object"],
        "type": one["predicate"],
        "reason": one["reason"],
    }


def concept(one: Mapping[str, Any]) -> dict[str, Any]:
    """One concept."""
    return {
        "id": one["id"],
        "description": one["description"],
        "details": one["details"],
        "firstSeenAt": one["first_seen_at"],
        "lastSeenAt": one["last_seen_at"],
        "touchCount": one["touch_count"],
        "accessCount": one["shown_count"],
        "archived": one["is_archived"],
        "archivedAt": one["archived_at"],
        # Archived without a reason is an empty text with them, nothing with us.
        "archiveReason": one["archive_reason"] or ("" if one["is_archived"] else None),
    }


def neighbors(ours: Mapping[str, Any]) -> dict[str, Any]:
    """What surrounds a concept."""
    nodes = [
        {
            "id": one["id"],
            "description": one["description"],
            "details": one["details"],
            "archived": one["is_archived"],
            "isRoot": one["is_root"],
        }
        for one in ours["nodes"]
    ]
    return {
        "rootId": ours["root"],
        "depth": ours["depth"],
        "nodes": nodes,
        "edges": [_edge(one) for one in ours["relations"]],
        "references": [{**_reference(one), "conceptId": one["concept"]} for one in ours["references"]],
    }


def stats(ours: Mapping[str, Any]) -> dict[str, Any]:
    """Counts. The console does not tell the path of the file."""
    return {
        "graph": {"path": ours.get("path"), "sizeBytes": ours["size_bytes"]},
        "vector": {"path": ours.get("path"), "sizeBytes": ours["size_bytes"], "rowCount": ours["vectors"]},
        "counts": {
            "concepts": ours["concepts"],
            "archivedConcepts": ours["archived_concepts"],
            "references": ours["references"],
            "edgesTotal": ours["relations"],
            "edgesByType": ours["relations_by_type"],
        },
        "lastSeenAt": ours["last_seen_at"],
    }


def trace(ours: Mapping[str, Any], query: str, bm25_weight: float) -> dict[str, Any]:
    """Every candidate and step. They list statements of their database; we have none to show."""
    given = dict(parse_qsl(query))
    threshold = float(given.get("threshold", 0.3))
    embedding = ours.get("query_embedding")
    levels = [
        {"level": one["level"] + 1, "frontier": one["ids"], "edgesAdded": None} for one in ours.get("traversal", ())
    ]
    return {
        "queryEmbedding": embedding
        and {
            "dim": embedding["dim"],
            "l2Norm": embedding["norm"],
            "preview": embedding["preview"],
            "full": embedding["full"],
        },
        "queryTokens": ours.get("query_tokens", []),
        "vectorRequest": {
            "limit": ours.get("candidates_wanted"),
            "oversample": ours.get("candidates_wanted"),
            "threshold": threshold,
        },
        "vectorHits": [
            {
                "id": one["id"],
                "text": "",
                "cosine": one["cosine"],
                "distance": 1 - one["cosine"],
                "passedThreshold": one["cosine"] >= 2 * threshold - 1,
            }
            for one in ours.get("dense_hits", ())
        ],
        "ftsHits": [
            {"id": one["id"], "rawRank": -one["bm25"], "bm25": one["bm25"]} for one in ours.get("lexical_hits", ())
        ],
        "candidates": [
            _candidate(one, bm25_weight) for one in ours.get("candidates", ()) if one["gate"] not in NO_CANDIDATE
        ],
        "traversal": {"depth": int(given.get("depth", 1)), "levels": levels},
    }


def _candidate(one: Mapping[str, Any], bm25_weight: float) -> dict[str, Any]:
    shown = {"id": one["id"], "cosine": one["cosine"], **_scores(one, bm25_weight), "archived": one["is_archived"]}
    gate = EXCLUDED.get(one["gate"] or "")
    return {**shown, "excluded": gate} if gate else shown


# -- how it ended


def exit_status(verb: str, ours: int, stderr: str) -> int:
    """Our exit status as theirs: an unknown id is 2 with them, a command line that cannot be parsed 1."""
    if ours == 1 and verb in ("archive", "unarchive") and "No concept has the id" in stderr:
        return 2
    unparsed = ("Unknown command", "Unknown option", "Missing: ", "needs a value")
    if ours == 2 and (stderr.startswith("Usage: ") or any(words in stderr for words in unparsed)):
        return 1
    # A file that is not there gives a stack trace and 1 with them.
    if ours == 2 and "cannot be read: " in stderr:
        return 1
    return ours


def error_lines(stderr: str) -> str:
    """An error that was told as JSON, as the lines that people get."""
    if not stderr.startswith("{"):
        return stderr
    error = json.loads(stderr)["error"]
    lines = [error["message"], *(f"  - {detail}" for detail in error["details"])]
    return "".join(f"ERROR: {line}\n" for line in [*lines, *([f"  hint: {error['hint']}"] if error["hint"] else [])])


def told(expected: str) -> str:
    """A text that they print, as it is with us."""
    for theirs, ours in _PHRASES.items():
        if theirs in expected:
            return ours
    return expected.replace("refmesh console", "trivium console")


# What their option parser says, in any of its variants.
_PHRASES = {
    "unknown command": "ERROR: Unknown command",
    "unknown option": "ERROR: Unknown option",
    "missing required argument": "ERROR: Missing: ",
    "required option": "ERROR: Missing: ",
    "argument missing": " needs a value",
    "error:": "ERROR: ",
}
