"""How a prompt is matched: the choices there are and what they are when nobody chooses."""

from __future__ import annotations

from typing import NamedTuple

from trivium.errors import UsageError
from trivium.rank.examples import DEFAULT_RECIPE, RECIPES

CALIBRATED, ABSOLUTE, RELATIVE = "calibrated", "absolute", "relative"
MODES: dict[str, str] = {
    CALIBRATED: "every entry above the floor of its collection, and near enough to the best",
    ABSOLUTE: "every entry whose score reaches the threshold",
    RELATIVE: "nothing unless the best reaches the threshold; then all that are near enough to it",
}

DROP_OFF = 0.1
DEFAULT_LIMIT = 3


class MatchOptions(NamedTuple):
    """How to match. `threshold` belongs to the modes absolute and relative; `drop_off` is in units of the score.

    `kinds`: none for all. `files`: paths in play, relative to the project. `event`: the name of a hook's event, for
    entries that are meant for some. `host`: the one that asks, which loads some files by itself.
    """

    limit: int = DEFAULT_LIMIT
    mode: str = CALIBRATED
    threshold: float | None = None
    drop_off: float = DROP_OFF
    recipe: str = DEFAULT_RECIPE
    kinds: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    event: str = ""
    host: str = ""


DEFAULTS = MatchOptions()


def check(options: MatchOptions) -> None:
    """Raise `UsageError` for the first option that cannot be."""
    from trivium.sources.guidance.values import KINDS

    if options.limit < 0:
        raise UsageError(f"limit must be at least 0, not {options.limit}.")
    if options.mode not in MODES:
        raise UsageError(f"mode must be one of {', '.join(MODES)}, not {options.mode!r}.")
    if options.recipe not in RECIPES:
        raise UsageError(f"Unknown recipe {options.recipe!r}", hint="Recipes: " + ", ".join(RECIPES))
    if options.mode != CALIBRATED and options.threshold is None:
        raise UsageError(f"threshold is needed by mode {options.mode}.")
    if not options.drop_off >= 0:
        raise UsageError(f"drop-off must be at least 0, not {options.drop_off}.")
    for kind in options.kinds:
        if kind not in KINDS:
            raise UsageError(f"Unknown kind of entry {kind!r}.", hint="Kinds: " + ", ".join(KINDS))
