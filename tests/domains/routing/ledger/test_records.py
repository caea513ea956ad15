"""Records come back as they were written, whatever else is in the file; writers never disturb each other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.shapes import entry, observed, shown
from trivium.domains.routing.ledger.records import Ledger, Record, Trace, as_line, prompt_hash, text_name

TRACE = Trace("2026-03-01T13:00:00.000000Z", "s", "claude", "/w", "/t", "a", "b", 2, 3, {"Bash": 4}, ("x",), 1, "error")


def test_records_come_back(home: Path) -> None:
    ledger = Ledger(str(home))
    records: list[Record] = [
        shown("deploy", entry("a", query="how", text="t"), entry("b"), left=("c",), is_late=True, notices=("n",)),
        shown("nothing"),
        observed("a", "used", diagnosis="opened by Read"),
        TRACE,
    ]
    assert all(ledger.write(record) for record in records)
    assert list(ledger.read()) == records
    assert list(ledger.read(session="t")) == []
    assert ledger.unreadable == 0


@given(st.text(max_size=30), st.text(max_size=30), st.floats(-2, 2), st.integers(0, 10**9))
def test_any_values_come_back(name: str, query: str, score: float, number: int) -> None:
    record = shown("p", entry(name, query=query, score=score), session=query, latency_ms=number)
    [line] = as_line(record).splitlines()
    assert line.isascii()
    assert json.loads(line)["entries"][0]["id"] == name


def test_months_and_moments(home: Path) -> None:
    ledger = Ledger(str(home))
    for at in ("2026-01-05T00:00:00.000000Z", "2026-02-05T00:00:00.000000Z", "2026-02-25T00:00:00.000000Z"):
        ledger.write(shown("p", at=at))
    assert sorted(path.name for path in (home / "ledger").iterdir()) == ["2026-01.jsonl", "2026-02.jsonl"]
    assert [one.at[:10] for one in ledger.shown(since="2026-02-10")] == ["2026-02-25"]
    assert len(ledger.shown()) == 3


@pytest.mark.parametrize(
    "line",
    [
        b"{broken",
        b"[]",
        b'{"record": "strange"}',
        b'{"record": "shown", "at": 5}',
        b'{"record": "shown", "at": "2026", "entries": [7]}',
        b'{"record": "shown", "at": "2026", "entries": [{"id": []}]}',
        b"\xff\xfe",
    ],
)
def test_damaged_lines_are_counted_and_passed_over(line: bytes, home: Path) -> None:
    ledger = Ledger(str(home))
    ledger.write(shown("a"))
    with open(ledger.files.path("2026-03"), "ab") as stream:
        stream.write(line + b"\n")
    ledger.write(shown("b"))
    assert len(list(ledger.read())) == 2
    assert ledger.unreadable == 1


def test_unknown_fields_of_later_versions_are_passed_over(home: Path) -> None:
    ledger = Ledger(str(home))
    values = {**json.loads(as_line(shown("a"))), "new": [1]}
    ledger.files.append("2026-03", json.dumps(values).encode() + b"\n")
    assert list(ledger.read()) == [shown("a")]


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ledger = Ledger(str(tmp_path / "file"))
    assert not ledger.write(shown("a"))
    ledger.keep(["text"])
    assert list(ledger.read()) == []


def test_texts_are_kept_once(home: Path) -> None:
    ledger = Ledger(str(home))
    assert ledger.keep(["one", "two", "one"]) == [text_name("one"), text_name("two"), text_name("one")]
    assert ledger.files.text(text_name("one")) == "one"
    assert sorted(ledger.files.texts()) == ["one", "two"]
    assert ledger.files.text("absent") == ""


def test_many_processes_write_at_once(home: Path) -> None:
    program = (
        "import sys\n"
        "from trivium.store.ledger import LedgerFiles, line_of\n"
        "files = LedgerFiles(sys.argv[1])\n"
        "for number in range(200):\n"
        "    files.append('2026-03', line_of({'writer': sys.argv[2], 'number': number, 'pad': 'x' * 5_000}))\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(home), str(name)]) for name in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    files = Ledger(str(home)).files
    found: list[dict[str, Any]] = list(files.records())
    assert files.unreadable == 0
    assert {(one["writer"], one["number"]) for one in found} == {(str(w), n) for w in range(4) for n in range(200)}


def test_prompts_are_recognised_by_their_words() -> None:
    assert prompt_hash("a  b\n c") == prompt_hash(" a b c ")
    assert prompt_hash("a b") != prompt_hash("a c")
    assert prompt_hash("\ud800") == prompt_hash("?")
