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
	$(PYTHON) -m bnengine app

check:  ## formatting, lint, types
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy

test: check  ## the whole suite, as the README runs it
	$(PYTHON) -m pytest -q -n 2 --dist loadfile

thorough:  ## what CI leaves out: its checks at more settings and seeds
	$(PYTHON) -m pytest -q -n 2 --dist loadfile -m thorough

fast:  ## everything but long tests, browser journeys and the examples in docstrings: about a minute once compiled
	$(PYTHON) -m pytest -q -n 2 --dist loadfile tests -m "not slow and not browser and not thorough"

pinned:  ## write the pinned results again, after a change that is meant to change them
	$(PYTHON) -m tests.test_pinned

peers:  ## ask the installed peers for their scores and keep the answers
	$(PYTHON) -m tests.peers.scores_of_peers

fuzz:  ## 5,000 of each kind of odd file, link, setting, frame and argument, within limits
	ulimit -v 8000000; BNENGINE_FUZZ_CASES=5000 $(PYTHON) -m pytest -q tests/fuzz

kernel-checks:  ## the kernel with every access checked: compiler off, then with numba's bounds checks in a copy
	BNENGINE_FUZZ_CASES=1000 NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest -q tests/fuzz/test_kernel.py
	NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest -q -W ignore::RuntimeWarning tests/scores/test_counting.py \
	    tests/search/test_perturbation.py
	folder=$$(mktemp -d) && git archive HEAD | tar -x -C "$$folder" && python=$(abspath $(PYTHON)) && cd "$$folder" && \
	    PYTHONPATH="$$folder" NUMBA_BOUNDSCHECK=1 "$$python" -m pytest -q -p no:cacheprovider \
	    tests/scores/test_counting.py tests/search/test_contract.py; code=$$?; rm -rf "$$folder"; exit $$code

soak:  ## eight visitors for ten minutes; rewrites benchmarks/RELIABILITY.md
	$(PYTHON) -m benchmarks.soak --minutes 10

lock:  ## write requirements.lock: the versions of constraints.txt that the app needs, with the hashes of their files
	$(PYTHON) -m pip install -q uv
	echo hatchling | $(PYTHON) -m uv pip compile -q pyproject.toml - --extra app --extra formats -c constraints.txt \
	    --universal --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links -o requirements.lock

audit:  ## known weaknesses of the locked dependencies, asked of the advisory database
	python3 -m venv .venv-audit && .venv-audit/bin/python -m pip install -q pip-audit
	.venv-audit/bin/pip-audit --no-deps --disable-pip -r constraints.txt

bench:  ## the speed benchmarks, beside pyAgrum and the programs of BNENGINE_PEERS=PYTHON, which searches needs
	$(PYTHON) -m benchmarks start_up run
	$(PYTHON) -m benchmarks speed run
	$(PYTHON) -m benchmarks searches run

night:  ## every study of the benchmarks, going on where it was interrupted; SMALL=--small: a few cells of each, writing nothing
	$(PYTHON) -m benchmarks night $(SMALL)

outputs:  ## write what the manual's examples, notebooks and measured figures show, after a change that is meant to change it
	$(PYTHON) -m tests.docs.figures
	$(PYTHON) -m tests.docs.examples
	$(PYTHON) -m tests.docs.notebooks

claims:  ## print every measured figure of the README and the manual beside what the shipped results say today
	$(PYTHON) -m tests.docs.figures --claims

gallery:  ## pictures of every page and of the worked examples, into docs/images
	$(PYTHON) -m benchmarks.gallery

wheel:  ## the source archive and the wheel, in dist/
	$(PYTHON) -m hatchling build -t sdist -t wheel -d dist

release-text:  ## what the changelog says of the newest version: the text of its tag
	@awk '/^## / { n++ } n == 1' CHANGELOG.md

docs:  ## build the manual into site/
	$(PYTHON) -m pip install -q -c constraints.txt -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict

.PHONY: help setup warm-up app check test thorough fast pinned peers fuzz kernel-checks soak lock audit bench night outputs claims gallery wheel release-text docs
