"""Who is answered, what an address means, and what every answer carries."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.surfaces.console.application import HEADERS, METHODS


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"])
def test_only_reading_is_possible(ask: Any, method: str) -> None:
    reply = ask("/api/stats", method)
    assert (reply.status, reply.headers["allow"]) == (405, ", ".join(METHODS))
    assert "error" in reply.json


@pytest.mark.parametrize("peer", ["127.0.0.5", "10.0.0.1", "::2", "::ffff:10.0.0.1", ""])
def test_other_machines_are_refused(ask: Any, peer: str) -> None:
    assert ask("/api/stats", peer=peer).status == 403


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_answered(ask: Any, peer: str) -> None:
    assert ask("/api/stats", peer=peer).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:80", "localhost.evil:8000", "127.0.0.1:8000@x", ""],
)
def test_a_name_that_was_made_to_lead_here_is_refused(ask: Any, host: str) -> None:
    assert ask("/api/stats", host=host).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_the_names_of_this_machine_are_answered(ask: Any, host: str) -> None:
    assert ask("/api/stats", host=host).status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:9", "null", "127.0.0.1:8000", "http://"],
)
def test_pages_of_other_origins_are_refused(ask: Any, origin: str) -> None:
    assert ask("/api/stats", origin=origin).status == 403


def test_our_own_page_is_answered(ask: Any) -> None:
    assert ask("/api/stats", origin="http://localhost:8000", sec_fetch_site="same-origin").status == 200
    assert ask("/api/stats", sec_fetch_site="cross-site").status == 403


@pytest.mark.parametrize("target", ["/api/stats", "/", "/nothing", "/api/search", "/api/concepts/%zz"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_every_answer_carries_the_headers(ask: Any, target: str, method: str) -> None:
    reply = ask(target, method)
    wanted = {name.lower(): value for name, value in HEADERS.items()}
    if target == "/" and method == "GET":
        wanted["cache-control"] = "no-cache"
    assert wanted.items() <= reply.headers.items()


@pytest.mark.parametrize("target", ["/api/stats?x=%zz", "/api/concepts/%", "/api/concepts/%4", "/%g0"])
def test_a_malformed_escape_is_a_bad_request(ask: Any, target: str) -> None:
    assert ask(target).status == 400


@pytest.mark.parametrize("target", ["/api/concepts/%ff", "/api/search?q=%ff"])
def test_what_is_no_utf8_is_a_bad_request(ask: Any, target: str) -> None:
    assert ask(target).status == 400


@pytest.mark.parametrize(
    "target",
    ["/../../etc/passwd", "/%2e%2e/x", "/..", "/etc/passwd", "/api", "/api/", "/api/x", "/api/concepts/a/b", "//"],
)
def test_there_is_nothing_else(ask: Any, target: str) -> None:
    assert ask(target).status in (400, 404)


def test_an_id_may_hold_anything(ask: Any, filled: Any, payload: Any) -> None:
    name = "a/b?c#d%e & 日本"
    payload["concepts"] = [{"id": name, "description": "odd"}]
    payload["relationships"] = []
    filled("ref", "register", stdin=payload)
    assert ask(f"/api/concepts/{quote(name, safe='')}").json["id"] == name
    assert ask(f"/api/concepts/{quote(name, safe='')}/neighbors").json["root"] == name


def test_the_page_says_what_is_served(ask: Any) -> None:
    reply = ask("/")
    assert reply.headers["content-type"].startswith("text/html")
    assert b"/api/search" in reply.body


def test_what_was_stored_meanwhile_is_found(ask: Any, filled: Any, payload: Any) -> None:
    assert ask("/api/search?q=okapi").json["hits"] == []
    payload["concepts"] = [{"id": "okapi", "description": "A forest giraffe."}]
    payload["relationships"] = []
    filled("ref", "register", stdin=payload)
    assert ask("/api/search?q=okapi").json["hits"][0]["id"] == "okapi"
    assert ask("/api/stats").json["vectors"] == 4


@given(target=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
def test_no_address_makes_it_fail(ask: Any, target: str) -> None:
    assert ask(f"/{target}").status in (200, 400, 404)
    assert ask(f"/api/{target}").status in (200, 400, 404)
