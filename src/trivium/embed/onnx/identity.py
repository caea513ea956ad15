"""What a model is called: a digest of its files and of the settings that change its vectors."""

from __future__ import annotations

import hashlib
import json
import os

from trivium.embed.onnx.files import ModelFiles
from trivium.errors import EmbedderError


def model_digest(files: ModelFiles, cache_dir: str) -> str:
    """Twelve hexadecimal digits. Large files are hashed once: the hash is kept in the cache by path, size and time."""
    total = hashlib.sha256()
    for path in (*_graph_files(files.model), files.tokenizer):
        total.update(file_digest(path, cache_dir).encode())
    settings = (files.pooling, files.max_tokens, files.query_prefix, files.passage_prefix)
    total.update(json.dumps(settings).encode())
    return total.hexdigest()[:12]


def _graph_files(model: str) -> list[str]:
    """The graph, and the files beside it that hold its weights when they are too large for it."""
    folder, name = os.path.split(model)
    stem = name.removesuffix(".onnx")
    beside = sorted(
        other
        for other in os.listdir(folder)
        if other.startswith(stem) and ("_data" in other or other.endswith(".data"))
    )
    return [model, *(os.path.join(folder, other) for other in beside)]


def file_digest(path: str, cache_dir: str) -> str:
    """The sha256 of a file; raises `EmbedderError` when it cannot be read."""
    try:
        state = os.stat(path)
        key = f"{os.path.realpath(path)}\n{state.st_size}\n{state.st_mtime_ns}"
        note = os.path.join(cache_dir, "embed", "digests", hashlib.sha256(key.encode()).hexdigest()[:32])
        kept = _read(note)
        if kept:
            return kept
        with open(path, "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"A file of the model cannot be read: {path} ({error.strerror})") from error
    _keep(note, digest)
    return digest


def _read(note: str) -> str:
    try:
        with open(note, encoding="ascii") as stream:
            text = stream.read()
    except (OSError, ValueError):
        return ""
    return text if len(text) == 64 else ""


def _keep(note: str, digest: str) -> None:
    """Write a note for the next process; without one, that process reads the file again."""
    try:
        os.makedirs(os.path.dirname(note), exist_ok=True)
        new = f"{note}.{os.getpid()}"
        with open(new, "w", encoding="ascii") as stream:
            stream.write(digest)
        os.replace(new, note)
    except OSError:
        return
