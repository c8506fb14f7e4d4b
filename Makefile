# Each target sets up what it needs in .venv; nothing but Python, make and git must be there before.
PYTHON ?= python3
BIN = .venv/bin
READY = .venv/.ready

.PHONY: ratings test lint bench ui clean

ratings: $(READY)  ## the main job on the sample nation, offline
	$(BIN)/openstars run --quarter 2026Q1 --source sample

test: $(READY)
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/sqruff lint sql

bench: $(READY)
	$(BIN)/python -m tests.bench

ui: $(READY)
	$(BIN)/openstars ui

clean:
	rm -rf .venv data/store

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)
