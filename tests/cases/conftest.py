"""Where the cases come from: a folder beside the repository, or the one that `--cases` names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "cases"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a case of `<tool>.json`, for a test with the argument `<tool>_case`."""
    for name in [name for name in metafunc.fixturenames if name.endswith("_case")]:
        file = folder(metafunc.config) / f"{name.removesuffix('_case')}.json"
        if file.is_file():
            cases: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["cases"]
            metafunc.parametrize(name, [pytest.param(case, id=case["id"]) for case in cases])
        else:
            mark = pytest.mark.skip(reason=f"there are no cases at {file}; name a folder with --cases")
            metafunc.parametrize(name, [pytest.param(None, id="none", marks=mark)])


def folder(config: pytest.Config) -> Path:
    """The folder of the case files."""
    given = config.getoption("--cases")
    return Path(given).resolve() if given else _DEFAULT
