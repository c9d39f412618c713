"""What-if queries: our junction tree against pyAgrum's two exact methods, side by side in one run; ratios.

A query gives the posterior of every variable and the probability of the evidence, three variables being observed.
"""

import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import bnengine as bn
from bnengine.networks.formats import import_pyagrum, pyagrum_network
from bnengine.networks.inference import _TREES, junction_tree

NETWORKS = ("asia", "alarm", "insurance", "hepar2", "win95pts", "andes")
QUERIES = 15


def milliseconds(query: Callable[[int], object]) -> float:
    """Return the median time of a query."""
    times = []
    for number in range(QUERIES):
        start = time.perf_counter()
        query(number)
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def compare(name: str) -> str:
    """Write one line: our time per query, pyAgrum's methods as multiples of it, largest difference."""
    library, network = import_pyagrum(), bn.load_network(name)
    theirs, rows = pyagrum_network(network), network.sample(QUERIES, rng=1).codes
    chosen = np.random.default_rng(1).choice(len(network.names), 3, replace=False).tolist()

    def ours(number: int) -> bn.prediction.Posteriors:
        return bn.prediction.posteriors(network, {network.names[v]: network.states[v][rows[number, v]] for v in chosen})

    def pyagrum(method: str, number: int) -> tuple[float, list[np.ndarray]]:
        engine = getattr(library, method)(theirs)
        engine.setEvidence({v: int(rows[number, v]) for v in chosen})
        engine.makeInference()
        probability = engine.evidenceProbability()
        return probability, [engine.posterior(v).toarray() for v in range(len(network.names))]

    _TREES.clear()
    start = time.perf_counter()
    junction_tree(network)
    tree = 1000 * (time.perf_counter() - start)
    own = milliseconds(ours)
    ratios = [
        milliseconds(lambda number, method=method: pyagrum(method, number)) / own
        for method in ("LazyPropagation", "ShaferShenoyInference")
    ]
    differences = []
    for number in range(QUERIES):
        probability, tables = pyagrum("LazyPropagation", number)
        found = ours(number)
        differences.append(abs(math.log(probability) - found.log_evidence))
        differences += [np.abs(a - b).max() for a, b in zip(found.probabilities, tables, strict=True)]
    return f"{name:12}{own:9.2f}{ratios[0]:9.1f}{ratios[1]:9.1f}{tree:10.1f}{max(differences):14.0e}"


def evidence_of_a_chain(n: int) -> str:
    """Return the log-probability of a row, near n ln(1/2): a float holds no such probability from n = 1,075 on."""
    library = import_pyagrum()
    names, parents = tuple(f"x{v}" for v in range(n)), ((), *((v,) for v in range(n - 1)))
    tables = (np.array([[0.5, 0.5]]), *[np.array([[0.6, 0.4], [0.4, 0.6]])] * (n - 1))
    chain = bn.BayesianNetwork(names, (("a", "b"),) * n, parents, tables)
    engine = library.LazyPropagation(pyagrum_network(chain))
    engine.setEvidence(dict.fromkeys(range(n), 0))
    engine.makeInference()
    ours = bn.prediction.posteriors(chain, dict.fromkeys(names, "a")).log_evidence
    return f"evidence on {n:,} variables: ours {ours:.2f} nats, pyAgrum's probability {engine.evidenceProbability()}"


if __name__ == "__main__":
    program = "import time; t = time.perf_counter(); import pyagrum; print(time.perf_counter() - t)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    print(f"import pyagrum: {float(done.stdout):.2f} s")
    print(f"{'network':12}{'ours, ms':>9}{'lazy, ×':>9}{'shafer, ×':>10}{'tree, ms':>9}{'difference':>14}")
    for name in NETWORKS:
        print(compare(name))
    print(evidence_of_a_chain(1500))
