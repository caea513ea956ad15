"""What a model folder says is read, and what it lacks is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from embed.onnx import tiny
from trivium.embed.onnx.files import choose, is_folder, read_folder
from trivium.errors import ConfigError, EmbedderError


def test_a_bare_folder_has_defaults(tmp_path: Path) -> None:
    files = read_folder(tiny.folder(tmp_path), {})
    assert Path(files.model) == tmp_path / "model.onnx"
    assert (files.pooling, files.max_tokens, files.query_prefix, files.passage_prefix, files.dim) == (
        "",
        512,
        "",
        "",
        0,
    )


def test_the_files_of_sentence_transformers_are_heeded(tmp_path: Path) -> None:
    folder = tiny.folder(
        tmp_path,
        config_json={"hidden_size": 4, "max_position_embeddings": 514, "model_type": "xlm-roberta"},
        sentence_bert_config_json={"max_seq_length": 128},
        config_sentence_transformers_json={"prompts": {"query": "query: ", "document": "passage: "}},
        modules_json=[
            {"type": "sentence_transformers.models.Transformer"},
            {"type": "sentence_transformers.models.Dense"},
        ],
        **{"1_Pooling__config_json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}},
    )
    files = read_folder(folder, {})
    assert (files.pooling, files.max_tokens, files.dim) == ("cls", 128, 4)
    assert (files.query_prefix, files.passage_prefix) == ("query: ", "passage: ")
    assert files.unknown_modules == ("Dense",)


def test_options_win_over_the_files(tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path, config_sentence_transformers_json={"prompts": {"query": "find: "}})
    files = read_folder(folder, {"query_prefix": "", "passage_prefix": "p: ", "pooling": "max", "max_tokens": "64"})
    assert files[2:6] == ("max", 64, "", "p: ")


@pytest.mark.parametrize(
    ("config", "limit"),
    [
        ({"max_position_embeddings": 514, "model_type": "xlm-roberta"}, 512),
        ({"max_position_embeddings": 256, "model_type": "bert"}, 256),
        ({"max_position_embeddings": 8192, "model_type": "bert"}, 512),
        ({"max_position_embeddings": None}, 512),
    ],
)
def test_the_length_is_limited_by_the_positions(tmp_path: Path, config: dict[str, object], limit: int) -> None:
    assert read_folder(tiny.folder(tmp_path, config_json=config), {}).max_tokens == limit


def test_a_tokenizer_without_a_limit_states_none(tmp_path: Path) -> None:
    assert read_folder(tiny.folder(tmp_path, tokenizer_config_json={"model_max_length": 10**30}), {}).max_tokens == 512


def test_more_tokens_than_the_model_takes_are_refused(tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path, sentence_bert_config_json={"max_seq_length": 128})
    with pytest.raises(ConfigError, match="at most 128"):
        read_folder(folder, {"max_tokens": "129"})


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["model.onnx", "onnx/model_O4.onnx"], "model.onnx"),
        (["onnx/model.onnx", "onnx/model_quantized.onnx"], "onnx/model.onnx"),
        (["readme.md", "onnx/model_int8.onnx"], "onnx/model_int8.onnx"),
    ],
)
def test_the_graph_with_the_usual_name_is_taken(names: list[str], chosen: str) -> None:
    assert choose(names) == chosen


def test_a_graph_can_be_named() -> None:
    assert choose(["model.onnx", "onnx/model_O4.onnx"], "onnx/model_O4.onnx") == "onnx/model_O4.onnx"
    with pytest.raises(EmbedderError, match=r"'other\.onnx'") as caught:
        choose(["model.onnx"], "other.onnx")
    assert caught.value.details == ("model.onnx",)


def test_none_or_too_many_graphs_are_reported() -> None:
    with pytest.raises(EmbedderError, match="no ONNX file"):
        choose(["model.safetensors"])
    with pytest.raises(EmbedderError, match="several") as caught:
        choose(["a.onnx", "b.onnx"])
    assert caught.value.details == ("a.onnx", "b.onnx")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="no model folder"):
        read_folder(str(tmp_path / "none"), {})
    tiny.folder(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(EmbedderError, match=r"no tokenizer\.json"):
        read_folder(str(tmp_path), {})
    assert is_folder(str(tmp_path))
    assert not is_folder(str(tmp_path / "none"))


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    tiny.folder(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(EmbedderError, match=r"config\.json"):
        read_folder(str(tmp_path), {})


@pytest.mark.parametrize(
    "config",
    [{"pooling_mode_weightedmean_tokens": True}, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}],
)
def test_unknown_pooling_is_reported_and_can_be_overruled(tmp_path: Path, config: dict[str, bool]) -> None:
    folder = tiny.folder(tmp_path, **{"1_Pooling__config_json": config})
    with pytest.raises(EmbedderError, match="pools"):
        read_folder(folder, {})
    assert read_folder(folder, {"pooling": "mean"}).pooling == "mean"


def test_a_pooling_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="mean, cls, max, last"):
        read_folder(tiny.folder(tmp_path), {"pooling": "median"})
