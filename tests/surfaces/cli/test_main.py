"""The process: exit statuses, streams, encodings, failures of every kind."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trivium import __version__
from trivium.surfaces.cli.main import INTERRUPTED, PIPE_CLOSED, main
from trivium.surfaces.cli.verbs import VERBS

SCRIPT = Path(sys.executable).with_name("trivium")


def script(*argv: str | bytes, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [SCRIPT, *argv],
        input=stdin,
        capture_output=True,
        env={**os.environ, "TRIVIUM_EMBEDDER": "hash", **env},
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("flag", ["--version", "-v", "-V"])
def test_version(cli: Any, flag: str) -> None:
    assert cli(flag) == (0, f"{__version__}\n", "")


def test_no_arguments_show_usage_as_an_error(cli: Any) -> None:
    ran = cli()
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("Usage: trivium COMMAND")


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["help"]])
def test_help_lists_every_command(cli: Any, argv: list[str]) -> None:
    ran = cli(*argv)
    assert (ran.status, ran.err) == (0, "")
    assert all(f"  {verb} " in ran.out for verb in VERBS)


@pytest.mark.parametrize("argv", [["help", "ref", "search"], ["ref", "search", "--help"], ["ref", "search", "x", "-h"]])
def test_help_of_a_command(cli: Any, argv: list[str]) -> None:
    ran = cli(*argv)
    assert ran.status == 0
    assert ran.out.startswith("Usage: trivium ref search [OPTION]... QUERY\n")


@pytest.mark.parametrize("argv", [["ref", "--help"], ["help", "ref"]])
def test_help_of_a_road(cli: Any, argv: list[str]) -> None:
    ran = cli(*argv)
    assert ran.status == 0
    assert "ref search" in ran.out
    assert "doctor" not in ran.out


def test_a_road_alone_shows_its_commands_as_an_error(cli: Any) -> None:
    ran = cli("ref")
    assert (ran.status, ran.out) == (2, "")
    assert "ref search" in ran.err


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (["search", "x"], "ref search"),
        (["ref", "serach"], "ref search"),
        (["docter"], "doctor"),
        (["registr"], "ref register"),
    ],
)
def test_an_unknown_command_is_answered_with_the_nearest(cli: Any, argv: list[str], meant: str) -> None:
    ran = cli(*argv)
    assert (ran.status, ran.out) == (2, "")
    assert f"Did you mean: trivium {meant}\n" in ran.err


def test_a_command_like_no_other_gets_no_guess(cli: Any) -> None:
    assert "See trivium --help." in cli("frobnicate").err


def test_options_of_every_command_may_stand_before_it(cli: Any, tmp_path: Path, payload: Any) -> None:
    other = str(tmp_path / "other")
    assert cli("--home", other, "--embedder=none", "ref", "register", stdin=payload).status == 0
    assert cli("--json", "ref", "stats", "--home", other).json["concepts"] == 3
    assert cli("ref", "stats", "--json").json["concepts"] == 0


def test_errors_of_json_answers_are_json(cli: Any) -> None:
    ran = cli("ref", "archive", "Nobody", "--json")
    assert (ran.status, ran.out) == (1, "")
    assert json.loads(ran.err)["schema"] == "trivium.error/1"
    assert ran.error["code"] == "not_found"
    assert ran.error["exit_status"] == 1
    assert cli("ref", "archive", "Nobody", "--format", "json").error == ran.error
    assert cli("--format=json", "ref", "nothing").error["code"] == "usage"


def test_details_and_hints_have_lines_of_their_own(cli: Any, payload: Any) -> None:
    payload["relationships"][0]["type"] = "consumes"
    ran = cli("ref", "register", stdin=payload)
    assert (ran.status, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert lines[0].startswith("ERROR: ")
    assert lines[1].startswith("ERROR:   - /relationships/0/type: ")
    assert lines[-1].startswith("ERROR:   hint: ")


class _Stdin(io.RawIOBase):
    """A standard input that fails."""

    def __init__(self, failure: BaseException) -> None:
        self.failure = failure

    def isatty(self) -> bool:
        return False

    @property
    def buffer(self) -> _Stdin:
        return self

    def read(self, size: int = -1) -> bytes:
        raise self.failure


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(KeyboardInterrupt()))
    assert main(["ref", "register"]) == INTERRUPTED
    assert capsys.readouterr() == ("", "\n")


def test_an_unexpected_failure_is_one_line_and_where_to_report_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(RuntimeError("a\nb")))
    assert main(["ref", "register"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "ERROR: Unexpected error: RuntimeError: a b"
    assert "issues" in err.splitlines()[1]
    assert len(err.splitlines()) == 2


def test_an_unexpected_failure_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(RuntimeError("boom")))
    assert main(["ref", "register", "--json"]) == 1
    assert json.loads(capsys.readouterr().err)["error"]["code"] == "unexpected"


def test_debugging_shows_where_it_happened(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TRIVIUM_DEBUG", "1")
    monkeypatch.setattr(sys, "stdin", _Stdin(RuntimeError("boom")))
    assert main(["ref", "register"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_failure(filled: Any) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        [SCRIPT, "ref", "list"], stdout=writing, stderr=subprocess.PIPE, env={**os.environ, "TRIVIUM_EMBEDDER": "hash"}
    ) as process:
        os.close(writing)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (PIPE_CLOSED, b"")


def test_output_is_utf8_whatever_the_locale() -> None:
    for env in ({"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}):
        ran = script("ref", "search", "検索 ≈", **env)
        assert ran.returncode == 0
        assert b'# Search: "' in ran.stdout
        ran.stdout.decode("utf-8")
    assert '"検索 ≈"'.encode() in script("ref", "search", "検索 ≈", PYTHONIOENCODING="latin-1").stdout


def test_bytes_that_are_no_text_do_not_crash(filled: Any) -> None:
    ran = script("ref", "search", b"zebra \xff\xfe", "--json")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout)["hits"][0]["id"] == "zebra"
    assert script("ref", "show", b"\xff").returncode == 1
    assert script("ref", "show", "x", b"--home=/nowhere/\xff").returncode == 1


def test_a_register_and_a_search_as_processes(payload: Any) -> None:
    stored = script("ref", "register", stdin=json.dumps(payload).encode())
    assert (stored.returncode, stored.stderr) == (0, b"")
    found = script("ref", "search", "striped animal", "--json")
    assert json.loads(found.stdout)["hits"][0]["id"] == "zebra"


def test_nothing_but_the_answer_goes_to_stdout(filled: Any) -> None:
    noise = {"PYTHONWARNINGS": "always", "PYTHONVERBOSE": "1", "PYTHONDEVMODE": "1"}
    assert json.loads(script("ref", "search", "zebra", "--json", **noise).stdout)["hits"]


@pytest.mark.parametrize(
    ("argv", "unwanted"),
    [
        (["--help"], {"argparse", "json", "re", "sqlite3", "typing", "trivium.config", "trivium.errors"}),
        (["--version"], {"argparse", "json", "sqlite3", "typing", "trivium.config"}),
        (["ref", "types"], {"sqlite3", "numpy", "simsimd", "pathlib", "trivium.engine", "trivium.store"}),
        (["ref", "archive", "zebra"], {"numpy", "simsimd", "pathlib", "trivium.index.dense", "trivium.embed.registry"}),
        (["ref", "stats"], {"numpy", "simsimd", "pathlib", "trivium.index.dense", "trivium.embed.registry"}),
        (
            ["ref", "search", "zebra"],
            {"numpy", "pathlib", "logging", "tomllib", "inspect", "subprocess", "trivium.api"},
        ),
    ],
)
def test_a_command_imports_only_what_it_needs(filled: Any, argv: list[str], unwanted: set[str]) -> None:
    program = (
        "import sys; sys.path_importer_cache.clear()\n"
        "from trivium.surfaces.cli.main import main\n"
        "before = set(sys.modules)\n"
        f"status = main({argv!r})\n"
        "print(status, *sorted(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-S", "-c", _PATHS + program], capture_output=True, text=True, check=True)
    status, *modules = ran.stderr.split()
    assert status == "0"
    assert not unwanted & set(modules)


# Without the site module, whose packages import things of their own.
_PATHS = f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}\n"
