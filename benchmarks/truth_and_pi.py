"""Does the correction help? Two questions of the same confidences, on networks that are known.

Found again: how near is the confidence of an adjacency to π, the share of fresh tables from which it is learned?
Real: how near to 0 or 1, whether the network has it? Broom, Do & Subramanian (2012) ask the second on ALARM and
INSURANCE, and report that correcting worsens learning. Naive and corrected bootstrap see the same tables and the same
resamples, so their differences are paired; the standard errors are over the tables.

``--write`` keeps the results in ``pages/shared/measured.json``.
"""

import argparse

import numpy as np
import pandas as pd
from measured import keep

import bnengine as bn
from bnengine._core.random_generators import standard_error
from bnengine.bootstrap.calibration import Calibration
from bnengine.scores.scores import TableScore

NETWORKS = ("alarm", "insurance")
ROWS = (300, 1000)
SCORES = (bn.BIC(), bn.BDeu(1.0))
MEASURES = ("log_loss", "brier", "total_absolute_error")


def measures(found: Calibration, key: str) -> dict[str, np.ndarray]:
    """Return one number per table of each measure, lower is better: sums over all pairs, log-loss in nats."""
    p, n, truth = found.confidence[key], found.n_replicates, found.truth
    kept_off_0_and_1 = (n * p + 0.5) / (n + 1)
    return {
        "log_loss": -np.log(np.where(truth, kept_off_0_and_1, 1 - kept_off_0_and_1)).sum(axis=1),
        "brier": ((p - truth) ** 2).sum(axis=1),
        "total_absolute_error": found.total_absolute_error(key),
    }


def compared(network: str, n_rows: int, score: TableScore, tables: int, n: int, fresh: int, seed: int) -> dict:
    """Return both methods' means, and the mean change that the correction makes with its standard error."""
    chosen = bn.resampling_methods(n, keys=("bootstrap", "bootstrap_corrected"))
    found = bn.calibrate(
        bn.load_network(network),
        n_rows,
        score,
        bn.HillClimbing(),
        chosen,
        bn.settings.Tables(tables, fresh),
        kind="adjacency",
        rng=seed,
    )
    naive, corrected = measures(found, "bootstrap"), measures(found, "bootstrap_corrected")
    line = {"network": network, "rows": n_rows, "score": score.name}
    for measure in MEASURES:
        change = corrected[measure] - naive[measure]
        line |= {
            measure: float(naive[measure].mean()),
            f"{measure}_corrected": float(corrected[measure].mean()),
            f"{measure}_change": float(change.mean()),
            f"{measure}_error": float(standard_error(change)),
        }
    return line


def main() -> None:
    """Run every network, number of rows and score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--fresh", type=int, default=500, help="fresh tables that π is estimated from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="keep the results in pages/shared/measured.json")
    asked = parser.parse_args()
    lines = [
        compared(network, n_rows, score, asked.tables, asked.replicates, asked.fresh, asked.seed)
        for network in NETWORKS
        for n_rows in ROWS
        for score in SCORES
    ]
    print("log-loss (nats) and Brier score against the network, Σ|p − π| against fresh tables; corrected less naive")
    print(pd.DataFrame(lines).round(2).to_string(index=False))
    if asked.write:
        settings = {key: getattr(asked, key) for key in ("tables", "replicates", "fresh", "seed")}
        keep("truth_and_pi", {**settings, "search": bn.HillClimbing().name, "lines": lines})


if __name__ == "__main__":
    main()
