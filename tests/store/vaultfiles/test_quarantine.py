"""What could not be read is kept word for word, once."""

from __future__ import annotations

import json
from pathlib import Path

from trivium.store.vaultfiles import Damaged, set_aside


def test_set_aside(tmp_path: Path) -> None:
    root = str(tmp_path)
    one, other = Damaged("registry.jsonl", 2, "no JSON", "{é"), Damaged("concepts.json", 1, "no id", "{}")
    assert set_aside(root, []) == 0
    assert not (tmp_path / "meta/kg/quarantine.jsonl").exists()
    assert set_aside(root, [one, one]) == 1
    assert set_aside(root, [one, other]) == 1
    lines = (tmp_path / "meta/kg/quarantine.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [one._asdict(), other._asdict()]


def test_its_own_damage_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "meta/kg/quarantine.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{broken")
    assert set_aside(str(tmp_path), [Damaged("f", 1, "r", "t")]) == 1
    assert path.read_text().splitlines()[0] == "{broken"
    assert len(path.read_text().splitlines()) == 2
