"""What-if queries: our junction tree against pyAgrum's two exact methods, side by side in one run; ratios.

A query gives the posterior of every variable and the probability of the evidence, three variables being observed. Of a
chain every variable is observed: its probability, near n ln(1/2), is too small for a float from n = 1,075 on.
"""

import math
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, tabulated
from benchmarks.running import Study, grid
from benchmarks.timing import seconds_of
from bnengine.networks.formats import import_pyagrum, pyagrum_network
from bnengine.networks.inference import _TREES, junction_tree

CHAIN = "a chain of 1,500"
METHODS = {"lazy": "LazyPropagation", "shafer": "ShaferShenoyInference"}


def chain(n: int) -> bn.BayesianNetwork:
    """Return a chain of variables of two states."""
    names, parents = tuple(f"x{v}" for v in range(n)), ((), *((v,) for v in range(n - 1)))
    tables = (np.array([[0.5, 0.5]]), *[np.array([[0.6, 0.4], [0.4, 0.6]])] * (n - 1))
    return bn.BayesianNetwork(names, (("a", "b"),) * n, parents, tables)


def milliseconds(query: Callable[[Any], object], over: list[Any]) -> float:
    """Return the median processor time of a query."""
    return 1000 * median(seconds_of(partial(query, one)) for one in over)


def measure(network: str, queries: int) -> dict[str, float]:
    """Return the time of a query, pyAgrum's methods as multiples of it, the tree's time, the largest difference."""
    own, n = (chain(1500), None) if network == CHAIN else (bn.load_network(network), 3)
    theirs, rows = pyagrum_network(own), own.sample(queries, rng=1).codes
    observed = np.random.default_rng(1).choice(len(own.names), n or len(own.names), replace=False).tolist()
    evidence = [{v: int(row[v]) for v in observed} for row in rows]

    def ours(seen: dict[int, int]) -> bn.prediction.Posteriors:
        return bn.prediction.posteriors(own, {own.names[v]: own.states[v][state] for v, state in seen.items()})

    def pyagrum(method: str, seen: dict[int, int]) -> tuple[float, list[np.ndarray]]:
        engine = getattr(import_pyagrum(), method)(theirs)
        engine.setEvidence(seen)
        engine.makeInference()
        return engine.evidenceProbability(), [engine.posterior(v).toarray() for v in range(len(own.names))]

    bn.prediction.posteriors(bn.load_network("cancer"), {}), pyagrum("LazyPropagation", evidence[0])  # imports
    _TREES.clear()
    line = {"tree_ms": milliseconds(junction_tree, [own]), "ms": milliseconds(ours, evidence)}
    line |= {key: milliseconds(partial(pyagrum, method), evidence) / line["ms"] for key, method in METHODS.items()}
    differences = []
    for seen in evidence:
        (probability, tables), found = pyagrum("LazyPropagation", seen), ours(seen)
        differences.append(abs(math.log(probability) - found.log_evidence) if probability else math.inf)
        differences += [np.abs(a - b).max() for a, b in zip(found.probabilities, tables, strict=True)]
    return line | {"difference": float(max(differences)), "log_evidence": found.log_evidence}


def report(frame: pd.DataFrame) -> Report:
    """Return the section."""
    heads = "network | a query, ms | lazy propagation, × | Shafer–Shenoy, × | the tree, ms | largest difference"
    line = "{network} | {ms:.3g} | {lazy:.3g} | {shafer:.3g} | {tree_ms:.3g} | {difference:.3g} | {log_evidence:.3g}"
    text = (
        "`python -m benchmarks inference run`. The posterior of every variable and the probability of the evidence: "
        "bnengine's time, pyAgrum's two exact methods as multiples of it, and the largest difference of a posterior "
        "or of a log-probability in nats; infinite where pyAgrum's probability underflows."
    )
    table = tabulated(frame, f"{heads} | ln P of the last evidence", line)
    return Report({"What-if queries": f"{text}\n\n{table}"})


CELLS = grid(network=("asia", "alarm", "insurance", "hepar2", "win95pts", "andes"), queries=15)
CELLS += grid(network=CHAIN, queries=1)
SMALL = grid(network=("asia", CHAIN), queries=2)
STUDY = Study("inference", CELLS, measure, SMALL, report, ("networks",), clock=("tree_ms", "ms", *METHODS))
