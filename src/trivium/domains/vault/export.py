"""A vault's graph for other programs: JSON, GraphML, JSON-LD, tables for a graph database."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from trivium.domains.vault.vault import Vault
from trivium.store.sqlite.notes import reading
from trivium.store.sqlite.notes.reading import CONCEPT

FORMATS = ("json", "graphml", "jsonld", "cypher")
_NO_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "�")


class Graph(NamedTuple):
    """Nodes and edges as plain values; ids are `d:<n>` for notes and `e:<n>` for concepts."""

    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]


def graph(vault: Vault, *, method: str | None = None, min_confidence: float = 0.0) -> Graph:
    """The whole graph; the filters are for edges. An edge without a confidence counts as 1."""
    connection = vault.space().store.connection
    ids: dict[int, str] = {}
    nodes: list[dict[str, Any]] = []
    for note in reading.notes(connection):
        ids[note.key] = f"d:{note.key}"
        nodes.append({"id": f"d:{note.key}", "label": note.title, "kind": "note", "type": "doc", "path": note.path,
                      "hash": note.hash})  # fmt: skip
    weights = reading.mention_counts(connection)
    keys = sorted(reading.concept_keys(connection).items())
    entities = vault.space().store.entities([key for _, key in keys])
    for identifier, key in keys:
        ids[key] = f"e:{key}"
        nodes.append({"id": f"e:{key}", "label": entities[key].description, "kind": "concept",
                      "type": entities[key].type, "weight": weights.get(key, 0),
                      "concept": identifier[len(CONCEPT) :]})  # fmt: skip
    edges = []
    for _, row in reading.edges(connection, status="ok"):
        confidence = 1.0 if row.confidence is None else row.confidence
        if (method is not None and row.method != method) or confidence < min_confidence:
            continue
        if row.subject in ids and row.object in ids:
            edges.append({"source": ids[row.subject], "target": ids[row.object], "relation": row.predicate,
                          "method": row.method, "confidence": confidence, "quote": row.quote, "line": row.line,
                          "note": ids[row.note]})  # fmt: skip
    return Graph(nodes, edges)


def written(found: Graph, form: str) -> str:
    """A graph in one of `FORMATS` other than json; `cypher` is two tables for `LOAD CSV`, one after the other."""
    return {"json": _json, "graphml": _graphml, "jsonld": _jsonld, "cypher": _cypher}[form](found)


def _json(found: Graph) -> str:
    return json.dumps(found._asdict(), ensure_ascii=False, indent=2) + "\n"


def _graphml(found: Graph) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for element, rows in (("node", found.nodes), ("edge", found.edges)):
        for field, kind in _fields(rows, without=("id", "source", "target")):
            lines.append(f'  <key id="{element}.{field}" for="{element}" attr.name="{field}" attr.type="{kind}"/>')
    lines.append('  <graph edgedefault="directed">')
    for node in found.nodes:
        lines += [f"    <node id={quoteattr(node['id'])}>", *_data("node", node), "    </node>"]
    for edge in found.edges:
        ends = f"source={quoteattr(edge['source'])} target={quoteattr(edge['target'])}"
        lines += [f"    <edge {ends}>", *_data("edge", edge), "    </edge>"]
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def _fields(rows: Sequence[dict[str, Any]], *, without: Iterable[str]) -> list[tuple[str, str]]:
    kinds = {}
    for row in rows:
        for field, value in row.items():
            if field not in without and value is not None:
                kinds[field] = "string" if isinstance(value, str) else "double" if isinstance(value, float) else "int"
    return sorted(kinds.items())


def _data(element: str, row: dict[str, Any]) -> list[str]:
    return [
        f'      <data key="{element}.{field}">{escape(str(value).translate(_NO_XML))}</data>'
        for field, value in row.items()
        if field not in ("id", "source", "target") and value is not None
    ]


def _jsonld(found: Graph) -> str:
    context = {
        "@vocab": "https://schema.org/",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "oa": "http://www.w3.org/ns/oa#",
    }
    made: list[dict[str, Any]] = []
    for node in found.nodes:
        if node["kind"] == "note":
            made.append({"@id": node["id"], "@type": "DigitalDocument", "name": node["label"], "url": node["path"],
                         "sha256": node["hash"]})  # fmt: skip
        else:
            made.append({"@id": node["id"], "@type": "skos:Concept", "skos:prefLabel": node["label"],
                         "additionalType": node["type"]})  # fmt: skip
    for number, edge in enumerate(found.edges):
        statement = {"@id": f"_:s{number}", "@type": "rdf:Statement", "rdf:subject": {"@id": edge["source"]},
                     "rdf:predicate": edge["relation"], "rdf:object": {"@id": edge["target"]},
                     "isBasedOn": {"@id": edge["note"]}, "method": edge["method"],
                     "confidence": edge["confidence"]}  # fmt: skip
        if edge["quote"]:
            statement["oa:exact"] = edge["quote"]
        made.append(statement)
    return json.dumps({"@context": context, "@graph": made}, ensure_ascii=False, indent=2) + "\n"


_NODE_FIELDS = ("id", "label", "kind", "type", "path", "hash", "weight")
_EDGE_FIELDS = ("source", "target", "relation", "method", "confidence", "quote", "line", "note")


def _cypher(found: Graph) -> str:
    """Two tables with the headers that `neo4j-admin import` reads, nodes first, a blank line between."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["id:ID", "label", "kind:LABEL", "type", "path", "hash", "weight:int"])
    for node in found.nodes:
        table.writerow(["" if node.get(field) is None else node[field] for field in _NODE_FIELDS])
    out.write("\n")
    table.writerow([":START_ID", ":END_ID", ":TYPE", "method", "confidence:double", "quote", "line:int", "note"])
    for edge in found.edges:
        table.writerow(["" if edge.get(field) is None else edge[field] for field in _EDGE_FIELDS])
    return out.getvalue()
