"""`vault sync`, `scan`, `index build`, `embed`, `stats`, `gc`: keeping registry and index at what the files are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.domains.vault.sync import Synced, SyncOptions, embed, sync
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.output import Progress, Style, one_line
from trivium.surfaces.cli.parser import Parser, integer, text
from trivium.surfaces.cli.vault.arguments import add_vault, vault_of

SKIPPED = 5


def _define_scan(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--scope", type=text, metavar="FOLDERS", help="comma list of folders; all for the whole vault")
    parser.add_argument("--verify", action="store_true", help="read every note instead of trusting size and time")
    parser.add_argument("--trust-deletions", action="store_true", help="believe that many notes were deleted at once")
    parser.add_argument("--no-gitignore", action="store_true", help="read what .gitignore files leave out")
    parser.add_argument("--strict", action="store_true", help="exit status 5 when something was left out")


def _define_sync(parser: Parser) -> None:
    _define_scan(parser)
    parser.add_argument("--vectors", action="store_true", help="make the missing vectors, too")


def _define_build(parser: Parser) -> None:
    _define_scan(parser)
    parser.add_argument("--anew", action="store_true", help="throw the index away first")


def _options(call: Call) -> SyncOptions:
    from trivium.sources.vault.walk import parse_scopes

    args = call.args
    return SyncOptions(
        scopes=None if args.scope is None else parse_scopes(args.scope),
        verify=args.verify,
        trusts_deletions=args.trust_deletions,
        uses_gitignore=not args.no_gitignore,
    )


def _run_sync(call: Call) -> int:
    with vault_of(call) as vault:
        progress = Progress("Reading notes")
        done = sync(vault, _options(call), on_progress=progress)
        progress.close()
        embedded = _embedded(call, vault, None) if call.args.vectors else 0
        call.answer(lambda: {**_values(done), "embedded": embedded}, lambda style: _lines(done, style), vault.notices)
    return _status(call, done)


def _run_scan(call: Call) -> int:
    from trivium.domains.vault.scanning import register

    with vault_of(call) as vault:
        done = register(vault, _options(call))
        call.answer(lambda: _values(done), lambda style: _lines(done, style), vault.notices)
    return _status(call, done)


def _run_build(call: Call) -> int:
    from trivium.domains.vault.stats import stats

    with vault_of(call) as vault:
        done = sync(vault, _options(call)._replace(is_new=call.args.anew), on_progress=Progress("Reading notes"))
        counts = stats(vault)
        kept = {name: counts[name] for name in ("db_path", "documents", "entities", "edges", "unresolved", "links")}
        call.answer(lambda: kept, lambda style: _count_lines(kept), vault.notices)
    return _status(call, done)


def _status(call: Call, done: Synced) -> int:
    call.warn(done.degraded)
    call.warn(f"left out: {one.path}: {one.message}" for one in done.skipped)
    call.warn(f"read with a problem: {path}: {message}" for path, message in done.problems)
    return SKIPPED if call.args.strict and not done.is_clean else 0


def _values(done: Synced) -> dict[str, Any]:
    return {
        **done._asdict(),
        "skipped": [one._asdict() for one in done.skipped],
        "problems": [{"path": path, "message": message} for path, message in done.problems],
        "ignored": [{"path": path, "reason": reason} for path, reason in done.ignored],
        "duplicates": [list(same) for same in done.duplicates],
        "empty": list(done.empty),
        "degraded": list(done.degraded),
    }


def _lines(done: Synced, style: Style) -> Iterator[str]:
    yield (
        f"{style('bold', str(done.total))} notes: {done.new} new, {done.changed} changed, {done.moved} moved, "
        f"{done.deleted} deleted, {done.unchanged} unchanged"
    )
    yield f"files read: {done.files_read}; notes linked anew: {done.relinked}; concepts changed: {done.concepts}"
    if any(done.carried.values()):
        states = ", ".join(f"{count} {state}" for state, count in done.carried.items() if count)
        yield f"quotes in edited notes: {states} (vault check shows what broke)"
    for same in done.duplicates[:10]:
        yield f"the same text: {', '.join(map(one_line, same))}"
    if done.empty:
        yield f"empty notes: {len(done.empty)}"
    if not done.is_indexed:
        yield "no index yet: vault sync builds it"


def _count_lines(counts: dict[str, Any]) -> Iterator[str]:
    for name, value in counts.items():
        yield f"{name}: {value}"


# -- vectors


def _define_embed(parser: Parser) -> None:
    add_vault(parser)
    parser.add_argument("--max-texts", type=integer, metavar="N", help="stop after so many; the next run goes on")


def _run_embed(call: Call) -> int:
    with vault_of(call) as vault:
        vault.space()
        done = _embedded(call, vault, call.args.max_texts)
        call.answer(lambda: {"embedded": done}, lambda style: [f"texts embedded: {done}"], vault.notices)
    return 0


def _embedded(call: Call, vault: Any, most: int | None) -> int:
    progress = Progress("Embedding")
    try:
        return embed(vault, max_texts=most, on_progress=progress)
    finally:
        progress.close()


# -- the rest


def _run_stats(call: Call) -> int:
    from trivium.domains.vault.stats import stats

    with vault_of(call) as vault:
        found = stats(vault)
        call.answer(lambda: found, lambda style: _count_lines(found), [*vault.notices, *found["freshness"]])
    return 0


def _run_gc(call: Call) -> int:
    from trivium.domains.vault.notes import gc

    with vault_of(call) as vault:
        removed = gc(vault)
        call.answer(
            lambda: {"removed": len(removed), "hashes": removed},
            lambda style: [f"records removed: {len(removed)}", *removed],
            vault.notices,
        )
    return 0


_SYNCED = {
    "scanned": "notes of the scope that are there",
    "new": "notes that were not there before",
    "changed": "notes with another text",
    "unchanged": "notes as they were",
    "moved": "notes that are somewhere else now",
    "deleted": "notes that are gone",
    "total": "notes in the registry",
    "files_read": "files that were opened",
    "bytes_read": "bytes of them",
    "relinked": "notes whose links were resolved again",
    "concepts": "concepts that changed",
    "carried": "quotes of records in edited notes: `intact`, `moved`, `reflowed`, `changed`, `gone`",
    "skipped": "what was not read: `path`, `reason`, `message`",
    "problems": "what was read with something wrong: `path`, `message`",
    "ignored": "what a rule leaves out: `path`, `reason`",
    "duplicates": "paths that hold the same text",
    "empty": "notes without a character",
    "degraded": "why deletions were not believed",
    "is_indexed": "whether there is an index",
    "seconds": "CPU time",
}
_COUNTS = {
    "db_path": "the index file",
    "documents": "notes",
    "entities": "concepts",
    "edges": "links, mentions and relations that resolve",
    "unresolved": "ends named in records that nothing answers to",
    "links": "links in texts that are `dangling`, `ambiguous`, or lead to an `attachment`",
}

COMMANDS = {
    "vault sync": Command(_define_sync, _run_sync, {**_SYNCED, "embedded": "texts that got a vector"}),
    "vault scan": Command(_define_scan, _run_scan, _SYNCED),
    "vault index build": Command(_define_build, _run_build, _COUNTS),
    "vault embed": Command(_define_embed, _run_embed, {"embedded": "texts that got a vector"}),
    "vault stats": Command(
        add_vault,
        _run_stats,
        {
            **_COUNTS,
            "entities_by_type": "concepts by type",
            "edges_by_method": "edges by method",
            "edges_by_relation": "edges by relation",
            "parts": "passages that can be found",
            "tags": "different tags",
            "vectors": "`embedder`, `missing` texts, `problem`",
            "troubles": "what was left out or read with something wrong: `path`, `reason`, `message`",
            "is_current": "whether the index is at what the files are, as far as was looked",
            "freshness": "what is newer than the index",
        },
    ),
    "vault gc": Command(add_vault, _run_gc, {"removed": "how many", "hashes": "of records that no note has"}),
}
