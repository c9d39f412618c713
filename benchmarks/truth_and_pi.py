"""Does the correction help? Two questions of the same confidences, on networks that are known.

Found again: how near is the confidence of an adjacency to π, the share of fresh tables from which it is learned?
Real: how near to 0 or 1, whether the network has it? Broom, Do & Subramanian (2012) ask the second on ALARM and
INSURANCE, and report that correcting worsens learning. Naive and corrected bootstrap see the same tables and the same
resamples, so their differences are paired; the standard errors are over the tables.
"""

import pandas as pd

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import BOOTSTRAP, Study, grid
from benchmarks.scorer import brier, log_loss
from bnengine.bootstrap.calibration import Calibration

SCORES = {score.name: score for score in (bn.BIC(), bn.BDeu(1.0))}
SIZES = {"tables": 20, "replicates": 200, "fresh": 500, "seed": 0}


def measures(found: Calibration, key: str) -> pd.DataFrame:
    """Return a row for each table with its measures, lower is better: sums over all pairs, log-loss in nats."""
    of_tables = found.confidence[key]
    losses = {"log_loss": [log_loss(p, found.truth, found.n_replicates) for p in of_tables]}
    losses["brier"] = [brier(p, found.truth) for p in of_tables]
    return pd.DataFrame(losses | {"total_absolute_error": found.total_absolute_error(key)})


def measure(network: str, rows: int, score: str, **sizes: int) -> dict[str, float]:
    """Return both methods' means, and the mean change that the correction makes with its standard error."""
    n = SIZES | sizes
    methods = bn.resampling_methods(n["replicates"], keys=("bootstrap", "bootstrap_corrected"))
    tables, how = bn.settings.Tables(n["tables"], n["fresh"]), {"kind": "adjacency", "rng": n["seed"]}
    source, search = bn.load_network(network), bn.HillClimbing()
    found = bn.calibrate(source, rows, SCORES[score], search, methods, tables, **how)
    naive, corrected = measures(found, "bootstrap"), measures(found, "bootstrap_corrected")
    change = corrected - naive
    parts = {"": naive.mean(), "_corrected": corrected.mean(), "_change": change.mean(), "_error": change.sem()}
    return {f"{name}{end}": of[name] for name in naive for end, of in parts.items()}


def report(lines: pd.DataFrame) -> Report:
    """Return what the manual quotes."""
    found = {**SIZES, "search": bn.HillClimbing().name, "lines": lines.to_dict("records")}
    return Report(measured={"truth_and_pi": found})


CELLS = grid(network=("alarm", "insurance"), rows=(300, 1_000), score=SCORES)
SMALL = grid(network="asia", rows=100, score="BIC", tables=3, replicates=20, fresh=20)
STUDY = Study("truth_and_pi", CELLS, measure, SMALL, report, BOOTSTRAP)
