"""What an entry must pass to be shown: whether it may speak at all, and whether it has enough to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivium.domains.routing.options import ABSOLUTE, CALIBRATED, RELATIVE, MatchOptions
from trivium.rank.examples import Calibration, floor
from trivium.sources.guidance.values import ACTIVE, MANUAL
from trivium.store.sqlite.guidance import SEPARATOR, GuideRow

if TYPE_CHECKING:
    from trivium.domains.routing.collection import Collection
    from trivium.domains.routing.scoring import Measured

GATES: dict[str, str] = {
    "retired": "it is retired: it can be read but is no longer found",
    "manual": "its author wants it used by people only",
    "kind": "other kinds of entries were asked for",
    "event": "it is meant for other events",
    "files": "it is about files that are not in play",
    "loaded_by_host": "the host gives all of its file to the agent anyway",
    "below_floor": "its score does not reach the floor of its collection",
    "below_threshold": "its score does not reach the threshold",
    "same_entry": "a better hit is the same thing",
    "below_drop_off": "its score is too far below the best one",
    "beyond_limit": "enough better ones were found",
}
"""Every reason for absence, in the order in which the gates are passed."""


class Question:
    """What is asked of every candidate."""

    def __init__(self, options: MatchOptions, collection: Collection, calibration: Calibration, recipe: str) -> None:
        self.options = options
        self.collection = collection
        self.calibration = calibration
        self.recipe = recipe
        self._gates: dict[int, str | None] = {}

    def gate(self, row: GuideRow) -> str | None:
        """The first gate that an entry fails whatever the prompt says, None when it may speak."""
        if row.entity not in self._gates:
            self._gates[row.entity] = self._gate(row)
        return self._gates[row.entity]

    def _gate(self, row: GuideRow) -> str | None:
        options = self.options
        if row.status != ACTIVE:
            return "manual" if row.status == MANUAL else "retired"
        if options.kinds and row.kind not in options.kinds:
            return "kind"
        if row.hooks and options.event and options.event not in row.hooks.split(SEPARATOR):
            return "event"
        if row.paths and not self._is_in_play(row):
            return "files"
        if options.host:
            root = self.collection.root(row.root)
            if root is not None and options.host in root.loaded_by:
                return "loaded_by_host"
        return None

    def _is_in_play(self, row: GuideRow) -> bool:
        from trivium.text.globs import first_match

        return first_match(row.paths.split(SEPARATOR), self.options.files) is not None

    def floor(self, row: GuideRow) -> float:
        """The least score with which an entry may be shown."""
        if self.options.threshold is not None:
            return self.options.threshold
        if self.recipe == "examples":
            return floor(self.calibration, row.example_count, row.tightness)
        return self.calibration.words if self.recipe == "words" else NEAREST_FLOOR

    def begin(self) -> State:
        """A new selection."""
        return State()


NEAREST_FLOOR = 0.5
"""Least cosine for recipe `nearest` when none is given."""


class State:
    """What a selection has taken so far."""

    def __init__(self) -> None:
        self.best: float | None = None
        self.count = 0
        self.is_closed = False
        self.names: set[tuple[str, str]] = set()


def first_gate(question: Question, state: State, row: GuideRow, measured: Measured, score: float) -> str | None:
    """The first of `GATES` that an entry fails. Entries come best first; what is not rejected is taken."""
    gate = question.gate(row)
    if gate is not None:
        return gate
    options = question.options
    if state.best is None:
        state.best = score
        state.is_closed = options.mode == RELATIVE and score < question.floor(row)
    is_low = state.is_closed or (options.mode != RELATIVE and score < question.floor(row))
    if is_low or (measured.near is None and measured.words <= 0):
        return "below_floor" if options.mode == CALIBRATED and options.threshold is None else "below_threshold"
    name = (row.kind, row.name if row.kind != "memory" else row.content_hash.hex())
    if name in state.names:
        return "same_entry"
    if options.mode != ABSOLUTE and score < state.best - options.drop_off - 1e-9:
        return "below_drop_off"
    if state.count >= options.limit:
        return "beyond_limit"
    state.names.add(name)
    state.count += 1
    return None
