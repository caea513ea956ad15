"""Bug reports of other programs, replayed: each case is a small vault with what its reporters expected."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trivium.sources.vault.names import detect_style, note_name
from trivium.sources.vault.resolve import Resolution, Resolver
from trivium.sources.vault.scan import Scan, scan
from trivium.text.markdown import Note, parse

DATA = Path(__file__).parents[4] / "shared" / "data" / "odd_inputs"
CASES: list[dict[str, Any]] = (
    [json.loads(line) for line in (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    if DATA.exists()
    else []
)
ELSEWHERE = {"search", "body_searchable", "no_crash_queries", "time_s", "no_crash", "note", "verbatim", "distinct"}
"""Expectations about searching and time, tested where those are, and free texts."""


class Read(NamedTuple):
    notes: dict[str, Note]
    scan: Scan
    meanings: list[tuple[str, str, str | None, Resolution]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not CASES:
        pytest.skip(f"the odd inputs are not beside the project ({DATA})")
    import zstandard

    target = tmp_path_factory.mktemp("odd")
    data = zstandard.ZstdDecompressor().stream_reader((DATA / "odd_inputs.tar.zst").read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        # The links are made here, below: an archive must not bring any.
        tar.extractall(target, members=[member for member in tar if not member.issym()], filter="data")
    for case in CASES:
        for path, to in case["symlinks"].items():
            (target / case["id"] / path).symlink_to(to)
    return target


def read(root: Path) -> Read:
    notes: dict[str, Note] = {}
    found = scan(str(root), (), now_ns=1, receive=lambda note: notes.setdefault(note.path, parse(note.text)))
    names = [note_name(path, note) for path, note in notes.items()]
    resolver = Resolver(names, detect_style(str(root)), found.attachments)
    meanings = [
        (path, link.target, link.label, resolver.resolve(path, link))
        for path, note in notes.items()
        for link in note.links
    ]
    return Read(notes, found, meanings)


def check_links(case: dict[str, Any], found: Read) -> None:
    expect = case["expect"]
    edges = [(path, meaning.path) for path, _, _, meaning in found.meanings if meaning.status == "resolved"]
    assert {tuple(link) for link in expect.get("links", ())} <= set(edges)
    assert not {tuple(link) for link in expect.get("not_links", ())} & set(edges)
    for pair, count in expect.get("count", {}).items():
        assert str(edges.count(tuple(pair.split("->")))) in count
    for pair, label in expect.get("anchor_text", {}).items():
        source, target = pair.split("->")
        labels = [label for path, _, label, meaning in found.meanings if (path, meaning.path) == (source, target)]
        assert labels == [label]
    for source, name in expect.get("ambiguous", ()):
        (meaning,) = [meaning for path, target, _, meaning in found.meanings if (path, target) == (source, name)]
        near = meaning.path.rpartition("/")[0] == source.rpartition("/")[0]
        assert meaning.status == "ambiguous" or (meaning.status == "resolved" and near and "/" in source)


def check_texts(case: dict[str, Any], found: Read) -> None:
    expect = case["expect"]
    for path, title in expect.get("title", {}).items():
        assert found.notes[path].name(Path(path).stem) == title
    for path, aliases in expect.get("aliases", {}).items():
        assert list(found.notes[path].aliases) == aliases
    for path, tags in expect.get("tags", {}).items():
        assert [tag.name for tag in found.notes[path].tags] == tags
    for path, tags in expect.get("not_tags", {}).items():
        assert not {tag.name for tag in found.notes[path].tags} & set(tags)
    for path, headings in expect.get("headings", {}).items():
        assert [heading.text for heading in found.notes[path].headings] == headings
        assert len({heading.slug for heading in found.notes[path].headings}) == len(headings)
    if "notes" in expect:
        assert len(found.notes) == expect["notes"]
    if "reported" in expect:
        assert found.scan.problems or any(note.frontmatter.problems for note in found.notes.values())
    for text, path in expect.get("body_searchable", ()):
        note = found.notes[path]
        assert text in note.text[note.frontmatter.body :]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], folder: Path) -> None:
    checked = {"title", "aliases", "tags", "not_tags", "headings", "links", "not_links", "ambiguous", "notes", "count",
               "anchor_text", "reported"}  # fmt: skip
    assert set(case["expect"]) <= checked | ELSEWHERE, "an expectation that nothing checks"
    root = folder / case["id"]
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    found = read(root)
    assert {path for path in case["files"] if path.endswith(".md")} == set(found.notes)
    check_texts(case, found)
    check_links(case, found)
    for path, note in found.notes.items():
        assert all(note.text[link.start : link.end] == link.raw for link in note.links), path
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
