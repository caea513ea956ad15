"""Claims hold, fail, and are refused when they are not understood."""

from __future__ import annotations

from typing import Any

import pytest

from cases.claims import MISSING, OPS, lookup, problem

HITS = [
    {"id": "a", "finalScore": 0.7, "score": 0.5, "bm25": 0.2, "demoted": False, "freshness": 0.5, "ageDays": 10.0},
    {"id": "b", "finalScore": 0.1, "score": 0.1, "bm25": 0.0, "demoted": True, "freshness": 0.25, "ageDays": 20.0},
]
EDGES = [{"source": "a", "type": "IS_A", "target": "b"}, {"source": "a", "type": "IS_A", "target": "c"}]
DOCUMENT: dict[str, Any] = {
    "n": 3,
    "text": "Some Text",
    "hits": HITS,
    "edges": EDGES,
    "inner": {"first": 1, "second": 2, "third": 1},
}

# op, path, a value with which it holds, a path and a value with which it does not
CLAIMS = [
    ("==", "n", 3, "n", 4),
    ("!=", "n", 4, "n", 3),
    ("<", "n", 4, "n", 3),
    ("<=", "n", 3, "n", 2),
    (">", "n", 2, "n", 3),
    (">=", "n", 3, "n", 4),
    ("approx", "n", 3.0000001, "n", 3.001),
    ("len", "hits", 2, "hits", 1),
    ("contains", "text", "some", "text", "none"),
    ("has_key", "inner", "first", "inner", "fourth"),
    ("has_keys", "inner", ["first", "second"], "inner", ["first", "fourth"]),
    ("has_ids", "hits", ["b"], "hits", ["c"]),
    ("lacks_ids", "hits", ["c"], "hits", ["b"]),
    ("ids_are", "hits", ["b", "a"], "hits", ["a"]),
    ("sorted_desc", "hits", "freshness", "hits", "ageDays"),
    ("each_close", "hits", ["finalScore", "score", 0.3], "hits", ["finalScore", "score", 0.1]),
    ("each_mix", "hits", {"score": 1.0, "bm25": 1.0}, "hits", {"score": 1.0}),
    ("each_fresh", "hits", 10, "hits", 11),
    ("unique_edges", "edges", True, "edges", False),
    ("same_as", "inner.first", "third", "inner.first", "second"),
    ("before", "inner.first", "second", "inner.first", "third"),
]


def test_every_op_is_tried() -> None:
    assert {claim[0] for claim in CLAIMS} == set(OPS)


@pytest.mark.parametrize(("op", "path", "wanted", "other", "unwanted"), CLAIMS)
def test_a_claim_holds_or_fails(op: str, path: str, wanted: Any, other: str, unwanted: Any) -> None:
    assert problem(DOCUMENT, path, op, wanted) == ""
    assert problem(DOCUMENT, other, op, unwanted) != ""


@pytest.mark.parametrize("op", OPS)
def test_nothing_holds_of_what_is_not_there(op: str) -> None:
    assert problem(DOCUMENT, "no.thing", op, "x") != ""


def test_an_op_or_path_that_is_not_understood_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown op"):
        problem(DOCUMENT, "n", "===", 3)
    with pytest.raises(ValueError, match="not a path"):
        lookup(DOCUMENT, "hits[")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", DOCUMENT),
        ("inner.first", 1),
        ("hits[1].id", "b"),
        ("hits[id=a].score", 0.5),
        ("hits[id=c].score", MISSING),
        ("hits[2]", MISSING),
        ("n.x", MISSING),
    ],
)
def test_paths(path: str, found: Any) -> None:
    assert lookup(DOCUMENT, path) == found
