"""How often is a direction right that ``bn.verdict`` calls settled? On samples of networks that are known.

Of the adjacencies found again and real that the network has, how many directions are settled at each share of compelled
graphs, and how many of those are the network's: where the rule of three quarters (``verdict.SETTLED``) comes from.
"""

import argparse

import numpy as np
import pandas as pd

import bnengine as bn
from bnengine.answers.verdict import REAL, SETTLED
from bnengine.graphs.dag import adjacency_of

NETWORKS = ("asia", "sachs", "child", "alarm", "insurance", "water")
ROWS = (300, 1000)
SHARES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9)


def directions(network: str, n_rows: int, seed: int) -> pd.DataFrame:
    """Return the compelled share of each true adjacency in its more compelled direction, and whether this is true."""
    truth = bn.load_network(network)
    data = truth.sample(n_rows, rng=seed)
    methods = bn.resampling_methods(200, keys=("bootstrap_corrected", "predictive"))
    study = bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), methods, rng=seed)
    found = bn.verdict(study, posterior=bn.edge_posterior(data, rng=seed))
    true = adjacency_of(found.names, truth.edges)
    judged = np.triu((found.codes == found.kinds.index(REAL)) & (true | true.T), 1)
    i, j = np.nonzero(judged)
    forward = found.compelled[i, j] >= found.compelled[j, i]
    parent, child = np.where(forward, i, j), np.where(forward, j, i)
    return pd.DataFrame({"share": found.compelled[parent, child], "true": true[parent, child]})


def main() -> None:
    """Print how many directions are settled and right at each share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=2, help="tables of each network and size")
    tables = parser.parse_args().tables
    cells = [(network, n, seed) for network in NETWORKS for n in ROWS for seed in range(1, tables + 1)]
    every = pd.concat([directions(*cell) for cell in cells], ignore_index=True)
    print(f"{len(every)} true adjacencies found again and real, {len(cells)} tables")
    for share in SHARES:
        settled = every[every["share"] >= share]
        mark = " (the rule)" if share == SETTLED else ""
        print(f"at {share:g} or more{mark}: {len(settled)} settled, {int(settled['true'].sum())} of them right")


if __name__ == "__main__":
    main()
