"""What links mean by each application's documented rules, read with line scans and regular expressions.

Written for the tests alone: it shares no code, no parser and no data structure with the resolver that it judges. An
edge is (note, line of the link from 1, note it leads to); links to oneself, attachments and addresses are no edges.
"""

from __future__ import annotations

import os
import re
import unicodedata
import urllib.parse
from collections import defaultdict

Edge = tuple[str, int, str]

FENCE = re.compile(r"^(?:[ \t>]|[-*+][ \t]|\d+[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,})")
WIKI = re.compile(r"\[\[([^\[\]\n]+)\]\]")
INLINE = re.compile(
    r"(?<!\\)\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*(?:<([^<>\n]*)>|((?:[^()\s]|\([^()\s]*\))*))(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
DEFINITION = re.compile(r"^ {0,3}\[([^\]\n]+)\]:[ \t]*(?:<([^<>\n]*)>|(\S+))", re.M)
REFERENCE = re.compile(r"(?<![\]\[\\])\[([^\[\]\n]+)\](?:\[([^\[\]\n]*)\])?(?![\(\[:\]])")


def read_vault(root: str) -> dict[str, str]:
    """All notes of a folder, by relative path, without the folders that applications keep for themselves."""
    notes = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in (".obsidian", ".git", ".trash", "bak", ".recycle")]
        for name in files:
            if name.endswith(".md"):
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                    notes[path] = file.read()
    return notes


