"""Settings files are changed in one step, kept as they were, and given back to the byte."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from trivium.errors import ConflictError, StoreError, UsageError
from trivium.surfaces.hooks.install.changing import Plan, carry_out, plan_install, plan_uninstall
from trivium.surfaces.hooks.install.command import argv, handler


def wanted(*events: str) -> dict[str, dict[str, Any]]:
    return {event: handler("claude", event, argv("claude", event), 10, is_shell=False) for event in events}


def install(path: Path, home: Path, *events: str) -> Plan:
    plan = plan_install("claude", str(path), wanted(*events), str(home))
    carry_out(plan, str(home))
    return plan


def uninstall(path: Path, home: Path) -> None:
    carry_out(plan_uninstall("claude", str(path), str(home)), str(home))


@pytest.mark.parametrize(
    "text", ["{ }", '{\n\n  "a" : [1,2]\n}', '\ufeff{"hooks": { "Stop":[ ] } }', "{}", "", "\n\n", '{"a":1}\r\n']
)
def test_an_unchanged_file_comes_back_to_the_byte(text: str, tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(text.encode())
    install(path, home, "Stop", "SessionStart")
    assert json.loads(path.read_bytes().decode("utf-8-sig"))["hooks"]["Stop"]
    install(path, home, "Stop", "SessionStart", "SessionEnd")
    uninstall(path, home)
    assert path.read_bytes() == text.encode()


def test_a_file_that_was_made_goes_with_its_folders(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "new" / ".claude" / "settings.json"
    install(path, home, "Stop")
    uninstall(path, home)
    assert not (tmp_path / "new").exists()


def test_a_file_that_was_made_and_then_used_stays(tmp_path: Path, home: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    install(path, home, "Stop")
    path.write_text(json.dumps({**json.loads(path.read_text()), "model": "x"}))
    uninstall(path, home)
    assert json.loads(path.read_text()) == {"model": "x"}


def test_a_file_that_was_made_and_then_written_anew_goes_too(tmp_path: Path, home: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    install(path, home, "Stop")
    path.write_text(json.dumps(json.loads(path.read_text())))
    uninstall(path, home)
    assert not path.exists()


def test_the_file_as_it_was_is_kept(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"a": 1}')
    kept = carry_out(plan_install("claude", str(path), wanted("Stop"), str(home)), str(home))
    assert Path(kept).read_text() == '{"a": 1}'
    assert Path(kept).is_relative_to(home)


def test_installing_twice_changes_nothing(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"a": 1}')
    assert install(path, home, "Stop").is_change
    assert not plan_install("claude", str(path), wanted("Stop"), str(home)).is_change
    assert not plan_uninstall("claude", str(tmp_path / "absent.json"), str(home)).is_change


def test_permissions_and_links_stay(tmp_path: Path, home: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    install(link, home, "Stop")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "trivium" in real.read_text()


def test_nothing_is_left_in_the_folder(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "host"
    folder.mkdir()
    (folder / "settings.json").write_text("{}")
    install(folder / "settings.json", home, "Stop")
    assert os.listdir(folder) == ["settings.json"]


def test_a_change_in_between_is_not_overwritten(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    plan = plan_install("claude", str(path), wanted("Stop"), str(home))
    path.write_text('{"theirs": 1}')
    with pytest.raises(ConflictError, match="someone else"):
        carry_out(plan, str(home))
    assert path.read_text() == '{"theirs": 1}'


def test_what_cannot_be_read_is_left_alone(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"a": ')
    with pytest.raises(UsageError, match="line 1, column 7"):
        plan_install("claude", str(path), wanted("Stop"), str(home))
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ConflictError, match="not UTF-8"):
        plan_install("claude", str(path), wanted("Stop"), str(home))
    with pytest.raises(StoreError, match="cannot be read"):
        plan_install("claude", str(tmp_path), wanted("Stop"), str(home))


def test_a_record_that_is_lost_or_broken_is_no_obstacle(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n  "a": 1\n}\n')
    install(path, home, "Stop")
    record = home / "hooks" / "installed.json"
    record.write_text("{broken")
    uninstall(path, home)
    assert path.read_text() == '{\n  "a": 1\n}\n'


def test_what_was_written_between_two_installs_stays(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n  "a": 1\n}\n')
    install(path, home, "Stop")
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    install(path, home, "Stop", "SessionStart")
    uninstall(path, home)
    assert path.read_text() == '{\n  "a": 2\n}\n'


def test_a_file_that_was_made_and_written_between_two_installs_stays(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "settings.json"
    install(path, home, "Stop")
    path.write_text(json.dumps({"model": "x", **json.loads(path.read_text())}))
    install(path, home, "Stop", "SessionStart")
    uninstall(path, home)
    assert json.loads(path.read_text()) == {"model": "x"}
