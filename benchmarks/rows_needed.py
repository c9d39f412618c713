"""Found again in larger tables: what N rows predict for 2 N and 4 N rows, against fresh tables of a known network.

For each table of N rows, `bn.rows_needed` predicts the share of tables of 2 N and 4 N rows from which each adjacency is
learned; it is led through the share found again, as on the page, which is the prediction for N rows. π is that share of
tables drawn from the network itself. Compared are the adjacencies learned from the N rows, which a person sees, and
those that the predicted or the true share calls found again (0.5). "As drawn" is the mean difference of the shares that
are not led through the share found again. The last column is the one that the two Monte Carlo errors alone would make.
"""

import argparse

import numpy as np
import pandas as pd

import bnengine as bn
from bnengine._core.random_generators import standard_error

NETWORKS = ("asia", "sachs", "child", "insurance", "alarm")
ROWS = (250, 1000)
TIMES = (1, 2, 4)
SEARCH = bn.IteratedLocalSearch()


def share_of_fresh(network: bn.BayesianNetwork, n_rows: int, score: bn.BIC, n: int) -> np.ndarray:
    """Return π of each adjacency in tables of ``n_rows`` rows, shape (V, V)."""
    given = network.sample(n_rows, rng=7_000_000 + n_rows)
    fresh = bn.ParametricBootstrap(n, network)
    return bn.resample(given, score, SEARCH, fresh, rng=n_rows).adjacency_confidence


def differences(network: str, n_rows: int, tables: int, n: int) -> list[dict]:
    """Return one line per table and size."""
    truth, score, lines = bn.load_network(network), bn.BIC(), []
    pi = {times: share_of_fresh(truth, times * n_rows, score, n) for times in TIMES}
    for table in range(tables):
        data = truth.sample(n_rows, rng=1_000 * n_rows + table)
        sizes = [times * n_rows for times in TIMES]
        again = bn.resample(data, score, SEARCH, bn.PredictiveBootstrap(n), rng=table)
        drawn = bn.rows_needed(data, score, SEARCH, sizes=sizes, n=n, rng=table)
        found = drawn.through(again)
        for k, times in enumerate(TIMES):
            said, true = found.found_again[k], pi[times]
            seen = np.triu(found.edges | (said >= 0.5) | (true >= 0.5), 1)
            gap, spread = (said - true)[seen], (said * (1 - said) + true * (1 - true))[seen] / n
            lines.append(
                {
                    "network": network,
                    "rows": n_rows,
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


def main() -> None:
    """Run every network and number of rows, and print the mean over tables with its standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--n", type=int, default=200, help="tables for each share")
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS))
    asked = parser.parse_args()
    print("| network | rows | larger | pairs | mean difference | as drawn | bias | above 0.1 | by chance |")
    print("|---|---|---|---|---|---|---|---|---|")
    for network in asked.networks:
        for n_rows in ROWS:
            frame = pd.DataFrame(differences(network, n_rows, asked.tables, asked.n))
            for times, own in frame.groupby("times"):
                error = standard_error(own["difference"].to_numpy())
                mean = own.mean(numeric_only=True)
                size = f"{n_rows:,} | {times} ×"
                print(
                    f"| {network} | {size} | {mean['pairs']:.0f} | {mean['difference']:.3f} ± {error:.3f} "
                    f"| {mean['drawn']:.3f} | {mean['bias']:+.3f} | {mean['above_0.1']:.0%} "
                    f"| {mean['by_chance']:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
