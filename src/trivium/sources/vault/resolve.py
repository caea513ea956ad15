"""What a link means: the note, attachment or address it leads to, as the applications resolve it, never a guess."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from trivium.sources.vault.names import (
    INDEX_NAMES,
    Dates,
    NoteName,
    Style,
    bare,
    key,
    page_name,
    without_climbs,
)
from trivium.text.markdown import Link

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?!\s)|//")
_PLAIN = re.compile(r"[^/%?.#]+")
"""A name that can be read in one way only: no path, no ending, no escape."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:mailto|tel):", re.I)
_JOURNAL_FORMATS = ("yyyy_MM_dd", "yyyy-MM-dd", "MMM do, yyyy", "MMMM do, yyyy", "yyyy/MM/dd")


class Resolution(NamedTuple):
    """Where a link leads.

    status      `path`                `candidates`
    resolved    the note              ()
    attachment  the file              ()
    ambiguous   ""                    the notes it may mean, nearest first
    dangling    ""                    ()
    external    ""                    ()

    `how` says by which rule: self, path, name, page, alias, title, date, folder, definition, block or address.
    """

    status: str
    path: str
    candidates: tuple[str, ...]
    how: str


_DANGLING = Resolution("dangling", "", (), "")
_EXTERNAL = Resolution("external", "", (), "address")


