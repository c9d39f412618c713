"""How far below the best graph known of a replicate the default search ends, and what a replicate costs.

Bootstrap replicates of one sample of each network, under BIC and BDeu(1), naive and corrected. The best known is the
exact optimum of up to twelve variables, else the best of the replicate's own graph and of long searches: two from the
graph of the data, two from no edges. Processor time.
"""

import time
from dataclasses import replace

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import BOOTSTRAP, Study, grid
from bnengine.bootstrap.resample import ResampleTask
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import corrected
from bnengine.search.column_order import Columns
from bnengine.search.learning import search_from_graph

SEED, MOST_EXACT, LONG = 7001, 12, 600
SCORES = {score.name: score for score in (bn.BIC(), bn.BDeu(1))}


def below_and_ms(data: bn.Dataset, score: bn.BIC | bn.BDeu, correction: str, n: int) -> tuple[np.ndarray, float]:
    """Return how many nats below the best known each replicate ends, shape (n,), and milliseconds for each."""
    task = ResampleTask(data, score, bn.IteratedLocalSearch(), bn.Bootstrap(n), correction)
    columns, scores = Columns(data.names, task.space), LocalScores(data, corrected(score, correction))
    used = search_from_graph(data, score, task.search, task.space, bn.learn(data, score).adjacency)
    long = replace(used, search=replace(used.search, patience=LONG))
    others = [long, replace(long, start=None)] * 2 if data.n_variables > MOST_EXACT else [bn.Exact()]
    below, seconds = np.zeros(n), 0.0
    for number, generator in enumerate(replicate_generators(0, n)):
        weights = bn.Bootstrap(n).replicate(data, number, generator).weights
        order = columns.order(generator)
        scores.reweigh(weights, order)
        start = time.process_time()
        own = columns.find(used, scores, order, generator).score
        seconds += time.process_time() - start
        best = [columns.find(search, scores, order, generator).score for search in others]
        below[number] = max(own, *best) - own
    return below, 1000 * seconds / n


def measure(network: str, rows: int, score: str, correction: str, replicates: int) -> dict[str, float]:
    """Return the share within a nat of the best known, mean and most below, milliseconds of a replicate."""
    below_and_ms(bn.load_network("asia").sample(100, rng=1), SCORES[score], correction, 2)  # compiles
    data = bn.load_network(network).sample(rows, rng=SEED)
    below, ms = below_and_ms(data, SCORES[score], correction, replicates)
    found = {"within": np.mean(below < 1), "below": below.mean(), "most": below.max(), "ms": ms}
    return {key: round(float(value), 2) for key, value in found.items()}


def report(lines: pd.DataFrame) -> Report:
    """Return what pages and manual quote."""
    of = lines.drop(columns="replicates").to_dict("records")
    return Report(measured={"replicates": {"replicates": int(lines["replicates"].max()), "lines": of}})


NETWORKS = ("asia", "sachs", "child", "insurance", "alarm")
CELLS = grid(network=NETWORKS, rows=(300, 1_000), score=SCORES, correction=("none", "leading"), replicates=32)
SMALL = grid(network="asia", rows=300, score="BIC", correction="none", replicates=2)
STUDY = Study("replicates", CELLS, measure, SMALL, report, BOOTSTRAP, clock=("ms",))
