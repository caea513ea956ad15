"""What the files of a model say: which graph to run, how to pool, how long a text may be and how it begins."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from trivium.embed.options import choice, prefixes, whole
from trivium.errors import ConfigError, EmbedderError

POOLINGS = ("mean", "cls", "max", "last")
# The first of these that a folder has is run unless the option `file` names another.
PREFERRED = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
SIDE_FILES = (
    "tokenizer.json",
    "config.json",
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "1_Pooling/config.json",
)
_DEFAULT_MAX_TOKENS = 512
_UNREASONABLE_TOKENS = 1 << 20  # tokenizers without a limit state a very large one
_POSITION_OFFSETS = {"xlm-roberta": 2, "roberta": 2, "camembert": 2}  # positions these keep for padding
_KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")


class ModelFiles(NamedTuple):
    """A model to run; `pooling` is "" where the files do not say, `dim` is 0 where only running it tells."""

    model: str
    tokenizer: str
    pooling: str
    max_tokens: int
    query_prefix: str
    passage_prefix: str
    dim: int
    unknown_modules: tuple[str, ...] = ()


def is_folder(name: str) -> bool:
    """Whether the name is a folder here rather than an id on a hub."""
    return os.path.isdir(os.path.expanduser(name))


def choose(names: Iterable[str], wanted: str = "") -> str:
    """Which of these files is the graph to run; raises `EmbedderError` when it is none or cannot be told."""
    graphs = sorted(name for name in names if name.endswith(".onnx"))
    if wanted:
        if wanted in graphs:
            return wanted
        raise EmbedderError(f"The model has no file {wanted!r}", details=graphs, hint="Correct the option 'file'")
    for name in PREFERRED:
        if name in graphs:
            return name
    if len(graphs) == 1:
        return graphs[0]
    if graphs:
        raise EmbedderError(
            "The model has several ONNX files, none with a usual name",
            details=graphs,
            hint="Name one of them with the option 'file'",
        )
    raise EmbedderError(
        "The model has no ONNX file",
        hint="Export it first, for example with 'optimum-cli export onnx', or choose another",
    )


def read_folder(folder: str, options: Mapping[str, str]) -> ModelFiles:
    """Read a model folder laid out as sentence-transformers and optimum write it.

    Raises `EmbedderError` when a file is missing or cannot be read, `ConfigError` for an option that cannot be.
    """
    folder = os.path.abspath(os.path.expanduser(folder))
    names = [name for name in ("", "onnx") for name in _listed(folder, name)]
    model = choose(names, options.get("file", "").replace(os.sep, "/"))
    tokenizer = os.path.join(folder, "tokenizer.json")
    if not os.path.isfile(tokenizer):
        raise EmbedderError(
            f"The model folder has no tokenizer.json: {folder}",
            hint="Save the fast tokenizer of the model into the folder (its own repository has it)",
        )
    config = _object(folder, "config.json")
    prompts = _object(folder, "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    before_query, before_passage = prefixes(
        options, str(prompts.get("query", "")), str(prompts.get("passage", prompts.get("document", "")))
    )
    modules = _json(folder, "modules.json")
    return ModelFiles(
        model=os.path.join(folder, *model.split("/")),
        tokenizer=tokenizer,
        pooling=_pooling(folder, options),
        max_tokens=_max_tokens(folder, config, options),
        query_prefix=before_query,
        passage_prefix=before_passage,
        dim=config["hidden_size"] if isinstance(config.get("hidden_size"), int) else 0,
        unknown_modules=tuple(
            kind
            for kind in (
                str(module.get("type", "")).rpartition(".")[2] for module in modules or () if isinstance(module, dict)
            )
            if kind not in _KNOWN_MODULES
        ),
    )


def _listed(folder: str, inside: str) -> list[str]:
    try:
        found = os.listdir(os.path.join(folder, inside))
    except FileNotFoundError:
        if inside:
            return []
        raise EmbedderError(f"There is no model folder {folder}") from None
    except OSError as error:
        raise EmbedderError(f"The model folder cannot be read: {folder} ({error.strerror})") from error
    return [f"{inside}/{name}" if inside else name for name in found]


def _json(folder: str, name: str) -> Any:
    """The content of a JSON file, none when there is no such file."""
    path = os.path.join(folder, *name.split("/"))
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise EmbedderError(f"A file of the model cannot be read: {path}: {error}") from error


def _object(folder: str, name: str) -> dict[str, Any]:
    found = _json(folder, name)
    return found if isinstance(found, dict) else {}


def _pooling(folder: str, options: Mapping[str, str]) -> str:
    if options.get("pooling"):
        return choice(options, "pooling", "", POOLINGS)
    config = _object(folder, "1_Pooling/config.json")
    modes = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    known = {
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_cls_token": "cls",
        "pooling_mode_max_tokens": "max",
        "pooling_mode_lasttoken": "last",
    }
    if not modes:
        return ""
    if len(modes) > 1 or modes[0] not in known:
        raise EmbedderError(
            f"The model pools in a way that is not known here: {', '.join(modes)}",
            hint=f"Set the option 'pooling' to one of {', '.join(POOLINGS)}, or choose another model",
        )
    return known[modes[0]]


def _max_tokens(folder: str, config: Mapping[str, Any], options: Mapping[str, str]) -> int:
    """The shortest of the limits that the files state; a text over it is embedded in parts."""
    stated = [
        _object(folder, "sentence_bert_config.json").get("max_seq_length"),
        _object(folder, "tokenizer_config.json").get("model_max_length"),
    ]
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int):
        stated.append(positions - _POSITION_OFFSETS.get(str(config.get("model_type")), 0))
    limits = [int(limit) for limit in stated if isinstance(limit, int | float) and 8 <= limit < _UNREASONABLE_TOKENS]
    limit = min(limits, default=_DEFAULT_MAX_TOKENS)
    wanted = whole(options, "max_tokens", min(limit, _DEFAULT_MAX_TOKENS), 8, _UNREASONABLE_TOKENS)
    if limits and wanted > limit:
        raise ConfigError(f"Embedder option 'max_tokens' is {wanted}, the model takes at most {limit}")
    return wanted
