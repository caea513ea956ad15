"""What every embedder is: texts in, unit vectors out, under an identity that is stored beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

Progress = Callable[[int, int], None]
"""Called with (done, total); the unit is whatever the caller counts."""


class Embedder(Protocol):
    """Turns texts into vectors.

    `id` names the model, its version and whatever else changes its output: vectors of two ids are never compared.
    `is_remote` is true when texts leave the machine.
    """

    @property
    def id(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def is_remote(self) -> bool: ...

    def embed(
        self, texts: Sequence[str], *, is_query: bool = False, on_progress: Progress | None = None
    ) -> list[bytes]:
        """One vector for each text: `dim` little-endian float32, unit length.

        A text gets the same vector whatever else is in the batch (to rounding: 1e-4 in every component), the empty text
        included. `on_progress` counts texts. Raises `EmbedderError`.
        """
        ...


def well_formed(text: str) -> str:
    """The text with U+FFFD in place of surrogates that stand alone, which no encoding can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
