"""The guidance of one place: its roots, and the space that is derived from them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trivium.engine import Engine
from trivium.errors import UsageError
from trivium.index.space import INDEX_VERSION, Space
from trivium.rank.examples import UNCALIBRATED, Calibration
from trivium.sources.guidance.files import PARSER_VERSION
from trivium.sources.guidance.roots import Root, distinct

if TYPE_CHECKING:
    from trivium.embed.base import Embedder
    from trivium.index.examples import ExampleIndex

VERSION_FACT = "guidance_version"
VERSION = f"{PARSER_VERSION}.{INDEX_VERSION}"
SURVEY_FACT = "survey"
CALIBRATION_FACT = "calibration"


class Collection:
    """The entries of some roots, as far as they were brought in step with their files. Close it after use."""

    def __init__(self, engine: Engine, roots: Sequence[Root], *, project: str = "") -> None:
        self.engine = engine
        self.roots = distinct(roots)
        self.project = project
        names = "\n".join("\0".join((root.key, root.path, root.shape, root.trust)) for root in self.roots)
        digest = hashlib.sha256(names.encode("utf-8", "surrogateescape"))
        self.name = digest.hexdigest()[:16]
        self._space: Space | None = None

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files of the space; safe to call twice."""
        if self._space is not None:
            self._space.close()
            self._space = None

    @property
    def space(self) -> Space:
        """The space, opened when it is first asked for."""
        if self._space is None:
            self._space = self.engine.guidance_space(self.name)
        return self._space

    def is_current(self) -> bool:
        """Whether the space was written by this version's readers, tokeniser and splitter."""
        return self.space.store.meta(VERSION_FACT) == VERSION

    def root(self, key: str) -> Root | None:
        """The root of this key."""
        return next((root for root in self.roots if root.key == key), None)

    def examples(self, embedder: Embedder) -> ExampleIndex:
        """Finding by meaning, with the vectors of one embedder."""
        from trivium.index.examples import ExampleIndex

        return ExampleIndex(self.space, embedder.id, embedder.dim)

    def calibration(self) -> Calibration:
        """When this collection speaks, as it was last measured."""
        text = self.space.store.meta(CALIBRATION_FACT)
        if not text:
            return UNCALIBRATED
        single, several, tightness, words, entries = text.split()
        return Calibration(float(single), float(several), float(tightness), float(words), int(entries))

    def set_calibration(self, found: Calibration) -> None:
        """Keep what was measured."""
        self.space.store.set_meta(CALIBRATION_FACT, " ".join(map(repr, found)))


def at(engine: Engine, cwd: str, *, user_home: str, extra: Sequence[Root] = (), is_standard: bool = True) -> Collection:
    """The guidance for a session in a folder: what hosts, person and project keep in their places, and `extra`."""
    from trivium.sources.guidance.roots import project_folder, standard_roots

    if not os.path.isabs(cwd):
        raise UsageError(f"The folder of a session must be an absolute path, not {cwd!r}.")
    standard = standard_roots(user_home, cwd, engine.settings.home) if is_standard else []
    return Collection(engine, [*standard, *extra], project=project_folder(cwd, user_home))
