"""An endpoint is asked in batches, patiently, and never told on."""

from __future__ import annotations

import math
import socket
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from embed.conftest import Answer, Asked, Server
from trivium.embed.remote import RemoteEmbedder
from trivium.errors import ConfigError, EmbedderError

KEY = "sk-very-secret-key"


def _vector(text: str, dim: int = 4) -> list[float]:
    return [float(len(text) + 1), float(ord(text[0])), *[1.0] * (dim - 2)]


def _good(asked: Asked) -> Answer:
    rows = [{"index": index, "embedding": _vector(text)} for index, text in enumerate(asked.body["input"])]
    return Answer(200, {"object": "list", "data": rows[::-1]})


def _after(failures: list[Answer]) -> Callable[[Asked], Answer]:
    """Answers with each of these first, then well."""

    def reply(asked: Asked) -> Answer:
        return failures.pop(0) if failures else _good(asked)

    return reply


@pytest.fixture
def opened(server: Server, tmp_path: Path) -> Callable[..., RemoteEmbedder]:
    def make(**options: str) -> RemoteEmbedder:
        given = {"endpoint": server.url + "/v1", "api_key": KEY, "backoff_s": "0.001", "timeout_s": "5"}
        return RemoteEmbedder("some-model", str(tmp_path), given | options)

    server.reply = _good
    return make


def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(
    server: Server, opened: Callable[..., RemoteEmbedder]
) -> None:
    texts = [chr(97 + number) * (number + 1) for number in range(7)]
    told: list[tuple[int, int]] = []
    vectors = opened(batch_size="3").embed(texts, on_progress=lambda done, total: told.append((done, total)))
    for text, vector in zip(texts, vectors, strict=True):
        expected = _vector(text)
        length = math.hypot(*expected)
        assert array("f", vector).tolist() == pytest.approx([value / length for value in expected], abs=1e-6)
    assert told == [(3, 7), (6, 7), (7, 7)]
    assert [len(asked.body["input"]) for asked in server.asked] == [3, 3, 1]


