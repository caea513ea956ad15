"""The table of commands: name, where it lives, what it does; nothing else is read until one is asked for."""

from __future__ import annotations

TYPE_CHECKING = False  # printing help must not load what typing loads
if TYPE_CHECKING:
    from trivium.surfaces.cli.call import Command

ROOT = "trivium.surfaces.cli."

REFERENCES: dict[str, tuple[str, str]] = {
    "ref types": ("ref.types", "Show the relation types and the schema of what is registered"),
    "ref register": ("ref.register", "Store what was read: a source, its concepts and how they are related"),
    "ref search": ("ref.search", "Find concepts by words, meaning and connections"),
    "ref why-not": ("ref.search", "Say why a concept is not in the answer to a query"),
    "ref show": ("ref.browse", "Show everything about one concept"),
    "ref list": ("ref.browse", "List concepts, a page at a time"),
    "ref references": ("ref.browse", "List what was read"),
    "ref neighbors": ("ref.graph", "Show what surrounds a concept"),
    "ref paths": ("ref.graph", "Show how two concepts are connected"),
    "ref duplicates": ("ref.graph", "List pairs of concepts that may be one"),
    "ref stats": ("ref.browse", "Count what is stored"),
    "ref archive": ("ref.curate", "Hide concepts from search"),
    "ref unarchive": ("ref.curate", "Bring archived concepts back"),
    "ref prune": ("ref.prune", "Delete concepts that nobody came back to"),
    "ref delete": ("ref.prune", "Delete concepts with their relations"),
    "ref rename": ("ref.curate", "Give a concept another id; the old one keeps leading to it"),
    "ref merge": ("ref.curate", "Make several concepts one"),
    "ref unlink": ("ref.curate", "Delete one relation"),
    "ref withdraw": ("ref.curate", "Take back a source with what only it supports"),
    "ref import": ("ref.exchange", "Take over what refmesh stored"),
    "ref export": ("ref.exchange", "Write everything as JSON lines, GraphML or Markdown"),
}

VAULT: dict[str, tuple[str, str]] = {
    "vault sync": ("vault.keeping", "Read what changed in a folder of notes into its index"),
    "vault search": ("vault.search", "Find notes by words and meaning, with the line to open"),
    "vault qa": ("vault.search", "Gather what the notes say to a question, each line with its source"),
    "vault entity": ("vault.graph", "Show a concept or a note with all that touches it"),
    "vault neighbors": ("vault.graph", "Show what surrounds a concept or a note"),
    "vault backlinks": ("vault.graph", "Show what leads to a note or a concept"),
    "vault paths": ("vault.graph", "Show how two are connected"),
    "vault unresolved": ("vault.graph", "List links that lead nowhere or to several notes"),
    "vault mentions": ("vault.mentions", "List names of notes and concepts that are written without a link"),
    "vault export": ("vault.graph", "Write the graph as JSON, GraphML, JSON-LD or tables"),
    "vault stats": ("vault.keeping", "Count what is in the index, and what was left out"),
    "vault scan": ("vault.keeping", "Bring the registry to what the files are"),
    "vault index build": ("vault.keeping", "Build the index"),
    "vault embed": ("vault.keeping", "Make the vectors that are missing; goes on where it stopped"),
    "vault watch": ("vault.watch", "Sync whenever notes change, until Ctrl+C"),
    "vault concept prep": ("vault.concepts", "Show titles and headings, to draw up a vocabulary"),
    "vault concept import": ("vault.concepts", "Add concepts, or unite them with those of the same name"),
    "vault concept list": ("vault.concepts", "List the concepts"),
    "vault concept resolve": ("vault.concepts", "Show the concept that a name means"),
    "vault concept merge": ("vault.concepts", "Make several concepts one"),
    "vault concept rename": ("vault.concepts", "Give a concept another name; the old one becomes an alias"),
    "vault concept split": ("vault.concepts", "Make aliases of a concept a concept of their own"),
    "vault pending": ("vault.records", "List the notes that wait for a record"),
    "vault metadata import": ("vault.records", "Store records of notes: mentions and relations with verbatim quotes"),
    "vault metadata validate": ("vault.records", "Check every record against its note"),
    "vault extract": ("vault.records", "Extract links and papers of notes as records"),
    "vault check": ("vault.records", "List claims that an edit made suspect, with what rests on them"),
    "vault gc": ("vault.keeping", "Delete records whose text no note holds any more"),
    "vault resolve": ("vault.notes", "Show where the note with a hash is"),
    "vault doc-info": ("vault.notes", "Show a note with its record"),
    "vault locate": ("vault.notes", "Find a quote in a note"),
    "vault doc": ("vault.notes", "Show what one markdown file says, without a vault"),
}

