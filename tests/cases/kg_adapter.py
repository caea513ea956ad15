"""The one table that maps kg's verbs, options, messages and JSON to ours, and ours back to what kg would have said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

JSON = Any

# verb: our command, and the order of kg's positionals in ours (the vault comes first).
VERBS: dict[str, tuple[str, tuple[int, ...]]] = {
    "scan": ("vault scan", (0,)),
    "pending": ("vault pending", (0,)),
    "resolve": ("vault resolve", (1, 0)),
    "gc": ("vault gc", (0,)),
    "concept list": ("vault concept list", (0,)),
    "concept import": ("vault concept import", (0, 1)),
    "concept resolve": ("vault concept resolve", (1, 0)),
    "concept prep": ("vault concept prep", (0,)),
    "metadata import": ("vault metadata import", (0, 1)),
    "metadata validate": ("vault metadata validate", (0,)),
    "extract-structural": ("vault extract", (0, 1)),
    "doc": ("vault doc", (0,)),
    "db build": ("vault index build", (0,)),
    "db stats": ("vault stats", (0,)),
    "search": ("vault search", (1, 0)),
    "entity": ("vault entity", (1, 0)),
    "neighbors": ("vault neighbors", (1, 0)),
    "paths": ("vault paths", (2, 0, 1)),
    "export": ("vault export", (0,)),
    "qa": ("vault qa", (1, 0)),
    "doc-info": ("vault doc-info", (1, 0)),
    "locate": ("vault locate", (2, 0, 1)),
}
OPTIONS = {"--min-conf": "--min-confidence"}
VALUED = ("--scope", "--limit", "--type", "--depth", "--max-hops", "--method", "--min-conf", "--port")

# Words of our messages that say what theirs say.
MESSAGES = (
    (r"Unknown command '([^']*)'", r"unknown command: \1 unknown command"),
    (r"Usage: trivium COMMAND", "unknown command Usage"),
    (r"Missing: VAULT", "missing vault"),
    (r"The vault is not a directory", "not a directory"),
    (r"There is no concept for: ", "no concept for: "),
    (r"No note has this hash or path: ", "hash not in registry: "),
    (r"vault sync", "kg db build"),
)
STATUS = {("usage", 2): 1, ("not_found", 1): 1, ("index_missing", 3): 3, ("index_stale", 4): 4}


def verb_of(argv: Sequence[str]) -> tuple[str, list[str]]:
    """kg's verb, one word or two, and the rest."""
    for size in (2, 1):
        if " ".join(argv[:size]) in VERBS and len(argv) >= size:
            return " ".join(argv[:size]), list(argv[size:])
    return "", list(argv)


def command(argv: Sequence[str]) -> list[str]:
    """Our command line for one of kg's."""
    verb, rest = verb_of(argv)
    if not verb:
        return ["vault", *argv] if argv and not argv[0].startswith("-") else list(argv)
    options: list[str] = []
    positionals: list[str] = []
    words = iter(rest)
    for word in words:
        if word.startswith("--"):
            name, sign, value = word.partition("=")
            options.append(OPTIONS.get(name, name) + sign + value)
            if not sign and word in VALUED:
                options.append(next(words, ""))
        else:
            positionals.append(word)
    ours, order = VERBS[verb]
    placed = [positionals[at] for at in order if at < len(positionals)]
    if verb == "search":
        options.append("--boolean")
    if verb == "qa":
        # A limit of words only, as kg has no vectors: what shares no word with the question is not found there.
        options += ["--recipe", "lexical"]
    return [*ours.split(), *options, "--json", *(["--"] if any(p.startswith("-") and p != "-" for p in placed) else []),
            *placed]  # fmt: skip


def status(verb: str, ours: int, stderr: str) -> int:
    """kg's exit status: usage errors are 1 there, 2 is for records that were refused."""
    if ours == 2 and '"code"' in stderr:
        return 1
    if verb == "extract-structural" and ours == 1 and '"conflict"' in stderr:
        return 2
    return 1 if ours == 2 and verb not in ("metadata import", "metadata validate", "extract-structural") else ours


def told(stderr: str) -> str:
    """Our message in kg's words, on one line."""
    try:
        error = json.loads(stderr)["error"]
        stderr = " ".join([error["message"], *error["details"], error["hint"]])
    except (ValueError, KeyError):
        pass
    for pattern, words in MESSAGES:
        stderr = re.sub(pattern, words, stderr)
    return stderr


def answer(verb: str, argv: Sequence[str], values: dict[str, JSON] | None) -> JSON:
    """Our answer as kg's JSON; None when there is none."""
    if values is None:
        return None
    return ANSWERS[verb](values, argv) if verb in ANSWERS else values


def nothing(verb: str, code: str) -> JSON:
    """What kg answers where we say that a name is not known: a failure for most verbs, an empty answer for two."""
    return {"neighbors": [], "paths": None}.get(verb, ...) if code == "not_found" else ...


def node(ours: dict[str, JSON]) -> dict[str, JSON]:
    """A note or concept."""
    if ours["kind"] == "note":
        return {"kind": "doc", "title": ours["title"], "path": ours["path"], "hash": ours["hash"]}
    return {"kind": "entity", "name": ours["name"], "type": ours["type"]}


def edge(ours: dict[str, JSON], end: str) -> dict[str, JSON]:
    """An edge of an entity, seen from it."""
    return {
        "relation": ours["relation"],
        end: node(ours[end]),
        "method": ours["method"],
        "confidence": 1 if ours["confidence"] is None else ours["confidence"],
        "anchor": ours["quote"],
        "source": {name: ours["source"][name] for name in ("hash", "path", "title")},
    }


