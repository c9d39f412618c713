"""Found again in larger tables: what N rows predict for 2 N and 4 N rows, against fresh tables of a known network.

For each table of N rows, `bn.rows_needed` predicts the share of tables of 2 N and 4 N rows from which each adjacency is
learned; it is led through the share found again, as on the page, which is the prediction for N rows. π is that share of
tables drawn from the network itself. Compared are the adjacencies learned from the N rows, which a person sees, and
those that the predicted or the true share calls found again (0.5). "As drawn" is the mean difference of the shares that
are not led through the share found again. The last column is the one that the two Monte Carlo errors alone would make.
"""

from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, markdown, mean_and_error
from benchmarks.running import Study, grid, once

TIMES, SEARCH = (1, 2, 4), bn.IteratedLocalSearch()


def share_of_fresh(network: str, n_rows: int, n: int) -> np.ndarray:
    """Return π of each adjacency in tables of ``n_rows`` rows, shape (V, V)."""
    truth = bn.load_network(network)
    given, fresh = truth.sample(n_rows, rng=7_000_000 + n_rows), bn.ParametricBootstrap(n, truth)
    return bn.resample(given, bn.BIC(), SEARCH, fresh, rng=n_rows).adjacency_confidence


def measure(network: str, rows: int, table: int, n: int) -> list[dict[str, Any]]:
    """Return one line per size."""
    data, score = bn.load_network(network).sample(rows, rng=1_000 * rows + table), bn.BIC()
    again = bn.resample(data, score, SEARCH, bn.PredictiveBootstrap(n), rng=table)
    drawn = bn.rows_needed(data, score, SEARCH, sizes=[times * rows for times in TIMES], n=n, rng=table)
    found, lines = drawn.through(again), []
    for k, times in enumerate(TIMES):
        shown, true = (
            found.found_again[k],
            once("rows_needed", share_of_fresh, network=network, n_rows=times * rows, n=n),
        )
        seen = np.triu(found.edges | (shown >= 0.5) | (true >= 0.5), 1)
        gap, spread = (shown - true)[seen], (shown * (1 - shown) + true * (1 - true))[seen] / n
        lines.append(
            {
                "times": times,
                "pairs": int(seen.sum()),
                "difference": float(np.abs(gap).mean()),
                "drawn": float(np.abs(drawn.found_again[k] - true)[seen].mean()),
                "bias": float(gap.mean()),
                "above_0.1": float((np.abs(gap) > 0.1).mean()),
                "by_chance": float((np.sqrt(2 / np.pi) * np.sqrt(spread)).mean()),
            }
        )
    return lines


def report(frame: pd.DataFrame) -> Report:
    """Return means over tables with their standard errors."""
    rows = []
    for (network, n_rows, times), own in frame.groupby(["network", "rows", "times"], sort=False):
        mean = own.mean(numeric_only=True)
        cells = [network, f"{n_rows:,}", f"{times} ×", f"{mean['pairs']:.0f}", mean_and_error(own["difference"], 3)]
        cells += [
            f"{mean['drawn']:.3f}",
            f"{mean['bias']:+.3f}",
            f"{mean['above_0.1']:.0%}",
            f"{mean['by_chance']:.3f}",
        ]
        rows.append(cells)
    text = (
        "`python -m benchmarks rows_needed run`. What N rows predict for tables of N, 2 N and 4 N rows "
        "(`bn.rows_needed`, led through the share found again as on the page), against fresh tables of a known "
        f"network; BIC, iterated local search, {frame['table'].nunique()} tables, {frame['n'].max()} fresh tables for "
        "each share, fewer where that sufficed. Compared are the adjacencies learned from the N rows and those that "
        "the prediction or the truth calls found again; *as drawn* are the shares that are not led through."
    )
    names = ["network", "rows", "larger", "pairs", "mean difference", "as drawn", "bias", "above 0.1", "by chance"]
    return Report({"Found again in larger tables": f"{text}\n\n{markdown(names, rows)}"})


STUDY = Study(
    "rows_needed",
    grid(network=("asia", "sachs", "child", "insurance", "alarm"), rows=(250, 1_000), table=range(4), n=(100,)),
    measure,
    grid(network=("asia",), rows=(100,), table=(0,), n=(10,)),
    report,
    "rows_needed.csv",
    ("scores", "search", "bootstrap", "answers"),
)
