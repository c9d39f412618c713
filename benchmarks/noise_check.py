"""How often is an edge called found again and real where there can be none? Whole answers to tables of noise.

Each table gets the default answer of the pages, and, where a pair has both numbers above one half, the check on
shuffled and rotated copies: without such a pair there is nothing that the check could withhold. Independent tables of
ten coins and 300 rows show if it accuses faultless tables; the last three kinds have rows that depend on one another.
Standard errors are between tables.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.methods import answered
from benchmarks.report import Report
from benchmarks.running import ROOMS, Study, grid
from benchmarks.worlds import series
from bnengine.answers.verdict import BOTH_HIGH, REAL

KINDS = {
    "20 rows of 8 coins": lambda rng: rng.integers(0, 2, (20, 8)),
    "300 rows of 10 coins": lambda rng: rng.integers(0, 2, (300, 10)),
    "80 rows pasted five times": lambda rng: np.tile(rng.integers(0, 2, (80, 6)), (5, 1)),
    "a series of 300 rows": lambda rng: series(rng, 300, 0.9),
    "8 visits of 40 persons": lambda rng: np.concatenate([series(rng, 8, 0.9) for _ in range(40)]),
}


def measure(kind: str, table: int) -> dict[str, int]:
    """Return how many pairs of one table have both numbers above one half, how many are called so."""
    codes = KINDS[kind](np.random.default_rng(table))
    names, n = [f"x{v}" for v in range(codes.shape[1])], codes.shape[1]
    found = answered(bn.Dataset(names, [("0", "1")] * n, codes), table, copies=True)
    called = found.counts()
    return {"both": found.n_both_high, "called": called.get(REAL, 0), "withheld": int(BOTH_HIGH in called)}


def report(frame: pd.DataFrame) -> Report:
    """Return what the pages quote: means over tables, with standard errors."""
    of, found = frame.groupby("kind", sort=False), {"tables": ("both", "size")}
    for name in ("both", "called"):
        found |= {name: (name, "mean"), f"{name}_error": (name, "sem")}
    return Report(measured={"noise_check": {"kinds": of.agg(**found).reset_index().to_dict("records")}})


CELLS = tuple(one for kind in KINDS for one in grid(kind=kind, table=range(1, (60 if "coins" in kind else 8) + 1)))
SMALL = grid(kind=("20 rows of 8 coins", "80 rows pasted five times"), table=1)
STUDY = Study("noise_check", CELLS, measure, SMALL, report, (*ROOMS, "answers"))
