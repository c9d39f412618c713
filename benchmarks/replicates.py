"""How far below the best graph known of a replicate the default search ends, and what a replicate costs.

    python benchmarks/replicates.py [--networks asia sachs …] [--rows 300 1000] [--replicates 16]

Bootstrap replicates of one sample of each network, under BIC and BDeu(1), naive and corrected. The best known is the
exact optimum of up to twelve variables, else the best of the replicate's own graph and of long searches: two from the
graph of the data, two from no edges. Processor time; the first replicates also warm up. With all networks the figures
are kept in ``pages/shared/measured.json``.
"""

import argparse
import time
from dataclasses import replace
from itertools import product

import numpy as np
from measured import keep

import bnengine as bn
from bnengine.bootstrap.resample import ResampleTask
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import corrected
from bnengine.search.learning import Columns, search_from_graph

SEED, MOST_EXACT, LONG = 7001, 12, 600
SCORES = (bn.BIC(), bn.BDeu(1))
NETWORKS = ["asia", "sachs", "child", "insurance", "alarm"]


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


def main() -> None:
    """Print one line for each network, number of rows, score and correction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--rows", nargs="+", type=int, default=[300, 1000])
    parser.add_argument("--replicates", type=int, default=16)
    asked, lines = parser.parse_args(), []
    below_and_ms(bn.load_network("asia").sample(100, rng=1), bn.BIC(), "none", 2)
    for name, rows, score, correction in product(asked.networks, asked.rows, SCORES, ("none", "leading")):
        data = bn.load_network(name).sample(rows, rng=SEED)
        below, ms = below_and_ms(data, score, correction, asked.replicates)
        line = {"network": name, "rows": rows, "score": score.name, "correction": correction}
        found = {"within": np.mean(below < 1), "below": below.mean(), "most": below.max(), "ms": ms}
        lines.append(line | {key: round(float(value), 2) for key, value in found.items()})
        print(
            f"{name:<10} {rows:>6,} rows  {score.name:<8} {correction:<8} within 1 nat {np.mean(below < 1):.0%}, "
            f"mean {below.mean():.2f}, most {below.max():.1f} nats below; {ms:.1f} ms",
            flush=True,
        )
    if asked.networks == NETWORKS:
        keep("replicates", {"replicates": asked.replicates, "lines": lines})


if __name__ == "__main__":
    main()
