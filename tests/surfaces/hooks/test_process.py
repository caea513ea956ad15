"""A hook answers whatever it is sent and however it is run, in time, with one JSON object and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from trivium.surfaces.hooks.encoding import LATE, neutral
from trivium.surfaces.hooks.hosts import NAMES, host_named

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "hooks"
PROMPTS = {
    "claude": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "gemini": "BeforeAgent",
    "cursor": "beforeSubmitPrompt",
}
PUSH = "git push --force origin main"
ODD = {
    "empty": (b"", "empty"),
    "blank": (b" \n\t ", "empty"),
    "list": (b"[]", "a list"),
    "nothing": (b"{}", "none of the fields"),
    "strange": (b'{"what": 1}', "none of the fields"),
    "null": (b"null", "null"),
    "text": (b'"prompt"', "a text"),
    "number": (b"17", "a number"),
    "infinite": (b"1e999", "a number"),
}
MALFORMED = {
    "cut": b'{"session_id": "s", "prompt": "a',
    "words": b"{nope",
    "two": b'{"prompt": "a"} {"prompt": "b"}',
    "deep": b"[" * 200_000,
    "digits": b'{"prompt": ' + b"9" * 5_000 + b"}",
    "zeros": b"\0" * 100,
}


@pytest.mark.parametrize("host", NAMES)
@pytest.mark.parametrize("name", sorted(ODD))
def test_what_is_no_event_is_answered_with_nothing(host: str, name: str, place: Any) -> None:
    data, problem = ODD[name]
    reply = place.run(host, PROMPTS[host], data)
    assert reply.status == 0
    assert reply.out == neutral(host_named(host).events[PROMPTS[host]])
    assert problem in place.log()
    assert place.ledger() == []


@pytest.mark.parametrize("host", NAMES)
@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_what_is_no_json_is_answered_and_told(host: str, name: str, place: Any) -> None:
    reply = place.run(host, PROMPTS[host], MALFORMED[name])
    assert reply.status == 1
    assert reply.out == neutral(host_named(host).events[PROMPTS[host]])
    assert "not JSON" in reply.err
    assert "Traceback" not in reply.err
    assert "not JSON" in place.log()


def test_other_encodings_are_read(taught: Any) -> None:
    told = json.dumps({"session_id": "s", "prompt": "deploy the shop to staging", "cwd": str(taught.project)})
    for data in (b"\xef\xbb\xbf" + told.encode(), b"\xff\xfe" + told.encode("utf-16-le")):
        reply = taught.run("claude", "UserPromptSubmit", data)
        assert "deploy-shop" in reply.context
        assert "byte order mark" in taught.log()
    latin = told.replace("staging", "staging caf\u00e9").encode("latin-1")
    reply = taught.run("claude", "UserPromptSubmit", latin)
    assert reply.status == 0
    assert "deploy-shop" in reply.context
    assert "not UTF-8" in taught.log()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prompt", ["deploy"]),
        ("prompt", None),
        ("prompt", 7),
        ("prompt", "\ud800 lone"),
        ("session_id", {"a": 1}),
        ("session_id", "../../../etc/passwd"),
        ("session_id", "x" * 100_000),
        ("cwd", "not/absolute"),
        ("cwd", 3),
        ("cwd", "/nowhere/at/all"),
        ("cwd", "\0"),
        ("transcript_path", "/nowhere.jsonl"),
        ("transcript_path", "\0"),
        ("hook_event_name", 5),
        ("hook_event_name", "Stop"),
    ],
)
def test_values_of_the_wrong_kind(field: str, value: Any, taught: Any) -> None:
    told = {
        "session_id": "s",
        "prompt": "deploy the shop to staging",
        "hook_event_name": "UserPromptSubmit",
        field: value,
    }
    reply = taught.run("claude", "UserPromptSubmit", told)
    assert reply.status == 0, reply.err
    assert reply.json is not None
    assert "Traceback" not in reply.err
    assert not list(taught.home.parent.glob("**/passwd*"))


@pytest.mark.parametrize(
    "value", ["git push --force origin main", '{"command": "git push --force origin main"}', [], 7]
)
def test_arguments_of_a_tool_may_be_anything(value: Any, taught: Any) -> None:
    taught.set(hook_tools="on")
    told = {"session_id": "s", "cwd": str(taught.project), "tool_name": "Bash", "tool_input": value}
    reply = taught.run("claude", "PreToolUse", told)
    assert reply.status == 0
    assert ("force-push" in reply.context) is isinstance(value, str)
    assert ("tool_input" in taught.log()) is (not (isinstance(value, str) and value.startswith("{")))


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification"])
def test_twenty_megabytes(event: str, taught: Any) -> None:
    text = f"deploy the shop to staging\n<pasted_content id=1>\n{'x' * 20_000_000}\n</pasted_content>"
    told = {"session_id": "s", "cwd": str(taught.project), "prompt": text, "tool_name": "Bash", "tool_response": text}
    reply = taught.run("claude", event, told)
    assert reply.status == 0
    assert ("deploy-shop" in reply.context) is (event == "UserPromptSubmit")


def test_closed_streams(taught: Any) -> None:
    command = f"{sys.executable} -I -m trivium hook claude UserPromptSubmit"
    data = json.dumps({"session_id": "s", "prompt": "deploy the shop to staging", "cwd": str(taught.project)})
    for closing, expected in (("<&-", "{}\n"), ("2>&-", "deploy-shop"), ("<&- 2>&-", "{}\n"), (">&-", "")):
        done = subprocess.run(
            ["sh", "-c", f"{command} {closing}"],
            input=data,
            env=taught.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0
        assert expected in done.stdout
        assert bool(expected) is bool(done.stdout)


def test_a_host_that_goes_away(taught: Any) -> None:
    command = [sys.executable, "-I", "-m", "trivium", "hook", "claude", "UserPromptSubmit"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=taught.environment)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(json.dumps({"session_id": "s", "prompt": "deploy the shop", "cwd": "/"}).encode())
    process.stdin.close()
    assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("host", NAMES)
def test_time_runs_out(host: str, taught: Any) -> None:
    taught.set(hook_deadline_s="0.3")
    command = [sys.executable, "-I", "-m", "trivium", "hook", host, PROMPTS[host]]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=taught.environment)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"session_id": "s", ')
    process.stdin.flush()
    # The host never finishes its sentence.
    answer = json.loads(process.stdout.read())
    assert process.wait(timeout=60) == 0
    process.stdin.close()
    process.stdout.close()
    assert answer == ({"continue": True} if host == "cursor" else {"systemMessage": LATE})


def test_another_process_that_writes_holds_nobody_up(taught: Any) -> None:
    import sqlite3

    taught.prompt("deploy the shop to staging", session="before")
    [database] = [path for path in (taught.home.parent / "cache" / "guidance").glob("*.db") if path.stem != "vectors"]
    (taught.user / ".claude" / "rules" / "new.md").write_text("A rule that is new.")
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    reply = taught.prompt("deploy the shop to staging")
    other.execute("ROLLBACK")
    other.close()
    assert "deploy-shop" in reply.context
    assert "not brought up to date" in " ".join(taught.ledger()[-1]["notices"])


def test_nothing_else_reaches_standard_output(taught: Any) -> None:
    noisy = taught.project / "noise"
    noisy.mkdir()
    (noisy / "sitecustomize.py").write_text(
        "import atexit, warnings\nwarnings.warn('noise')\natexit.register(print, 'noise')\n"
    )
    environment = {
        **taught.environment,
        "PYTHONPATH": str(noisy),
        "PYTHONWARNINGS": "always",
        "PYTHONVERBOSE": "1",
        "PYTHONDEVMODE": "1",
        "PYTHONMALLOCSTATS": "1",
    }
    told = json.dumps({"session_id": "s", "prompt": "deploy the shop to staging", "cwd": str(taught.project)})
    done = subprocess.run(
        [sys.executable, "-m", "trivium", "hook", "claude", "UserPromptSubmit"],
        input=told,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert "deploy-shop" in json.dumps(json.loads(done.stdout))


def test_no_agent_is_called_and_no_socket_opened(taught: Any) -> None:
    taught.set(hook_tools="on", hook_stop="on", hook_memories="takeover")
    mark = taught.project.parent / "called"
    programs = taught.project.parent / "bin"
    programs.mkdir()
    for name in ("claude", "codex", "gemini", "cursor", "git", "curl", "sh"):
        (programs / name).write_text(f"#!/bin/sh\necho {name} >> '{mark}'\n")
        (programs / name).chmod(0o755)
    spy = taught.project.parent / "spy"
    spy.mkdir()
    # Every way out of a process is an audit event.
    (spy / "sitecustomize.py").write_text(
        "import sys\n"
        "def told(name, arguments):\n"
        "    if name.startswith(('socket.', 'subprocess.', 'os.system', 'os.exec', 'os.fork', 'os.posix_spawn')):\n"
        f"        open({str(mark)!r}, 'a').write(name + chr(10))\n"
        "sys.addaudithook(told)\n"
    )
    environment = {**taught.environment, "PATH": str(programs), "PYTHONPATH": str(spy)}
    for host in NAMES:
        for event, rule in host_named(host).events.items():
            if rule.kind == "observe":
                continue
            data = taught.filled((FIXTURES / host / f"{event}.in.json").read_text()).encode()
            command = [sys.executable, "-m", "trivium", "hook", host, event]
            done = subprocess.run(command, input=data, env=environment, capture_output=True, check=False)
            assert (done.returncode, done.stderr) == (0, b"")
    assert not mark.exists(), mark.read_text()


def test_what_fails_is_logged_and_answered_with_nothing(taught: Any) -> None:
    taught.home.mkdir(exist_ok=True)
    (taught.home / "config.toml").write_text("hook_tools = 'perhaps'\n")
    reply = taught.prompt("deploy the shop to staging")
    assert (reply.status, reply.out) == (0, b"{}\n")
    assert "hook_tools must be off or on" in reply.err
    assert "ConfigError" in taught.log()
    (taught.home / "config.toml").write_text("embeder = 'use'\n")
    reply = taught.prompt("deploy the shop to staging")
    assert (reply.status, reply.out) == (0, b"{}\n")
    assert "embeder" in taught.log()


def test_a_debugger_finds_the_traceback_in_the_log(taught: Any) -> None:
    taught.set(debug="1")
    taught.home.mkdir(exist_ok=True)
    (taught.home / "config.toml").write_text("embeder = 'use'\n")
    reply = taught.prompt("deploy the shop to staging")
    assert reply.out == b"{}\n"
    assert "Traceback" in taught.log()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user who may not write everywhere")
def test_a_home_that_cannot_be_written(taught: Any) -> None:
    taught.home.mkdir()
    taught.home.chmod(0o555)
    assert "deploy-shop" in taught.prompt("deploy the shop to staging").context


def test_a_home_that_is_a_file(taught: Any) -> None:
    taught.home.write_text("")
    reply = taught.prompt("deploy the shop to staging")
    assert reply.status == 0
    assert "deploy-shop" in reply.context


def test_an_event_that_is_not_known(place: Any) -> None:
    reply = place.run("claude", "NoSuchEvent", {"session_id": "s"})
    assert (reply.status, reply.out) == (0, b"{}\n")
    assert "no event NoSuchEvent" in reply.err


def test_the_event_may_be_told_by_the_input(taught: Any) -> None:
    told = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "deploy the shop to staging"}
    assert "deploy-shop" in taught.run("claude", "", {**told, "cwd": str(taught.project)}).context


def test_the_home_may_be_told_by_the_command(taught: Any, tmp_path: Path) -> None:
    told = {"session_id": "s", "prompt": "deploy the shop to staging", "cwd": str(taught.project)}
    other = tmp_path / "other home"
    taught.run("claude", "UserPromptSubmit", told, "--home", str(other))
    assert (other / "ledger").is_dir()
    assert not taught.home.exists()


def test_many_at_once_lose_nothing_and_leave_nothing(taught: Any) -> None:
    count = 60
    taught.prompt("deploy the shop to staging", session="first")

    def one(number: int) -> bool:
        reply = taught.prompt("deploy the shop to staging", session=f"s{number}")
        return reply.status == 0 and "deploy-shop" in reply.context

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(one, range(count)))
    records = taught.ledger()
    assert {record["session"] for record in records} == {"first", *(f"s{number}" for number in range(count))}
    assert len(records) == count + 1
    time.sleep(0.1)
    assert _children() == []


def _children() -> list[str]:
    """Commands of processes that this one started and that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if "hook\0claude" in command and status[1] in ("1", str(os.getpid())):
            found.append(command)
    return found
