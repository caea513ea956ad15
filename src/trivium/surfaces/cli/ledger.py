"""`route report` and its neighbours: what guidance was shown, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trivium.domains.routing.ledger.records import OUTCOMES, Ledger, Observed, Shown, Trace
from trivium.errors import NotFoundError, UsageError
from trivium.surfaces.cli.call import Call, Command
from trivium.surfaces.cli.inputs import read_text
from trivium.surfaces.cli.output import Progress, Style, one_line
from trivium.surfaces.cli.parser import Parser, integer, number, one_of, text

if TYPE_CHECKING:
    from trivium.domains.routing.collection import Collection
    from trivium.domains.routing.ledger.replay import Replayed
    from trivium.domains.routing.ledger.report import EntryReport

_METHODS = ("agent", "user")


def _since(parser: Parser) -> None:
    parser.add_argument(
        "--since", type=text, metavar="MOMENT", default="", help="what is older is left out: a UTC date or time"
    )


def _project(parser: Parser) -> None:
    parser.add_argument("--project", type=text, metavar="DIR", default="", help="the project (the current folder)")


def _ledger(call: Call) -> Ledger:
    return Ledger(call.engine.settings.home)


def _collection(call: Call) -> Collection:
    """The guidance of the project, in step with its files."""
    from trivium.domains.routing.collection import at
    from trivium.domains.routing.upkeep import bring_up_to_date

    folder = os.path.abspath(os.path.expanduser(call.args.project or os.curdir))
    collection = at(call.engine, folder, user_home=os.path.expanduser("~"))
    progress = Progress("Embedding guidance")
    try:
        done = bring_up_to_date(collection, on_embed=progress)
    finally:
        progress.close()
    call.engine.notices.extend(done.notices)
    return collection


def _unread(ledger: Ledger) -> list[str]:
    return [f"{ledger.unreadable} lines of the ledger could not be read."] if ledger.unreadable else []


# -- report


def _define_report(parser: Parser) -> None:
    parser.description = "Count what guidance was shown, what it cost and what came of it. Showing is not using."
    _since(parser)
    parser.add_argument("--limit", type=integer, default=30, metavar="N", help="entries in the table (30); 0 for all")


def _report(call: Call) -> int:
    from trivium.domains.routing.ledger.report import report

    ledger = _ledger(call)
    made = report(ledger.read(since=call.args.since), since=call.args.since)
    limit = call.args.limit if call.args.limit > 0 else len(made.entries)

    def values() -> dict[str, Any]:
        entries = [entry._asdict() for entry in made.entries[:limit]]
        return {**made._asdict(), "entries": entries, "unreadable": ledger.unreadable}

    def lines(style: Style) -> Iterator[str]:
        if not made.prompts and not made.entries:
            yield "Nothing was shown yet."
            return
        yield (
            f"{made.prompts} answers in {made.sessions} sessions, {100 * made.silent:.0f} % silent; "
            f"{made.chars} characters, median {made.median_chars}; "
            f"{made.median_ms} ms median, {made.p95_ms} ms at 95 %, {made.late} late"
        )
        yield style("bold", "Entry | Shown | Sessions | Last | Used/ignored/corrected/missed | Nearest queries")
        yield from (_entry_line(entry) for entry in made.entries[:limit])
        if limit < len(made.entries):
            yield f"{len(made.entries) - limit} more"

    call.answer(values, lines, _unread(ledger))
    return 0


def _entry_line(entry: EntryReport) -> str:
    outcomes = "/".join(str(entry.outcomes[outcome]) for outcome in OUTCOMES)
    queries = ", ".join(f"{one_line(query)[:40]}: {count}" for query, count in list(entry.queries.items())[:3]) or "-"
    last = entry.last_at[:10] or "-"
    return f"{one_line(entry.id)} | {entry.shown} | {entry.sessions} | {last} | {outcomes} | {queries}"


# -- one session


def _define_session(parser: Parser) -> None:
    parser.description = "Show everything one session was shown: why, at what cost, and what became of it."
    parser.add_argument("session", type=text, metavar="SESSION", help="its id, or the beginning of it")
    _since(parser)


def _session(call: Call) -> int:
    from trivium.domains.routing.ledger.report import latest

    ledger = _ledger(call)
    every = list(ledger.read(since=call.args.since))
    sessions = sorted({record.session for record in every if record.session.startswith(call.args.session)})
    if not sessions or not call.args.session:
        last = list(dict.fromkeys(record.session for record in reversed(every)))[:5]
        raise NotFoundError(f"No session {call.args.session!r} is in the ledger.", details=last)
    if len(sessions) > 1 and call.args.session not in sessions:
        from trivium.errors import AmbiguousError

        raise AmbiguousError(f"{call.args.session!r} begins the id of several sessions.", details=sessions)
    session = call.args.session if call.args.session in sessions else sessions[0]
    records = [record for record in every if record.session == session]
    answers = [record for record in records if isinstance(record, Shown)]
    verdicts = latest(record for record in records if isinstance(record, Observed))
    trace = next((record for record in reversed(records) if isinstance(record, Trace)), None)

    def values() -> dict[str, Any]:
        shown = [{**one._asdict(), "entries": [entry._asdict() for entry in one.entries]} for one in answers]
        whole = None if trace is None else trace._asdict()
        return {"session": session, "shown": shown, "observed": [one._asdict() for one in verdicts], "trace": whole}

    def lines(style: Style) -> Iterator[str]:
        for answer in answers:
            late = ", late" if answer.is_late else ""
            yield f"{answer.at[:19]} {answer.event}: {answer.chars} characters, {answer.latency_ms} ms{late}"
            for entry in answer.entries:
                mark = (
                    f"{entry.score:.3f} by {one_line(entry.query)!r}" if entry.query else f"{entry.score:.3f} by words"
                )
                yield f"  {style('cyan', one_line(entry.id))} {entry.level}, {entry.chars} characters, {mark}"
            if answer.left:
                yield f"  no room: {', '.join(map(one_line, answer.left))}"
        for one in verdicts:
            yield f"{style('bold', one.outcome)} {one_line(one.entry)} ({one.method}) {one_line(one.diagnosis)}"
        if trace is not None:
            tools = ", ".join(f"{one_line(name)} {count}" for name, count in trace.tools.items()) or "none"
            yield (
                f"{trace.outcome} after {trace.prompts} prompts and {trace.replies} replies, "
                f"{trace.failed_calls} calls failed; tools: {tools}"
            )

    call.answer(values, lines, _unread(ledger))
    return 0


# -- asking again


def _define_replay(parser: Parser) -> None:
    parser.description = (
        "Ask past prompts again, with other settings or of other files: what is gained, what is lost, what it costs. "
        "The prompts are read from the transcripts that hold them; the ledger has only their hashes."
    )
    _since(parser)
    _project(parser)
    parser.add_argument("--limit", type=integer, metavar="N", help="most entries at a prompt")
    parser.add_argument(
        "--mode", type=one_of("calibrated", "absolute", "relative"), metavar="MODE", help="how to select"
    )
    parser.add_argument("--threshold", type=number, metavar="X", help="the least score, for absolute and relative")
    parser.add_argument("--drop-off", type=number, metavar="X", help="how far below the best a score may be")
    parser.add_argument("--recipe", type=text, metavar="NAME", help="how scores are made")
    parser.add_argument("--last", type=integer, default=200, metavar="N", help="so many of the latest prompts (200)")


def _replay(call: Call) -> int:
    from trivium.domains.routing.ledger.replay import past_prompts, replay

    args, ledger = call.args, _ledger(call)
    with _collection(call) as collection:
        answers = [one for one in ledger.shown(since=args.since) if one.project == collection.project]
        past, unfound, problems = past_prompts(answers[-max(0, args.last) :])
        choice = {
            key: value
            for key in ("limit", "mode", "threshold", "drop_off", "recipe")
            if (value := getattr(args, key)) is not None
        }
        memories = call.engine.settings.hooks["hook_memories"] == "takeover"
        made = replay(collection, past, unfound=unfound, problems=problems, has_memories=memories, **choice)

    def lines(style: Style) -> Iterator[str]:
        for row in made.prompts:
            if row.gained or row.lost:
                yield from _replayed(row, style)
        yield (
            f"{len(made.prompts)} prompts, {made.changed} answered otherwise; characters {made.chars_before} -> "
            f"{made.chars_now}; silent {100 * made.silent_before:.0f} % -> {100 * made.silent_now:.0f} %"
        )

    def values() -> dict[str, Any]:
        rows = [{**row._asdict(), "past": row.past._asdict()} for row in made.prompts]
        return {**made._asdict(), "prompts": rows}

    notices = [f"{made.unfound} prompts are in no transcript any more."] if made.unfound else []
    call.answer(values, lines, [*notices, *made.problems, *_unread(ledger)])
    return 0


def _replayed(row: Replayed, style: Style) -> Iterator[str]:
    yield f"{row.past.at[:19]} {one_line(row.past.text)[:100]}"
    yield from (f"  {style('green', '+')} {one_line(id)}" for id in row.gained)
    yield from (f"  {style('red', '-')} {one_line(id)}" for id in row.lost)


# -- proposals


def _define_suggest(parser: Parser) -> None:
    parser.description = "Propose what to do about entries, from what the ledger knows; nothing is changed."
    _since(parser)
    _project(parser)


def _suggest(call: Call) -> int:
    from trivium.domains.routing.ledger.closing import present_entries
    from trivium.domains.routing.ledger.suggest import KINDS, suggest

    ledger = _ledger(call)
    with _collection(call) as collection:
        made = suggest(ledger.read(since=call.args.since), present_entries(collection), now=call.engine.clock())

    def lines(style: Style) -> Iterator[str]:
        if not made:
            yield "There is nothing to propose."
        for one in made:
            other = f" and {one_line(one.other)}" if one.other else ""
            yield f"{style('bold', one.kind)} {one_line(one.entry)}{other}: {one_line(one.why)}"
            yield f"  {KINDS[one.kind]}"

    call.answer(lambda: {"suggestions": [one._asdict() for one in made]}, lines, _unread(ledger))
    return 0


# -- what became of it


def _define_observe(parser: Parser) -> None:
    parser.description = "Tell what became of an entry in a session; this wins over what its transcript proves."
    parser.add_argument("entry", type=text, metavar="ENTRY", help="the id of the entry")
    parser.add_argument("outcome", type=one_of(*OUTCOMES), metavar="OUTCOME", help=", ".join(OUTCOMES))
    parser.add_argument("--session", type=text, metavar="ID", default="", help="the session (TRIVIUM_SESSION)")
    parser.add_argument("--why", type=text, metavar="TEXT", default="", help="what makes you say so")
    parser.add_argument(
        "--by", type=one_of(*_METHODS), metavar="agent|user", default="agent", help="who says so (agent)"
    )


def _observe(call: Call) -> int:
    args, ledger = call.args, _ledger(call)
    session = args.session or call.engine.settings.session
    if not session:
        raise UsageError("Which session it was in must be told.", hint="Give --session ID, or set TRIVIUM_SESSION.")
    answers = [one for one in ledger.shown(session=session) if any(entry.id == args.entry for entry in one.entries)]
    if not answers and args.outcome != "missed":
        ids = sorted({entry.id for one in ledger.shown(session=session) for entry in one.entries})
        raise NotFoundError(f"The session was not shown {args.entry!r}.", details=ids)
    version, query, prompt = "", "", ""
    if answers:
        shown = next(entry for entry in answers[-1].entries if entry.id == args.entry)
        version, query, prompt = shown.version, shown.query, answers[-1].prompt
    record = Observed(
        call.engine.clock(), session, args.entry, version, args.outcome, args.by, prompt, query, args.why[:1_000]
    )
    if not ledger.write(record):
        from trivium.errors import StoreError

        raise StoreError("The ledger cannot be written.", hint="Is the home writable?")
    call.answer(lambda: {"observed": record._asdict()}, lambda style: [f"{args.outcome}: {one_line(args.entry)}"])
    return 0


def _define_outcomes(parser: Parser) -> None:
    parser.description = "Read the transcripts of past sessions of a project for what became of what they were shown."
    _since(parser)
    _project(parser)


def _outcomes(call: Call) -> int:
    from trivium.domains.routing.ledger.closing import close_sessions

    ledger = _ledger(call)
    with _collection(call) as collection:
        made = close_sessions(collection, ledger, at=call.engine.clock(), since=call.args.since)

    def lines(style: Style) -> Iterator[str]:
        yield from (f"{style('bold', one.outcome)} {one_line(one.entry)}: {one.diagnosis}" for one in made.observed)
        yield f"{made.sessions} sessions read, {len(made.observed)} observations, {made.traces} traces"

    observed = [one._asdict() for one in made.observed]
    call.answer(lambda: {**made._asdict(), "observed": observed}, lines, [*made.problems, *_unread(ledger)])
    return 0


# -- what is new


def _define_strip(parser: Parser) -> None:
    parser.description = "Write what of a text is its own: whatever guidance put into it is taken out."
    parser.add_argument("file", type=text, metavar="FILE", help="a text file, or - for standard input")


def _strip(call: Call) -> int:
    from trivium.domains.routing.ledger.echoes import Echoes

    whole = read_text(call.args.file, what="text")
    echoes = Echoes(_ledger(call))
    own, share = echoes.without(whole), echoes.share(whole)
    call.answer(lambda: {"text": own, "echo_share": share, "is_echo": echoes.is_echo(whole)}, lambda style: [own])
    return 0


COMMANDS = {
    "route report": Command(
        _define_report,
        _report,
        {
            "since": "the moment given",
            "prompts": "answers, silent ones included",
            "silent": "the share of answers that said nothing",
            "sessions": "how many",
            "chars": "characters shown in all",
            "median_chars": "of the answers that said something",
            "median_ms": "time to the answer",
            "p95_ms": "time that 95 % of the answers took at most",
            "late": "answers that were not complete in time",
            "entries": "`id`, `name`, `kind`, `shown`, `sessions`, `first_at`, `last_at`, `chars`, `mean_score`, "
            "`outcomes`, `queries`",
            "traces": "finished sessions",
            "unreadable": "lines that could not be read",
        },
    ),
    "route session": Command(
        _define_session,
        _session,
        {
            "session": "its whole id",
            "shown": "each answer with its `entries`: `id`, `version`, `level`, `score`, `query`, `chars` and more",
            "observed": "`entry`, `outcome`, `method`, `diagnosis` and more",
            "trace": "null while it goes on, or `outcome`, `prompts`, `replies`, `tools`, `started_at` and more",
        },
    ),
    "route replay": Command(
        _define_replay,
        _replay,
        {
            "prompts": "`past` (`text`, `at`, `session`, `host`, `shown`, `chars`), `now`, `gained`, `lost`, `chars`",
            "changed": "prompts that are answered otherwise",
            "chars_before": "characters then",
            "chars_now": "characters now",
            "silent_before": "share of silent answers then",
            "silent_now": "share of silent answers now",
            "unfound": "prompts that are in no transcript",
            "problems": "transcripts that could not be read",
        },
    ),
    "route suggest": Command(_define_suggest, _suggest, {"suggestions": "`kind`, `entry`, `other`, `why`"}),
    "route observe": Command(_define_observe, _observe, {"observed": "what was written"}),
    "route outcomes": Command(
        _define_outcomes,
        _outcomes,
        {
            "sessions": "how many were read",
            "observed": "`session`, `entry`, `outcome`, `diagnosis` and more",
            "traces": "how many were written",
            "problems": "sessions that could not be read",
        },
    ),
    "route strip": Command(
        _define_strip,
        _strip,
        {"text": "what is its own", "echo_share": "how much was shown before, 0 to 1", "is_echo": "whether all was"},
    ),
}
