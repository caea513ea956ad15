"""Each address: its value, its limits, and that looking changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.surfaces.console.answers import MAX_QUERY_CHARS


def test_stats_do_not_tell_where_the_file_is(ask: Any, filled: Any) -> None:
    ours = filled("ref", "stats", "--json").json
    for name in ("schema", "notices", "path"):
        del ours[name]
    assert ask("/api/stats").json == ours


def test_lists_are_those_of_the_command_line(ask: Any, filled: Any) -> None:
    assert ask("/api/concepts?sort=id&limit=2&offset=1").json == _plain(
        filled("ref", "list", "--sort", "id", "--limit", "2", "--offset", "1", "--json").json
    )
    assert ask("/api/concepts?limit=9999").json["limit"] == 500
    filled("ref", "archive", "zebra")
    assert ask("/api/concepts").json["total"] == 2
    assert ask("/api/concepts?include_archived=true").json["total"] == 3


def test_one_concept_and_what_surrounds_it(ask: Any, filled: Any) -> None:
    assert ask("/api/concepts/zebra").json == _plain(filled("ref", "show", "zebra", "--json").json)
    assert ask("/api/concepts/checkpoint/neighbors?depth=1&type=CONSUMES").json == _plain(
        filled("ref", "neighbors", "checkpoint", "--type", "CONSUMES", "--json").json
    )


def test_search_is_that_of_the_command_line(ask: Any, filled: Any) -> None:
    ours = filled("ref", "search", "zebra", "--limit", "10", "--json", "--trace").json
    found = ask("/api/search/debug?q=%20zebra%20").json
    assert [hit["id"] for hit in found["result"]["hits"]] == [hit["id"] for hit in ours["hits"]]
    assert set(found["trace"]) == set(ours["trace"])
    assert set(found["result"]) == set(ours) - {"schema", "trace"}


def test_looking_counts_nothing(ask: Any, filled: Any) -> None:
    for target in ("/api/search?q=zebra", "/api/search/debug?q=zebra", "/api/concepts/zebra"):
        assert ask(target).status == 200
    assert filled("ref", "show", "zebra", "--json").json["shown_count"] == 0


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("/api/stats?x=1", "x"),
        ("/api/concepts?limit=0", "limit"),
        ("/api/concepts?limit=abc", "limit"),
        ("/api/concepts?offset=-1", "offset"),
        ("/api/concepts?sort=bogus", "sort"),
        ("/api/concepts/%20", "blank"),
        ("/api/concepts/zebra/neighbors?depth=5", "depth"),
        ("/api/concepts/zebra/neighbors?type=is_a", "is_a"),
        ("/api/search", "q must"),
        ("/api/search?q=%20", "q must"),
        ("/api/search?q=x&limit=0", "limit"),
        ("/api/search?q=x&limit=101", "limit"),
        ("/api/search?q=x&depth=5", "depth"),
        ("/api/search?q=x&threshold=2", "threshold must"),
        ("/api/search?q=x&freshness_weight=2", "freshness_weight must"),
        ("/api/search?q=x&half_life_days=0", "half_life_days must"),
        ("/api/search?q=x&max_age_days=-1", "max_age_days must"),
        ("/api/search?q=x&recipe=bogus", "recipe"),
        ("/api/search?q=x&as_of=soon", "soon"),
        (f"/api/search?q={'x' * (MAX_QUERY_CHARS + 1)}", "q must"),
        ("/api/search?" + "&".join(f"type=T{n}" for n in range(200)), "too many"),
    ],
)
def test_a_bad_request_names_what_is_wrong(ask: Any, target: str, named: str) -> None:
    reply = ask(target)
    assert reply.status == 400
    assert named in reply.json["error"]


@pytest.mark.parametrize("target", ["/api/concepts/Nobody", "/api/concepts/Nobody/neighbors"])
def test_an_unknown_concept_is_not_found(ask: Any, target: str) -> None:
    reply = ask(target)
    assert (reply.status, reply.json["code"]) == (404, "not_found")


def test_a_store_that_fails_is_a_server_error(ask: Any, home: Any) -> None:
    (home / "concepts.db").write_bytes(b"no database" * 100)
    for leftover in ("-wal", "-shm"):
        (home / f"concepts.db{leftover}").unlink(missing_ok=True)
    reply = ask("/api/stats")
    assert (reply.status, reply.json["code"]) == (500, "store")


def _plain(answer: Any) -> Any:
    return {name: value for name, value in answer.items() if name not in ("schema", "notices")}
