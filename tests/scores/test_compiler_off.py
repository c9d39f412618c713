"""The kernel and the searches give the same results as plain Python, with the compiler switched off.

The command for a longer run, of the kernel's own tests:

    NUMBA_DISABLE_JIT=1 .venv/bin/python -m pytest -W ignore::RuntimeWarning tests/scores/test_counting.py \
        tests/search/test_perturbation.py
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

PROGRAM = """
import json
import numpy as np
import bnengine as bn

data = bn.load_network("cancer").sample(60, rng=1)
results = {}
for search in (
    bn.HillClimbing(restarts=2), bn.K2(), bn.ChowLiu(), bn.Tabu(patience=5, restarts=1), bn.FixedOrdering(),
    bn.SimulatedAnnealing(temperatures=3), bn.BestFirst(patience=5), bn.TreeSearch(max_networks=20), bn.Exact(),
    bn.IteratedLocalSearch(patience=2),
):
    graph = bn.learn(data, bn.BDeu(1), search, rng=3)
    results[search.name] = [graph.score, graph.n_evaluations, sorted(map(list, graph.edges))]
for score in (bn.BIC(), bn.FNML(), bn.QNML(), bn.K2Score(), bn.BDs(1), bn.BDe("cancer")):
    graph = bn.learn(data, score, rng=3)
    results[score.name] = [graph.score, graph.n_evaluations, sorted(map(list, graph.edges))]
for correction in ("none", "leading"):
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(3), correction)
    results[correction] = [0.0, 0, ensemble.confidence.tolist()]
posterior = bn.edge_posterior(data, max_parents=2)
results["posterior"] = [float(posterior.probability.sum()), 0, []]
print(json.dumps(results))
"""


def results(**environment):
    words = [sys.executable, "-W", "ignore::RuntimeWarning", "-c", PROGRAM]
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_results_with_the_compiler_off_against_those_with_it():
    compiled, plain = results(), results(NUMBA_DISABLE_JIT="1")
    assert compiled.keys() == plain.keys()
    for name, (score, n_evaluations, graph) in plain.items():
        assert compiled[name] == [pytest.approx(score, abs=1e-9), n_evaluations, graph], name
