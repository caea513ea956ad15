"""Every case of kg: what it must do and what it should do better; quirks are decided in `QUIRKS`."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cases import kg_adapter as adapter
from cases.runner import run

QUIRKS: frozenset[str] = frozenset()
"""Quirks that are not kept; docs/deviations.md says why."""

DEVIATIONS: dict[str, str] = {
    "search-cjk": "Chinese is found by pairs of characters, without a dictionary: a pair across two words is found too",
}
"""Contract cases that do not hold, with the reason; docs/deviations.md tells more."""

ELSEWHERE = ("serve",)
"""Steps of the console, which has its own tests."""

_STEPS = {"run", "parallel", "write", "append", "delete", "move", "mkoutside", "read", "sqlite", "serve", "get"}


class Replay:
    """One case in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.vault = folder / "vault"
        self.vault.mkdir()
        self.saved: dict[str, str] = {}

    def path(self, name: str) -> bytes:
        """A path of the vault; `b64:` is a file name in bytes."""
        raw = base64.b64decode(name[4:]) if name.startswith("b64:") else name.encode()
        return os.path.join(os.fsencode(self.vault), raw)

    def fill(self, text: str) -> str:
        """A text with the placeholders of the cases filled in."""
        text = text.replace("${V}", str(self.vault)).replace("${ROOT}", str(self.folder))
        text = re.sub(r"\$\{S:([^}]*)\}", lambda match: self.saved[match[1]], text)
        return re.sub(r"\$\{H:([^}]*)\}", lambda match: self.hash(match[1]), text)

    def filled(self, value: Any) -> Any:
        """A value with every text in it filled."""
        if isinstance(value, str):
            return self.fill(value)
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        return {self.filled(k): self.filled(v) for k, v in value.items()} if isinstance(value, dict) else value

    def hash(self, name: str) -> str:
        """The hash of a file as it is now."""
        with open(self.path(name), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def write(self, files: Mapping[str, Any]) -> None:
        """Put files into the vault."""
        for name, content in files.items():
            path = self.path(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if isinstance(content, dict) and "symlink" in content:
                os.symlink(self.fill(content["symlink"]), path)
                continue
            with open(path, "wb") as file:
                file.write(_bytes(content))

    def step(self, step: Mapping[str, Any]) -> None:
        """Do one step and check what it claims."""
        (kind,) = set(step) & _STEPS
        getattr(self, f"_{kind}")(step)

    def _run(self, step: Mapping[str, Any]) -> None:
        argv = [self.fill(word) for word in step["run"]]
        stdin = json.dumps(self.filled(step["stdin_json"])).encode() if "stdin_json" in step else b""
        stdin = self.fill(step["stdin"]).encode() if "stdin" in step else stdin
        verb, _ = adapter.verb_of(argv)
        done = run(adapter.command(argv), stdin)
        status, stdout = adapter.status(verb, done.status, done.stderr), done.stdout
        stderr = adapter.told(done.stderr)
        if status and not stdout:
            empty = adapter.nothing(verb, _code(done.stderr))
            if empty is not ...:
                status, stdout, stderr = 0, json.dumps(empty), ""
        shown = f"{argv} -> {status}\n{stdout}\n{done.stderr}"
        wanted = step.get("rc")
        if wanted is not None:
            assert status in (wanted if isinstance(wanted, list) else [wanted]), shown
        if step.get("stdout_empty"):
            assert not stdout, shown
        assert step.get("stderr", "").lower() in stderr.lower(), shown
        assert not [lack for lack in step.get("stderr_lacks", ()) if lack in done.stderr], shown
        if "check" in step or "save" in step:
            value = json.loads(stdout)
            if isinstance(value, dict) and "schema" in value:
                value = adapter.answer(verb, argv, value)
            self.check(value, step.get("check", ()), shown)
            self.saved |= {name: str(_at(value, path)[0]) for name, path in step.get("save", {}).items()}

    def _parallel(self, step: Mapping[str, Any]) -> None:
        given = step["parallel"]
        steps = given.get("steps", given.get("runs", [])) if isinstance(given, dict) else given
        children = []
        for one in steps:
            words = one["run"] if isinstance(one, dict) else one
            argv = adapter.command([self.fill(word) for word in words])
            stdin = json.dumps(self.filled(one["stdin_json"])) if isinstance(one, dict) and "stdin_json" in one else ""
            command = [sys.executable, "-m", "trivium", *argv]
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True)  # fmt: skip
            children.append((one, child, stdin))
        for one, child, stdin in children:
            with child:
                out, err = child.communicate(stdin, timeout=300)
            wanted = one.get("rc", 0) if isinstance(one, dict) else 0
            verb = adapter.verb_of(one["run"] if isinstance(one, dict) else one)[0]
            assert adapter.status(verb, child.returncode, err) in (wanted if isinstance(wanted, list) else [wanted]), (
                f"{out}\n{err}"
            )

    def _write(self, step: Mapping[str, Any]) -> None:
        self.write(step["write"])

    def _append(self, step: Mapping[str, Any]) -> None:
        for name, content in step["append"].items():
            with open(self.path(name), "ab") as file:
                file.write(_bytes(content))

    def _delete(self, step: Mapping[str, Any]) -> None:
        for name in step["delete"]:
            os.unlink(self.path(name))

    def _move(self, step: Mapping[str, Any]) -> None:
        for old, new in step["move"]:
            os.makedirs(os.path.dirname(self.path(new)), exist_ok=True)
            os.rename(self.path(old), self.path(new))

    def _mkoutside(self, step: Mapping[str, Any]) -> None:
        for name, content in step["mkoutside"].items():
            (self.folder / name).write_bytes(_bytes(content))

    def _read(self, step: Mapping[str, Any]) -> None:
        path = self.path(self.fill(step["read"]))
        if "exists" in step:
            assert os.path.exists(path) is step["exists"]
            return
        text = Path(os.fsdecode(path)).read_bytes().decode()
        forms = {"json": json.loads, "jsonl": lambda t: [json.loads(line) for line in t.splitlines()], "text": str}
        self.check(forms[step["as"]](text), step.get("check", ()), text)

    def check(self, value: Any, checks: Sequence[Sequence[Any]], shown: str) -> None:
        """Claims about a value, all of them."""
        for op, path, *rest in checks:
            wanted = self.filled(rest[0]) if rest else None
            found = _at(value, path)
            assert _holds(op, found, wanted, "*" in path), f"{op} {path} {wanted!r}: {found!r}\n{shown}"


def _bytes(content: Any) -> bytes:
    if isinstance(content, dict) and "b64" in content:
        return base64.b64decode(content["b64"])
    if isinstance(content, dict) and "repeat" in content:
        text, count = content["repeat"]
        return str(text).encode() * int(count)
    return str(content).encode()


def _code(stderr: str) -> str:
    try:
        return str(json.loads(stderr)["error"]["code"])
    except (ValueError, KeyError):
        return ""


def _at(value: Any, path: str) -> list[Any]:
    """What stands at a dotted path; `*` goes on with every item."""
    found = [value]
    for part in path.split(".") if path else []:
        following = []
        for one in found:
            if part == "*":
                following += one if isinstance(one, list) else list(one.values())
            elif isinstance(one, list) and part.lstrip("-").isdigit() and int(part) < len(one):
                following.append(one[int(part)])
            elif isinstance(one, dict) and part in one:
                following.append(one[part])
        found = following
    return found


_TYPES: dict[str, Any] = {
    "list": list,
    "num": (int, float),
    "null": type(None),
    "str": str,
    "object": dict,
    "bool": bool,
}

_CLAIMS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: bool(value == wanted),
    "ne": lambda value, wanted: bool(value != wanted),
    "set": lambda value, wanted: sorted(map(repr, value)) == sorted(map(repr, wanted)),
    "has": lambda value, wanted: all(one in value for one in _each(wanted)),
    "lacks": lambda value, wanted: not any(one in value for one in _each(wanted)),
    "len": lambda value, wanted: len(value) == wanted,
    "minlen": lambda value, wanted: len(value) >= wanted,
    "keys": lambda value, wanted: list(value) == wanted,
    "keyset": lambda value, wanted: set(value) == set(wanted),
    "match": lambda value, wanted: re.search(wanted, value) is not None,
    "nomatch": lambda value, wanted: re.search(wanted, value) is None,
    "type": lambda value, wanted: isinstance(value, _TYPES[wanted]),
    "ge": lambda value, wanted: bool(value >= wanted),
    "le": lambda value, wanted: bool(value <= wanted),
    "in": lambda value, wanted: value in wanted,
}


def _each(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def _holds(op: str, found: list[Any], wanted: Any, is_many: bool) -> bool:
    if op == "absent":
        return not found
    if op in ("has", "lacks") and is_many:
        found = [item for one in found for item in (one if isinstance(one, list) else [one])]
    value: Any = found if is_many else found[0] if found else None
    return _CLAIMS[op](value, wanted)


def test_kg(kg_case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = kg_case
    if any(set(step) & {"serve", "get", "sqlite"} for step in case["steps"]):
        pytest.skip("a case of the console or of kg's own tables")
    monkeypatch.setenv("TRIVIUM_EMBEDDER", "none")
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    replay = Replay(tmp_path)
    replay.write(case["vault"])
    is_other = case["id"] in DEVIATIONS or case["id"] in QUIRKS
    with pytest.raises(AssertionError) if is_other else contextlib.nullcontext():
        for step in case["steps"]:
            replay.step(step)