MEMORY: dict[str, tuple[str, str]] = {
    "history": ("journal", "Show what was changed, when and by whom"),
    "undo": ("journal", "Take changes back"),
    "reindex": ("upkeep", "Build everything that is derived again from the journal"),
    "prefetch": ("upkeep", "Prepare the embedder ahead of its first use"),
    "doctor": ("doctor", "Find out what is wrong, and repair it"),
    "config": ("config", "Show the settings and where they come from"),
    "console": ("console", "Serve the memory to a browser on this machine, for reading"),
    "mcp": ("mcp", "Serve the memory to an agent by the Model Context Protocol"),
}

LEDGER: dict[str, tuple[str, str]] = {
    "route report": ("ledger", "Count what guidance was shown, what it cost and what came of it"),
    "route session": ("ledger", "Show what one session was shown, and why"),
    "route outcomes": ("ledger", "Read past transcripts for what became of guidance"),
    "route observe": ("ledger", "Tell what became of an entry"),
    "route suggest": ("ledger", "Propose what to do about entries"),
    "route replay": ("ledger", "Ask past prompts again with other settings"),
    "route strip": ("ledger", "Take out of a text what guidance put into it"),
}

HOOKS: dict[str, tuple[str, str]] = {
    "hook install": ("hook", "Make a host of agents run this program at its events"),
    "hook uninstall": ("hook", "Take the hooks out of a host's settings"),
    "hook status": ("hook", "Show installed hooks and what keeps a host from running them"),
    "doctor skills": ("skills", "Predict which skills a host leaves out of its listing"),
}

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "References, what was read": REFERENCES,
    "Vaults, what was written": VAULT,
    "Guidance, what was shown and what came of it": LEDGER,
    "Hooks, guidance at the moment it matters": HOOKS,
    "The memory as a whole": MEMORY,
}

VERBS: dict[str, tuple[str, str]] = {**REFERENCES, **VAULT, **LEDGER, **HOOKS, **MEMORY}

ROADS = tuple(dict.fromkeys(verb.partition(" ")[0] for verb in VERBS if " " in verb))


def command(verb: str) -> Command:
    """Load the one module that a command lives in."""
    from importlib import import_module

    found: Command = import_module(ROOT + VERBS[verb][0]).COMMANDS[verb]
    return found


def split(words: list[str]) -> tuple[str, list[str]]:
    """The longest command that the words begin with, empty when there is none, and the rest of them."""
    for size in (3, 2, 1):
        verb = " ".join(words[:size])
        if len(words) >= size and verb in VERBS:
            return verb, words[size:]
    return "", words


def nearest(words: list[str]) -> str:
    """The command that was probably meant, or nothing."""
    import difflib

    given = [word for word in words[:2] if not word.startswith("-")]
    if given and given[0] not in ROADS:
        for road in ROADS:
            if f"{road} {given[0]}" in VERBS:
                return f"{road} {given[0]}"
    for count in range(len(given), 0, -1):
        candidates = [verb for verb in VERBS if verb.count(" ") == count - 1]
        if near := difflib.get_close_matches(" ".join(given[:count]), candidates, n=1, cutoff=0.7):
            return near[0]
    if given and given[0] not in ROADS:
        tails = {verb.rpartition(" ")[2]: verb for verb in VERBS}
        if near := difflib.get_close_matches(given[0], tails, n=1, cutoff=0.7):
            return tails[near[0]]
    return ""


def overview(road: str = "") -> str:
    """The list of commands, of one road or of all."""
    lines = [f"Usage: trivium {road + ' ' if road else ''}COMMAND [ARGUMENT]... [OPTION]..."]
    if not road:
        lines += ["", "A memory that a coding agent can trust: what it read, with the source behind each claim."]
    width = max(map(len, VERBS))
    for title, group in GROUPS.items():
        verbs = [verb for verb in group if not road or verb.startswith(f"{road} ")]
        if verbs:
            lines += ["", f"{title}:", *(f"  {verb:<{width}}  {group[verb][1]}" for verb in verbs)]
    lines += [
        "",
        "trivium COMMAND --help tells its options; --version tells the version. Every command has --json.",
        "Exit status: 0 done, also when nothing was found; 1 it could not be done; 2 the request cannot be right;",
        "3 an index is missing; 4 an index is of other settings; 5 something was skipped and --strict was given.",
    ]
    return "\n".join(lines) + "\n"
