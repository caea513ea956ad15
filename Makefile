# Two commands on a bare machine: `make demo` and `make check`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: setup check test lint fmt demo bench docs inspector clean

setup: $(STAMP)

# Bytecode is compiled here because some environments forbid writing it at run time, and imports are latency.
$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(BIN)/python -m compileall -q src
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup
	$(BIN)/python -m pytest -n 2 -q

check: lint test

fmt: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

demo: setup
	$(BIN)/python examples/demo.py

bench: setup
	$(BIN)/python -m bench

docs: setup
	$(BIN)/python -m docs.build

# A client of the Model Context Protocol that is not ours, in the last version for Node 20; its test skips without it.
inspector:
	npm install --no-audit --no-fund --ignore-scripts --silent --prefix .inspector @modelcontextprotocol/inspector@1.0.3

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