def _scan(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    moved = values["moved"]
    counts = {name: values[name] for name in ("scanned", "new", "changed", "unchanged", "deleted", "total")}
    return {**counts, "new": values["new"] + moved, "deleted": values["deleted"] + moved}


def _keys(*names: str) -> Callable[[dict[str, JSON], Sequence[str]], JSON]:
    return lambda values, argv: {name: values[name] for name in names}


def _list(field: str, *names: str) -> Callable[[dict[str, JSON], Sequence[str]], JSON]:
    return lambda values, argv: [{name: one[name] for name in names} if names else one for one in values[field]]


def problem(ours: dict[str, JSON]) -> str:
    """One problem of a record."""
    message = ours["message"]
    if ours["place"] == "hash":
        if message == "the record has no hash":
            return "record missing 'hash'"
        found = re.match(r"no note has the hash (\S+?):?( |$)", message)
        hash_ = found[1] if found else message.rpartition(" ")[2]
        return f"hash {hash_} not in registry (run `kg scan` first)"
    if message.startswith("unknown concept"):
        message += " (run `kg concept import` first)"
    return f"{ours['place']}: {message}"


def _refused(rows: list[dict[str, JSON]], *, with_path: bool) -> JSON:
    made = []
    for row in rows:
        one: dict[str, JSON] = {} if row["hash"] is None else {"hash": row["hash"]}
        if with_path:
            one["path"] = row["path"]
        made.append({**one, "problems": [problem(each) for each in row["problems"]]})
    return made


def _import(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    return {"imported": values["imported"], "rejected": _refused(values["rejected"], with_path=False)}


def _validate(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    failed = _refused(values["failed"], with_path=True)
    return {"checked": values["checked"], "ok": values["ok"], "failed": failed, "orphans": values["orphans"]}


def _extract(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    if "record" in values:
        return values["record"]
    if "imported" in values:
        return values["imported"]
    names = ("processed", "written", "doc_links", "mentions", "dangling", "errors")
    return {name: values[name] for name in names}


def _search(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    return [hit(one) for one in values["hits"]]


def hit(ours: dict[str, JSON]) -> dict[str, JSON]:
    """A hit; their score is BM25 below zero, the lower the better."""
    return {"hash": ours["hash"], "path": ours["path"], "title": ours["title"], "score": -round(ours["bm25"], 3)}


def entity(values: dict[str, JSON]) -> dict[str, JSON]:
    """A concept with its edges."""
    ours = values["entity"]
    return {
        "entity": {
            "name": ours.get("name", ours.get("title")),
            "type": ours.get("type", "doc"),
            "mention_count": ours["mention_count"],
            "summary": ours["summary"],
            "aliases": ours["aliases"],
        },
        "out_edges": [edge(one, "to") for one in values["out_edges"]],
        "in_edges": [edge(one, "from") for one in values["in_edges"]],
    }


def path(ours: dict[str, JSON]) -> JSON:
    """A chain of nodes, each with the relation that led to it."""
    via = [None, *(one["relation"] for one in ours["edges"])]
    return [{"node": node(each), "via": name} for each, name in zip(ours["nodes"], via, strict=True)]


def _paths(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    return path(values["paths"][0]) if values["paths"] else []


def _neighbors(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    return [{**node(one), "relation": one["relation"], "depth": one["depth"]} for one in values["nodes"]]


def _export(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    nodes = [{name: value for name, value in one.items() if name != "concept"} for one in values["nodes"]]
    nodes = [{**one, "kind": {"note": "doc", "concept": "entity"}[one["kind"]]} for one in nodes]
    names = ("source", "target", "relation", "method", "confidence")
    return {"nodes": nodes, "edges": [{name: one[name] for name in names} for one in values["edges"]]}


def _qa(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    found = path(values["paths"][0]) if values["paths"] else [] if values["is_path_asked"] else None
    entities = []
    for view in values["entities"]:
        head = entity({**view, "out_edges": [], "in_edges": []})["entity"]
        edges = [
            edge(one, "to") if one["from"] and one["from"].get("id") == view["entity"]["id"] else edge(one, "from")
            for one in view["out_edges"]
        ]
        entities.append({"entity": head, "top_edges": edges})
    return {"question": values["question"], "entities": entities, "path": found,
            "hits": [hit(one) for one in values["hits"]]}  # fmt: skip


def _locate(values: dict[str, JSON], argv: Sequence[str]) -> JSON:
    names = ("found", "offset", "line") if values["found"] else ("found",)
    return {name: values[name] for name in names}


ANSWERS: dict[str, Callable[[dict[str, JSON], Sequence[str]], JSON]] = {
    "scan": _scan,
    "pending": _list("notes", "hash", "path", "title"),
    "resolve": _keys("hash", "path", "title"),
    "gc": _keys("removed", "hashes"),
    "concept list": _list("concepts"),
    "concept import": _keys("added", "updated", "total"),
    "concept resolve": lambda values, argv: values["concept"],
    "concept prep": _list("notes", "hash", "path", "title", "headings"),
    "metadata import": _import,
    "metadata validate": _validate,
    "extract-structural": _extract,
    "doc": _keys("hash", "title", "headings", "links", "arxiv"),
    "db build": _keys("db_path", "documents", "entities", "edges", "unresolved"),
    "db stats": _keys("db_path", "documents", "entities", "edges", "entities_by_type", "edges_by_method"),
    "search": _search,
    "entity": lambda values, argv: entity(values),
    "neighbors": _neighbors,
    "paths": _paths,
    "export": _export,
    "qa": _qa,
    "doc-info": _keys("hash", "path", "title", "abs_path", "vscode_url", "metadata"),
    "locate": _locate,
}
