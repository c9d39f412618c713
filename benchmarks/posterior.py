"""Sampled posteriors against the same summed exactly, and against themselves with another seed.

*Copies*: random networks of 14 to 18 variables with near copies, *real* of two resamples of each size. *Parity*: the
same on blocks of three coins and their parity. *Few*: the posterior under BDeu(10) of the networks with near copies,
with six candidates, where good graphs want more. *Seeds*: the share of differences between two seeds of *real* within
two of their combined errors, over the pairs that either gives 0.01 or more, 1,000 rows.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, tabulated
from benchmarks.running import POSTERIOR, Study, grid
from benchmarks.worlds import blocks_of_parity, table_with_near_copies
from bnengine.posterior import Effort
from bnengine.posterior.result import DISAGREEMENT

#: What is compared with the exact sum: tables, a score (None for *real*), and candidate parents of a child.
COMPARED = {
    "copies": (table_with_near_copies, None, 12),
    "parity": (blocks_of_parity, None, 12),
    "few": (table_with_near_copies, bn.BDeu(10), 6),
}


def measure(what: str, table: int) -> dict[str, float]:
    """Return the largest difference of one comparison, the share within two errors, and whether a miss was silent."""
    if what in COMPARED:
        draw, score, candidates = COMPARED[what]
        data, few, most = draw(table), Effort(n_bags=2), Effort(n_bags=2, candidates=candidates)
        reference = bn.edge_posterior(data, score, effort=few, method="exact", rng=table).pair_probability
        found, error = bn.edge_posterior(data, score, effort=most, method="order", rng=table), 0.0
        warned = found.between_chains > DISAGREEMENT
    else:
        data = bn.load_network(what).sample(1_000, rng=1)
        other, found = (bn.edge_posterior(data, method="order", rng=2 * table + s) for s in range(2))
        reference, error = other.pair_probability, other.pair_error
        warned = np.zeros(error.shape, dtype=bool)
    errors = np.hypot(found.pair_error, error)
    difference = np.triu(abs(found.pair_probability - reference))
    shown = np.triu(np.maximum(found.pair_probability, reference) >= 0.01)
    silent = (difference > 0.1) & (difference > 3 * errors) & ~warned
    within = (difference <= 2 * errors)[shown].mean()
    line = {"largest": difference.max(), "within": within, "silent": int(silent.sum())}
    return line | {"warns": found.warning is not None}


def report(frame: pd.DataFrame) -> Report:
    """Return a line for each comparison."""
    of = frame.assign(silent=frame["silent"] > 0).groupby("what", sort=False)
    lines = of.agg(tables=("table", "size"), silent=("silent", "sum"), warn=("warns", "sum"), most=("largest", "max"))
    lines = lines.join(of["within"].agg(["mean", "min"])).reset_index()
    heads = "what | tables | with a silent miss | that warn | largest difference | within two errors | least"
    line = "{what} | {tables} | {silent} | {warn} | {most:.3f} | {mean:.3f} | {min:.3f}"
    text = (
        "`python -m benchmarks posterior run`. Copies, parity and few: against the exact sum, as the head of "
        "`posterior.py` says. Networks: two seeds of *real* against each other. A silent miss is a pair that differs "
        "by more than 0.1 and three errors and that no warning names. With six candidates there is no room for all "
        "parents that near copies need, and the errors are too small."
    )
    return Report({"Sampled posteriors": f"{text}\n\n{tabulated(lines, heads, line)}"})


CELLS = grid(what="copies", table=range(130)) + grid(what="parity", table=range(40))
CELLS += grid(what="few", table=range(24)) + grid(what=("alarm", "insurance"), table=range(10))
SMALL = grid(what="few", table=0)
STUDY = Study("posterior", CELLS, measure, SMALL, report, POSTERIOR)
