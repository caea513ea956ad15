"""What a hook costs, process start to exit, as a multiple of an empty Python; first prompts, and many at once."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from bench.retrieval import write_section

DOCS = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"

_WORDS = """
deploy rotate migrate profile review translate archive restore benchmark index encrypt lint publish
database queue invoice calendar website firewall dataset notebook pipeline ledger camera robot garden
postgres kafka terraform pandas react django nginx redis docker latex blender ffmpeg git
safely quickly again tonight with tests without downtime for the new customer in the second region
"""
_VERBS, _THINGS, _TOOLS, _WAYS = (line.split() for line in _WORDS.strip().splitlines())


class Cost(NamedTuple):
    """CPU seconds, wall seconds and the greatest resident size of one process."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def prompts(seed: int) -> Iterator[str]:
    """Prompts of 10 to 14 words, the same for the same seed."""
    made = random.Random(seed)
    while True:
        verb, thing, tool = made.choice(_VERBS), made.choice(_THINGS), made.choice(_TOOLS)
        tail = " ".join(made.choice(_WAYS) for _ in range(made.randint(5, 9)))
        yield f"{verb} the {thing} with {tool} {tail}"


def write_skills(folder: Path, count: int) -> None:
    """So many skills with five queries each."""
    for number in range(count):
        queries = [f"  - {query}" for query, _ in zip(prompts(number), range(5), strict=False)]
        place = folder / f"skill-{number:05d}"
        place.mkdir(parents=True)
        head = f"---\nname: skill-{number:05d}\ndescription: About {queries[0][4:]}\nqueries:\n"
        (place / "SKILL.md").write_text(head + "\n".join(queries) + f"\n---\nStep {number}.\n" + "More.\n" * 20)


class Desk:
    """A user with guidance, and hooks run for them."""

    def __init__(self, root: Path, cache: str) -> None:
        self.user = root / "user"
        self.project = root / "project"
        self.home = root / "home"
        self.project.mkdir(parents=True)
        self.user.mkdir()
        keep = {key: value for key, value in os.environ.items() if not key.startswith("TRIVIUM_")}
        self.environment = {**keep, "HOME": str(self.user), "TRIVIUM_HOME": str(self.home), "TRIVIUM_CACHE": cache}

    def command(self, event: str) -> list[str]:
        """The command of an event, as it is installed."""
        return [sys.executable, "-I", "-m", "trivium", "hook", "claude", event]

    def payload(self, event: str, **more: Any) -> bytes:
        """What the host sends."""
        told = {"session_id": "bench", "cwd": str(self.project), "hook_event_name": event, **more}
        return json.dumps(told).encode()

    def run(self, command: Sequence[str], data: bytes = b"", **settings: str) -> tuple[Cost, bytes]:
        """Run a command once. Raises when it fails."""
        begin = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**self.environment, **settings},
            cwd=self.project,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(data)
        process.stdin.close()
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        unit = 1024 * 1024 if platform.system() == "Darwin" else 1024
        return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / unit), out


def measure(desk: Desk, rounds: int) -> list[str]:
    """Table rows: each event in turn, medians of the rounds after the first."""
    asked = next(prompts(3))
    git = {"tool_name": "Bash", "tool_input": {"command": "git status"}, "tool_use_id": "1"}
    events: dict[str, tuple[list[str], bytes, dict[str, str]]] = {
        "python -c pass": ([sys.executable, "-c", "pass"], b"", {}),
        "UserPromptSubmit, something to say": (*_sent(desk, "UserPromptSubmit", prompt=asked), {}),
        "UserPromptSubmit, silent": (*_sent(desk, "UserPromptSubmit", prompt="tell me a joke about penguins"), {}),
        "PreToolUse, off": (*_sent(desk, "PreToolUse", **git), {}),
        "PreToolUse, on, nothing to say": (*_sent(desk, "PreToolUse", **git), {"TRIVIUM_HOOK_TOOLS": "on"}),
        "SessionStart": (*_sent(desk, "SessionStart", source="resume"), {}),
        "Stop, off": (*_sent(desk, "Stop", stop_hook_active=False), {}),
    }
    # The folder's guidance for tools is looked for once a prompt.
    desk.run(*_sent(desk, "UserPromptSubmit", prompt=asked), TRIVIUM_HOOK_TOOLS="on")
    costs: dict[str, list[Cost]] = {name: [] for name in events}
    for _ in range(rounds + 1):
        for name, (command, data, settings) in events.items():
            costs[name].append(desk.run(command, data, **settings)[0])
    kept = {name: every[1:] for name, every in costs.items()}
    empty = statistics.median(one.cpu_s for one in kept["python -c pass"])
    rows = []
    for name, every in kept.items():
        cpu = statistics.median(one.cpu_s for one in every)
        wall = sorted(one.wall_s for one in every)
        peak = max(one.peak_mb for one in every)
        late = wall[min(len(wall) - 1, int(0.95 * len(wall)))]
        rows.append(f"| {name} | {1000 * cpu:.1f} | {cpu / empty:.1f} | {1000 * late:.0f} | {peak:.0f} |")
    return rows


