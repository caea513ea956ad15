"""`config`: values, origins, the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_every_setting_with_its_origin(cli: Any, home: Path, monkeypatch: Any) -> None:
    home.mkdir()
    (home / "config.toml").write_text('recipe = "rrf"\n', encoding="utf-8")
    monkeypatch.setenv("TRIVIUM_SESSION", "s1")
    found = {one["key"]: one for one in cli("config", "--json").json["settings"]}
    assert found["recipe"] == {"key": "recipe", "value": "rrf", "origin": str(home / "config.toml")}
    assert found["embedder"]["origin"] == "TRIVIUM_EMBEDDER"
    assert found["session"] == {"key": "session", "value": "s1", "origin": "TRIVIUM_SESSION"}
    assert found["home"] == {"key": "home", "value": str(home), "origin": "TRIVIUM_HOME"}
    assert found["busy_timeout_s"]["origin"] == "default"
    assert f"recipe = rrf ({home / 'config.toml'})\n" in cli("config", "list").out


def test_one_setting(cli: Any) -> None:
    assert cli("config", "get", "recipe").out == "calibrated\n"
    assert cli("config", "--json", "get", "embedder").json["settings"][0]["value"] == "hash"
    assert "Did you mean 'embedder'?" in cli("config", "get", "embeder").err
    assert cli("config", "get").status == 2
    assert cli("config", "list", "embedder").status == 2


def test_the_file_is_told_also_when_it_is_broken(cli: Any, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("embeder = 3", encoding="utf-8")
    ran = cli("config", "--json")
    assert (ran.status, ran.error["code"]) == (2, "config")
    assert "'embedder'" in ran.error["hint"]
    assert cli("config", "path").out == f"{home / 'config.toml'}\n"


def test_no_key_is_shown(cli: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "do-not-show")
    assert "do-not-show" not in cli("config").out + cli("doctor").out
