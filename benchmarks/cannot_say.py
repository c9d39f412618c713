"""How many edges does *cannot say* hold back, true and false ones? On samples of networks that are known."""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import ROOMS, Study, grid
from benchmarks.scorer import pairs_of
from bnengine.answers.edge_answers import HALF, two_answers
from bnengine.answers.verdict import Verdict
from bnengine.bootstrap.study import Study as Learned
from bnengine.graphs.dag import skeleton

NETWORKS = ("asia", "cancer", "child", "insurance", "alarm")


def counts(network: str, rows: int, table: int) -> dict[str, int]:
    """Count a table's edges and pairs without one, those above one half, and how many of each nothing is said of."""
    truth = bn.load_network(network)
    data = truth.sample(rows, rng=table)
    real = bn.edge_posterior(data, rng=table)
    none = np.zeros(real.probability.shape, dtype=bool)
    answers = two_answers(Learned(bn.learn(data), {}), "data", real)
    found = Verdict(answers, none.astype(float), none, none, data)
    true, above, unsure = map(pairs_of, (skeleton(truth.adjacency), real.pair_probability > HALF, found.unsure))
    line = {}
    for name, pairs in (("true", true), ("true_above", true & above), ("false_above", ~true & above)):
        line |= {name: int(pairs.sum()), f"{name}_unsure": int((pairs & unsure).sum())}
    return line


def report(lines: pd.DataFrame) -> Report:
    """Add everything up."""
    sums = lines.drop(columns=["network", "rows", "table"]).sum()
    about = {"networks": lines["network"].nunique(), "tables": len(lines)}
    return Report(measured={"cannot_say": about | {key: int(n) for key, n in sums.items()}})


CELLS = grid(network=NETWORKS, rows=(100, 300, 1_000), table=(1, 2))
SMALL = grid(network="cancer", rows=100, table=1)
STUDY = Study("cannot_say", CELLS, counts, SMALL, report, (*ROOMS, "answers"))
