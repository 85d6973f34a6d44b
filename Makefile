# Two commands: `make serve` and `make test`. Python 3.11 or newer is all that must be there.

VAULT ?= $(HOME)/echo-vault
PORT ?= 8765
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help install serve test torture lint format lock clean

help:
	@echo "make install install into .venv"
	@echo "make serve   install into .venv and serve the notes in $(VAULT) (VAULT=DIR, PORT=N)"
	@echo "make test    install what the tests need and run them all"
	@echo "make torture kill a loaded server 200 times on each kind of vault, and see what stands"
	@echo "make lint    format check, lint, types"
	@echo "make format  put the code into its format"
	@echo "make lock    write anew, from pyproject.toml, what the image installs"
	@echo "make clean   remove .venv and what tools left behind"

install: .venv/installed

serve: .venv/installed
	@mkdir -p "$(VAULT)"
	$(BIN)/echo-mcp serve --vault "$(VAULT)" --port $(PORT)

test: .venv/installed-for-tests
	$(BIN)/python -m pytest --numprocesses auto --quiet

torture: .venv/installed-for-tests
	$(BIN)/python eval/torture.py --kills 200

lint: .venv/installed-for-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/installed-for-tests
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The locks are for the image: its Python, Linux, every processor; a hash for each file that pip may take.
LOCK := $(BIN)/uv pip compile --quiet --generate-hashes --no-annotate --upgrade \
	--python-version 3.12 --python-platform linux --custom-compile-command "make lock"

lock: .venv/python
	$(PIP) uv==0.13.9
	$(LOCK) pyproject.toml --output-file requirements.lock
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		| $(LOCK) - --output-file requirements-build.lock

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis dist

.venv/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found."; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/python pyproject.toml
	$(PIP) --editable .
	@touch $@

.venv/installed-for-tests: .venv/python pyproject.toml
	$(PIP) --editable '.[test]'
	@touch $@ .venv/installed
