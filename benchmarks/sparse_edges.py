"""Edges between a variable of many states and an answer: shares of the bootstraps against π of fresh tables.

The answer's probabilities differ between groups by as much as makes π about 0.4 under the score; ± standard errors over
tables.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import HERE, Report, markdown, mean_and_error
from benchmarks.running import BOOTSTRAP, Study, grid
from bnengine.scores.scores import TableScore

SCORES = {score.name: score for score in (bn.BIC(), bn.AIC(), bn.BDeu(1.0), bn.BDeu(10.0))}
KEYS = {"bootstrap": "naive", "bootstrap_corrected": "corrected", "predictive": "predictive"}
TABLES, REPLICATES, FRESH = 12, 40, 300


def rows_of(rng: np.random.Generator, p: np.ndarray, n_rows: int) -> bn.Dataset:
    """Return rows with a uniform group and an answer of its probability, shape (groups,)."""
    group = rng.integers(0, len(p), n_rows)
    codes = np.column_stack([group, rng.random(n_rows) < p[group]])
    return bn.Dataset(["group", "answer"], [[f"g{k:02}" for k in range(len(p))], ["no", "yes"]], codes)


def found_again(rng: np.random.Generator, p: np.ndarray, n_rows: int, score: TableScore, n: int) -> float:
    """Return the share of fresh tables from which the edge is learned."""
    return float(np.mean([bool(bn.learn(rows_of(rng, p, n_rows), score).edges) for _ in range(n)]))


def measure(
    groups: int, each: int, score: str, tables: int = TABLES, replicates: int = REPLICATES, fresh: int = FRESH
) -> list[dict[str, float]]:
    """Return a line a table: π, and the share of each method."""
    rng, n_rows, own = np.random.default_rng(1000 * groups + each), groups * each, SCORES[score]
    about, (low, high) = rng.standard_normal(groups), (0.0, 6.0)
    for _ in range(7):
        spread = (low + high) / 2
        p = 1 / (1 + np.exp(-spread * about))
        low, high = (spread, high) if found_again(rng, p, n_rows, own, 40) < 0.4 else (low, spread)
    truth, lines = found_again(rng, p, n_rows, own, fresh), []
    for number in range(tables):
        data, methods = rows_of(rng, p, n_rows), bn.resampling_methods(replicates, keys=tuple(KEYS))
        study = bn.study(data, own, bn.IteratedLocalSearch(), methods, rng=number)
        lines.append({"pi": truth} | {key: float(study.confidence(key, "adjacency")[0, 1]) for key in KEYS})
    return lines


def report(frame: pd.DataFrame) -> Report:
    """Return the page of results."""
    rows = []
    for (groups, each, score), own in frame.groupby(["groups", "each", "score"], sort=False):
        cells = [f"{groups} × {each}", f"{groups * each / (groups - 1):.1f}", score, f"{own['pi'].iloc[0]:.2f}"]
        rows.append(cells + [mean_and_error(own[key], 2) for key in KEYS])
    names = ["groups × rows", "rows per free parameter", "score", "π", *KEYS.values()]
    most = 0.5 / FRESH**0.5
    of = f"{TABLES} tables, {REPLICATES} replicates of each, π from {FRESH} fresh tables (± {most:.2f} at most)"
    text = f"# Sparse edges\n\nWritten by `python -m benchmarks sparse_edges run`. {of}.\n\n{markdown(names, rows)}"
    return Report(files={HERE / "SPARSE_EDGES.md": text})


CELLS = tuple(
    {"groups": groups, "each": each, "score": score}
    for groups, each in ((60, 8), (30, 8), (30, 16), (20, 20), (20, 40), (10, 40))
    for score in SCORES
)
SMALL = grid(groups=10, each=10, score="BIC", tables=2, replicates=10, fresh=20)
STUDY = Study("sparse_edges", CELLS, measure, SMALL, report, BOOTSTRAP)
