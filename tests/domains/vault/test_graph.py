"""Questions to the graph: names, surroundings, ways, mentions without a link, exports, answers with sources."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree

import pytest
from tests.domains.vault.contents import Folder

from trivium.domains.vault import boolean, export, graph
from trivium.domains.vault.concepts import import_concepts
from trivium.domains.vault.mentions import accept, unlinked
from trivium.domains.vault.metadata import import_records
from trivium.domains.vault.notes import info
from trivium.domains.vault.qa import QaOptions, ask
from trivium.domains.vault.search import SearchOptions, search
from trivium.domains.vault.sync import sync
from trivium.domains.vault.vault import Vault
from trivium.errors import AmbiguousError, NotFoundError

NOTES = {
    "rag.md": "# Retrieval notes\n\nRAG fetches passages before a model answers. See [[Vector store]].\n",
    "store.md": "# Vector store\n\nA vector store keeps embeddings. `RAG` in code. Graph RAG builds on RAG.\n",
    "ja.md": "# 検索メモ\n\n検索拡張生成は知識グラフと組み合わせる。\n",
    "x/same.md": "# Same\n\none\n",
    "y/same.md": "# Same\n\ntwo [[x/same]]\n",
}
CONCEPTS = [
    {"canonical": "RAG", "aliases": ["検索拡張生成"], "summary": "Answering with fetched passages."},
    {"canonical": "Graph RAG", "type": "method"},
    {"canonical": "知識グラフ"},
]


@pytest.fixture
def vault(folder: Folder) -> Vault:
    folder.write(NOTES)
    opened = folder.open()
    import_concepts(opened, CONCEPTS)
    sync(opened)
    quote = "Graph RAG builds on RAG."
    relation = {
        "from": "Graph RAG",
        "relation": "builds_on",
        "to": "RAG",
        "anchor": {"quote": quote},
        "confidence": 0.8,
    }
    record = {"hash": info(opened, "store.md")["hash"], "relations": [relation]}
    assert not import_records(opened, record).rejected
    return opened


def test_names_lead_to_concepts_before_notes_and_are_never_guessed(vault: Vault) -> None:
    assert graph.show(vault, "検索拡張生成").node.name == "RAG"
    assert graph.show(vault, "vector STORE").node.path == "store.md"
    with pytest.raises(AmbiguousError) as several:
        graph.show(vault, "Same")
    assert several.value.details == ("x/same.md", "y/same.md")
    with pytest.raises(NotFoundError):
        graph.show(vault, "")


def test_ways_go_through_notes_and_say_what_they_rest_on(vault: Vault) -> None:
    (way,) = graph.paths(vault, "Graph RAG", "RAG")
    assert [node.name for node in way.nodes] == ["Graph RAG", "RAG"]
    assert (way.edges[0].quote, way.edges[0].line, round(way.trust, 2)) == ("Graph RAG builds on RAG.", 3, 0.72)
    assert [edge.source.path for edge in graph.backlinks(vault, "store.md")] == ["rag.md"]
    assert [one.node.name for one in graph.neighbors(vault, "rag.md", depth=2)] == ["Vector store"]


def test_mentions_without_a_link_are_listed_and_accepted(vault: Vault) -> None:
    found = unlinked(vault)
    assert [(one.path, one.text, one.target) for one in found] == [
        ("ja.md", "検索拡張生成", "rag"),
        ("ja.md", "知識グラフ", "知識グラフ"),
        ("rag.md", "RAG", "rag"),
        ("store.md", "Graph RAG", "graph-rag"),
        ("store.md", "RAG", "rag"),
    ]
    stored, count = accept(vault, [found[2].id])
    assert (count, stored[0].mentions) == (1, 1)
    assert [one.path for one in unlinked(vault, to="RAG")] == ["ja.md", "store.md"]
    accept(vault, rule_to="RAG")
    assert unlinked(vault, to="RAG") == []
    assert graph.show(vault, "RAG").mention_count == 3


def test_a_question_is_answered_with_sources_within_its_budget(vault: Vault) -> None:
    accept(vault, rule_to="RAG")
    for question in ("What is RAG, and Graph RAG?", "検索拡張生成とは何か", "RAG 和 Graph RAG 什么关系"):
        answer = ask(vault, question)
        assert "RAG" in [view.node.name for view in answer.entities]
        assert answer.hits
        for line in answer.context.splitlines():
            assert line.endswith("]")
        for budget in (1, 80, 200, 1000):
            assert len(ask(vault, question, QaOptions(budget_chars=budget)).context) <= budget
    assert ask(vault, "zzz qqq?").context == ""


def test_exports_are_read_by_other_programs(vault: Vault) -> None:
    found = export.graph(vault)
    assert export.graph(vault, min_confidence=0.9).nodes == found.nodes
    assert len(export.graph(vault, min_confidence=0.9).edges) == len(found.edges) - 1
    xml = ElementTree.fromstring(export.written(found, "graphml"))
    assert len(list(xml.iter("{http://graphml.graphdrawing.org/xmlns}node"))) == len(found.nodes)
    linked = json.loads(export.written(found, "jsonld"))["@graph"]
    assert len(linked) == len(found.nodes) + len(found.edges)
    nodes, _, edges = export.written(found, "cypher").partition("\n\n")
    assert len(list(csv.reader(io.StringIO(nodes)))) == len(found.nodes) + 1
    assert len(list(csv.reader(io.StringIO(edges)))) == len(found.edges) + 1


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("rag AND embeddings", ["store.md"]),
        ("passages OR 知識", ["ja.md", "rag.md"]),
        ("rag NOT embeddings", ["rag.md"]),
        ("NOT rag", ["ja.md", "x/same.md", "y/same.md"]),
        ('"builds on"', ["store.md"]),
        ("(embeddings OR passages) rag", ["rag.md", "store.md"]),
        ("embed*", ["store.md"]),
        ("AND OR ( ) NOT", []),
        ('"unbalanced', []),
        ("rag ) store", ["rag.md", "store.md"]),
        ("NOT NOT embeddings", ["store.md"]),
    ],
)
def test_boolean_queries(vault: Vault, query: str, paths: list[str]) -> None:
    found = search(vault, query, SearchOptions(is_boolean=True))
    assert sorted(hit.path for hit in found.hits) == paths
    assert boolean.run("", vault.space().lexical, set, set()).notes == set()