def _sent(desk: Desk, event: str, **more: Any) -> tuple[list[str], bytes]:
    return desk.command(event), desk.payload(event, **more)


def first_prompts(desk: Desk, count: int) -> list[str]:
    """Table rows: prompts of a user whose skills were never read, until nothing is left to do."""
    rows = []
    for number in range(1, count + 1):
        cost, out = desk.run(*_sent(desk, "UserPromptSubmit", prompt=next(prompts(3)), session_id=f"first-{number}"))
        said = "skill-00003" in out.decode()
        record = json.loads(sorted((desk.home / "ledger").glob("*.jsonl"))[-1].read_text().splitlines()[-1])
        notices = "; ".join(record.get("notices", ())) or "-"
        late = "yes" if record.get("is_late") else "no"
        rows.append(f"| {number} | {1000 * cost.wall_s:.0f} | {cost.cpu_s:.2f} | {said} | {late} | {notices} |")
    return rows


def many(desk: Desk, calls: int, workers: int) -> str:
    """A line on so many calls at once: answers, lines in the ledger, processes left."""
    event = "UserPromptSubmit"

    def one(number: int) -> bool:
        data = desk.payload(event, prompt=next(prompts(3)), session_id=f"many-{number}")
        done = subprocess.run(
            desk.command(event), input=data, env=desk.environment, cwd=desk.project, capture_output=True, check=False
        )
        return done.returncode == 0 and isinstance(json.loads(done.stdout), dict)

    begin = time.monotonic()
    with ThreadPoolExecutor(workers) as pool:
        answered = sum(pool.map(one, range(calls)))
    spent = time.monotonic() - begin
    lines = [line for path in (desk.home / "ledger").glob("*.jsonl") for line in path.read_text().splitlines()]
    sessions = {json.loads(line)["session"] for line in lines}
    recorded = sum(f"many-{number}" in sessions for number in range(calls))
    left = sum(b"hook\0claude" in _command_line(folder) for folder in Path("/proc").glob("[0-9]*"))
    return (
        f"{calls} calls, {workers} at a time, in {spent:.0f} s: {answered} valid answers, {recorded} in the ledger, "
        f"{left} processes left."
    )


def _command_line(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""


def main(arguments: list[str]) -> int:
    """`python -m bench hooks [--entries N[,N]] [--rounds N] [--calls N] [--write]`."""
    parser = argparse.ArgumentParser(prog="python -m bench hooks", description=__doc__)
    parser.add_argument("--entries", default="10,1000,10000", help="how many skills, comma separated")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--calls", type=int, default=500, help="how many at once; 0 for none")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args(arguments)
    command = f"python -m bench hooks --entries {options.entries} --rounds {options.rounds} --calls {options.calls}"
    parts = [f"`{command}`: whole processes of five queries an entry, warm page cache, medians of {options.rounds}."]
    with tempfile.TemporaryDirectory() as scratch:
        cache = os.path.join(scratch, "cache")
        for size in [int(size) for size in options.entries.split(",")]:
            desk = Desk(Path(scratch) / f"desk-{size}", cache)
            prepare(desk)
            write_skills(desk.user / ".claude" / "skills", size)
            if size == 1_000:
                head = "| prompt | wall ms | CPU s | found | late | notices |\n|---|---|---|---|---|---|\n"
                parts.append(f"First prompts with {size:,} unseen files\n\n{head}" + "\n".join(first_prompts(desk, 6)))
            settle(desk)
            head = "| event | CPU ms | times an empty Python | wall ms at 95 % | peak MB |\n|---|---|---|---|---|\n"
            parts.append(f"{size:,} entries\n\n{head}" + "\n".join(measure(desk, options.rounds)))
            print(parts[-1], file=sys.stderr, flush=True)
            if size == 1_000 and options.calls:
                parts.append(many(desk, options.calls, options.workers))
    text = "\n\n".join(parts)
    print(text)
    if options.write:
        write_section(DOCS, "hooks", text)
    return 0


def prepare(desk: Desk) -> None:
    """Unpack the embedder, as installing the hooks does."""
    desk.run([sys.executable, "-m", "trivium", "prefetch"])


def settle(desk: Desk) -> None:
    """Bring the guidance of a desk up to date, as many prompts would."""
    program = (
        "import os\nfrom trivium.config import load\nfrom trivium.engine import Engine\n"
        "from trivium.domains.routing.collection import at\n"
        "from trivium.domains.routing.upkeep import bring_up_to_date\n"
        "with at(Engine(load()), os.getcwd(), user_home=os.path.expanduser('~')) as found:\n"
        "    bring_up_to_date(found)\n"
    )
    desk.run([sys.executable, "-c", program])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
