"""The default embedder: sixteen languages, 512 dimensions, ready in milliseconds."""

from __future__ import annotations

from trivium.embed import arrays
from trivium.embed.use import cache
from trivium.embed.use.pack import DIM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trivium.embed.base import Progress
    from trivium.embed.use.batch import BatchForward
    from trivium.embed.use.forward import Forward
    from trivium.embed.use.pack import Pack
    from trivium.embed.use.tokenizer import Tokenizer

ID = "use-multilingual-3/0.2.1"
_MANY_TEXTS = 64
_MANY_TOKENS = 500  # from here on importing numpy costs less than it saves


class UseEmbedder:
    """Universal sentence encoder, multilingual v3; nothing is read, or prepared, before the first text."""

    id = ID
    dim = DIM
    is_remote = False

    def __init__(self, cache_dir: str, on_prepare: Progress | None = None) -> None:
        self._cache_dir = cache_dir
        self._on_prepare = on_prepare
        self._pack: Pack | None = None
        self._tokenizer: Tokenizer | None = None
        self._few: Forward | None = None
        self._many: BatchForward | None = None

    def embed(
        self, texts: Sequence[str], *, is_query: bool = False, on_progress: Progress | None = None
    ) -> list[bytes]:
        """See `Embedder.embed`; queries and passages are treated alike. The whole of a text counts, however long."""
        vectors: list[bytes] = []
        if not texts:
            return vectors
        for group in self._groups(texts):
            vectors += group
            if on_progress is not None:
                on_progress(len(vectors), len(texts))
        return vectors

    def _groups(self, texts: Sequence[str]) -> Iterator[list[bytes]]:
        encode = self._tokens().encode
        if len(texts) > _MANY_TEXTS:
            return self._batched(map(encode, texts))
        ids = list(map(encode, texts))
        if arrays.is_loaded() or sum(map(len, ids)) > _MANY_TOKENS:
            return self._batched(ids)
        return self._one_by_one(ids)

    def _one_by_one(self, texts: Iterable[Sequence[int]]) -> Iterator[list[bytes]]:
        if self._few is None:
            from trivium.embed.use.forward import Forward

            self._few = Forward(self._opened())
        vector = self._few.vector
        return ([vector(ids)] for ids in texts)

    def _batched(self, texts: Iterable[Sequence[int]]) -> Iterator[list[bytes]]:
        if self._many is None:
            from trivium.embed.use.batch import BatchForward

            self._many = BatchForward(self._opened())
        return self._many.vectors(texts)

    def _tokens(self) -> Tokenizer:
        if self._tokenizer is None:
            from trivium.embed.use.tokenizer import Tokenizer

            self._tokenizer = Tokenizer(self._opened())
        return self._tokenizer

    def _opened(self) -> Pack:
        if self._pack is None:
            self._pack = cache.open_pack(self._cache_dir, self._on_prepare)
        return self._pack


def prefetch(cache_dir: str, on_progress: Progress | None = None) -> dict[str, object]:
    """Make the pack ahead of its use, or check every byte of the one there is and make it again if one is wrong.

    Returns `embedder`, `cache_dir`, `is_new`, `bytes`. Raises `EmbedderError` when the folder cannot be written.
    """
    import os

    from trivium.embed.use import pack
    from trivium.errors import EmbedderError

    path = cache.path_in(cache_dir)
    is_new = not pack.is_intact(path)
    if is_new:
        try:
            if os.path.exists(path):
                os.unlink(path)
            cache.make(cache_dir, on_progress)
        except OSError as error:
            raise EmbedderError(
                f"The default embedder cannot be prepared in {os.path.dirname(path)}: {error.strerror or error}",
                hint="Choose a cache folder that can be written; until then a temporary folder is used",
            ) from error
    return {"embedder": ID, "cache_dir": cache_dir, "is_new": is_new, "bytes": os.path.getsize(path)}
