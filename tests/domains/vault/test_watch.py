"""Watching: every way in which editors save ends in an index that equals the files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tests.domains.vault.contents import Folder, contents

from trivium.domains.vault.sync import Synced, sync
from trivium.domains.vault.watch import watch


def in_place(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def by_rename(path: Path, text: str) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def as_vim(path: Path, text: str) -> None:
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    path.write_text(text, encoding="utf-8")
    backup.unlink()


def with_old_time(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))


def removed_and_written(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(text, encoding="utf-8")


SAVES: list[Callable[[Path, str], None]] = [in_place, by_rename, as_vim, with_old_time, removed_and_written]


def test_every_way_of_saving_is_followed(folder: Folder) -> None:
    folder.write({"a.md": "# A\n", "b.md": "# B\n"})
    vault = folder.open()
    told: list[Synced] = []
    turns = iter(range(100))
    last = 0

    def sleep(_seconds: float) -> None:
        nonlocal last
        last = next(turns)
        if last % 4 == 3 and last // 4 < len(SAVES):
            SAVES[last // 4](folder.root / "a.md", f"# A\n\n{'saved ' * (last + 1)}")

    watch(vault, told.append, sleep=sleep, is_wanted=lambda: last < 4 * len(SAVES) + 6)
    assert [(one.new, one.changed) for one in told] == [(2, 0), *[(0, 1)] * len(SAVES)]
    assert any("saved saved" in part for part in contents(vault)["parts"])
    assert sync(vault).unchanged == 2
