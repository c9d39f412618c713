"""Edges between a variable of many states and an answer: shares of the bootstraps against π of fresh tables.

The answer's probabilities differ between groups by as much as makes π about 0.4 under the score. Written to
``SPARSE_EDGES.md``; ± standard errors over tables.
"""

from pathlib import Path

import numpy as np

import bnengine as bn
from bnengine._core.random_generators import standard_error
from bnengine.scores.scores import TableScore

WORLDS = ((60, 8), (30, 8), (30, 16), (20, 20), (20, 40), (10, 40))  # groups, rows of each
SCORES = (bn.BIC(), bn.AIC(), bn.BDeu(1.0), bn.BDeu(10.0))
KEYS = ("bootstrap", "bootstrap_corrected", "predictive")
TABLES, REPLICATES, FRESH = 12, 40, 300


def table(rng: np.random.Generator, p: np.ndarray, n_rows: int) -> bn.Dataset:
    """Return rows with a uniform group and an answer of its probability, shape (groups,)."""
    group = rng.integers(0, len(p), n_rows)
    codes = np.column_stack([group, rng.random(n_rows) < p[group]])
    return bn.Dataset(["group", "answer"], [[f"g{k:02}" for k in range(len(p))], ["no", "yes"]], codes)


def found_again(rng: np.random.Generator, p: np.ndarray, n_rows: int, score: TableScore, n: int) -> float:
    """Return the share of fresh tables from which the edge is learned."""
    return float(np.mean([bool(bn.learn(table(rng, p, n_rows), score).edges) for _ in range(n)]))


def measured(groups: int, each: int, score: TableScore) -> str:
    """Return one line of the table."""
    rng, n_rows = np.random.default_rng(1000 * groups + each), groups * each
    about, (low, high) = rng.standard_normal(groups), (0.0, 6.0)
    for _ in range(7):
        spread = (low + high) / 2
        p = 1 / (1 + np.exp(-spread * about))
        low, high = (spread, high) if found_again(rng, p, n_rows, score, 40) < 0.4 else (low, spread)
    truth = found_again(rng, p, n_rows, score, FRESH)
    shares = []
    for number in range(TABLES):
        data, methods = table(rng, p, n_rows), bn.resampling_methods(REPLICATES, keys=KEYS)
        study = bn.study(data, score, bn.IteratedLocalSearch(), methods, rng=number)
        shares.append([study.confidence(key, "adjacency")[0, 1] for key in KEYS])
    means, errors = np.mean(shares, axis=0), standard_error(np.array(shares))
    cells = " | ".join(f"{mean:.2f} ± {error:.2f}" for mean, error in zip(means, errors, strict=True))
    return f"| {groups} × {each} | {n_rows / (groups - 1):.1f} | {score.name} | {truth:.2f} | {cells} |"


if __name__ == "__main__":
    lines = [measured(*world, score) for world in WORLDS for score in SCORES]
    names = ("groups × rows", "rows per free parameter", "score", "π", "naive", "corrected", "predictive")
    head = f"| {' | '.join(names)} |\n|{'---|' * len(names)}"
    of = f"{TABLES} tables, {REPLICATES} replicates of each, π from {FRESH} fresh tables (± {0.5 / FRESH**0.5:.2f})."
    text = f"# Sparse edges\n\nWritten by `python benchmarks/sparse_edges.py`. {of}\n\n{head}\n" + "\n".join(lines)
    Path(__file__).with_name("SPARSE_EDGES.md").write_text(f"{text}\n", encoding="utf-8")