def test_the_request_is_that_of_the_api(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    opened(dimensions="4").embed(["one"])
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/embeddings")
    assert asked.body == {"model": "some-model", "input": ["one"], "encoding_format": "float", "dimensions": 4}
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    opened(api_key="").embed(["one"])
    assert "authorization" not in server.asked[0].headers


def test_prefixes_are_put_before_queries_and_passages(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    embedder = opened(query_prefix="query: ", passage_prefix="passage: ")
    embedder.embed(["one"])
    embedder.embed(["one"], is_query=True)
    assert [asked.body["input"] for asked in server.asked] == [["passage: one"], ["query: one"]]
    assert embedder.id != opened().id


def test_odd_texts_can_be_sent(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    assert len(opened().embed(["", "a\ud800b", "\0"])) == 3
    assert server.asked[0].body["input"] == [" ", "a\ufffdb", "\0"]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(server: Server, opened: Callable[..., RemoteEmbedder], status: int) -> None:
    server.reply = _after([Answer(status, {"error": {"message": "busy"}}), Answer(status, b"busy")])
    assert len(opened().embed(["one"])) == 1
    assert len(server.asked) == 3


def test_the_wait_that_a_server_asks_for_is_kept(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    for wait in ("0.01", "Wed, 21 Oct 2015 07:28:00 GMT", "-5"):
        server.reply = _after([Answer(429, b"", {"Retry-After": wait})])
        assert len(opened().embed(["one"])) == 1


def test_what_does_not_pass_is_given_up_with_the_reason(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    server.reply = lambda _: Answer(503, {"error": {"message": "overloaded"}})
    with pytest.raises(EmbedderError, match="503: overloaded, 3 times"):
        opened(retries="2").embed(["one"])
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "advice"),
    [(400, "name of the model"), (401, "THE_KEY"), (403, "THE_KEY"), (404, "/v1"), (302, "endpoint")],
)
def test_what_cannot_pass_is_not_tried_again(
    server: Server, opened: Callable[..., RemoteEmbedder], status: int, advice: str
) -> None:
    server.reply = lambda _: Answer(status, {"error": "no"}, {"Location": "http://127.0.0.1:9/"})
    with pytest.raises(EmbedderError, match=str(status)) as caught:
        opened(api_key_variable="THE_KEY").embed(["one"])
    assert advice in caught.value.hint
    assert len(server.asked) == 1


@pytest.mark.parametrize("body", [{"error": {"message": f"Incorrect key {KEY}"}}, {"detail": KEY}, KEY.encode(), [KEY]])
def test_the_key_is_in_no_message(server: Server, opened: Callable[..., RemoteEmbedder], body: object) -> None:
    server.reply = lambda _: Answer(401, body)
    with pytest.raises(EmbedderError) as caught:
        opened().embed(["one"])
    error = caught.value
    assert KEY not in " ".join((error.message, error.hint, *error.details, str(error), repr(error)))
    assert "***" in error.message


def test_credentials_in_the_url_are_shown_nowhere(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    server.reply = lambda _: Answer(400, b"no")
    embedder = opened(endpoint=server.url.replace("http://", "http://user:password@") + "/v1")
    assert "password" not in embedder.id
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["one"])
    assert "password" not in caught.value.message


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, b"<html>"),
        Answer(200, []),
        Answer(200, {"data": []}),
        Answer(200, {"data": [{"index": 0}]}),
        Answer(200, {"data": [{"index": 1, "embedding": [1.0]}]}),
        Answer(200, {"data": [[1.0]]}),
        Answer(200, {"data": [{"index": 0, "embedding": "text"}]}),
        Answer(200, {"data": [{"index": 0, "embedding": ["1"]}]}),
        Answer(200, {"data": [{"index": 0, "embedding": [0.0, 0.0]}]}),
        Answer(200, b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'),
        Answer(200, {"data": [{"index": 0, "embedding": []}]}),
    ],
)
def test_a_wrong_answer_is_an_error_with_advice(
    server: Server, opened: Callable[..., RemoteEmbedder], answer: Answer
) -> None:
    server.reply = lambda _: answer
    with pytest.raises(EmbedderError, match=r"some-model.*answered") as caught:
        opened().embed(["one"])
    assert caught.value.hint


def test_the_dimensions_are_asked_once_and_remembered(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    assert opened().dim == 4
    assert opened().dim == 4
    assert len(server.asked) == 1


def test_other_dimensions_than_before_are_refused(server: Server, opened: Callable[..., RemoteEmbedder]) -> None:
    opened().embed(["one"])
    server.reply = lambda _: Answer(200, {"data": [{"index": 0, "embedding": _vector("one", 6)}]})
    with pytest.raises(EmbedderError, match="6 dimensions where there were 4"):
        opened().embed(["one"])
    assert opened().dim == 6


def test_where_nothing_can_be_remembered_it_works_all_the_same(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    server.reply = _good
    embedder = RemoteEmbedder("some-model", str(tmp_path / "file" / "cache"), {"endpoint": server.url})
    assert embedder.dim == 4


def test_nobody_there_is_an_error_after_the_retries(opened: Callable[..., RemoteEmbedder]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(EmbedderError, match=r"did not answer.*2 times") as caught:
            opened(endpoint=url, retries="1").embed(["one"])
    assert "is up" in caught.value.hint


def test_silence_ends_with_the_timeout(opened: Callable[..., RemoteEmbedder]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(EmbedderError, match="ReadTimeout"):
            opened(endpoint=url, retries="0", timeout_s="0.05").embed(["one"])


@pytest.mark.parametrize(
    "endpoint", ["localhost:11434", "ftp://host/v1", "http://", "http://host/v1?key=1", "not a url"]
)
def test_an_endpoint_that_cannot_be_is_refused(tmp_path: Path, endpoint: str) -> None:
    with pytest.raises(ConfigError, match="http://localhost:11434/v1"):
        RemoteEmbedder("some-model", str(tmp_path), {"endpoint": endpoint})


def test_the_endpoint_may_be_written_to_its_end(tmp_path: Path) -> None:
    ids = {
        RemoteEmbedder("m", str(tmp_path), {"endpoint": text}).id
        for text in ("http://host/v1", "http://host/v1/", "http://host/v1/embeddings")
    }
    assert ids == {"openai/m@host/v1"}
