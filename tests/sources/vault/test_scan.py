"""What changed: each state, nothing read without need, nothing deleted without proof."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import NotFoundError, UsageError
from trivium.sources.vault.files import ReadNote
from trivium.sources.vault.scan import EMPTIED, MASS_DELETION, Known, Scan, scan

LATER_NS = 4_000_000_000_000_000_000
"""A clock far after every file of a test was written."""


class Vault:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[str, Known] = {}
        self.received: list[ReadNote] = []

    def write(self, path: str, text: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def scan(self, **options: object) -> Scan:
        self.received = []
        found = scan(
            str(self.root),
            self.known.values(),
            **{"now_ns": LATER_NS, "receive": self.received.append, **options},
        )
        self.known = {one.known.path: one.known for one in found.found} | {row.path: row for row in found.kept}
        return found


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def states(found: Scan) -> dict[str, str]:
    return {one.known.path: one.state for one in found.found}


def test_new_changed_unchanged_deleted(vault: Vault) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    assert states(vault.scan()) == {"a.md": "new", "b.md": "new", "c.md": "new"}
    assert sorted(note.text for note in vault.received) == ["a", "b", "c"]
    vault.write("a.md", "a edited")
    vault.write("d.md", "d")
    (vault.root / "b.md").unlink()
    found = vault.scan()
    assert states(found) == {"a.md": "changed", "c.md": "unchanged", "d.md": "new"}
    assert [row.path for row in found.deleted] == ["b.md"]
    assert [note.path for note in vault.received] == ["a.md", "d.md"]
    assert (found.count("new"), found.files_read) == (1, 2)


def test_nothing_changed_reads_nothing(vault: Vault) -> None:
    for number in range(50):
        vault.write(f"{number}.md", str(number))
    vault.scan()
    found = vault.scan()
    assert (found.files_read, found.bytes_read, found.count("unchanged")) == (0, 0, 50)


def test_verify_hashes_all(vault: Vault) -> None:
    vault.write("a.md", "old")
    vault.scan()
    status = os.stat(vault.root / "a.md")
    vault.write("a.md", "new")
    os.utime(vault.root / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert states(vault.scan()) == {"a.md": "unchanged"}
    assert states(vault.scan(verify=True)) == {"a.md": "changed"}


def test_a_note_written_in_the_tick_of_the_last_scan_is_hashed(vault: Vault) -> None:
    vault.write("a.md", "old")
    status = os.stat(vault.root / "a.md")
    vault.scan(now_ns=status.st_mtime_ns + 1_000)
    vault.write("a.md", "new")
    os.utime(vault.root / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert states(vault.scan()) == {"a.md": "changed"}
    assert vault.scan().files_read == 0


def test_a_touched_note_is_unchanged(vault: Vault) -> None:
    vault.write("a.md", "x")
    vault.scan()
    os.utime(vault.root / "a.md", ns=(1, 1_000_000_000))
    found = vault.scan()
    assert (states(found), found.files_read, vault.received) == ({"a.md": "unchanged"}, 1, [])
    assert vault.scan().files_read == 0


def test_a_move_keeps_the_note(vault: Vault) -> None:
    vault.write("a.md", "body")
    vault.scan()
    (vault.root / "sub").mkdir()
    (vault.root / "a.md").rename(vault.root / "sub/z.md")
    found = vault.scan()
    assert [(one.known.path, one.state, one.moved_from) for one in found.found] == [("sub/z.md", "moved", "a.md")]
    assert (found.deleted, vault.received) == ((), [])


def test_a_copy_is_new_and_named_as_a_duplicate(vault: Vault) -> None:
    vault.write("a.md", "body")
    vault.scan()
    vault.write("b.md", "body")
    found = vault.scan()
    assert states(found) == {"a.md": "unchanged", "b.md": "new"}
    assert list(found.duplicates.values()) == [("a.md", "b.md")]
    again = vault.scan()
    assert (again.count("new"), list(again.duplicates.values())) == (0, [("a.md", "b.md")])


def test_of_two_equal_notes_the_moved_one_is_told_by_its_name(vault: Vault) -> None:
    vault.write("x/a.md", "same")
    vault.write("x/b.md", "same")
    vault.scan()
    vault.known = {path: row._replace(inode=0) for path, row in vault.known.items()}
    shutil.move(vault.root / "x", vault.root / "y")
    found = vault.scan()
    assert {(one.moved_from, one.known.path) for one in found.found} == {("x/a.md", "y/a.md"), ("x/b.md", "y/b.md")}


def test_empty_notes_neither_move_nor_double(vault: Vault) -> None:
    vault.write("a.md", "")
    vault.write("b.md", "")
    found = vault.scan()
    assert (found.empty, found.duplicates) == (("a.md", "b.md"), {})
    (vault.root / "a.md").rename(vault.root / "c.md")
    found = vault.scan()
    assert states(found) == {"b.md": "unchanged", "c.md": "new"}
    assert [row.path for row in found.deleted] == ["a.md"]


def test_twenty_saves_by_renaming(vault: Vault) -> None:
    vault.write("a.md", "0")
    vault.scan()
    for number in range(1, 21):
        (vault.root / "a.md").rename(vault.root / "a.md~")
        vault.write("a.md", str(number))
        (vault.root / "a.md~").unlink()
        assert states(vault.scan()) == {"a.md": "changed"}


def test_crlf_without_a_last_newline_stays_as_it_is(vault: Vault) -> None:
    data = b"# A\r\n\r\n[[b]]"
    vault.write("a.md", data)
    vault.scan()
    assert states(vault.scan(verify=True)) == {"a.md": "unchanged"}
    assert (vault.root / "a.md").read_bytes() == data


def test_other_bytes_make_another_hash(vault: Vault) -> None:
    vault.write("a.md", b"caf\xe9\n")
    vault.write("b.md", b"caf\xe8\n")
    found = vault.scan()
    assert len({one.known.hash for one in found.found}) == 2
    assert [path for path, _ in found.problems] == ["a.md", "b.md"]


def test_what_cannot_be_read_is_kept(vault: Vault) -> None:
    for name in ("a", "b", "c", "d"):
        vault.write(f"{name}.md", name)
    vault.scan()
    vault.write("a.md", b"a\0")
    vault.write("b.md", "b" * 200)
    (vault.root / "c.md").unlink()
    vault.write(".c.md.icloud", "placeholder")
    if sys.platform != "win32":
        (vault.root / "d.md").unlink()
        (vault.root / "d.md").symlink_to(vault.root / "a.md")
    found = vault.scan(max_bytes=100)
    assert found.deleted == ()
    reasons = {skipped.path: skipped.reason for skipped in found.skipped}
    assert (reasons["a.md"], reasons["b.md"], reasons["c.md"]) == ("binary", "too_large", "placeholder")
    assert set(reasons) <= {row.path for row in found.kept}


def test_what_vanishes_or_is_swapped_during_a_scan_is_kept(vault: Vault) -> None:
    for name in ("a", "b", "c"):
        vault.write(f"{name}.md", name)
    vault.scan()
    for name in ("a", "b", "c"):
        vault.write(f"{name}.md", f"{name} edited")

    def meddle(note: ReadNote) -> None:
        if note.path == "a.md":
            (vault.root / "b.md").unlink()
            (vault.root / "c.md").unlink()
            (vault.root / "c.md").mkdir()

    found = vault.scan(receive=meddle)
    assert {skipped.path: skipped.reason for skipped in found.skipped} == {"b.md": "vanished", "c.md": "not_a_file"}
    assert ([row.path for row in found.kept], found.deleted) == (["b.md", "c.md"], ())
    assert [row.path for row in vault.scan().deleted] == ["b.md", "c.md"]


def test_a_vault_that_is_not_there_deletes_nothing(vault: Vault) -> None:
    vault.write("v/a.md", "a")
    inner = Vault(vault.root / "v")
    inner.scan()
    shutil.rmtree(vault.root / "v")
    found = inner.scan()
    assert (found.deleted, [row.path for row in found.kept]) == ((), ["a.md"])
    assert "not there" in found.degraded[0]


def test_a_vault_that_is_suddenly_empty_deletes_nothing(vault: Vault) -> None:
    for number in range(EMPTIED):
        vault.write(f"{number}.md", str(number))
    vault.scan()
    for number in range(EMPTIED):
        (vault.root / f"{number}.md").unlink()
    found = vault.scan()
    assert (found.deleted, len(found.kept), len(found.degraded)) == ((), EMPTIED, 1)
    found = vault.scan(trusts_deletions=True)
    assert (len(found.deleted), found.kept, found.degraded) == (EMPTIED, (), ())


def test_an_empty_scope_deletes_nothing(vault: Vault) -> None:
    for number in range(EMPTIED):
        vault.write(f"k/{number}.md", str(number))
    vault.write("x.md", "x")
    vault.scan()
    shutil.rmtree(vault.root / "k")
    found = vault.scan(scopes=("k",))
    assert (found.deleted, len(found.kept)) == ((), EMPTIED + 1)
    assert any("k held" in reason for reason in found.degraded)


def test_a_few_deletions_are_believed_and_many_are_not(vault: Vault) -> None:
    total = 2 * MASS_DELETION + 10
    for number in range(total):
        vault.write(f"{number:03}.md", str(number))
    vault.scan()
    for number in range(MASS_DELETION + 5):
        (vault.root / f"{number:03}.md").unlink()
    assert len(vault.scan().deleted) == MASS_DELETION + 5
    for number in range(MASS_DELETION + 5, total - 1):
        (vault.root / f"{number:03}.md").unlink()
    left = total - MASS_DELETION - 5
    found = vault.scan()
    assert len(found.deleted) == (left - 1 if left - 1 <= MASS_DELETION else 0)


def test_moving_everything_is_no_deletion(vault: Vault) -> None:
    for number in range(60):
        vault.write(f"a/{number}.md", str(number))
    vault.scan()
    (vault.root / "a").rename(vault.root / "b")
    found = vault.scan()
    assert (found.count("moved"), found.deleted, found.degraded) == (60, (), ())


def test_outside_the_scope_nothing_is_touched(vault: Vault) -> None:
    vault.write("k/a.md", "a")
    vault.write("x/c.md", "c")
    vault.scan()
    (vault.root / "k/a.md").unlink()
    (vault.root / "x/c.md").unlink()
    found = vault.scan(scopes=("k",))
    assert [row.path for row in found.deleted] == ["k/a.md"]
    assert [row.path for row in found.kept] == ["x/c.md"]


def test_a_note_that_is_ignored_now_leaves(vault: Vault) -> None:
    vault.write("a.md", "a")
    vault.write("b.md", "b")
    vault.scan()
    vault.write(".triviumignore", "b.md\n")
    assert [row.path for row in vault.scan().deleted] == ["b.md"]


def test_roots_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        scan(str(tmp_path / "no"), (), now_ns=1)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="not a folder"):
        scan(str(tmp_path / "file"), (), now_ns=1)


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    subprocess.run(["chmod", "-R", "u+rwx", str(folder)], check=False)
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions as POSIX has them")
def test_an_unreadable_folder_deletes_nothing(shared_folder: Path) -> None:
    vault = Vault(shared_folder)
    vault.write("open/a.md", "a")
    vault.write("shut/b.md", "b")
    vault.scan()
    rows = [tuple(row) for row in vault.known.values()]
    (vault.root / "shut").chmod(0)
    code = (
        "import os\n"
        "from trivium.sources.vault.scan import Known, scan\n"
        f"root, known = {str(vault.root)!r}, [Known(*row) for row in {rows!r}]\n"
        f"scan(root, (), now_ns={LATER_NS})\n"  # loads what a user without rights may not be able to load
        "if os.geteuid() == 0: os.setuid(65534)\n"
        f"found = scan(root, known, now_ns={LATER_NS})\n"
        "print(len(found.deleted), [row.path for row in found.kept], len(found.degraded))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0 ['shut/b.md'] 1"


ACTIONS = st.lists(
    st.tuples(st.sampled_from(["write", "move", "delete", "scan"]), st.integers(0, 4), st.integers(0, 4)), max_size=12
)


@given(ACTIONS)
def test_scans_add_up_to_what_is_there(actions: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = Vault(Path(folder))
        for action, one, other in [*actions, ("scan", 0, 0)]:
            file, target = vault.root / f"{one}.md", vault.root / f"{other}.md"
            if action == "write":
                vault.write(file.name, f"text {other}" if other else "")
            elif action == "move" and file.exists():
                file.replace(target)
            elif action == "delete":
                file.unlink(missing_ok=True)
            elif action == "scan":
                found = vault.scan(verify=True)
                there = {path.name for path in vault.root.iterdir()}
                assert {one.known.path for one in found.found} == there
                assert not {row.path for row in found.deleted} & there
                assert set(vault.known) == there
