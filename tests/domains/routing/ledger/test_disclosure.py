"""What a session saw is remembered across processes, and forgotten when the agent loses it."""

from __future__ import annotations

from pathlib import Path

from trivium.domains.routing.compile import FULL, LINE, TEASER, Item
from trivium.domains.routing.ledger.disclosure import Disclosure


def item(id: str, level: str, version: str = "1") -> Item:
    return Item(id, version, level, 10)


def test_the_fullest_level_of_the_latest_version_counts(home: Path) -> None:
    first = Disclosure(str(home), "s")
    assert first.shown() == {}
    first.add([item("a", TEASER), item("b", FULL)])
    Disclosure(str(home), "s").add([item("a", FULL), item("b", LINE)])
    assert first.shown() == {"a": (FULL, "1"), "b": (FULL, "1")}
    first.add([item("b", LINE, "2")])
    assert first.shown()["b"] == (LINE, "2")
    assert Disclosure(str(home), "t").shown() == {}


def test_forgetting(home: Path) -> None:
    one = Disclosure(str(home), "s")
    one.forget()
    one.add([item("a", FULL)])
    one.forget()
    assert one.shown() == {}


def test_without_a_session_nothing_is_kept(home: Path) -> None:
    assert not Disclosure(str(home), "").add([item("a", FULL)])
    assert Disclosure(str(home), "").shown() == {}
    assert not home.exists()


def test_damaged_lines_are_passed_over(home: Path) -> None:
    one = Disclosure(str(home), "s")
    one.add([item("a", FULL)])
    [path] = (home / "sessions").iterdir()
    with path.open("ab") as stream:
        stream.write(b'{broken\n[["x"]]\n[1]\n"text"\n\xff\n')
    one.add([item("b", FULL)])
    assert set(one.shown()) == {"a", "b"}


def test_names_of_sessions_are_no_paths(home: Path) -> None:
    for session in ("../../x", "a/b", "\0", "\ud800", "x" * 10_000):
        assert Disclosure(str(home), session).add([item("a", FULL)])
    assert all(path.parent == home / "sessions" for path in home.rglob("*.jsonl"))
    assert len(list((home / "sessions").iterdir())) == 5
