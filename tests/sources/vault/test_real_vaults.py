"""Links of real vaults against an independent reading of each application's rules: precision and recall."""

from __future__ import annotations

import importlib.util
import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from trivium.sources.vault.names import Style, detect_style, note_name, tag_links
from trivium.sources.vault.resolve import Resolver
from trivium.sources.vault.scan import scan
from trivium.text.markdown import Note, parse

DATA = Path(__file__).parents[4] / "shared" / "data"
"""Corpora that lie beside the project and are not part of it."""

FLOOR = 0.99
VAULTS = {
    # name: (set, folder in it, rules, style or None for the detected one)
    "kepano": ("vault_kepano", "", "obsidian", None),
    "obsidian help, English": ("vault_obsidian_help", "en", "obsidian", "obsidian"),
    "obsidian help, Chinese": ("vault_obsidian_help", "zh", "obsidian", "obsidian"),
    "obsidian help, Japanese": ("vault_obsidian_help", "ja", "obsidian", "obsidian"),
    "obsidian sandbox": ("vault_obsidian_help", "Sandbox", "obsidian", "obsidian"),
    "foam": ("vault_foam_docs", "", "foam", None),
    "logseq": ("vault_logseq_docs", "", "logseq", None),
}


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Unpacks a set of the corpora once, and gives its folder."""
    folder = tmp_path_factory.mktemp("vaults")

    def unpack(name: str) -> Path:
        archive = DATA / name / "vault.tar.zst"
        if not archive.exists():
            pytest.skip(f"the corpus {name} is not beside the project ({archive})")
        target = folder / name
        if not target.exists():
            import zstandard

            with open(archive, "rb") as file:
                data = zstandard.ZstdDecompressor().stream_reader(file).read()
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                tar.extractall(target, filter="data")
        return target

    return unpack


@pytest.fixture(scope="session")
def oracles() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vault_oracles", Path(__file__).with_name("oracles.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def attachments(name: str, folder: str) -> list[str]:
    """Files that the packed vault leaves out but lists."""
    prefix = f"{folder}/" if folder else ""
    lines = (DATA / name / "attachments.tsv").read_text(encoding="utf-8").splitlines()[1:]
    paths = (line.split("\t", 1)[0] for line in lines)
    return [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]


def read(root: Path, style: Style) -> tuple[dict[str, Note], list[str]]:
    notes: dict[str, Note] = {}
    found = scan(
        str(root),
        (),
        now_ns=1,
        receive=lambda note: notes.setdefault(note.path, parse(note.text, is_outline=style.name == "logseq")),
    )
    return notes, list(found.attachments)


@pytest.mark.parametrize("vault", VAULTS)
def test_links(vault: str, unpacked: Callable[[str], Path], oracles: ModuleType) -> None:
    name, folder, rules, style_name = VAULTS[vault]
    root = unpacked(name) / folder
    style = Style(style_name) if style_name else detect_style(str(root))
    assert style.name == rules
    notes, files = read(root, style)
    files += attachments(name, folder)
    texts = oracles.read_vault(str(root))
    assert set(notes) == set(texts), "a note was dropped"

    resolver = Resolver([note_name(path, note) for path, note in notes.items()], style, files)
    found = set()
    for path, note in notes.items():
        for link in (*note.links, *tag_links(note, style)):
            meaning = resolver.resolve(path, link)
            assert (meaning.status == "ambiguous") == (len(meaning.candidates) > 1)
            if meaning.status == "resolved" and meaning.path != path:
                found.add((path, link.line, meaning.path))
    wanted = getattr(oracles, rules)(texts, files)
    both = found & wanted
    precision, recall = len(both) / len(found), len(both) / len(wanted)
    print(f"{vault}: {len(notes)} notes, {len(wanted)} links, precision {precision:.4f}, recall {recall:.4f}")
    assert precision >= FLOOR, sorted(found - wanted)
    assert recall >= FLOOR, sorted(wanted - found)


@pytest.mark.parametrize("name", sorted({vault[0] for vault in VAULTS.values()}))
def test_offsets_of_real_notes(name: str, unpacked: Callable[[str], Path]) -> None:
    root = unpacked(name)
    notes, _ = read(root, Style())
    assert notes
    for path, note in notes.items():
        assert note.text.encode() == (root / path).read_bytes()
        for link in note.links:
            assert note.text[link.start : link.end] == link.raw
        for tag in note.tags:
            assert tag.name in note.text[tag.start : tag.end]


def test_typed_links_of_a_real_frontmatter(unpacked: Callable[[str], Path]) -> None:
    notes, _ = read(unpacked("vault_kepano"), Style("obsidian"))
    found = {
        (path, link.property, link.raw.removeprefix("[[").removesuffix("]]"))
        for path, note in notes.items()
        for link in note.links
        if link.kind == "frontmatter"
    }
    lines = (DATA / "vault_kepano" / "frontmatter_links.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert {tuple(line.split("\t")) for line in lines} <= found
