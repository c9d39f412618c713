"""Bootstrap replicates: this engine against a loop of pyAgrum over the same resampled frames, one core, one run.

python -m benchmarks.bootstrap
"""

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyagrum

import bnengine as bn
from benchmarks.report import write_section
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.experiment.warm_up import warm_up
from bnengine.scores.scores import TableScore

#: Network, rows, score, whether by K2 in the network's ordering (else hill climbing), replicates.
CASES: list[tuple[str, int, TableScore, bool, int]] = [
    ("alarm", 300, bn.BIC(), False, 200),
    ("alarm", 1000, bn.BIC(), False, 200),
    ("alarm", 5000, bn.BIC(), False, 100),
    ("alarm", 1000, bn.BDeu(1), False, 200),
    ("alarm", 300, bn.BIC(), True, 200),
    ("alarm", 1000, bn.BIC(), True, 200),
    ("alarm", 5000, bn.BIC(), True, 100),
    ("insurance", 1000, bn.BIC(), False, 200),
    ("child", 1000, bn.BIC(), False, 200),
    ("hailfinder", 1000, bn.BIC(), False, 60),
    ("win95pts", 1000, bn.BIC(), False, 60),
    ("andes", 1000, bn.BIC(), False, 4),
]

HEAD = """\
A bootstrap replicate on one core, of 4 to 200: preparing, drawing rows, learning, keeping the graph; for pyAgrum
{version} learning alone, on the same rows. Processor time, {rounds} rounds in turn; the median and, of the ratio, the
range. K2 in the network's ordering. pyAgrum's BDeu is another score, and the same work.

    python -m benchmarks.bootstrap

| network | rows | search, score | bnengine, ms | pyAgrum, ms | ratio | mean edges |
|---|---:|---|---:|---:|---:|---:|"""


def resampled_frames(data: bn.Dataset, n: int, seed: int) -> list[pd.DataFrame]:
    """Return the same resamples that the engine learns from, as frames for the peer."""
    frame = data.to_frame()
    rows = [generator.integers(0, data.n_rows, data.n_rows) for generator in replicate_generators(seed, n)]
    return [frame.iloc[r] for r in rows]


def template(data: bn.Dataset) -> pyagrum.BayesNet:
    """Return the declared states, so that the peer need not look for them in each frame."""
    net = pyagrum.BayesNet()
    for name, states in zip(data.names, data.states, strict=True):
        net.add(pyagrum.LabelizedVariable(name, name, list(states)))
    return net


def peer_learner(file: str, states: pyagrum.BayesNet, score: TableScore, order: list[int] | None) -> Any:
    """Return a learner set up for greedy hill climbing, or for K2 where an order is given.

    Its BDeu is another score than ours, and the same work.
    """
    learner = pyagrum.BNLearner(file, states)
    learner.setNumberOfThreads(1)
    learner.useNoPrior()
    if isinstance(score, bn.BIC):
        learner.useScoreBIC()
    else:
        learner.useScoreBDeu()
    if order is None:
        learner.useGreedyHillClimbing()
    else:
        learner.useK2(order)
    return learner


def learn_all(learners: list[Any], counts: list[int]) -> None:
    """Let the peer learn, and note how many edges each graph has."""
    counts.extend(learner.learnDAG().sizeArcs() for learner in learners)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds of processor time that a piece of work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def compared(network: str, n_rows: int, score: TableScore, by_ordering: bool, n: int, rounds: int) -> str:
    """Return a line of the table: both on the same resamples, in turn; reading of files is not counted."""
    source = bn.load_network(network)
    data = source.sample(n_rows, rng=1)
    search = bn.K2(source.ordering) if by_ordering else bn.HillClimbing()
    order = [data.names.index(name) for name in source.ordering] if by_ordering else None
    states, ours, theirs, edges = template(data), [], [], [0.0, 0.0]

    def run_ours() -> None:
        edges[0] = bn.resample(data, score, search, bn.Bootstrap(n)).mean_edges

    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{number}.csv") for number in range(n)]
        for file, frame in zip(files, resampled_frames(data, n, 0), strict=True):
            frame.to_csv(file, index=False)
        run_ours()
        for _ in range(rounds):
            ours.append(timed(run_ours))
            learners = [peer_learner(file, states, score, order) for file in files]
            counts: list[int] = []
            theirs.append(timed(partial(learn_all, learners, counts)))
            edges[1] = float(np.mean(counts))
    each = [1000 * statistics.median(seconds) / n for seconds in (ours, theirs)]
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    ratio = f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
    what, found = f"{search.name}, {score.name}", f"{edges[0]:.1f} and {edges[1]:.1f}"
    return f"| {network} | {n_rows:,} | {what} | {each[0]:.3g} | {each[1]:.3g} | {ratio} | {found} |"


def main() -> None:
    """Write the table to RESULTS.md, a line as soon as it is measured to the screen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dry", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    warm_up()
    lines = [HEAD.format(version=pyagrum.__version__, rounds=arguments.rounds)]
    for case in CASES:
        lines.append(compared(*case, arguments.rounds))
        print(lines[-1], flush=True)
    lines += ["", f"Peak memory of both: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB."]
    if not arguments.dry:
        write_section("Bootstrap replicates", "\n".join(lines))


if __name__ == "__main__":
    main()
