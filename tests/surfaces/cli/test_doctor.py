"""`doctor`: what it sees, what it repairs, how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def codes(answer: Any) -> dict[tuple[str, str], str]:
    return {(check["area"], check["code"]): check["level"] for check in answer["checks"]}


def test_a_sound_memory(filled: Any) -> None:
    ran = filled("doctor", "--json")
    assert ran.status == 0
    found = codes(ran.json)
    assert set(found.values()) <= {"ok", "note"}
    assert found["embedder", "works"] == "ok"
    assert found["index", "words"] == "ok"
    assert found["index", "vectors"] == "ok"
    text = filled("doctor").out
    assert text.endswith("\nEverything works.\n")
    assert "setting embedder = hash (TRIVIUM_EMBEDDER)\n" in text


def test_an_empty_home_is_healthy(cli: Any) -> None:
    ran = cli("doctor", "--json")
    assert (ran.status, codes(ran.json)["store", "missing"]) == (0, "note")


def test_texts_without_vectors_are_a_warning(filled: Any) -> None:
    ran = filled("doctor", "--json", "--embedder", "hash:64")
    assert (ran.status, codes(ran.json)["index", "vectors"]) == (0, "warning")
    assert codes(filled("doctor", "--json", "--embedder", "none").json)["embedder", "none"] == "note"


def test_an_embedder_that_does_not_work_is_an_error(filled: Any, tmp_path: Path) -> None:
    ran = filled("doctor", "--embedder", f"onnx:{tmp_path / 'nothing'}")
    assert ran.status in (0, 1)
    broken = filled("doctor", "--embedder", f"onnx:{tmp_path}", "--json")
    assert broken.status == 1
    assert broken.json["is_healthy"] is False


def test_a_damaged_store_is_told_and_recovered(filled: Any, home: Path) -> None:
    path = home / "concepts.db"
    data = bytearray(path.read_bytes())
    data[:100] = b"\0" * 100
    path.write_bytes(bytes(data))
    for leftover in ("-wal", "-shm"):
        path.with_name(path.name + leftover).unlink(missing_ok=True)
    ran = filled("ref", "list")
    assert (ran.status, ran.out) == (1, "")
    assert "doctor" in ran.err
    assert filled("doctor").status == 1
    ran = filled("doctor", "--recover", "--json")
    assert ran.status == 0
    assert ran.json["recovered"]["records"] == 1
    assert ran.json["recovered"]["set_aside"]
    assert filled("ref", "search", "zebra", "--json").json["hits"][0]["id"] == "zebra"


def test_nothing_to_recover_changes_nothing(filled: Any, files: Any) -> None:
    filled("ref", "list")
    before = files()
    assert filled("doctor", "--recover").out.startswith("There is nothing to recover.\n")
    assert files() == before
