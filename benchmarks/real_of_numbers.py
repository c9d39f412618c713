"""How should *real* use numbers? Simulated tables of many kinds, real cells, and the candidates.

Every table is answered once by ``bn.edge_posterior``, which gives the numbers of each representation: by blocks to the
second degree (N2), here also to the first (N1), and cut into three states (C3, under BDeu(1) and BDeu(10)). The
candidates are pools of these, written down before the first run on the kinds ``KINDS`` of ``worlds_of_numbers``. Worst
regrets in log-loss of 16 seeds, 432 tables and 48 samples of cells, with kinds and cells alike: half N2 and half cuts
1.4 (which is *real*), thirds 2.9, quarters and half 3.1, log odds 3.1, cuts alone 6.2, both degrees 10, N2 16, N1 22.
The shipped lines are one last look, at kinds that played no part in the choice.
"""

from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import Study, grid
from benchmarks.scorer import NEAREST, average_precision, clipped_loss, pairs_of
from benchmarks.worlds_of_numbers import HIDDEN, KINDS, cells, simulated
from bnengine.graphs.dag import skeleton
from bnengine.posterior import bagging

#: Weights of N1, N2, and C3 under its two priors, in a mean of probabilities.
CANDIDATES = {
    "cuts alone": (0, 0, 0.5, 0.5),
    "N1": (1, 0, 0, 0),
    "N2": (0, 1, 0, 0),
    "mean of N1 and N2": (0.5, 0.5, 0, 0),
    "1/4 N1 + 1/4 N2 + 1/2 cuts": (0.25, 0.25, 0.25, 0.25),
    "1/2 N2 + 1/2 cuts": (0, 0.5, 0.25, 0.25),
    "1/3 N1 + 1/3 N2 + 1/3 cuts": (1 / 3, 1 / 3, 1 / 6, 1 / 6),
    "log odds of 1/2 (N1 + N2) and cuts": None,  # the mean of both halves' log odds
}


def measure(seed: int, rows: int, kind: str) -> list[dict[str, object]]:
    """Answer one table and score every candidate; seeds from 1,000 on are those of the last look."""
    if kind == "cells":
        frame, numbers, truth = cells(np.random.default_rng([seed, rows]), rows)
    else:
        number = (HIDDEN if kind in HIDDEN else KINDS).index(kind)
        frame, numbers, truth = simulated(kind, np.random.default_rng([seed, rows, number]), rows)
    data = bn.Dataset.from_frame(frame, numbers=numbers)
    with patch.object(bagging, "PRIORS_OF_BLOCKS", (bn.GaussianBIC(1), bn.GaussianBIC(2))):
        found = bn.edge_posterior(data, rng=1)
    joined = pairs_of(skeleton(truth))
    by_each = pairs_of(found.under_each_prior + found.under_each_prior.transpose(0, 2, 1))
    halves, lines = np.clip([by_each[:2].mean(axis=0), by_each[2:].mean(axis=0)], NEAREST, 1 - NEAREST), []
    for name, weights in CANDIDATES.items():
        pairs = expit(logit(halves).mean(axis=0)) if weights is None else np.tensordot(weights, by_each, 1)
        pairs = np.clip(pairs, NEAREST, 1 - NEAREST)
        above, sure = pairs > 0.5, pairs >= 0.95
        line = {"candidate": name, "loss": clipped_loss(pairs, joined), "precision": average_precision(pairs, joined)}
        line |= {"found": (above & joined).sum() / max(1, joined.sum()), "false": (above & ~joined).sum()}
        lines.append(line | {"sure and false": (sure & ~joined).sum(), "sure": sure.sum()})
    return lines


def report(table: pd.DataFrame) -> Report:
    """Return the figures that the manual quotes: log-loss a table of *real* and of cuts alone, by kind of world."""
    loss = table.pivot_table(index="kind", columns="candidate", values="loss")[["1/2 N2 + 1/2 cuts", "cuts alone"]]
    one = table[table["candidate"] == "cuts alone"]
    of_cells = int((one["kind"] == "cells").sum())
    by_kind = loss.T.round(3).to_dict("list")
    found = {"tables": len(one) - of_cells, "cells": of_cells, "loss": by_kind}
    return Report(measured={"real_of_numbers": found})


CELLS = grid(seed=range(1_000, 1_008), rows=(100, 300, 1_000), kind=HIDDEN)
CELLS += grid(seed=range(1_000, 1_008), rows=(100, 300, 853), kind="cells")
SMALL = grid(seed=1_000, rows=100, kind=("counts", "cells"))
STUDY = Study("real_of_numbers", CELLS, measure, SMALL, report, ("scores", "posterior", "data"))
