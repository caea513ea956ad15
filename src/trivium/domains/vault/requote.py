"""What an edit does to a record: each quote is found again in the new text, and only what is lost is asked for anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from trivium.domains.vault.edges import entries, quote_of
from trivium.text.quotes import find_quote, nearest

SUSPECT = "_suspect"
"""The field of a record for claims whose quote an edit took away: `field`, `entry`, `state` and the nearest passage."""

FIELDS = ("mentions", "relations")
_ALIKE = 0.5
"""From so much in common on, a passage is taken for the changed quote; below it the quote is gone."""


class Requoted(NamedTuple):
    """A record for the new text; `states` counts intact, moved, reflowed, changed and gone quotes."""

    record: dict[str, Any]
    states: dict[str, int]


def has_judgement(record: Mapping[str, Any]) -> bool:
    """Whether a record holds what no program could find again: claims that somebody made."""
    claims = [entry for field in FIELDS for entry in entries(record, field)]
    return any(entry.get("method") != "deterministic" for entry in claims) or bool(entries(record, SUSPECT))


def requote(
    record: Mapping[str, Any], text: str, hash_: str, path: str, lines: Mapping[str, int] | None = None
) -> Requoted:
    """The record as it holds for `text`. `lines`: quote to the line where it stood before, where that is known.

    Links that were found by the program are left out, for it finds them again.
    """
    made: dict[str, Any] = {**record, "hash": hash_}
    if "path" in record:
        made["path"] = path
    states = dict.fromkeys(("intact", "moved", "reflowed", "changed", "gone"), 0)
    suspects: list[dict[str, Any]] = []
    for field in FIELDS:
        old = [*entries(record, field), *(one["entry"] for one in _suspects(record) if one.get("field") == field)]
        kept = []
        for entry in old:
            state, shown = _judged(entry, text, lines or {})
            states[state] += 1
            if state in ("changed", "gone"):
                suspects.append({"field": field, "entry": entry, "state": state, **shown})
            else:
                kept.append({**entry, **shown})
        if kept or field in record:
            made[field] = kept
    if "doc_links" in record:
        made["doc_links"] = [link for link in entries(record, "doc_links") if link.get("method") != "deterministic"]
    made.pop("_dangling", None)
    made.pop(SUSPECT, None)
    if suspects:
        made[SUSPECT] = suspects
    return Requoted(made, states)


def _suspects(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in entries(record, SUSPECT) if isinstance(one.get("entry"), dict)]


def _judged(entry: Mapping[str, Any], text: str, lines: Mapping[str, int]) -> tuple[str, dict[str, Any]]:
    """The state of one claim and what changes of it, or the passage that is nearest to its quote."""
    quote = quote_of(entry)
    found = find_quote(text, quote) if quote else None
    if found is None:
        if quote and quote in text:  # blank quotes are verbatim, too
            return "intact", {}
        near = nearest(text, quote) if quote else None
        if near is None:
            return "gone", {}
        shown = {"nearest": {"text": near.text, "line": near.line, "similarity": round(near.similarity, 3)}}
        return ("changed" if near.similarity >= _ALIKE else "gone"), shown
    if not found.is_exact:
        anchor = entry.get("anchor")
        new = {**(anchor if isinstance(anchor, dict) else {}), "quote": text[found.start : found.end], "was": quote}
        return "reflowed", {"anchor": new}
    return ("moved" if lines.get(quote, found.line) != found.line else "intact"), {}
