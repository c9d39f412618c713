"""How often is an edge called found again and real where there can be none? Whole answers to tables of noise.

    python benchmarks/noise_check.py [kinds …] [--tables 60]

Each table gets the default answer of the pages: 200 replicates of the predictive bootstrap, *real* where a pair is
found again, and, where a pair has both numbers above one half, the check on shuffled and rotated copies. Without such a
pair there is nothing that the check could withhold. Independent tables of ten coins and 300 rows show if it accuses
faultless tables; the last three kinds have rows that depend on one another. Standard errors are between tables.
"""

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd
from measured import keep

import bnengine as bn
from bnengine._core.random_generators import standard_error
from bnengine.answers.edge_answers import HALF
from bnengine.answers.verdict import BOTH_HIGH, REAL

Codes = np.ndarray


def coins(rng: np.random.Generator, n_rows: int, n_variables: int) -> Codes:
    """Draw independent fair coins, shape (N, V)."""
    return rng.integers(0, 2, (n_rows, n_variables))


def series(rng: np.random.Generator, n_rows: int, kept: float) -> Codes:
    """Draw six independent columns in which a cell is that of the row before with probability ``kept``."""
    codes = coins(rng, n_rows, 6)
    for t in range(1, n_rows):
        codes[t] = np.where(rng.random(6) < kept, codes[t - 1], codes[t])
    return codes


KINDS: dict[str, Callable[[np.random.Generator], Codes]] = {
    "20 rows of 8 coins": lambda rng: coins(rng, 20, 8),
    "300 rows of 10 coins": lambda rng: coins(rng, 300, 10),
    "80 rows pasted five times": lambda rng: np.tile(coins(rng, 80, 6), (5, 1)),
    "a series of 300 rows": lambda rng: series(rng, 300, 0.9),
    "8 visits of 40 persons": lambda rng: np.concatenate([series(rng, 8, 0.9) for _ in range(40)]),
}
FEWER = 8  # tables of the kinds whose rows depend: each of them is checked


def answered(codes: Codes, seed: int) -> dict[str, float]:
    """Return how many pairs of one table have both numbers above one half, how many keep the name, what copies show."""
    names, n = [f"x{v}" for v in range(codes.shape[1])], codes.shape[1]
    data = bn.Dataset(names, [("0", "1")] * n, codes)
    methods = bn.resampling_methods(200, keys=["predictive"])
    study = bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), methods, rng=seed)
    line: dict[str, float] = {"both": 0, "called": 0, "withheld": 0}
    if study.confidence("predictive", "adjacency").max() <= HALF:
        return line
    real = bn.edge_posterior(data, rng=seed)
    line["both"] = bn.verdict(study, posterior=real).counts()[REAL]
    if line["both"]:
        check = bn.answers.noise_check(data, rng=seed)
        found = bn.verdict(study, posterior=real, noise=check).counts()
        line |= {"called": found.get(REAL, 0), "withheld": int(BOTH_HIGH in found)}
        line |= {"shuffled": float(check.shuffled.mean()), "rotated": float(check.rotated.mean())}
    return line


def summary(kind: str, lines: pd.DataFrame) -> dict[str, object]:
    """Return the means over tables, with standard errors."""
    both = lines["both"] > 0
    found: dict[str, object] = {"kind": kind, "tables": len(lines), "with_such_pairs": int(both.sum())}
    for name in ("both", "called"):
        found |= {name: float(lines[name].mean()), f"{name}_error": float(standard_error(lines[name].to_numpy()))}
    return found | {"withheld": int(lines["withheld"].sum()), "tables_with_name": int((lines["called"] > 0).sum())}


def main() -> None:
    """Answer the tables of each kind, print a line for each and keep all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="kind", help=f"of {'; '.join(KINDS)}")
    parser.add_argument("--tables", type=int, default=60)
    asked = parser.parse_args()
    found = []
    for kind in asked.kinds:
        n = asked.tables if "coins" in kind else min(FEWER, asked.tables)
        lines = []
        for seed in range(1, n + 1):
            lines.append(answered(KINDS[kind](np.random.default_rng(seed)), seed))
            if lines[-1]["both"]:
                print(f"{kind}, table {seed}: {lines[-1]}", flush=True)
        found.append(summary(kind, pd.DataFrame(lines)))
        print(found[-1], flush=True)
        if set(asked.kinds) == set(KINDS):
            keep("noise_check", {"kinds": found})


if __name__ == "__main__":
    main()
