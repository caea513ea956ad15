"""Graphs are run as their files say; every vector is that of the text alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from embed.onnx import tiny
from trivium.embed.base import Embedder
from trivium.embed.onnx.embedder import open_onnx
from trivium.errors import ConfigError, EmbedderError

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

TABLE = np.array(tiny.table(), np.float32)


def _rows(*words: str) -> np.ndarray:
    return TABLE[[tiny.WORDS.index(word) for word in words]]


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Embedder]:
    def make(kind: str = "tokens", options: dict[str, str] | None = None, **files: object) -> Embedder:
        folder = tiny.folder(tmp_path / "tiny-model", kind, **files)
        return open_onnx(folder, str(tmp_path / "cache"), options or {}, None)

    return make


def _vector(embedder: Embedder, text: str, *, is_query: bool = False) -> np.ndarray:
    return np.frombuffer(embedder.embed([text], is_query=is_query)[0], "<f4")


def test_the_identity_names_the_folder_and_a_digest(opened: Callable[..., Embedder]) -> None:
    embedder = opened()
    kind, name, digest = embedder.id.split("/")
    assert (kind, name, len(digest)) == ("onnx", "tiny-model", 12)
    assert embedder.dim == 4
    assert not embedder.is_remote


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", _rows("[CLS]", "one", "two", "[SEP]").mean(axis=0)),
        ("cls", _rows("[CLS]")[0]),
        ("last", _rows("[SEP]")[0]),
        ("max", _rows("[CLS]", "one", "two", "[SEP]").max(axis=0)),
        ("", _rows("[CLS]", "one", "two", "[SEP]").mean(axis=0)),
    ],
)
def test_tokens_are_pooled(opened: Callable[..., Embedder], pooling: str, expected: np.ndarray) -> None:
    embedder = opened(options={"pooling": pooling})
    texts = ["five", "one two", "three four five six one"]
    together = np.frombuffer(embedder.embed(texts)[1], "<f4")
    assert np.allclose(together, _unit(expected), atol=1e-6)
    assert np.allclose(_vector(embedder, "one two"), together, atol=1e-6)


def test_a_graph_that_pools_itself_is_believed_unless_told_otherwise(opened: Callable[..., Embedder]) -> None:
    texts = ["one", "one two three"]
    pooled = opened("pooled").embed(texts)
    assert np.allclose(
        np.frombuffer(pooled[1], "<f4"), _unit(_rows("[CLS]", "one", "two", "three", "[SEP]").mean(axis=0))
    )
    assert np.allclose(_vector(opened("pooled", {"pooling": "cls"}), "one"), _unit(_rows("[CLS]")[0]))


def test_prefixes_are_put_before_queries_and_passages(opened: Callable[..., Embedder]) -> None:
    embedder = opened(options={"query_prefix": "query: ", "passage_prefix": "passage: "})
    plain = opened()
    assert np.allclose(_vector(embedder, "one", is_query=True), _vector(plain, "query: one"))
    assert np.allclose(_vector(embedder, "one"), _vector(plain, "passage: one"))
    assert embedder.id != plain.id


def test_a_text_over_the_limit_is_the_mean_of_its_parts(opened: Callable[..., Embedder]) -> None:
    embedder = opened(options={"max_tokens": "8"})
    found = _vector(embedder, "one two three four five six one two")
    first = _rows("[CLS]", "one", "two", "three", "four", "five", "six", "[SEP]").mean(axis=0)
    second = _rows("[CLS]", "one", "two", "[SEP]").mean(axis=0)
    assert np.allclose(found, _unit(8 * _unit(first) + 4 * _unit(second)), atol=1e-6)


def test_many_texts_of_all_lengths_come_back_in_order(opened: Callable[..., Embedder]) -> None:
    embedder = opened(options={"max_tokens": "64"})
    texts = [
        " ".join((tiny.WORDS[4:] * 30)[start : start + length]) for start in range(3) for length in range(0, 200, 3)
    ]
    told: list[tuple[int, int]] = []
    together = embedder.embed(texts, on_progress=lambda done, total: told.append((done, total)))
    for text, vector in zip(texts, together, strict=True):
        assert np.allclose(np.frombuffer(vector, "<f4"), _vector(embedder, text), atol=1e-6)
    assert told[-1] == (len(texts), len(texts))
    assert told == sorted(told)
    assert len(told) > 5


def test_a_graph_that_scales_over_the_batch_gets_one_text_at_a_time(opened: Callable[..., Embedder]) -> None:
    embedder = opened("quantized")
    texts = ["one", "two three", "four five six"]
    assert embedder.embed(texts) == [embedder.embed([text])[0] for text in texts]


@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids", "position_ids")])
@pytest.mark.parametrize("integer", [6, 7])
def test_the_graph_gets_the_inputs_it_asks_for(
    opened: Callable[..., Embedder], tmp_path: Path, inputs: tuple[str, ...], integer: int
) -> None:
    embedder = opened()
    (tmp_path / "tiny-model" / "model.onnx").write_bytes(tiny.graph("tokens", inputs, integer))
    assert np.allclose(_vector(embedder, "one"), _unit(_rows("[CLS]", "one", "[SEP]").mean(axis=0)))


def test_a_graph_that_wants_something_else_is_refused(opened: Callable[..., Embedder], tmp_path: Path) -> None:
    embedder = opened()
    (tmp_path / "tiny-model" / "model.onnx").write_bytes(tiny.graph("tokens", ("pixel_values",)))
    with pytest.raises(EmbedderError, match="pixel_values"):
        embedder.embed(["one"])


def test_a_step_after_the_graph_is_not_left_out_in_silence(opened: Callable[..., Embedder]) -> None:
    modules = [{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Dense"}]
    with pytest.raises(EmbedderError, match="Dense"):
        opened(modules_json=modules).embed(["one"])
    assert len(opened("pooled", modules_json=modules).embed(["one"])) == 1


def test_dimensions_other_than_stated_are_refused(opened: Callable[..., Embedder]) -> None:
    with pytest.raises(EmbedderError, match="5 dimensions and gave 4"):
        opened(config_json={"hidden_size": 5}).embed(["one"])


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1"])
def test_a_broken_graph_is_named(opened: Callable[..., Embedder], tmp_path: Path, content: bytes) -> None:
    embedder = opened()
    (tmp_path / "tiny-model" / "model.onnx").write_bytes(content)
    with pytest.raises(EmbedderError, match=r"model\.onnx") as caught:
        embedder.embed(["one"])
    assert "Fetch" in caught.value.hint


@pytest.mark.parametrize("content", ["", "{}", '{"model": {"type": "WordLevel"}}'])
def test_a_broken_tokenizer_is_named(opened: Callable[..., Embedder], tmp_path: Path, content: str) -> None:
    embedder = opened()
    (tmp_path / "tiny-model" / "tokenizer.json").write_text(content)
    with pytest.raises(EmbedderError, match=r"tokenizer\.json"):
        embedder.embed(["one"])


def test_a_model_that_fails_says_so(opened: Callable[..., Embedder], tmp_path: Path) -> None:
    embedder = opened()
    wrong = tiny.tokenizer().replace('"six": 12', '"six": 1200')
    (tmp_path / "tiny-model" / "tokenizer.json").write_text(wrong)
    with pytest.raises(EmbedderError, match="failed"):
        embedder.embed(["six"])


def test_threads_are_a_number(opened: Callable[..., Embedder]) -> None:
    assert len(opened(options={"threads": "1"}).embed(["one"])) == 1
    with pytest.raises(ConfigError, match="threads"):
        opened(options={"threads": "all"})
