"""Many processes at one store: nothing that was acknowledged is lost, whoever is killed, and nobody meets a lock."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.store.sqlite.test_connection import SQL_WORDS

from trivium.model import Record
from trivium.store import mirror
from trivium.store.sqlite.recovery import check
from trivium.store.sqlite.store import open_store

WRITERS, WRITES = 8, 200

# Says each id on its standard output once the write has returned: what was said is acknowledged.
WRITER = """
import sys
from trivium.store.sqlite.store import open_store
path, name, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open_store(path) as store:
    # Not what this test is about: without it the disk is waited for at every commit.
    store.connection.execute("PRAGMA synchronous = OFF")
    for number in range(first, last):
        concept = {"id": f"{name} {number}", "description": f"written by {name}"}
        reference = {"url": f"https://example.org/{name}", "title": name}
        relation = {"subject": concept["id"], "predicate": "RELATED_TO", "object": concept["id"], "reason": "r"}
        payload = {"reference": reference, "concepts": [concept], "relations": [relation]}
        applied = store.append("register", payload, at="2026-03-01T12:00:00.000000Z", actor=name, session="")
        print(applied.record.id, flush=True)
"""

READER = """
import sys
from trivium.store.sqlite.store import open_store
rounds = 0
while True:
    with open_store(sys.argv[1]) as store:
        for _ in range(10):
            with store.read():
                keys = [text.key for text in store.texts()]
                relations = store.relations(keys)
                # A registration is there with its relation, or not at all.
                assert len(relations) == len(keys) == store.entity_count(), (len(relations), len(keys))
                assert len(store.evidence([row.key for row in relations])) == len(relations)
            rounds += 1
    print(rounds, flush=True)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed_again_and_again(path: str, chance: random.Random) -> tuple[list[str], list[str]]:
    """A writer of as many concepts as the others that is killed before it is through, until all are written."""
    said: list[str] = []
    errors: list[str] = []
    done = 0
    while done < WRITES:
        victim = start(WRITER, path, "victim", done, WRITES)
        assert victim.stdout is not None
        lines = [victim.stdout.readline().strip() for _ in range(min(WRITES - done, chance.randint(5, 60)))]
        time.sleep(chance.random() / 500)
        victim.send_signal(signal.SIGKILL)
        rest, error = victim.communicate()
        lines = [line for line in [*lines, *rest.split("\n")] if len(line) == 32]
        said += lines
        errors.append(error)
        done += len(lines)
    return said, errors


@pytest.mark.slow
def test_eight_writers_two_readers_and_a_killer(tmp_path: Path) -> None:
    path = str(tmp_path / "concepts.db")
    writers = [start(WRITER, path, f"writer{number}", 0, WRITES) for number in range(WRITERS - 1)]
    readers = [start(READER, path) for _ in range(2)]
    acknowledged, errors = killed_again_and_again(path, random.Random(7))
    for writer in writers:
        said, error = writer.communicate()
        assert len(said.split()) == WRITES, error
        acknowledged += said.split()
        errors.append(error)
    for reader in readers:
        assert reader.poll() is None, reader.communicate()
        reader.send_signal(signal.SIGKILL)
        rounds, error = reader.communicate()
        assert rounds
        errors.append(error)
    assert [error for error in errors if error or SQL_WORDS.search(error)] == []

    with open_store(path) as store:
        stored = [record.id for record in store.records()]
        assert set(acknowledged) <= set(stored)
        # Beside them only what a killed writer had no time to say.
        assert len(stored) - len(acknowledged) < 100
        assert store.drift() == {}
        assert store.entity_count() == WRITERS * WRITES
        assert len({record.at for record in store.records()}) == len(stored)
        held = {item.id for _, _, item in mirror.read_file(store.mirror_path()) if isinstance(item, Record)}
        assert held == set(stored)
    assert [finding for finding in check(path) if finding.level == "error"] == []


@pytest.mark.parametrize("moment", range(6))
def test_a_writer_killed_in_the_middle_leaves_a_sound_store(tmp_path: Path, moment: int) -> None:
    """Each moment of a commit: the process ends itself there, without a chance to tidy up."""
    path = str(tmp_path / "concepts.db")
    places = [
        "trivium.store.sqlite.journal.insert",
        "trivium.store.sqlite.fold.apply.Fold.apply",
        "trivium.store.mirror.append",
        "trivium.store.sqlite.writer.Writer.set_meta",
        "trivium.store.sqlite.connection.retry",
        "trivium.store.sqlite.connection._roll_back",
    ]
    code = f"""
import importlib, os, sys
from trivium.store.sqlite.store import open_store
store = open_store(sys.argv[1])
def write(name):
    payload = {{"reference": {{"url": "u", "title": "t"}}, "concepts": [], "relations": []}}
    payload["concepts"].append({{"id": name, "description": "d"}})
    store.append("register", payload, at="2026-03-01T12:00:00.000000Z", actor="", session="")
write("before")
print("acknowledged", flush=True)
place = {places[moment]!r}
owner, _, name = place.rpartition(".")
try:
    owner = importlib.import_module(owner)
except ModuleNotFoundError:
    module, _, kind = owner.rpartition(".")
    owner = getattr(importlib.import_module(module), kind)
call = getattr(owner, name)
def dying(*arguments, **options):
    call(*arguments, **options)
    os._exit(9)
setattr(owner, name, dying)
try:
    with store.write():
        write("during")
        if {moment} == 5:
            raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
"""
    child = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert (child.stdout, child.stderr, child.returncode) == ("acknowledged\n", "", 9)
    with open_store(path) as store:
        found = {text.id for text in store.texts()}
        assert {"before"} <= found <= {"before", "during"}
        assert store.drift() == {}
        payload = {"ids": ["before"]}
        store.append("archive", payload, at="2026-03-01T12:00:00.000000Z", actor="", session="")
        held = [item.id for _, _, item in mirror.read_file(store.mirror_path()) if isinstance(item, Record)]
        assert held == [record.id for record in store.records()]
    # From the moment on at which the line stands in the text journal, the change is kept.
    assert ("during" in found) == (moment in (2, 3, 4))
    assert not os.path.exists(path + ".lock")