def spaces(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def without_code(text: str, *, indented: bool = True) -> str:
    """The text with code, comments, maths and raw HTML blocks turned to spaces, line by line."""
    lines = text.split("\n")
    fence = ""
    was_blank, in_list, in_html, in_pre = True, False, False, False
    for number, line in enumerate(lines):
        if not fence and (in_pre or re.match(r" {0,3}<(?:pre|script|style)\b", line, re.I)):
            in_pre = not re.search(r"</(?:pre|script|style)>", line, re.I)
            lines[number] = " " * len(line)
            continue
        opening = FENCE.match(line)
        if fence:
            lines[number] = " " * len(line)
            stripped = line.lstrip(" \t>").rstrip()
            if stripped and set(stripped) == {fence[0]} and len(stripped) >= len(fence):
                fence = ""
            continue
        if opening:
            fence = opening[1]
            lines[number] = " " * len(line)
            continue
        blank = not line.strip()
        if re.match(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]", line):
            in_list = True
        elif not blank and not line.startswith((" ", "\t")):
            in_list = False
        if indented and was_blank and not in_list and re.match(r"(?: {4}|\t)", line):
            lines[number] = " " * len(line)
            continue
        if was_blank and re.match(r" {0,3}</?(?:div|table|details|p|ul|ol|section|iframe|center|h\d)\b", line, re.I):
            in_html = True
        if in_html and blank:
            in_html = False
        if in_html and "href" not in line:
            lines[number] = " " * len(line)
        was_blank = blank
    text = "\n".join(lines)
    text = re.sub(r"<!--.*?-->", spaces, text, flags=re.S)
    text = re.sub(r"(?<![`\\])(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", spaces, text, flags=re.S)
    text = re.sub(r"%%.*?%%", spaces, text, flags=re.S)
    return re.sub(r"\$\$.*?\$\$", spaces, text, flags=re.S)


def normal(name: str) -> str:
    return unicodedata.normalize("NFC", name).lower()


def line_of(text: str, offset: int) -> int:
    return text[:offset].count("\n") + 1


def stem(path: str) -> str:
    return path.rsplit("/", 1)[-1][:-3]


def head_end(text: str) -> int:
    found = re.match(r"\ufeff?---[ \t]*\r?\n(?:.*?\n)??---[ \t]*(?:\r?\n|$)", text, re.S)
    return found.end() if found else 0


def head_list(head: str, key: str) -> list[str]:
    """The items of a list property, in brackets or one a line."""
    found = re.search(rf"^{key}:[ \t]*(?:\[(.*?)\]|(\S[^\n]*)|((?:\r?\n[ \t]*- [^\n]*)+))", head, re.M)
    if found is None:
        return []
    items = found[3].split("\n") if found[3] else (found[1] or found[2] or "").split(",")
    return [item.strip().removeprefix("- ").strip().strip("\"'") for item in items if item.strip()]


def destinations(text: str) -> list[tuple[int, str]]:
    """(offset, destination) of inline and reference links."""
    found = [(match.start(), match[1] if match[1] is not None else match[2]) for match in INLINE.finditer(text)]
    defined = {match[1].lower(): match[2] or match[3] for match in DEFINITION.finditer(text)}
    body = DEFINITION.sub(spaces, text)
    for match in REFERENCE.finditer(body):
        label = (match[2] or match[1]).lower()
        if label in defined and not label.startswith("^"):
            found.append((match.start(), defined[label]))
    return found


def obsidian(notes: dict[str, str], files: list[str]) -> set[Edge]:
    """Help pages "Internal links", "Embed files", "Properties", "Aliases": a link names a file by its path in the vault
    or by its name, of several the nearest and shortest path; case does not matter; Markdown links are percent-encoded.
    An alias names its note where no file is called so."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in notes:
        by_name[normal(stem(path))].append(path)
    by_alias: dict[str, set[str]] = defaultdict(set)
    for path, text in notes.items():
        for alias in head_list(text[: head_end(text)], "aliases"):
            by_alias[normal(alias)].add(path)
    other = {normal(path) for path in files} | {normal(path.rsplit("/", 1)[-1]) for path in files}

    def lookup(name: str, source: str) -> str | None:
        name = normal(name).strip()
        if name in other:
            return None
        name = name.removesuffix(".md")
        folder = os.path.dirname(source)
        if name.startswith(("./", "../")):
            name = os.path.normpath(os.path.join(normal(folder), name))
            return next((path for path in notes if normal(path)[:-3] == name), None)
        name = name.lstrip("/")
        candidates = [path for path in by_name[name.split("/")[-1]] if ("/" + normal(path)[:-3]).endswith("/" + name)]
        exact = [path for path in candidates if normal(path)[:-3] == name]
        below = [path for path in candidates if path.startswith(folder + "/")] if folder else []
        named = by_alias[name] if "/" not in name else set()
        found = exact or sorted(below, key=len) or sorted(candidates, key=len)
        return found[0] if found else next(iter(named)) if len(named) == 1 else None

    edges: set[Edge] = set()
    for source, text in notes.items():
        end = head_end(text)
        clean = text[:end] + without_code(text[end:])
        for match in WIKI.finditer(clean):
            target = re.split(r"\\?\||#", match[1])[0].strip()
            found = lookup(target, source) if target else None
            if found and found != source:
                edges.add((source, line_of(text, match.start()), found))
        for offset, destination in destinations(clean):
            if offset < end or re.match(r"[a-z][a-z0-9+.-]+:", destination, re.I):
                continue
            target = urllib.parse.unquote(destination.split("#")[0])
            found = lookup(target, source) if target else None
            if found and found != source:
                edges.add((source, line_of(text, offset), found))
    return edges


MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"


def logseq_names(path: str, text: str) -> tuple[str, list[str]]:
    """The page a file is, and its other names."""
    is_listed = text.startswith("- ")
    head = text.split("\n", 1)[0] if is_listed else re.split(r"\n\n|\n- ", text, maxsplit=1)[0]
    if text.startswith("---"):
        head = re.sub(r"^(title|alias): *", r"\1:: ", text[: head_end(text)], flags=re.M)
    title = re.search(r"^(?:- )?title::[ \t]*(.+?)[ \t\r]*$", head, re.M | re.I)
    name = title[1] if title else urllib.parse.unquote(stem(path).replace("___", "/"))
    date = re.fullmatch(r"(\d{4})_(\d\d)_(\d\d)", stem(path))
    if date and path.startswith("journals/"):
        day = int(date[3])
        ending = "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        name = f"{MONTHS.split()[int(date[2]) - 1]} {day}{ending}, {date[1]}"
    found = re.search(r"^(?:- )?alias::[ \t]*(.+?)[ \t\r]*$", head, re.M | re.I)
    aliases = found[1].split(",") if found else []
    return name, [alias.strip().removeprefix("[[").removesuffix("]]").strip() for alias in aliases]


def logseq_clean(text: str) -> str:
    clean = without_code(text, indented=False)
    clean = re.sub(r"#\+BEGIN_(SRC|EXAMPLE|QUERY).*?#\+END_\1", spaces, clean, flags=re.S | re.I)
    return re.sub(r"\{\{query.*?\}\}", spaces, clean, flags=re.I)


def logseq(notes: dict[str, str], files: list[str]) -> set[Edge]:
    """Logseq's documentation: a page is named by `title::` or its file name (`___` and `%XX` decoded), journals by
    their date; `[[page]]`, `#page`, `#[[page]]`, `tags::` values and `((block))` refer to pages, by alias too."""
    pages: dict[str, str] = {}
    aliases: dict[str, str] = {}
    blocks: dict[str, str] = {}
    for path in sorted(notes):
        name, others = logseq_names(path, notes[path])
        pages[normal(name)] = path
        aliases.update((normal(alias), path) for alias in others)
        for match in re.finditer(r"^[ \t]*(?:- )?id::[ \t]*([0-9a-f-]{36})", notes[path], re.M):
            blocks[match[1]] = path
    edges: set[Edge] = set()
    for source, text in notes.items():
        clean = logseq_clean(text)
        refs = [(match.start(), match[1]) for match in WIKI.finditer(clean)]
        hashes = re.finditer(r"(?<![^\s(,\"'])(?<!\]\()#([^\s#,.\[\]()\"'!?;:`*~]+)", clean)
        refs += [(match.start(), match[1]) for match in hashes]
        for match in re.finditer(r"^tags::[ \t]*(.+)$", clean.split("\n- ")[0], re.M):
            refs += [(match.start(), part.strip(" #\r")) for part in match[1].split(",") if "[[" not in part]
        found = [
            (offset, pages.get(normal(name.strip())) or aliases.get(normal(name.strip()))) for offset, name in refs
        ]
        uuids = re.finditer(r"\(\(([0-9a-f-]{36})\)\)", clean)
        found += [(match.start(), blocks.get(match[1])) for match in uuids]
        for offset, destination in destinations(clean):
            target = urllib.parse.unquote(destination.split("#")[0])
            path = os.path.normpath(os.path.join(os.path.dirname(source), target))
            found.append((offset, path if ":" not in target and path in notes else None))
        edges |= {(source, line_of(text, offset), to) for offset, to in found if to and to != source}
    return edges


def foam(notes: dict[str, str], files: list[str]) -> set[Edge]:
    """Foam's documentation: a wikilink names a note by its file name, or the end of its path; a definition of the same
    label decides; a folder stands for its index or readme; Markdown links are relative to the note."""
    edges: set[Edge] = set()
    folders = {os.path.dirname(path) for path in notes}

    def at(path: str) -> str | None:
        path = os.path.normpath(path)
        if path in files:
            return None
        for name in (path, path + ".md", path + "/index.md", path + "/README.md"):
            if name in notes:
                return name
        return None

    for source, text in notes.items():
        end = head_end(text)
        clean = " " * end + without_code(text[end:])
        folder = os.path.dirname(source)
        defined = {match[1].lower(): match[2] or match[3] for match in DEFINITION.finditer(clean)}
        for match in WIKI.finditer(DEFINITION.sub(spaces, clean)):
            name = match[1].split("|")[0].split("#")[0].strip()
            found = None
            if name.lower() in defined:
                found = at(os.path.join(folder, urllib.parse.unquote(defined[name.lower()].split("#")[0])))
            if found is None and name:
                same = [path for path in notes if ("/" + normal(path)).endswith("/" + normal(name) + ".md")]
                near = [path for path in same if os.path.dirname(path) == folder]
                same = near if len(near) == 1 else same
                inside = [at(one) for one in folders if ("/" + normal(one)).endswith("/" + normal(name)) and at(one)]
                found = same[0] if len(same) == 1 else inside[0] if not same and len(inside) == 1 else None
            if found and found != source:
                edges.add((source, line_of(text, match.start()), found))
        for offset, destination in destinations(clean):
            if re.match(r"[a-z][a-z0-9+.-]+:|//", destination, re.I) or destination.startswith("#"):
                continue
            if text[offset : offset + 2] == "[[":
                continue
            target = urllib.parse.unquote(destination.split("#")[0])
            found = at(target.lstrip("/") if target.startswith("/") else os.path.join(folder, target))
            if found and found != source:
                edges.add((source, line_of(text, offset), found))
    return edges
