"""`python -m bench NAME [OPTIONS]`: run one measurement, a module of this folder with a `main(arguments)`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

_HERE = Path(__file__).parent


def names() -> list[str]:
    """Measurements there are."""
    return sorted(path.stem for path in _HERE.glob("*.py") if "\ndef main(" in path.read_text(encoding="utf-8"))


def run(arguments: list[str]) -> int:
    """Dispatch to `bench.<name>.main`; without a name, list what there is."""
    found = [name for name in names() if name != "__main__"]
    if not arguments or arguments[0] not in found:
        print("usage: python -m bench " + " | ".join(found), file=sys.stderr)
        return 2
    module = importlib.import_module(f"bench.{arguments[0]}")
    return int(module.main(arguments[1:]) or 0)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
