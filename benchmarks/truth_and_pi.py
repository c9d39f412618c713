"""Does the correction help? Two questions of the same confidences, on networks that are known.

Found again: how near is the confidence of an adjacency to π, the share of fresh tables from which it is learned?
Real: how near to 0 or 1, whether the network has it? Broom, Do & Subramanian (2012) ask the second on ALARM and
INSURANCE, and report that correcting worsens learning. Naive and corrected bootstrap see the same tables and the same
resamples, so their differences are paired; the standard errors are over the tables.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import BOOTSTRAP, Study, grid
from benchmarks.scorer import brier, log_loss
from bnengine._core.random_generators import standard_error
from bnengine.bootstrap.calibration import Calibration

SCORES = {score.name: score for score in (bn.BIC(), bn.BDeu(1.0))}
SIZES = {"tables": 20, "replicates": 200, "fresh": 500, "seed": 0}


def measures(found: Calibration, key: str) -> dict[str, np.ndarray]:
    """Return one number per table of each measure, lower is better: sums over all pairs, log-loss in nats."""
    p, truth = found.confidence[key], found.truth
    return {
        "log_loss": np.array([log_loss(of_table, truth, found.n_replicates) for of_table in p]),
        "brier": np.array([brier(of_table, truth) for of_table in p]),
        "total_absolute_error": found.total_absolute_error(key),
    }


def measure(network: str, rows: int, score: str, **sizes: int) -> dict[str, float]:
    """Return both methods' means, and the mean change that the correction makes with its standard error."""
    n = SIZES | sizes
    methods = bn.resampling_methods(n["replicates"], keys=("bootstrap", "bootstrap_corrected"))
    tables, how = bn.settings.Tables(n["tables"], n["fresh"]), {"kind": "adjacency", "rng": n["seed"]}
    source, search = bn.load_network(network), bn.HillClimbing()
    found = bn.calibrate(source, rows, SCORES[score], search, methods, tables, **how)
    naive, corrected = measures(found, "bootstrap"), measures(found, "bootstrap_corrected")
    line: dict[str, float] = {}
    for name, before in naive.items():
        change = corrected[name] - before
        line |= {name: float(before.mean()), f"{name}_corrected": float(corrected[name].mean())}
        line |= {f"{name}_change": float(change.mean()), f"{name}_error": float(standard_error(change))}
    return line


def report(lines: pd.DataFrame) -> Report:
    """Return what the manual quotes."""
    found = {**SIZES, "search": bn.HillClimbing().name, "lines": lines.to_dict("records")}
    return Report(measured={"truth_and_pi": found})


CELLS = grid(network=("alarm", "insurance"), rows=(300, 1_000), score=SCORES)
SMALL = grid(network="asia", rows=100, score="BIC", tables=3, replicates=20, fresh=20)
STUDY = Study("truth_and_pi", CELLS, measure, SMALL, report, BOOTSTRAP)
