"""`python -m trivium` is the command line."""

from __future__ import annotations

from trivium.surfaces.cli.main import run

if __name__ == "__main__":
    run()
