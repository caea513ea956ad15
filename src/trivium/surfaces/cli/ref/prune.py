"""Deleting: `ref prune` and `ref delete`; both only tell what would go until they are told to apply it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.references import curate
from trivium.domains.references.curate import Change, Deletion, Pruned
from trivium.surfaces import shapes
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Style, one_line
from trivium.surfaces.cli.parser import Parser, integer, number, text
from trivium.surfaces.cli.ref.curate import milliseconds

_SHOWN = 10


def _define_apply(parser: Parser) -> None:
    parser.add_argument("--apply", action="store_true", help="do it; without this only tell what would go")


# -- prune


def _define_prune(parser: Parser) -> None:
    parser.add_argument(
        "--older-than", type=number, required=True, metavar="DAYS", help="not seen for so many days; fractions count"
    )
    parser.add_argument("--max-touches", type=integer, default=1, metavar="N", help="registered at most so often (1)")
    parser.add_argument("--include-archived", action="store_true", help="archived ones too")
    _define_apply(parser)


def _run_prune(call: Call) -> int:
    args = call.args
    found = curate.prune(
        call.engine,
        older_than_days=args.older_than,
        max_touches=args.max_touches,
        is_archived_included=args.include_archived,
        is_applied=args.apply,
    )
    call.answer(lambda: _values(found), lambda style: _prune_lines(found, args.include_archived, style))
    return 0


def _values(found: Pruned) -> dict[str, Any]:
    return {
        "cutoff": found.cutoff,
        "max_touches": found.max_touches,
        "candidates": [shapes.concept(entity) for entity in found.candidates],
        "is_applied": found.is_applied,
        "record": found.record,
    }


def _prune_lines(found: Pruned, is_archived_included: bool, style: Style) -> Iterator[str]:
    mode = "APPLY" if found.is_applied else "DRY-RUN"
    yield f"Prune ({mode}) — cutoff: {milliseconds(found.cutoff)}"
    archived = " (incl. archived)" if is_archived_included else ""
    yield f"Filter: last seen before the cutoff, max-touches {found.max_touches}{archived}"
    yield f"Candidates: {len(found.candidates)}"
    for entity in found.candidates[:_SHOWN]:
        mark = " [archived]" if entity.archived_at else ""
        facts = f"touch={entity.touch_count}, lastSeenAt={milliseconds(entity.last_seen_at)}"
        yield f"  - {style('cyan', one_line(entity.id))} ({facts}){mark}"
    if len(found.candidates) > _SHOWN:
        yield f"  ... and {len(found.candidates) - _SHOWN} more"
    if not found.is_applied:
        yield "Re-run with --apply to delete."
        return
    yield f"Deleted: {len(found.candidates)}"
    if found.record:
        yield f"Record: {found.record[:12]}"


# -- delete


def _define_delete(parser: Parser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID", type=text, help="an id, or any name of the concept")
    parser.spill = "ids"
    _define_apply(parser)


def _run_delete(call: Call) -> int:
    plan = curate.plan_delete(call.engine, call.args.ids)
    change = curate.delete(call.engine, plan.ids) if call.args.apply else None
    values = {
        "ids": list(plan.ids),
        "relations": plan.relations,
        "references": list(plan.references),
        "is_applied": change is not None,
        "record": "" if change is None else change.record,
    }
    call.answer(lambda: values, lambda style: _delete_lines(plan, change, style))
    return 0


def _delete_lines(plan: Deletion, change: Change | None, style: Style) -> Iterator[str]:
    yield f"Delete ({'DRY-RUN' if change is None else 'APPLY'})"
    yield f"Concepts: {len(plan.ids)}"
    yield from (f"  - {style('cyan', one_line(identifier))}" for identifier in plan.ids)
    yield f"Relations that go with them: {plan.relations}"
    yield f"References that describe nothing else: {len(plan.references)}"
    yield from (f"  - {one_line(uri)}" for uri in plan.references)
    yield "Re-run with --apply to delete." if change is None else f"Record: {change.record[:12]}"


COMMANDS = {
    "ref prune": Command(
        _define_prune,
        _run_prune,
        {
            "cutoff": "last seen before this, UTC",
            "max_touches": "as asked for",
            "candidates": "all of them, with the facts that `ref list` gives",
            "is_applied": "whether they were deleted",
            "record": "the journal record, empty when nothing was deleted",
        },
    ),
    "ref delete": Command(
        _define_delete,
        _run_delete,
        {
            "ids": "the concepts",
            "relations": "how many go with them",
            "references": "addresses that describe nothing else",
            "is_applied": "whether they were deleted",
            "record": "the journal record, empty when nothing was deleted",
        },
    ),
}
