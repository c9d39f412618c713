"""Networks of any size for measurements of growth: random graphs, random probabilities."""

import numpy as np

import bnengine as bn


def random_network(n_variables: int, arity: int = 3, most_parents: int = 2, seed: int = 1) -> bn.BayesianNetwork:
    """Return each variable has up to ``most_parents`` parents among the ten before it; Dirichlet(1/2) probabilities."""
    rng = np.random.default_rng(seed)
    parents: list[tuple[int, ...]] = []
    for v in range(n_variables):
        near = np.arange(max(0, v - 10), v)
        n = min(int(rng.integers(0, most_parents + 1)), len(near))
        parents.append(tuple(int(p) for p in np.sort(rng.choice(near, n, replace=False))) if n else ())
    states = tuple(tuple(f"s{k}" for k in range(arity)) for _ in range(n_variables))
    tables = tuple(rng.dirichlet(np.full(arity, 0.5), size=arity ** len(p)) for p in parents)
    return bn.BayesianNetwork(tuple(f"v{v}" for v in range(n_variables)), states, tuple(parents), tables)
