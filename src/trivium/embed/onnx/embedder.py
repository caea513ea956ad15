"""Runs a sentence embedding graph: tokens in batches of like length, pooled, scaled to unit length."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trivium.embed.arrays import numpy
from trivium.embed.base import well_formed
from trivium.embed.onnx import files as model_files
from trivium.embed.onnx.files import ModelFiles
from trivium.embed.options import whole
from trivium.errors import EmbedderError, MissingExtraError

if TYPE_CHECKING:
    from trivium.embed.base import Embedder, Progress

INSTALL = "pip install 'trivium[onnx]'"
_BATCH_TOKENS = 2048  # padding included
_BATCH_TEXTS = 32
# Raised by onnxruntime without a class above them.
_RUNTIME_ERRORS = (
    "EPFail",
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "NoModel",
    "NoSuchFile",
    "NotImplemented",
    "RuntimeException",
)


def open_onnx(name: str, cache_dir: str, options: Mapping[str, str], on_prepare: Progress | None) -> Embedder:
    """The embedder of a local folder or a hub id; raises `EmbedderError` when there is no such model or no network."""
    from trivium.embed.onnx.identity import model_digest

    if model_files.is_folder(name):
        folder = os.path.abspath(os.path.expanduser(name))
        label = os.path.basename(folder)
    else:
        from trivium.embed.onnx import hub

        folder = hub.snapshot(name, cache_dir, options, on_prepare)
        label = name
    files = model_files.read_folder(folder, options)
    return OnnxEmbedder(f"onnx/{label}/{model_digest(files, cache_dir)}", files, options)


class OnnxEmbedder:
    """A model folder; the session is made when the first text comes."""

    is_remote = False

    def __init__(self, identity: str, files: ModelFiles, options: Mapping[str, str], *, install: str = INSTALL) -> None:
        self.id = identity
        self._files = files
        self._threads = whole(options, "threads", 0, 0, 256)
        self._install = install
        self._runner: _Runner | None = None

    @property
    def dim(self) -> int:
        """From the files of the model; found out by running it when they do not say."""
        return self._files.dim or self._ready().dim

    def embed(
        self, texts: Sequence[str], *, is_query: bool = False, on_progress: Progress | None = None
    ) -> list[bytes]:
        """See `Embedder.embed`; a text over the limit of the model is the mean of its parts weighted by tokens."""
        if not texts:
            return []
        prefix = self._files.query_prefix if is_query else self._files.passage_prefix
        vectors = self._ready().vectors([well_formed(prefix + text) for text in texts], on_progress)
        if len(vectors[0]) != 4 * self.dim:
            raise EmbedderError(
                f"The model says it has {self.dim} dimensions and gave {len(vectors[0]) // 4}",
                details=(self._files.model,),
                hint="Choose another file of the model with the option 'file'",
            )
        return vectors

    def _ready(self) -> _Runner:
        if self._runner is None:
            self._runner = _Runner(self._files, self._threads, self._install)
        return self._runner


class _Runner:
    """The loaded graph and tokenizer."""

    def __init__(self, files: ModelFiles, threads: int, install: str) -> None:
        self._np = numpy()
        self._files = files
        self._session, self._errors = _session(files.model, threads, install)
        self._tokenizer = _tokenizer(files, install)
        self._inputs = {node.name: node.type for node in self._session.get_inputs()}
        unknown = set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
        if unknown or "input_ids" not in self._inputs:
            raise EmbedderError(
                f"The graph is not a text encoder: its inputs are {', '.join(self._inputs)}", details=(files.model,)
            )
        self._output, self._pooling = self._chosen_output()
        self._is_one_by_one = _scales_by_batch(files.model)
        self.dim = files.dim or len(self.vectors(["dimensions"], None)[0]) // 4

    def _chosen_output(self) -> tuple[str, str]:
        """(name, pooling): the sentence vector of the graph unless files or options say how to pool its tokens."""
        outputs = {node.name: len(node.shape) for node in self._session.get_outputs()}
        pooled = [name for name, rank in outputs.items() if rank == 2]
        tokens = [name for name, rank in outputs.items() if rank == 3]
        if "sentence_embedding" in pooled and not self._files.pooling:
            return "sentence_embedding", ""
        if self._files.unknown_modules:
            raise EmbedderError(
                f"After its graph the model has a step not known here: {', '.join(self._files.unknown_modules)}",
                hint="Export the model with its sentence_embedding output, or choose another",
            )
        if tokens:
            return ("last_hidden_state" if "last_hidden_state" in tokens else tokens[0]), self._files.pooling or "mean"
        if len(pooled) == 1:
            return pooled[0], ""
        raise EmbedderError(
            f"The graph has no output that can be a vector of the text: {', '.join(outputs)}",
            details=(self._files.model,),
        )

    def vectors(self, texts: Sequence[str], on_progress: Progress | None) -> list[bytes]:
        """Unit vectors of the texts, in their order."""
        np = self._np
        sums: list[Any] = [0.0] * len(texts)
        waiting = [0] * len(texts)
        parts: list[tuple[int, Any]] = []
        for index, encoding in enumerate(self._tokenizer.encode_batch(list(texts))):
            of_text = [encoding, *encoding.overflowing]
            waiting[index] = len(of_text)
            parts += ((index, part) for part in of_text)
        done = 0
        for batch in self._batches(parts):
            for (index, part), vector in zip(batch, self._run([part for _, part in batch]), strict=True):
                sums[index] = sums[index] + vector * (len(part.ids) / np.linalg.norm(vector))
                waiting[index] -= 1
                done += waiting[index] == 0
            if on_progress is not None:
                on_progress(done, len(texts))
        return [self._unit(vector) for vector in sums]

    def _unit(self, vector: Any) -> bytes:
        np = self._np
        length = float(np.linalg.norm(vector))
        if not 0.0 < length < float("inf"):
            raise EmbedderError("The model gave a vector without a length", details=(self._files.model,))
        return bytes((vector / length).astype("<f4").tobytes())

    def _batches(self, parts: Sequence[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
        batch: list[tuple[int, Any]] = []
        limit = 1 if self._is_one_by_one else _BATCH_TEXTS
        for part in sorted(parts, key=lambda item: len(item[1].ids)):
            if batch and (len(batch) >= limit or (len(batch) + 1) * len(part[1].ids) > _BATCH_TOKENS):
                yield batch
                batch = []
            batch.append(part)
        if batch:
            yield batch

    def _run(self, parts: Sequence[Any]) -> Any:
        """One pooled row for each part, not yet of unit length."""
        np = self._np
        shape = (len(parts), max(1, *(len(part.ids) for part in parts)))
        mask = np.zeros(shape, np.int64)
        ids, kinds = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, part in enumerate(parts):
            size = len(part.ids)
            ids[row, :size], mask[row, :size], kinds[row, :size] = part.ids, 1, part.type_ids
        given = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": kinds,
            "position_ids": np.maximum(np.cumsum(mask, axis=1) - 1, 0),
        }
        feed = {
            name: given[name].astype(np.int32) if kind == "tensor(int32)" else given[name]
            for name, kind in self._inputs.items()
        }
        try:
            (output,) = self._session.run([self._output], feed)
        except self._errors as error:
            raise EmbedderError(f"The model failed: {error}", details=(self._files.model,)) from error
        return _pooled(np, output.astype(np.float32, copy=False), mask, self._pooling)


def _pooled(np: Any, output: Any, mask: Any, pooling: str) -> Any:
    if not pooling:
        return output
    if pooling == "cls":
        return output[:, 0]
    if pooling == "last":
        return output[np.arange(len(output)), np.maximum(mask.sum(axis=1) - 1, 0)]
    if pooling == "max":
        return np.where(mask[..., None] == 1, output, -np.inf).max(axis=1)
    return np.einsum("btd,bt->bd", output, mask.astype(np.float32)) / np.maximum(mask.sum(axis=1), 1)[:, None]


def _session(model: str, threads: int, install: str) -> tuple[Any, tuple[type[BaseException], ...]]:
    """The graph on the processor, and what running it may raise."""
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as state
    except ImportError as error:
        raise MissingExtraError("ONNX models need the package onnxruntime", hint=install) from error
    errors = tuple(getattr(state, name) for name in _RUNTIME_ERRORS if hasattr(state, name))
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    settings.log_severity_level = 3
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads burn processor time
    try:
        session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    except errors as error:
        raise EmbedderError(
            f"The model cannot be loaded: {model}",
            details=(str(error),),
            hint="Fetch the file again; it may be cut short, or be a pointer to a large file that was not fetched",
        ) from error
    return session, errors


def _tokenizer(files: ModelFiles, install: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("ONNX models need the package tokenizers", hint=install) from error
    try:
        tokenizer = Tokenizer.from_file(files.tokenizer)
    except BaseException as error:
        if type(error) is not Exception:  # the one class that tokenizers raises
            raise
        raise EmbedderError(f"The tokenizer cannot be loaded: {files.tokenizer}", details=(str(error),)) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(files.max_tokens, stride=0)
    return tokenizer


def _scales_by_batch(model: str) -> bool:
    """Whether the graph scales activations over a whole batch, so that neighbours would change the vector of a text."""
    import mmap

    with open(model, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(b"DynamicQuantizeLinear") >= 0
