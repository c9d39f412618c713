"""What learning the cut points anew in every replicate changes: shares of pairs, with fixed cuts and with cuts anew.

``python -m benchmarks.cut_anew [tables] [replicates]`` compares both on the bundled raw tables; then, on fresh tables
of the simulated arrays, each cut at points of its own, it measures which of the two comes nearer to the share of fresh
tables that have a pair. Quantile cuts into three states, BIC, hill climbing, corrected bootstrap.
"""

import sys

import numpy as np

import bnengine as bn
from sample_data.expression import arrays

LEARNING = bn.BIC(), bn.HillClimbing()


def both(frame, n, seed=0):
    """Return the shares of pairs with fixed cuts and with cuts anew, from the same rows, and the numbers of edges."""
    data = bn.Dataset.from_frame(bn.discretize(frame))
    found = [
        bn.resample(data, *LEARNING, one, "leading", rng=seed)
        for one in (bn.Bootstrap(n), bn.CutAnew(bn.Bootstrap(n), frame))
    ]
    shares = [np.triu(one.confidence + one.confidence.T, 1) for one in found]
    return shares, [len(found[0].reference.edges), *(one.mean_edges for one in found)]


def on_a_bundled_table(name, n):
    """Print how shares change, beside what another seed changes."""
    frame = bn.load_sample(name)
    (fixed, anew), edges = both(frame, n)
    (again, _), _ = both(frame, n, seed=1)
    shown = np.maximum(fixed, anew) > 0.05
    print(f"{name}: edges of the data, mean with fixed cuts, mean with cuts anew:", [round(one, 1) for one in edges])
    for title, other in (("cuts anew", anew), ("another seed", again)):
        by = np.abs(other - fixed)[shown]
        print(f"  {title}: mean change {by.mean():.3f}, above 0.2 in {(by > 0.2).sum()} of {shown.sum()} pairs")
    for title, one in (("fixed", fixed), ("anew", anew)):
        sure, between = (one > 0.95).sum(), ((one > 0.05) & (one < 0.95)).sum()
        print(f"  {title}: pairs above 0.95: {sure}, from 0.05 to 0.95: {between}")


def on_fresh_tables(n_tables, n):
    """Print the squared error of the shares against those of ten times as many fresh tables."""
    learned = []
    for seed in range(5_000, 5_000 + 10 * n_tables):
        found = bn.learn(bn.Dataset.from_frame(bn.discretize(arrays(320, seed))), *LEARNING, rng=seed).adjacency
        learned.append(np.triu(found | found.T, 1))
    truth = np.mean(learned, axis=0)
    squared = np.array([
        [((one - truth) ** 2).sum() for one in both(arrays(320, seed), n)[0]] for seed in range(n_tables)
    ])  # fmt: skip
    gain = squared[:, 0] - squared[:, 1]
    error = gain.std(ddof=1) / n_tables**0.5
    print(f"fresh tables: squared error a table {squared.mean(axis=0).round(2)} (fixed, anew), "
          f"difference {gain.mean():.3f} ± {error:.3f}")  # fmt: skip


if __name__ == "__main__":
    tables, replicates = (int(one) for one in (sys.argv[1:] + ["20", "200"][len(sys.argv) - 1 :])[:2])
    for table in ("regulon_raw", "sachs_raw"):
        on_a_bundled_table(table, replicates)
    on_fresh_tables(tables, replicates)
