"""What each search reaches on samples of several networks, and in which time, beside other programs.

One cell is one sample; seeds on which nothing was tuned. Other programs have ``LIMIT`` processor seconds each.
"""

import os
import time
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.methods import ONE_THREAD
from benchmarks.peers import PROGRAMS, Programs
from benchmarks.report import Report
from benchmarks.running import PEERS, Study, grid
from benchmarks.timing import resampled_rows
from bnengine.graphs.dag import adjacency_of, edges_of

#: By number of variables: 8 to 76.
NETWORKS = ("asia", "child", "insurance", "water", "alarm", "hailfinder", "hepar2", "win95pts")
SCORES: dict[str, Any] = {"BIC": bn.BIC(), "BDeu(1)": bn.BDeu(1)}
_FIRST_TABLE = 7000  # seeds of the samples: not those on which the search was tuned
LONG, BASE = "iterated local search, 10 times the patience", "iterated local search"
#: Of the slower programs so many tables of each network, size and score; of the others all.
MOST_TABLES = {"bnlearn-port, hc, 20 restarts": 2, "pgmpy, hill climbing with a tabu list": 1}
MOST_TABLES |= {"causal-learn, GES": 1, "causal-learn, BOSS": 1}
LIMIT = 30.0  # processor seconds for a search of another program


#: What is compared, by the name of its row; the last is there to know how good a score can be.
OURS: dict[str, bn.search.Search] = {
    "hill climbing": bn.HillClimbing(),
    "climb, 20 restarts": bn.HillClimbing(restarts=20),
    "climb, 200 restarts": bn.HillClimbing(restarts=200),
    "tabu search": bn.Tabu(),
    "simulated annealing": bn.SimulatedAnnealing(),
    BASE: bn.IteratedLocalSearch(),
    LONG: bn.IteratedLocalSearch(patience=1500),
}


def line(data: bn.Dataset, network: bn.BayesianNetwork, score: str, edges: Any, seconds: float) -> dict[str, Any]:
    """Return what a graph reaches: nats, SHD of its CPDAG to the network's, milliseconds."""
    far = bn.shd(bn.cpdag(adjacency_of(data.names, edges)), bn.cpdag(network.adjacency))
    return {"nats": bn.score(data, edges, SCORES[score]), "shd": far, "ms": round(1000 * seconds, 3)}


def measure(network: str, rows: int, score: str, table: int) -> list[dict[str, Any]]:
    """Return a line a search."""
    truth, lines = bn.load_network(network), []
    data, small = truth.sample(rows, rng=_FIRST_TABLE + table), bn.load_network("asia").sample(100, rng=1)
    for what, search in OURS.items():
        bn.learn(small, SCORES[score], search)  # reading compiled code is no part
        start = time.process_time()
        found = bn.learn(data, SCORES[score], search, rng=table)
        seconds = time.process_time() - start
        reached = line(data, truth, score, found.edges, seconds)
        lines.append({"search": what, **reached, "families": found.n_evaluations})
    return lines + by_peers(data, truth, score, [what for what in PROGRAMS if table < MOST_TABLES.get(what, 10**9)])


def by_peers(data: bn.Dataset, truth: bn.BayesianNetwork, score: str, which: list[str]) -> list[dict[str, Any]]:
    """Return the lines of other programs, or why they found no graph."""
    lines: list[dict[str, Any]] = []
    if python := os.environ.get(PEERS):
        with closing(Programs(python, LIMIT)) as programs:
            for what in (one for one in which if score in PROGRAMS[one][1]):
                found, reached = programs.ask(what, data, score), {"nats": np.nan}
                if "edges" in found:
                    reached = line(data, truth, score, found.pop("edges"), found.pop("seconds"))
                lines.append({"search": what, **reached, **found, "families": 0})
    return lines


def measure_replicates(network: str, rows: int, score: str, n: int) -> list[dict[str, Any]]:
    """Return a line a search and bootstrap replicate of one sample; ``table`` is the replicate's number."""
    truth, lines = bn.load_network(network), []
    data = truth.sample(rows, rng=_FIRST_TABLE)
    drawn = [data.take(own) for own in resampled_rows(data, n, 0)]
    for what, search in OURS.items():
        bn.resample(data, SCORES[score], search, bn.Bootstrap(1))
        start = time.process_time()
        again = bn.resample(data, SCORES[score], search, bn.Bootstrap(n), rng=0, executor=ONE_THREAD)
        graphs, seconds = list(again.adjacencies), (time.process_time() - start) / n
        if what == LONG:  # to know how good a score can be: with all its patience, of which replicates have half
            graphs = [bn.learn(table, SCORES[score], search, rng=0).adjacency for table in drawn]
        for number, (table, graph) in enumerate(zip(drawn, graphs, strict=True)):
            reached = line(table, truth, score, edges_of(data.names, graph), seconds)
            lines.append({"table": number, "search": what, **reached, "families": 0})
    for number, table in enumerate(drawn):
        which = [what for what in PROGRAMS if number < 2 or what not in MOST_TABLES]
        lines += [{"table": number, **one} for one in by_peers(table, truth, score, which)]
    return lines


def report(frame: pd.DataFrame) -> Report:
    """Return the sections, and the README's table; of replicates, what is shipped."""
    from benchmarks.searches_replicates import STUDY as REPLICATES
    from benchmarks.searches_report import report_of

    return report_of(frame, REPLICATES.shipped())


CELLS = grid(table=range(10), network=NETWORKS, rows=(300, 1_000, 5_000), score=SCORES)
SMALL = grid(table=0, network="asia", rows=300, score="BIC")
PEERS_OF = {"search": tuple(PROGRAMS)}
STUDY = Study("searches", CELLS, measure, SMALL, report, ("scores", "search"), clock=("ms",), peers=PEERS_OF)