class Resolver:
    """Resolves links among the notes it was made for.

    A target is tried as a path, as a file name, as a page name, as a title or alias its author gave, as a first
    heading, as a day, as a folder; the first rule under which any note fits decides. Several notes that fit the same
    rule are narrowed to those spelled exactly so, then to the one in the source's own folder; the rest is ambiguous.
    Styles differ in the order of the first rules and in which of them they have.
    """

    def __init__(self, notes: Iterable[NoteName], style: Style | None = None, attachments: Iterable[str] = ()) -> None:
        self.style = style or Style()
        self._paths: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._pages: dict[str, list[str]] = {}
        self._given: dict[str, list[str]] = {}
        self._headings: dict[str, list[str]] = {}
        self._days: dict[str, list[str]] = {}
        self._folders: dict[str, list[str]] = {}
        self._folder_names: dict[str, set[str]] = {}
        self._blocks: dict[str, list[str]] = {}
        self._files: dict[str, list[str]] = {}
        self._file_names: dict[str, list[str]] = {}
        self._known: set[str] = set()
        self._has_days = self.style.name in ("logseq", "roam", "auto")
        self._dates = Dates(self.style.journal_format, *_JOURNAL_FORMATS)
        for note in notes:
            self._add(note)
        for path in attachments:
            self._files.setdefault(key(path), []).append(path)
            self._file_names.setdefault(key(path.rpartition("/")[2]), []).append(path)

    def _add(self, note: NoteName) -> None:
        path = note.path
        self._known.add(path)
        folder, _, name = path.rpartition("/")
        stem = bare(name)
        self._paths.setdefault(key(bare(path)), []).append(path)
        self._stems.setdefault(key(stem), []).append(path)
        self._pages.setdefault(key(note.title or page_name(path)), []).append(path)
        for given in dict.fromkeys(map(key, (*((note.title,) if note.title else ()), *note.aliases))):
            self._given.setdefault(given, []).append(path)
        if note.heading:
            self._headings.setdefault(key(note.heading), []).append(path)
        if key(stem) in INDEX_NAMES:
            self._folders.setdefault(key(folder), []).append(path)
            self._folder_names.setdefault(key(folder.rpartition("/")[2]), set()).add(key(folder))
        is_journal = self.style.name != "logseq" or path.startswith(self.style.journals_folder + "/")
        if self._has_days and is_journal and (day := self._dates.day(stem)):
            self._days.setdefault(day, []).append(path)
        for block in note.blocks:
            self._blocks.setdefault(block.lower(), []).append(path)

    # ---- Public

    def resolve(self, source: str, link: Link) -> Resolution:
        """Where `link`, which stands in the note at path `source`, leads."""
        if link.kind == "autolink":
            return _EXTERNAL
        if link.kind == "block-ref":
            return self._decide(self._blocks.get((link.block or "").lower(), []), "", source, "block")
        if link.kind in ("wiki", "frontmatter", "tag"):
            return self._wiki(source, link)
        return self._destination(source, link.target)

    def answers(self, note: NoteName) -> frozenset[str]:
        """The keys a note is found under: when it comes, goes or changes, only links that ask for one are affected."""
        folder, _, name = note.path.rpartition("/")
        stem = bare(name)
        found = {key(name), key(stem), key(note.title or page_name(note.path)), *map(key, note.aliases)}
        if note.heading:
            found.add(key(note.heading))
        if key(stem) in INDEX_NAMES:
            found.add(key(folder.rpartition("/")[2]))
        if self._has_days and (day := self._dates.day(stem)):
            found.add(f"day {day}")
        return frozenset(found | {f"block {block.lower()}" for block in note.blocks})

    def asks(self, source: str, link: Link) -> frozenset[str]:
        """The keys that decide where a link leads; an attachment answers to the key of its file name."""
        if link.kind == "autolink":
            return frozenset()
        if link.kind == "block-ref":
            return frozenset((f"block {(link.block or '').lower()}",))
        is_plain = link.fragment is None and link.definition is None and _PLAIN.fullmatch(link.target)
        if not is_plain or self.style.name == "dendron":
            return self._asks_of(source, link)
        day = self._dates.day(link.target) if self._has_days else None
        return frozenset((key(link.target), f"day {day}") if day else (key(link.target),))

    def _asks_of(self, source: str, link: Link) -> frozenset[str]:
        targets = [link.target, *((link.definition,) if link.definition else ())]
        if self.style.name == "dendron" and link.label is not None:
            targets.append(link.label.partition("#")[0])
        if link.fragment is not None:
            targets.append(f"{link.target}#{link.fragment}")
        found: set[str] = set()
        for target in targets:
            plain = unquote(target)
            for spelling in dict.fromkeys((target, plain, plain.partition("?")[0], unquote(target.partition("?")[0]))):
                bases = ("", source.rpartition("/")[0])
                joined = [(without_climbs(f"{base}/{spelling}") or "").rpartition("/")[2] for base in bases]
                for name in {spelling.strip("/"), *joined}:
                    found |= {key(name), key(bare(name))}
                if self._has_days and (day := self._dates.day(spelling)):
                    found.add(f"day {day}")
        return frozenset(found)

    # ---- Wiki links

    def _wiki(self, source: str, link: Link) -> Resolution:
        target = link.target
        if self.style.name == "dendron" and link.label is not None:
            target = link.label.partition("#")[0].strip()  # Dendron writes [[label|note]]
        if not target:
            has_anchor = link.fragment is not None or link.block is not None
            return Resolution("resolved", source, (), "self") if has_anchor else _DANGLING
        if link.definition is not None and self.style.name in ("foam", "auto", "markdown"):
            found = self._destination(source, link.definition.partition("#")[0])
            if found.status in ("resolved", "attachment", "external"):
                return found._replace(how="definition" if found.status != "external" else "address")
        if link.fragment is not None:
            # No application lets a file name hold `#`, so a note that is called so is meant.
            whole = f"{target}#{link.fragment}"
            if paths := self._stems.get(key(whole)) or self._pages.get(key(whole)):
                return self._decide(paths, whole, source, "name")
        for spelling in dict.fromkeys((target, unquote(target))):
            found = self._named(source, spelling)
            if found.status != "dangling":
                return found
        return _EXTERNAL if _ADDRESS.match(target) else _DANGLING

    def _named(self, source: str, target: str) -> Resolution:
        if target.startswith(("./", "../")):
            path = without_climbs(f"{source.rpartition('/')[0]}/{target}")
            return self._at(path, source, "path") if path else _DANGLING
        wanted = bare(target.strip("/"))
        for paths, how in self._rules(source, wanted):
            if paths:
                return self._decide(paths, wanted, source, how)
        return self._attachment(target.strip("/"), source)

    def _rules(self, source: str, wanted: str) -> Iterator[tuple[list[str], str]]:
        """Notes that fit under each rule, the rules in the order of the style."""
        name = key(wanted)
        if self.style.name in ("logseq", "roam"):
            yield self._pages.get(name, []), "page"
            yield self._given.get(name, []), "alias"
        if self.style.name in ("obsidian", "dendron") or "/" in name:
            yield self._paths.get(name, []), "path"
        yield self._suffixed(name, wanted), "name"
        if self.style.name == "auto":
            yield self._pages.get(name, []), "page"
        yield self._given.get(name, []), "alias"
        if self.style.name != "logseq":
            yield self._headings.get(name, []), "title"
        if self._has_days and (day := self._dates.day(wanted)):
            yield self._days.get(day, []), "date"
        if self.style.name in ("foam", "auto", "markdown"):
            last = name.rpartition("/")[2]
            folders = [folder for folder in self._folder_names.get(last, ()) if f"/{folder}".endswith(f"/{name}")]
            yield [path for folder in folders for path in self._index_of(folder)], "folder"

    def _suffixed(self, name: str, wanted: str) -> list[str]:
        """Notes whose path ends with the wanted one, at a folder border."""
        found = self._stems.get(key(wanted.rpartition("/")[2]), [])
        if "/" not in name:
            return found
        return [path for path in found if ("/" + key(bare(path))).endswith("/" + name)]

    def _index_of(self, folder: str) -> list[str]:
        """The note that stands for a folder: the best of `INDEX_NAMES` in it."""
        found = self._folders.get(folder, [])
        ranks = [INDEX_NAMES.index(key(bare(path.rpartition("/")[2]))) for path in found]
        return [path for path, rank in zip(found, ranks, strict=True) if rank == min(ranks)]

    # ---- Destinations

    def _destination(self, source: str, destination: str) -> Resolution:
        """What a Markdown or HTML destination without its fragment leads to."""
        if _SCHEME.match(destination):
            return _EXTERNAL
        if not destination:
            return Resolution("resolved", source, (), "self")
        spellings = [unquote(destination), destination]
        if "?" in destination:
            spellings.append(unquote(destination.partition("?")[0]))
        for spelling in dict.fromkeys(spellings):
            found = self._located(source, spelling)
            if found.status != "dangling":
                return found
        return _DANGLING

    def _located(self, source: str, target: str) -> Resolution:
        folder = source.rpartition("/")[0]
        bases = ["" if target.startswith("/") else folder]
        is_free = target not in (".", "..") and not target.startswith(("./", "../", "/"))
        if is_free and folder and self.style.name != "markdown":
            bases.insert(0 if self.style.name == "obsidian" else 1, "")
        for base in bases:
            path = without_climbs(f"{base}/{target}")
            if path is not None and (found := self._at(path, source, "path")).status != "dangling":
                return found
        if not is_free or self.style.name in ("markdown", "logseq", "roam"):
            return _DANGLING
        wanted = bare(target)
        found_names = self._suffixed(key(wanted), wanted)
        if found_names and (wanted != target or "." not in target.rpartition("/")[2]):
            return self._decide(found_names, wanted, source, "name")
        return self._attachment(target, source)

    def _at(self, path: str, source: str, how: str) -> Resolution:
        """The note, attachment or folder at a path of the vault, given with or without its ending."""
        if path in self._known:
            return Resolution("resolved", path, (), how)
        exact = key(path)
        found = self._paths.get(key(bare(path)), [])
        if named := [one for one in found if key(one) == exact]:
            return self._decide(named, path, source, how)
        if files := self._files.get(exact):
            return self._file(files, path)
        if found and bare(path) == path:
            return self._decide(found, path, source, how)
        return self._decide(self._index_of(exact), path, source, "folder")

    # ---- Files and choices

    def _attachment(self, target: str, source: str) -> Resolution:
        """A file that is no note, by its path or by its name."""
        name = key(target)
        if files := self._files.get(name):
            return self._file(files, target)
        if self.style.name in ("markdown", "dendron"):
            return _DANGLING
        found = self._file_names.get(key(target.rpartition("/")[2]), [])
        found = [path for path in found if ("/" + key(path)).endswith("/" + name)]
        if len(found) > 1:
            near = [path for path in found if path.rpartition("/")[0] == source.rpartition("/")[0]]
            found = near or found
        return self._file(found, target)

    def _file(self, files: list[str], target: str) -> Resolution:
        exact = [path for path in files if path.endswith(target)] if len(files) > 1 else files
        files = exact or files
        if not files:
            return _DANGLING
        if len(files) > 1:
            return Resolution("ambiguous", "", tuple(sorted(files, key=lambda path: (len(path), path))), "path")
        return Resolution("attachment", files[0], (), "path")

    def _decide(self, paths: list[str], wanted: str, source: str, how: str) -> Resolution:
        """The one note that is meant, or all that may be."""
        if len(paths) > 1:
            paths = self._narrowed(list(dict.fromkeys(paths)), wanted, source)
        if not paths:
            return _DANGLING
        if len(paths) == 1:
            return Resolution("resolved", paths[0], (), how)
        folder = source.rpartition("/")[0] + "/"
        ranked = sorted(paths, key=lambda path: (not path.startswith(folder), len(path), path))
        return Resolution("ambiguous", "", tuple(ranked), how)

    def _narrowed(self, paths: list[str], wanted: str, source: str) -> list[str]:
        exact = [
            path for path in paths if ("/" + path).endswith(("/" + wanted, f"/{wanted}.md", f"/{wanted}.markdown"))
        ]
        paths = exact or paths
        folder = source.rpartition("/")[0]
        near = [path for path in paths if path.rpartition("/")[0] == folder]
        if not near and self.style.name == "obsidian":
            near = [path for path in paths if path.startswith(folder + "/")] if folder else []
        return near if len(near) == 1 else paths
