"""Models from a hub, fetched once into the cache and never looked up again: the next process needs no network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from trivium.embed.onnx.files import SIDE_FILES, choose
from trivium.errors import ConfigError, EmbedderError, MissingExtraError

if TYPE_CHECKING:
    from trivium.embed.base import Progress

INSTALL = "pip install 'trivium[onnx]'"
_TIMEOUT_S = 5.0
_ID_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


def local_snapshot(name: str, cache_dir: str, options: Mapping[str, str]) -> str | None:
    """The folder of a model that has been fetched whole, none when it has not."""
    note = _note(name, cache_dir, options)
    try:
        with open(note, encoding="utf-8") as stream:
            found = json.load(stream)
        folder = os.path.join(os.path.dirname(note), found["commit"])
        is_whole = all(
            os.path.getsize(os.path.join(folder, *file.split("/"))) == size for file, size in found["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return folder if is_whole else None


def snapshot_bytes(name: str, cache_dir: str, options: Mapping[str, str]) -> int:
    """How much of the cache a fetched model takes."""
    folder = local_snapshot(name, cache_dir, options)
    if folder is None:
        return 0
    return sum(os.path.getsize(os.path.join(path, file)) for path, _, files in os.walk(folder) for file in files)


def snapshot(name: str, cache_dir: str, options: Mapping[str, str], on_prepare: Progress | None = None) -> str:
    """The folder of a model by its hub id, fetched first where it is not there; `on_prepare` counts bytes.

    Options: `revision` (a branch, tag or commit; main), `file` (the graph), `hub_endpoint` (a mirror). The first
    request fails within seconds where there is no network. Raises `EmbedderError`.
    """
    found = local_snapshot(name, cache_dir, options)
    if found is not None:
        return found
    try:
        from huggingface_hub import HfApi, hf_hub_download, utils
        from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
    except ImportError as error:
        raise MissingExtraError("A model from a hub needs the package huggingface_hub", hint=INSTALL) from error
    endpoint = options.get("hub_endpoint") or None
    # The first base of that error is the root of the errors of whatever HTTP library is in use.
    failures: tuple[type[Exception], ...] = (OSError, ValueError, *HfHubHTTPError.__bases__)
    bars: Any = utils
    revision = options.get("revision") or "main"
    note = _note(name, cache_dir, options)
    was_quiet = bars.are_progress_bars_disabled()
    try:
        about = HfApi(endpoint=endpoint).model_info(name, revision=revision, timeout=_TIMEOUT_S, files_metadata=True)
        sizes = {file.rfilename: int(file.size or 0) for file in about.siblings or ()}
        wanted = _wanted(sizes, options.get("file", ""))
        folder = os.path.join(os.path.dirname(note), str(about.sha))
        os.makedirs(folder, exist_ok=True)
        bars.disable_progress_bars()
        done, total = 0, sum(sizes[file] for file in wanted)
        for file in wanted:
            if on_prepare is not None:
                on_prepare(done, total)
            hf_hub_download(
                name, file, revision=about.sha, local_dir=folder, endpoint=endpoint, etag_timeout=_TIMEOUT_S
            )
            done += sizes[file]
        _write_note(note, {"commit": about.sha, "files": {file: sizes[file] for file in wanted}})
    except OfflineModeIsEnabled as error:
        raise _unreachable(name, note, "offline mode is set (HF_HUB_OFFLINE)") from error
    except failures as error:
        raise _unreachable(name, note, f"{type(error).__name__}: {error}") from error
    finally:
        if not was_quiet:
            bars.enable_progress_bars()
    if on_prepare is not None:
        on_prepare(total, total)
    return folder


def _wanted(names: Iterable[str], file: str) -> list[str]:
    """The files to fetch, small ones first; raises `EmbedderError` before any of them is when one is lacking."""
    names = list(names)
    graph = choose(names, file)
    if "tokenizer.json" not in names:
        raise EmbedderError(
            "The model has no tokenizer.json",
            hint="Choose a model with a fast tokenizer, or make a local folder that has one",
        )
    stem = graph.removesuffix(".onnx")
    data = [name for name in names if name.startswith(stem) and ("_data" in name or name.endswith(".data"))]
    return [name for name in SIDE_FILES if name in names] + sorted(data) + [graph]


def _note(name: str, cache_dir: str, options: Mapping[str, str]) -> str:
    """The file that says which commit was fetched; raises `ConfigError` for a name that no hub model has."""
    parts = name.split("/")
    if len(parts) > 2 or not all(part.strip(".") and _ID_LETTERS.issuperset(part) for part in parts):
        raise ConfigError(
            f"Neither a folder nor a hub id: {name!r}",
            hint="Give the path of a folder that exists, or an id such as 'intfloat/multilingual-e5-small'",
        )
    revision = "".join(letter if letter in _ID_LETTERS else "_" for letter in options.get("revision") or "main")
    graph = "".join(letter if letter in _ID_LETTERS else "_" for letter in options.get("file", ""))
    return os.path.join(cache_dir, "embed", "hub", "--".join(parts), f"{revision}{'-' if graph else ''}{graph}.json")


def _write_note(note: str, content: dict[str, Any]) -> None:
    new = f"{note}.{os.getpid()}"
    with open(new, "w", encoding="utf-8") as stream:
        json.dump(content, stream)
    os.replace(new, note)


def _unreachable(name: str, note: str, reason: str) -> EmbedderError:
    return EmbedderError(
        f"The model {name!r} is not in the cache and could not be fetched: {reason.splitlines()[0]}",
        details=(f"Looked for it in {os.path.dirname(note)}",),
        hint="Check the id and the network, or give the path of a local folder with the model instead of its id",
    )
