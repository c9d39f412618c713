"""200 bootstrap replicates on ALARM: this engine against a loop of pyAgrum over resampled frames, one core, one run."""

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pyagrum

import bnengine as bn
from bnengine.bootstrap.resamplers import replicate_generators


def resampled_frames(data: bn.Dataset, n: int, seed: int) -> list[pd.DataFrame]:
    """The same resamples that the engine learns from, as frames for the peer."""
    frame = data.to_frame()
    rows = [generator.integers(0, data.n_rows, data.n_rows) for generator in replicate_generators(seed, n)]
    return [frame.iloc[r] for r in rows]


def template(data: bn.Dataset) -> pyagrum.BayesNet:
    """The declared states, so that the peer need not look for them in each frame."""
    net = pyagrum.BayesNet()
    for name, states in zip(data.names, data.states, strict=True):
        net.add(pyagrum.LabelizedVariable(name, name, list(states)))
    return net


def peer_learn(file: str, states: pyagrum.BayesNet, order: list[int] | None) -> pyagrum.BNLearner:
    """A learner set up for BIC and greedy hill climbing, or K2 where an order is given."""
    learner = pyagrum.BNLearner(file, states)
    learner.setNumberOfThreads(1)
    learner.useNoPrior()
    learner.useScoreBIC()
    if order is None:
        learner.useGreedyHillClimbing()
    else:
        learner.useK2(order)
    return learner


def timed(work: Callable[[], object]) -> float:
    """Seconds that a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print milliseconds a replicate and the ratio, the two in turn."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[300, 1000])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    bn.warm_up()
    network = bn.load_network("alarm")
    one = ThreadPoolExecutor(1)
    for n_rows in arguments.rows:
        data = network.sample(n_rows, rng=1)
        states = template(data)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, frame in enumerate(resampled_frames(data, arguments.replicates, 0)):
                files.append(str(Path(folder) / f"{number}.csv"))
                frame.to_csv(files[-1], index=False)
            order = [data.names.index(name) for name in network.ordering]
            for search, peer_order in ((bn.HillClimbing(), None), (bn.K2(network.ordering), order)):
                compare(data, search, files, states, peer_order, one, arguments.rounds)
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def compare(
    data: bn.Dataset,
    search: bn.HillClimbing | bn.K2,
    files: list[str],
    states: pyagrum.BayesNet,
    order: list[int] | None,
    one: ThreadPoolExecutor,
    rounds: int,
) -> None:
    """Time both on the same resamples; the peer's reading of its files is not counted, only its learning."""
    ours, theirs, edges = [], [], []

    def run_ours() -> None:
        ensemble = bn.resample(data, bn.BIC(), search, bn.Bootstrap(len(files)), executor=one)
        edges.append(ensemble.mean_edges)

    for _ in range(rounds):
        ours.append(timed(run_ours))
        learners = [peer_learn(file, states, order) for file in files]
        counts = []
        theirs.append(timed(lambda: counts.extend(learner.learnDAG().sizeArcs() for learner in learners)))  # noqa: B023
    each = [1000 * seconds / len(files) for seconds in (statistics.median(ours), statistics.median(theirs))]
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    print(
        f"ALARM N={data.n_rows:>5} {search.name:<14} BIC  bnengine {each[0]:7.3f} ms  pyAgrum {each[1]:7.2f} ms  "
        f"ratio {statistics.median(ratios):5.1f} ({min(ratios):.1f} to {max(ratios):.1f})  "
        f"mean edges {edges[-1]:.2f} and {np.mean(counts):.2f}"
    )


if __name__ == "__main__":
    main()
