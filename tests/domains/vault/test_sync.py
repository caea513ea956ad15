"""Syncing: what changed is read, the rest is not; an index brought along equals one made anew."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.domains.vault.contents import Folder, contents

from trivium.domains.vault.concepts import import_concepts
from trivium.domains.vault.metadata import import_records
from trivium.domains.vault.search import SearchOptions, search
from trivium.domains.vault.sync import SyncOptions, sync
from trivium.domains.vault.vault import Vault
from trivium.store.vaultfiles import read_registry

NOTES = {
    "a.md": "# Alpha\n\nSee [[Beta]] and [[gone]].\n\n## Part\n\nwords of alpha #tag/sub\n",
    "b.md": "---\naliases: [Bee]\ndate: 2026-01-02\nstatus: done\n---\n# Beta\n\nBack to [a](a.md) and ![[pic.png]].\n",
    "deep/c.md": "# Gamma\n\n[[Bee]] and [[deep/c#Gamma]]\n",
    "deep/同じ.md": "# 見出し\n\n知識グラフの話。[[Alpha]]\n",
}


def anew(folder: Folder, tmp_path: Path) -> dict[str, list[object]]:
    """What a copy of the vault with an index of its own says."""
    copy = tmp_path / f"copy{random.random()}"
    shutil.copytree(folder.root, copy)
    vault = Vault(folder.engine, str(copy))
    sync(vault)
    found = contents(vault)
    vault.close()
    return found


def test_nothing_changed_reads_no_file(folder: Folder) -> None:
    folder.write(NOTES)
    vault = folder.open()
    first = sync(vault)
    assert (first.new, first.files_read) == (4, 4)
    for path in NOTES:
        os.utime(folder.root / path, (1_700_000_000, 1_700_000_000))
    assert sync(vault).files_read == 4
    again = sync(vault)
    assert (again.unchanged, again.files_read, again.relinked) == (4, 0, 0)


def test_an_index_brought_along_equals_one_made_anew(folder: Folder, tmp_path: Path) -> None:
    chance = random.Random(7)
    folder.write(NOTES)
    vault = folder.open()
    sync(vault)
    names = ["Beta", "gone", "Bee", "x", "Alpha", "new name", "深い"]
    for step in range(40):
        there = sorted(path for path in folder.root.rglob("*.md") if "meta" not in path.parts)
        match chance.randrange(5):
            case 0:
                links = " ".join(f"[[{chance.choice(names)}]]" for _ in range(3))
                folder.write({f"n{step % 9}.md": f"# {chance.choice(names)} \n\n{links} RAG step {step}\n"})
            case 1 if there:
                chance.choice(there).unlink()
            case 2 if there:
                path = chance.choice(there)
                path.rename(path.with_name(f"moved{step}.md"))
            case 3 if there:
                with chance.choice(there).open("a", encoding="utf-8") as file:
                    file.write(f"\n[[{chance.choice(names)}]] more {step}\n")
            case _:
                import_concepts(vault, {"canonical": chance.choice(names), "aliases": [f"c{step % 3}"]})
        sync(vault, SyncOptions(trusts_deletions=True))
        assert contents(vault) == anew(folder, tmp_path), step
        assert {row.path for row in read_registry(vault.root).rows} == {
            str(path.relative_to(folder.root)) for path in folder.root.rglob("*.md") if "meta" not in path.parts
        }


def test_a_note_that_appears_heals_links_and_attachments(folder: Folder) -> None:
    folder.write(NOTES)
    vault = folder.open()
    sync(vault)
    folder.write({"gone.md": "here now\n", "pic.png": "not a picture"})
    done = sync(vault)
    assert (done.new, done.files_read, done.relinked) == (1, 1, 3)
    edges = contents(vault)["edges"]
    assert any("'a.md', 'text', 'ok', 'a.md', 'links_to', 'gone.md'" in edge for edge in edges)
    assert any("'attachment'" in edge for edge in edges)


def test_links_into_edited_notes_survive(folder: Folder) -> None:
    folder.write(NOTES)
    vault = folder.open()
    sync(vault)
    before = contents(vault)["relations"]
    for path in list(NOTES)[:2]:
        with (folder.root / path).open("a", encoding="utf-8") as file:
            file.write("\nedited\n")
    sync(vault)
    assert contents(vault)["relations"] == before


def test_notes_are_never_written(folder: Folder) -> None:
    folder.write({**NOTES, "crlf.md": "\ufeff# B\r\n\r\n[[Beta]]"})
    before = {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}
    vault = folder.open()
    sync(vault)
    sync(vault, SyncOptions(verify=True, is_new=True))
    assert {path: path.read_bytes() for path in before} == before


def test_a_damaged_index_is_built_anew(folder: Folder) -> None:
    folder.write(NOTES)
    vault = folder.open()
    sync(vault)
    whole = contents(vault)
    vault.close()
    with open(vault.database, "r+b") as file:
        file.write(b"broken" * 4000)
    vault = folder.open()
    sync(vault)
    assert contents(vault) == whole
    assert "built anew" in vault.notices[0]


def test_a_vault_that_is_not_mounted_loses_nothing(folder: Folder) -> None:
    folder.write({f"{n}.md": f"# Note {n}\n" for n in range(30)})
    vault = folder.open()
    sync(vault)
    for path in folder.root.glob("*.md"):
        path.unlink()
    done = sync(vault)
    assert (done.deleted, done.total) == (0, 30)
    assert done.degraded
    assert sync(vault, SyncOptions(trusts_deletions=True)).deleted == 30


def test_killed_at_any_moment_the_next_sync_repairs(folder: Folder, tmp_path: Path) -> None:
    folder.write({f"n{n}.md": f"# Note {n}\n\n[[Note {n + 1}]] text of {n}\n" * 5 for n in range(120)})
    for delay_s in (0.05, 0.12, 0.2, 0.3):
        command = [sys.executable, "-m", "trivium", "vault", "sync", str(folder.root)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(delay_s)
            process.send_signal(signal.SIGKILL)
        for number in range(3):
            folder.write({f"n{number}.md": f"# Note {number}\n\nkilled after {delay_s}\n"})
    vault = folder.open()
    sync(vault)
    assert contents(vault) == anew(folder, tmp_path)
    assert not list(folder.root.glob("meta/kg/.*tmp"))


def test_filters_find_what_filtering_first_would(folder: Folder) -> None:
    folder.write(NOTES)
    vault = folder.open()
    sync(vault)
    found = {
        options: [hit.path for hit in search(vault, "alpha beta gamma 知識", SearchOptions(**dict([options]))).hits]
        for options in (
            ("tags", ("tag",)), ("folders", ("deep",)), ("properties", ("status=done",)), ("since", "2026-01-01"),
            ("until", "2025-12-31"), ("tags", ("#tag/sub",)),
        )
    }  # fmt: skip
    assert found[("tags", ("tag",))] == found[("tags", ("#tag/sub",))] == ["a.md"]
    assert set(found[("folders", ("deep",))]) == {"deep/c.md", "deep/同じ.md"}
    assert found[("properties", ("status=done",))] == found[("since", "2026-01-01")] == ["b.md"]
    assert found[("until", "2025-12-31")] == []


def test_an_answer_says_that_the_index_is_behind(folder: Folder) -> None:
    folder.write(NOTES)
    vault = folder.open()
    sync(vault)
    assert search(vault, "alpha").is_current
    folder.write({"a.md": "# Alpha\n\nanother text\n"})
    found = search(vault, "alpha")
    assert not found.is_current
    assert "a.md" in found.notices[0]


def test_a_record_follows_its_note(folder: Folder) -> None:
    folder.write(NOTES)
    vault = folder.open()
    sync(vault)
    import_concepts(vault, [{"canonical": "Words"}])
    (row,) = [row for row in read_registry(vault.root).rows if row.path == "a.md"]
    record = {"hash": row.hash, "mentions": [{"concept": "Words", "anchor": {"quote": "words of alpha"}}]}
    assert not import_records(vault, record).rejected
    (folder.root / "a.md").rename(folder.root / "z.md")
    with (folder.root / "z.md").open("a", encoding="utf-8") as file:
        file.write("more\n")
    sync(vault)
    assert any("'mentions', 'concept://words'" in edge for edge in contents(vault)["edges"]) is False
    (folder.root / "z.md").write_text(NOTES["a.md"], encoding="utf-8")
    sync(vault)
    assert any("'mentions', 'concept://words'" in edge for edge in contents(vault)["edges"])
