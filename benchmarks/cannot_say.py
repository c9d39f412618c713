"""How many edges does *cannot say* hold back, true and false ones? On samples of networks that are known.

Run ``python -m benchmarks.cannot_say`` (ten minutes). It writes ``cannot_say.csv``, a line for each table, and keeps
the sums that the manual quotes.
"""

from pathlib import Path

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.measured import keep
from bnengine.answers.edge_answers import HALF, two_answers
from bnengine.answers.verdict import Verdict
from bnengine.bootstrap.study import Study
from bnengine.graphs.dag import adjacency_of, skeleton

NETWORKS = ("asia", "cancer", "child", "insurance", "alarm")
ROWS = (100, 300, 1_000)
TABLES = 2
FILE = Path(__file__).with_name("cannot_say.csv")


def counts(network: str, n_rows: int, seed: int) -> dict[str, object]:
    """Count a table's edges and pairs without one, those above one half, and how many of each nothing is said of."""
    truth = bn.load_network(network)
    data = truth.sample(n_rows, rng=seed)
    real = bn.edge_posterior(data, rng=seed)
    study = Study(bn.learn(data), {})
    none = np.zeros(real.probability.shape, dtype=bool)
    found = Verdict(two_answers(study, "data", "adjacency", real), none.astype(float), none, none, data)
    true = np.triu(skeleton(adjacency_of(data.names, truth.edges)), 1)
    false, above = np.triu(~true, 1) & ~true.T, real.pair_probability > HALF
    line: dict[str, object] = {"network": network, "rows": n_rows, "table": seed}
    for name, pairs in (("true", true), ("true_above", true & above), ("false_above", false & above)):
        line |= {name: int(pairs.sum()), f"{name}_unsure": int((pairs & found.unsure).sum())}
    return line


def main() -> None:
    """Write the lines, and keep the sums."""
    tables = [(name, rows, seed) for name in NETWORKS for rows in ROWS for seed in range(1, TABLES + 1)]
    table = pd.DataFrame([counts(*one) for one in tables])
    table.to_csv(FILE, index=False)
    sums = table.drop(columns=["network", "rows", "table"]).sum()
    keep("cannot_say", {"networks": len(NETWORKS), "tables": len(table), **{key: int(n) for key, n in sums.items()}})
    print(table.to_string(index=False), sums.to_string(), sep="\n")


if __name__ == "__main__":
    main()
