"""The networks of the study: bundled ones, files, and random ones that a name describes completely."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

import bnengine as bn
from bnengine.networks.network import BayesianNetwork

#: Networks on which searches are compared: each at most a second a replicate, whichever search, score and size.
BY_SEARCH = ("asia", "sachs", "child", "random24-strong-1", "random24-weak-1", "insurance", "alarm", "water")
#: Networks by which methods are chosen. A random one is named ``random<variables>-<strength>-<seed>``.
CHOSEN_BY = (
    "survey",
    "asia",
    "sachs",
    "child",
    "random24-strong-1",
    "random24-weak-1",
    "insurance",
    "alarm",
    "water",
    "hailfinder",
)
#: Random networks that no method was chosen by; the held-out run adds the files it is given.
HELD_OUT = ("random12-strong-7", "random16-weak-7", "random20-strong-8", "random30-strong-9", "random30-weak-9")

#: Concentration of the Dirichlet distribution that each row of a random table is drawn from.
CONCENTRATION = {"strong": 0.5, "weak": 2.0}
MOST_PARENTS = 3


@lru_cache(maxsize=16)
def network_of(source: str) -> BayesianNetwork:
    """Return a network by its source: the path of a BIF file, or the name of a bundled or random network."""
    if source.endswith((".bif", ".bif.gz")):
        return bn.read_bif(source)
    if source.startswith("random"):
        size, strength, seed = source.removeprefix("random").split("-")
        return random_network(int(size), CONCENTRATION[strength], int(seed))
    return bn.load_network(source)


def name_of(source: str) -> str:
    """Return the name of a source in tables: a file's name without its folder and ending."""
    return Path(source).name.removesuffix(".gz").removesuffix(".bif")


def random_network(n_variables: int, concentration: float, seed: int) -> BayesianNetwork:
    """Return a network of variables with 2 to 4 states, 0 to 3 parents each, and tables of Dirichlet rows.

    The parents come from the variables before it in a random order. A small concentration gives rows near 0 and 1, thus
    strong dependences.
    """
    rng = np.random.default_rng([seed, n_variables])
    names = tuple(f"X{v:02d}" for v in range(1, n_variables + 1))
    arities = rng.integers(2, 5, n_variables)
    order = rng.permutation(n_variables)
    parents: list[tuple[int, ...]] = [()] * n_variables
    tables: list[np.ndarray] = [np.empty((0, 0))] * n_variables
    for place, v in enumerate(order):
        number = min(place, int(rng.integers(0, MOST_PARENTS + 1)))
        parents[v] = tuple(int(p) for p in rng.choice(order[:place], number, replace=False)) if number else ()
        rows = int(np.prod(arities[list(parents[v])], dtype=np.int64))
        tables[v] = rng.dirichlet(np.full(arities[v], concentration), size=rows)
    states = tuple(tuple(f"s{k}" for k in range(arity)) for arity in arities)
    return BayesianNetwork(names, states, tuple(parents), tuple(tables), f"random, {n_variables} variables")
