"""The vault's settings, whatever form they were written in."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.errors import ConfigError
from trivium.store.vaultfiles import read_config, write_config


def put(root: Path, text: str) -> None:
    folder = root / "meta/kg"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(text)


@pytest.mark.parametrize(
    ("text", "scope", "stoplist"),
    [
        ('{"scope": ["k", " x "], "wikiLinkStoplist": ["TODO"]}', ("k", "x"), ("TODO",)),
        ('{"scope": "k, x"}', ("k", "x"), ()),
        ('{"scope": null}', (), ()),
        ("{}", (), ()),
        ("null", (), ()),
        ("", (), ()),
    ],
)
def test_settings(tmp_path: Path, text: str, scope: tuple[str, ...], stoplist: tuple[str, ...]) -> None:
    put(tmp_path, text)
    config = read_config(str(tmp_path))
    assert (config.scope, config.stoplist) == (scope, stoplist)


def test_no_file(tmp_path: Path) -> None:
    assert read_config(str(tmp_path)) == ((), (), {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("[]", "must hold an object"),
        ('{"scope": 5}', "scope in"),
        ('{"scope": [1]}', "list of texts"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    put(tmp_path, text)
    with pytest.raises(ConfigError, match=message):
        read_config(str(tmp_path))


def test_unknown_settings_survive(tmp_path: Path) -> None:
    put(tmp_path, '{"mine": 1, "scope": ["k"]}')
    config = read_config(str(tmp_path))
    assert write_config(str(tmp_path), {**config.fields, "scope": ["x"]})
    assert read_config(str(tmp_path)).fields == {"mine": 1, "scope": ["x"]}
