"""What each search reaches on bootstrap replicates of one sample of ALARM, and in which time; see ``searches``."""

import time
from typing import Any

import pandas as pd

import bnengine as bn
from benchmarks.methods import ONE_THREAD
from benchmarks.peers import PROGRAMS
from benchmarks.report import Report
from benchmarks.running import BOOTSTRAP, Study, grid
from benchmarks.searches import FIRST_TABLE, LONG, MOST_TABLES, OURS, SCORES, by_peers, line
from benchmarks.searches import STUDY as SEARCHES
from benchmarks.timing import resampled_rows
from bnengine.graphs.dag import edges_of


def measure(network: str, rows: int, score: str, n: int) -> list[dict[str, Any]]:
    """Return a line a search and bootstrap replicate of one sample; ``table`` is the replicate's number."""
    truth, lines = bn.load_network(network), []
    data = truth.sample(rows, rng=FIRST_TABLE)
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
    """Return the report of searches, which has a column of replicates; of a small run nothing."""
    return SEARCHES.report(SEARCHES.shipped()) if len(frame) > 100 else Report()


CELLS = grid(network="alarm", rows=1000, score="BIC", n=10)
SMALL = grid(network="asia", rows=100, score="BIC", n=2)
STUDY = Study("searches_replicates", CELLS, measure, SMALL, report, BOOTSTRAP, clock=("ms",), peers=SEARCHES.peers)
