"""How much better a network fits its own rows than new ones, and what criteria take that to be.

The first table: the true gap, its bootstrap estimate by drawn resamples (Steck & Jaakkola 2003, Eq. 11), the same
estimate in closed form, which is what DIC subtracts, and |theta|, which AIC subtracts; the graph is the network's own,
probabilities have prior counts of equivalent sample size 1, nats for all rows. The second table: how many edges each
criterion then selects.
"""

import argparse

import numpy as np
import pandas as pd

import bnengine as bn
from bnengine._core.random_generators import standard_error

SETTINGS = (("alarm", 300), ("alarm", 1000), ("child", 300))
CRITERIA = (bn.BIC(), bn.AIC())


def estimates(network: bn.BayesianNetwork, n_rows: int, samples: int) -> dict[str, float]:
    """Return the gap and what estimates it, means over samples of the network."""
    made = bn.teaching.likelihood_gap(network, [n_rows], samples, 20).table().iloc[0]
    closed = []
    for seed in range(samples):
        data = network.sample(n_rows, rng=seed)
        fit = bn.prediction.log_probabilities(bn.fit(data, network.edges, ess=1.0), data).sum()
        closed.append(fit - bn.teaching.dic(data, network.edges))
    return {
        "true gap": made["gap_in_parameters"],
        "±": made["gap_in_parameters_error"],
        "by resamples": made["bootstrap_gap_in_parameters"],
        "DIC": float(np.mean(closed)),
        "± ": float(standard_error(np.array(closed))),
        "|θ|": network.n_parameters,
    }


def edges(network: bn.BayesianNetwork, n_rows: int, samples: int) -> dict[str, float]:
    """Return the mean number of edges of the graph that each criterion selects."""
    tables = [network.sample(n_rows, rng=seed) for seed in range(samples)]
    found = {
        score.name: float(np.mean([len(bn.learn(data, score, bn.HillClimbing()).edges) for data in tables]))
        for score in CRITERIA
    }
    return {"true edges": len(network.edges)} | found


def main() -> None:
    """Print both tables."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("--samples", type=int, default=20, help="samples of each network")
    samples = asked.parse_args().samples
    networks = {(name, n): bn.load_network(name) for name, n in SETTINGS}
    for columns in (estimates, edges):
        table = pd.DataFrame({key: columns(network, key[1], samples) for key, network in networks.items()}).T
        print(table.round(1).to_string(), "\n")


if __name__ == "__main__":
    main()
