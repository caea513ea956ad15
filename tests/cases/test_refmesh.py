"""Every case of refmesh, the kept behaviours and the improvements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cases import adapter
from cases.claims import problem
from cases.runner import Ran, Responded, check_step, console, observe, request, run, stdin_of, with_file

_CASE_KEYS = {"id", "area", "what", "needs", "kind", "given", "when", "then", "derived_from"}
_CLI_KEYS = {
    "exit",
    "exit_not",
    "stdout_has",
    "stdout_lacks",
    "stdout_empty",
    "stderr_has",
    "stderr_lacks",
    "stderr_empty",
}
_HTTP_KEYS = {"status", "status_in", "header"}
_THEN_KEYS = {"json", "observe", "any_of"}
_NEEDS = ("any", "semantic")


def test_refmesh(refmesh_case: dict[str, Any], tmp_path: Path) -> None:
    case = refmesh_case
    assert set(case) <= _CASE_KEYS, f"unknown fields of a case: {set(case) - _CASE_KEYS}"
    assert case["kind"] in ("keep", "improve")
    assert case["needs"] in _NEEDS
    is_weighted = case["area"] == "ranking" and case["kind"] == "keep"
    for step in case["given"]:
        done = _cli(step, tmp_path, is_weighted=is_weighted)
        assert done.status == 0, done
    check_step(case["when"])
    if "http" in case["when"]:
        asked = case["when"]["http"]
        with console() as port:
            response = request(port, asked, adapter.address(asked["path"]))
        problems = _response_problems(case["then"], asked["path"], response)
    else:
        done = _cli(case["when"], tmp_path, is_weighted=is_weighted)
        problems = _command_problems(case["then"], case["when"]["cli"], done)
    assert not problems, "\n".join(problems)


def _cli(step: Mapping[str, Any], folder: Path, *, is_weighted: bool) -> Ran:
    check_step(step)
    argv = with_file(step["cli"], step, folder)
    return run(adapter.command(argv, is_weighted=is_weighted), stdin_of(step))


def _command_problems(then: Mapping[str, Any], argv: Sequence[str], done: Ran) -> list[str]:
    unknown = set(then) - _CLI_KEYS - _THEN_KEYS
    assert not unknown, f"unknown claims: {unknown}"
    verb = argv[0] if argv else ""
    stderr = adapter.error_lines(done.stderr)
    status = adapter.exit_status(verb, done.status, stderr)
    problems = []
    if "exit" in then and status != then["exit"]:
        problems.append(f"exit is {status}, not {then['exit']}")
    if "exit_not" in then and status == then["exit_not"]:
        problems.append(f"exit is {status}")
    for name, text in (("stdout", done.stdout), ("stderr", stderr)):
        problems += [f"{name} lacks {one!r}" for one in then.get(f"{name}_has", ()) if adapter.told(one) not in text]
        problems += [f"{name} has {one!r}" for one in then.get(f"{name}_lacks", ()) if adapter.told(one) in text]
        if f"{name}_empty" in then and (not text) is not then[f"{name}_empty"]:
            problems.append(f"{name} is {text!r}")
    if "json" in then:
        document = adapter.answer(verb, json.loads(done.stdout), argv) if done.stdout else None
        problems += [problem(document, *claim) for claim in then["json"]]
    problems += _common(then, lambda one: _command_problems(one, argv, done))
    problems = [one for one in problems if one]
    return [*problems, f"it said: {done}"] if problems else []


def _response_problems(then: Mapping[str, Any], path: str, response: Responded) -> list[str]:
    unknown = set(then) - _HTTP_KEYS - _THEN_KEYS
    assert not unknown, f"unknown claims: {unknown}"
    problems = []
    if "status" in then and response.status != then["status"]:
        problems.append(f"status is {response.status}, not {then['status']}")
    if "status_in" in then and response.status not in then["status_in"]:
        problems.append(f"status is {response.status}, not one of {then['status_in']}")
    problems += [problem(response.headers, *claim) for claim in _header_claims(then.get("header", ()))]
    if "json" in then:
        document = adapter.body(path, json.loads(response.body))
        problems += [problem(document, *claim) for claim in then["json"]]
    problems += _common(then, lambda one: _response_problems(one, path, response))
    problems = [one for one in problems if one]
    return [*problems, f"it said: {response}"] if problems else []


def _header_claims(claims: Any) -> list[tuple[str, str, Any]]:
    """Claims about headers: an object of names and texts that must be in them, `[name, text]`, `[name, op, value]`."""
    if isinstance(claims, Mapping):
        claims = list(claims.items())
    elif claims and isinstance(claims[0], str):
        claims = [claims]
    found = []
    for name, *rest in claims:
        assert len(rest) in (1, 2), f"not a claim about a header: {name, *rest}"
        op, wanted = rest if len(rest) == 2 else ("contains", rest[0])
        found.append((name.lower(), op, wanted))
    return found


def _common(then: Mapping[str, Any], again: Any) -> list[str]:
    problems = []
    for path, *claim in then.get("observe", ()):
        problems.append(problem(observe(path), *claim))
    if "any_of" in then:
        alternatives = [again(one) for one in then["any_of"]]
        if all(alternatives):
            problems.append(f"no alternative holds: {alternatives}")
    return problems
