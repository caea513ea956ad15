"""Which guidance speaks on which occasion: before a prompt, before a tool, at a stop, at a start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trivium.domains.routing.collection import Collection
from trivium.domains.routing.match import Hit, Match, match
from trivium.domains.routing.options import MatchOptions
from trivium.sources.guidance.values import ACTIVE
from trivium.store.sqlite import guidance

if TYPE_CHECKING:
    from trivium.store.sqlite.guidance import GuideRow

_MORE = 12
"""So many more are asked for than are wanted, as some of them speak elsewhere."""


class Occasion(NamedTuple):
    """`event` is the name that entries list under `hooks`; `kinds` speak without listing it."""

    event: str
    kinds: tuple[str, ...]
    limit: int
    max_chars: int | None = None


MEMORIES = ("memory", "session-learning")

OCCASIONS: dict[str, Occasion] = {
    "prompt": Occasion("UserPromptSubmit", ("skill", "workflow", "rule", *MEMORIES), 3, 8_000),
    "before_tool": Occasion("PreToolUse", ("tool-guidance",), 2, 4_000),
    "after_tool": Occasion("PostToolUse", (), 2, 4_000),
    "stop": Occasion("Stop", ("stop-rule",), 3, 4_000),
    "subagent_stop": Occasion("SubagentStop", ("stop-rule",), 3, 4_000),
    "session_start": Occasion("SessionStart", (), 5, 8_000),
    "subagent_start": Occasion("SubagentStart", (), 5, 4_000),
}


def consult(collection: Collection, occasion: str, question: str, *, has_memories: bool = True, **choice: Any) -> Match:
    """The entries that speak to a question on an occasion; `choice` are further fields of `MatchOptions`.

    An entry that lists the occasion's event speaks, whatever its kind; one that lists other events does not. Without
    `has_memories` the host is left to recall what it remembers itself.
    """
    on = OCCASIONS[occasion]
    kinds = on.kinds if has_memories else tuple(kind for kind in on.kinds if kind not in MEMORIES)
    limit = choice.pop("limit", on.limit)
    found = match(collection, question, MatchOptions(limit=limit + _MORE, event=on.event, **choice))
    if not found.hits:
        return found
    with collection.space.store.guard():
        rows = guidance.guides(collection.space.store, [hit.key for hit in found.hits])
    hits: list[Hit] = []
    rejected = dict(found.rejected)
    for hit in found.hits:
        if hit.kind not in kinds and not _is_listed(rows[hit.key], on.event):
            rejected[hit.id] = "kind"
        elif len(hits) >= limit:
            rejected[hit.id] = "beyond_limit"
        else:
            hits.append(hit)
    return found._replace(hits=tuple(hits), rejected=rejected)


def standing(collection: Collection, occasion: str) -> list[Hit]:
    """The entries that list the event of an occasion and so speak whatever is asked, in the order of their names."""
    on = OCCASIONS[occasion]
    with collection.space.store.guard():
        if not collection.is_current():
            return []
        rows = [row for row in guidance.all_guides(collection.space.store) if _is_listed(row, on.event)]
    rows = sorted((row for row in rows if row.status == ACTIVE and not row.paths), key=lambda row: (row.name, row.id))
    return [_hit(row) for row in rows[: on.limit]]


def has_tool_guidance(collection: Collection) -> bool:
    """Whether any entry may speak before or after a tool."""
    events = [OCCASIONS[one].event for one in ("before_tool", "after_tool")]
    with collection.space.store.guard():
        if not collection.is_current():
            return True
        store = collection.space.store
        if any(guidance.counts(store).get(kind) for kind in OCCASIONS["before_tool"].kinds):
            return True
        return any(_is_listed(row, event) for row in guidance.all_guides(store) for event in events)


def _is_listed(row: GuideRow, event: str) -> bool:
    return bool(row.hooks) and event in row.hooks.split(guidance.SEPARATOR)


def _hit(row: GuideRow) -> Hit:
    """An entry that needs no question."""
    return Hit(
        row.entity,
        row.id,
        row.name,
        row.kind,
        row.description,
        row.one_liner,
        row.root,
        row.path,
        row.section,
        row.line,
        row.origin,
        1.0,
        0.0,
        1.0,
        {},
        None,
        0.0,
        "",
        -1,
        "",
        row.content_hash.hex(),
    )
