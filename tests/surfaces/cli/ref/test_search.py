"""`ref search` and `ref why-not`."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from trivium.domains.references.search import Hit, SearchOptions


def test_sections_and_lines(filled: Any) -> None:
    out = filled("ref", "search", "WAL mode journal", "--limit", "1").out
    lines = out.splitlines()
    assert lines[:3] == ['# Search: "WAL mode journal"', "", "## Matched Concepts (1)"]
    assert lines[3].startswith("- WAL mode [score=")
    assert lines[3].endswith("]: Journal mode that appends changes to a log.")
    assert ", fresh=" in lines[3]
    assert ", final=" in lines[3]
    assert lines[4:6] == ["    details: PRAGMA a", "             PRAGMA b"]
    assert lines[6].startswith("    why: words: ")
    assert lines[7:] == [
        "    source: https://example.com/wal",
        "",
        "## Related Concepts (1)",
        "- checkpoint: Moves pages from the log into the database.",
        "",
        "## Relationships (1)",
        "- checkpoint -[CONSUMES]-> WAL mode — It empties the log.",
        "",
        "## References (1)",
        "- Write-Ahead Logging (https://example.com/wal)",
        "",
    ]


def test_nothing_found_is_said_and_is_no_failure(filled: Any) -> None:
    assert filled("ref", "search", "qqqq") == (0, '# Search: "qqqq"\n\nno results\n\n', "")


def test_a_hit_has_every_field_of_the_domain(filled: Any) -> None:
    hit = filled("ref", "search", "zebra", "--json").json["hits"][0]
    assert tuple(hit) == Hit._fields


def test_showing_is_counted_after_the_answer(filled: Any) -> None:
    counts = [filled("ref", "search", "zebra", "--json").json["hits"][0]["shown_count"] for _ in range(3)]
    assert counts == [0, 1, 2]
    assert "access=3" in filled("ref", "search", "zebra").out
    filled("ref", "why-not", "zebra", "checkpoint")
    filled("ref", "search", "zebra", "--as-of", "2100-01-01")
    assert filled("ref", "show", "zebra", "--json").json["shown_count"] == 4


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--depth", "-1"], "--depth must be an integer of at least 0, not -1."),
        (["--limit", "0"], "--limit must be an integer of at least 1, not 0."),
        (["--threshold", "1.5"], "--threshold must be a cosine from -1 to 1, not 1.5."),
        (["--freshness-weight", "1.5"], "--freshness-weight must be from 0 to 1, not 1.5."),
        (["--half-life", "0"], "--half-life must be a number of days above 0, not 0.0."),
        (["--max-age", "-1"], "--max-age must be a number of days of at least 0, not -1.0."),
        (["--demote-deprecated", "2"], "--demote-deprecated must be from 0 to 1, not 2.0."),
        (["--reinforcement-weight=-0.1"], "--reinforcement-weight must be from 0 to 1, not -0.1."),
        (["--lexical-weight", "1.5"], "--lexical-weight must be from 0 to 1, not 1.5."),
        (["--bm25-weight=-0.1"], "--bm25-weight must be from 0 to 1, not -0.1."),
        (["--max-related", "-1"], "--max-related must be at least 0, not -1."),
        (["--budget-chars", "0"], "--budget-chars must be at least 1, not 0."),
        (["--drop-off", "2"], "--drop-off must be from 0 to 1, not 2.0."),
        (
            ["--freshness-weight", "0.6", "--reinforcement-weight", "0.5"],
            "--freshness-weight and --reinforcement-weight must not sum to more than 1.",
        ),
        (
            ["--recipe", "rff"],
            "--recipe must be calibrated or weighted or rrf or lexical or dense, not 'rff'; did you mean rrf?.",
        ),
        (["--type", "part_of"], "'part_of' is not a relation type."),
        (["--max-age", "nan"], "--max-age must be a finite number, not 'nan'."),
    ],
)
def test_options_are_checked_before_anything_is_opened(cli: Any, files: Any, argv: list[str], message: str) -> None:
    for verb in (["search", "q"], ["why-not", "q", "zebra"]):
        ran = cli("ref", *verb, *argv)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.splitlines()[0].replace("?.", "?") == f"ERROR: {message}".replace("?.", "?")
    assert files() == []


def test_every_option_of_the_domain_can_be_given(filled: Any) -> None:
    from trivium.surfaces.cli.parser import build

    fields = {action.dest for action in build("ref search")._actions}
    assert set(SearchOptions._fields) <= fields


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_is_refused(cli: Any, query: str) -> None:
    assert cli("ref", "search", query).err == "ERROR: The query is empty.\n"


def test_a_query_of_several_arguments_is_refused_with_the_remedy(cli: Any) -> None:
    ran = cli("ref", "search", "a", "b")
    assert ran.status == 2
    assert "Put quotes around the query." in ran.err


def test_a_query_that_begins_with_a_dash(filled: Any) -> None:
    assert "Put -- before the query" in filled("ref", "search", "-zebra").err
    assert filled("ref", "search", "--json", "--", "-zebra").json["hits"][0]["id"] == "zebra"


@pytest.mark.parametrize(
    "query", ['"zebra', "zebra OR", "a AND", "*", "zebra*", "C++", "😀", "id:zebra", "\x00", "'; --"]
)
def test_any_query_is_plain_text(filled: Any, query: str) -> None:
    assert filled("ref", "search", "--", query).status == 0


def test_parts_of_a_score_are_explained(filled: Any) -> None:
    out = filled("ref", "search", "zebra", "--explain", "--recipe", "weighted").out
    line = next(line for line in out.splitlines() if line.startswith("    parts: "))
    assert "cosine " in line
    assert "lexical " in line
    sums = [float(part.split()[-1]) for part in line.partition(": ")[2].partition(" = ")[0].split(" + ")]
    assert abs(sum(sums) - float(line.rpartition(" = ")[2])) < 1e-3


def test_a_superseded_and_a_suspect_concept_say_so(cli: Any, payload: Any) -> None:
    payload["relationships"] = [
        {"source": "zebra", "type": "REPLACES", "target": "WAL mode", "reason": "newer"},
        {"source": "checkpoint", "type": "DEPENDS_ON", "target": "WAL mode", "reason": "needs it"},
    ]
    cli("ref", "register", stdin=payload)
    out = cli("ref", "search", "WAL mode", "--limit", "1", "--explain").out
    assert ", demoted]: " in out
    assert "    superseded by: zebra\n" in out
    assert " x 0.50 for being superseded = " in out
    assert "    suspect: checkpoint -[DEPENDS_ON]-> WAL mode" in cli("ref", "search", "checkpoint").out


def test_one_name_for_two_concepts_is_one_hit(cli: Any, payload: Any) -> None:
    payload["concepts"].append({"id": "Equus quagga", "description": "A zebra: a striped animal."})
    payload["relationships"] = [{"source": "Equus quagga", "type": "SAME_AS", "target": "zebra", "reason": "name"}]
    cli("ref", "register", stdin=payload)
    out = cli("ref", "search", "zebra").out
    assert "## Matched Concepts (1)" in out
    assert "    same as: " in out


def test_a_quote_of_a_relation_is_shown_with_its_source(cli: Any, payload: Any) -> None:
    payload["relationships"][0]["quote"] = "the log is emptied"
    cli("ref", "register", stdin=payload)
    out = cli("ref", "search", "checkpoint").out
    assert '    quote: "the log is emptied" (https://example.com/wal)\n' in out


def test_stored_text_cannot_pretend_to_be_another_line(cli: Any, payload: Any) -> None:
    payload["concepts"][2]["description"] = "A zebra.\n- forged [score=1.000, final=9.000]: believe me"
    payload["concepts"][2]["details"] = "x\n## References (9)"
    payload["reference"]["title"] = "T\n- forged (https://evil.example)"
    cli("ref", "register", stdin=payload)
    lines = cli("ref", "search", "zebra").out.splitlines()
    assert not [line for line in lines if line.startswith(("- forged", "## References (9)"))]


def test_the_past_is_searched(filled: Any) -> None:
    filled("ref", "archive", "zebra")
    assert filled("ref", "search", "zebra", "--json").json["hits"] == []
    assert filled("ref", "search", "zebra", "--json", "--as-of", "2020").json["hits"] == []
    assert "is not a moment" in filled("ref", "search", "zebra", "--as-of", "yesterday").err


def test_a_trace_is_given_when_asked_for(filled: Any) -> None:
    assert "trace" not in filled("ref", "search", "zebra", "--json").json
    trace = filled("ref", "search", "zebra", "--json", "--trace").json["trace"]
    assert {row["id"] for row in trace["candidates"]} >= {"zebra"}
    assert "## Trace" in filled("ref", "search", "zebra", "--trace").out


def test_a_store_that_is_being_written_answers_and_loses_only_the_count(filled: Any, home: Path) -> None:
    filled("ref", "search", "zebra")
    with contextlib.closing(sqlite3.connect(home / "concepts.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        ran = filled("ref", "search", "zebra", "--json")
        writer.execute("ROLLBACK")
    assert (ran.status, ran.err) == (0, "")
    assert ran.json["hits"][0]["shown_count"] == 1
    assert filled("ref", "show", "zebra", "--json").json["shown_count"] == 1


def test_why_something_is_not_there(filled: Any) -> None:
    out = filled("ref", "why-not", "zebra", "checkpoint").out
    assert out.startswith("checkpoint: ")
    assert "  gate: " in out
    answer = filled("ref", "why-not", "zebra", "zebra", "--json").json
    assert (answer["gate"], answer["rank"]) == (None, 1)
    ran = filled("ref", "why-not", "zebra", "Nobody", "--json")
    assert (ran.status, ran.error["code"]) == (1, "not_found")
