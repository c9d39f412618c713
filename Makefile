# One word for each thing that is done often. `make` alone lists them.
PYTHON ?= .venv/bin/python
.DEFAULT_GOAL := help

help:  ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup:  ## make the environment and install everything that tests need
	python3 -m venv .venv
	$(PYTHON) -m pip install -q -c constraints.txt -e ".[test,dev]"

warm-up:  ## compile the engine now instead of at the first start
	$(PYTHON) -m bnengine warm-up

app:  ## start the dashboard
	$(PYTHON) -m streamlit run app.py

check:  ## formatting, lint, types
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy

test: check  ## the whole suite, as the README runs it
	$(PYTHON) -m pytest -q -n 2 --dist loadfile

fast:  ## everything but long tests and browser journeys: under two minutes once compiled
	$(PYTHON) -m pytest -q -n 2 --dist loadfile -m "not slow and not browser"

slow:  ## measure which tests are slow, so that `make fast` leaves them out
	$(PYTHON) -m pytest -q -n 2 --dist loadfile --write-slow

pinned:  ## write the pinned results anew, after a change that is meant to change them
	$(PYTHON) -m tests.test_pinned

peers:  ## ask the installed peers for their scores and keep the answers
	$(PYTHON) -m tests.peers.scores_of_peers

bench:  ## the speed benchmarks, side by side with the peers that are installed
	$(PYTHON) benchmarks/start_up.py
	$(PYTHON) benchmarks/bootstrap.py
	$(PYTHON) benchmarks/searches.py

docs:  ## build the manual into site/
	$(PYTHON) -m pip install -q -c constraints.txt -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict

.PHONY: help setup warm-up app check test fast slow pinned peers bench docs
