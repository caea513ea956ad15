"""A tour on real documentation: register, search, a two-hop question, an explained score, and taking it back.

Runs the installed command line exactly as a person would; `make demo` does it from a fresh checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAYLOADS = HERE / "payloads"
VAULT = "VAULT"
"""Stands for the folder that the notes were copied to, so that the ones in the repository stay as they are."""
TRIVIUM = [sys.executable, "-m", "trivium"]

TOUR: list[tuple[str, list[list[str]]]] = [
    (
        "What an agent wrote down while reading three documentations (the third one in Japanese)",
        [["ref", "register", "--file", str(PAYLOADS / f"{tool}.jsonl")] for tool in ("sqlite", "git", "postgresql")],
    ),
    ("How much that is", [["ref", "stats"]]),
    ("Ask in words", [["ref", "search", "do readers block the writer?", "--limit", "3", "--depth", "0"]]),
    (
        "Ask in English for what was written in Japanese, and the other way round",
        [
            ["ref", "search", "logical replication between major versions", "--limit", "3", "--depth", "0"],
            ["ref", "search", "二分探索", "--limit", "3", "--depth", "0"],
        ],
    ),
    (
        "A question whose answer is two steps away: how are these two connected?",
        [["ref", "paths", "git reflog", "git gc", "--limit", "2"]],
    ),
    (
        "Every score explains itself, and so does every absence",
        [
            ["ref", "search", "switch branches", "--limit", "2", "--depth", "0", "--explain"],
            ["ref", "why-not", "switch branches", "SQLite WAL mode"],
        ],
    ),
    (
        "A folder of notes, in English and Japanese, with a vocabulary and relations that quote them",
        [
            ["vault", "sync", VAULT, "--vectors"],
            ["vault", "search", VAULT, "what happens to row versions that nobody sees", "--limit", "2"],
            ["vault", "search", VAULT, "単語から文書を引く", "--limit", "2"],
            ["vault", "paths", VAULT, "Full-text search", "Write-ahead log"],
        ],
    ),
    (
        "A question to the notes, answered with lines that each name their source",
        [["vault", "qa", VAULT, "How does snapshot isolation lead to write skew?", "--budget-chars", "1500"]],
    ),
    (
        "Any change can be taken back",
        [
            ["ref", "archive", "git gc", "--reason", "for the demo"],
            ["undo", "--last", "1"],
            ["history", "--limit", "3"],
        ],
    ),
]


def main() -> int:
    home = tempfile.mkdtemp(prefix="trivium-demo-")
    environment = {**os.environ, "TRIVIUM_HOME": home}
    vault = os.path.join(home, "notes")
    shutil.copytree(HERE / "vault", vault)
    try:
        for title, commands in TOUR:
            print(f"\n=== {title}", flush=True)
            for arguments in commands:
                shown = " ".join(
                    f'"{a}"' if " " in a else os.path.relpath(a) if os.path.isabs(a) else a for a in arguments
                )
                print(f"\n$ trivium {shown}", flush=True)
                given = [vault if argument == VAULT else argument for argument in arguments]
                done = subprocess.run([*TRIVIUM, *given], env=environment, check=False)
                if done.returncode:
                    print(f"The demo stopped: the command ended with status {done.returncode}.", file=sys.stderr)
                    return done.returncode
    finally:
        shutil.rmtree(home)
    print("\nThe demo is done; its memory was in a temporary folder and is gone.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
