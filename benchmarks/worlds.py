"""Tables whose truth is known: worlds of nine variables of many kinds, noise, published and random networks.

The maker of a world is called with a generator and a number of rows. Kinds in ``CHOSEN_BY`` are those by which formulas
were found (on other worlds of them); nothing was ever chosen by those in ``JUDGED_BY``.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bnengine as bn
from bnengine.graphs.dag import ancestors, skeleton

V, MOST_PARENTS = 9, 3
Array = npt.NDArray[Any]
Draw = Callable[..., Array]


class World(NamedTuple):
    """A table, the pairs of its columns that the network joins, and those with a common cause that is not in it."""

    data: bn.Dataset
    joined: npt.NDArray[np.bool_]  # (V, V)
    confounded: npt.NDArray[np.bool_]  # (V, V)


def table(
    rng: np.random.Generator,
    columns: list[Array],
    states: list[int],
    parents: Sequence[list[int]] = (),
    hidden: int = 0,
) -> World:
    """Return the table without its first, hidden variables, its columns in random order."""
    n, kept = len(columns), rng.permutation(np.arange(hidden, len(columns)))
    joined, confounded = np.zeros((2, n, n), dtype=np.bool_)
    for child, of_child in enumerate(parents):
        joined[of_child, child] = joined[child, of_child] = True
    for h in range(hidden):
        confounded |= np.outer(joined[h], joined[h])
    names = tuple(f"x{k}" for k in range(len(kept)))
    own = tuple(tuple(str(s) for s in range(states[v])) for v in kept)
    data = bn.Dataset(names, own, np.column_stack([columns[v] for v in kept]).astype(int))
    square = np.ix_(kept, kept)
    return World(data, joined[square], confounded[square] & ~joined[square])


# How a child depends on its parents


def dag(rng: np.random.Generator, n: int) -> list[list[int]]:
    """Draw the parents of each variable among those before it: about n edges in all, at most three at a child."""
    parents = []
    for v in range(n):
        k = min(v, MOST_PARENTS, int(rng.choice([0, 1, 2, 3], p=[0.2, 0.4, 0.3, 0.1])))
        parents.append(sorted(rng.choice(v, k, replace=False).tolist()))
    return parents


def drawn_from(rows: Array, rng: np.random.Generator) -> Array:
    """Draw a state for each row of probabilities, (N, r)."""
    return (rng.random((len(rows), 1)) > rows.cumsum(axis=1)[:, :-1]).sum(axis=1)


def independent_rows(rng: np.random.Generator, number: Array, q: int, r: int, concentration: float, **_: Any) -> Array:
    """Draw each row of a table from a Dirichlet distribution, whatever the others."""
    return drawn_from(rng.dirichlet(np.full(r, concentration), q)[number], rng)


def function_of(rng: np.random.Generator, number: Array, q: int, r: int, n: int, **_: Any) -> Array:
    """Draw a function of the parents that holds in 80 to 95 % of rows; any state in the others."""
    values, wrong = rng.integers(0, r, q), rng.random(n) < rng.uniform(0.05, 0.2)
    base = values[number] if q > 1 else drawn_from(np.tile(rng.dirichlet(np.ones(r)), (n, 1)), rng)
    return np.where(wrong, rng.integers(0, r, n), base)


def gate(rng: np.random.Generator, n: int, values: Array, **_: Any) -> Array:
    """Apply and, or, or exclusive or of parents, some of them negated; 2 to 15 % of rows flipped."""
    if not len(values):
        return (rng.random(n) < rng.uniform(0.2, 0.8)).astype(int)
    inputs = values.astype(bool) ^ (rng.random((len(values), 1)) < 0.5)
    out = [inputs.all(axis=0), inputs.any(axis=0), inputs.sum(axis=0) % 2 == 1][int(rng.integers(3))]
    return (out ^ (rng.random(n) < rng.uniform(0.02, 0.15))).astype(int)


def noisy_or(rng: np.random.Generator, n: int, values: Array, ends: tuple[float, float], **_: Any) -> Array:
    """Let each present parent cause the child with a probability of its own; without parents it is this often."""
    if not len(values):
        return (rng.random(n) < rng.uniform(*ends)).astype(int)
    fails = np.where(values > 0, rng.uniform(0.1, 0.6, (len(values), 1)), 1.0).prod(axis=0)
    return (rng.random(n) > fails * (1.0 - rng.uniform(0.1, 0.5) * ends[0])).astype(int)


def ordered(rng: np.random.Generator, r: int, n: int, values: Array, **_: Any) -> Array:
    """Draw by proportional odds: the more the parents' states are, the higher the child's."""
    mean = np.zeros(n)
    for one in values:
        mean += rng.choice([-1, 1]) * rng.uniform(0.6, 1.5) * (one - one.mean()) / max(one.std(), 0.3)
    latent = mean + rng.logistic(size=n)
    return np.searchsorted(np.quantile(latent, np.sort(rng.uniform(0.1, 0.9, r - 1))), latent)


def answers(rng: np.random.Generator, r: int, n: int, values: Array, **_: Any) -> Array:
    """Draw answers on a scale: a normal latent variable, thresholds of each question's own, a tenth in the middle."""
    latent = rng.normal(size=n)
    for one in values:
        latent = latent + rng.uniform(0.3, 0.9) * (one - 2.0) * rng.choice([-1, 1, 1])
    cuts = np.sort(rng.normal(rng.normal(scale=0.5), 1.0, r - 1))
    found = np.searchsorted(cuts, latent)
    return np.where(rng.random(n) < 0.1, r // 2, found)


def gate_of_any(rng: np.random.Generator, r: int, n: int, values: Array, **_: Any) -> Array:
    """Take the largest or smallest of the parents' states, or their sum, modulo the child's; 5 % of rows hold any."""
    if not len(values):
        return drawn_from(np.tile(rng.dirichlet(np.ones(r)), (n, 1)), rng)
    of = [values.max(axis=0), values.min(axis=0), values.sum(axis=0)][int(rng.integers(3))] % r
    return np.where(rng.random(n) < 0.05, rng.integers(0, r, n), of)


def linear(rng: np.random.Generator, x: Array) -> Array:
    """Return a straight line of slope 0.4 to 1.2."""
    return np.asarray(rng.choice([-1, 1]) * rng.uniform(0.4, 1.2) * x)


def nonlinear(rng: np.random.Generator, x: Array) -> Array:
    """Return a bump, a wave, a step or a saturating curve."""
    shapes = [np.abs, lambda v: np.sin(2 * v), lambda v: 1.5 * (v > 0), lambda v: v**2 / 2, np.tanh]
    shape = shapes[int(rng.integers(5))]
    return np.asarray(rng.choice([-1, 1]) * rng.uniform(0.7, 1.5) * shape(x))


def common(rng: np.random.Generator, r: int) -> np.ndarray:
    """Return shares of states of which some are far more common than others."""
    shares = 1.0 / np.arange(1, r + 1) ** rng.uniform(0.5, 1.5)
    return np.asarray(shares / shares.sum())


def uneven_rows(rng: np.random.Generator, number: Array, q: int, r: int, **_: Any) -> Array:
    """Draw each row of a table from a Dirichlet distribution about uneven shares."""
    return drawn_from(rng.dirichlet(common(rng, r) * r / 2 + 1e-3, q)[number], rng)


def uneven_function(rng: np.random.Generator, number: Array, q: int, r: int, n: int, **_: Any) -> Array:
    """Draw a function of the parents that holds in 40 to 80 % of rows; a state by its share in the others."""
    shares = common(rng, r)
    value = rng.choice(r, q, p=shares)[number] if q > 1 else rng.choice(r, n, p=shares)
    return np.where(rng.random(n) < rng.uniform(0.2, 0.6), rng.choice(r, n, p=shares), value)


# Worlds of nine variables


def discrete(
    rng: np.random.Generator, n_rows: int, arities: Sequence[int], by: Sequence[Draw], hidden: int = 0, wrong: float = 0
) -> World:
    """Draw each child by one of the mechanisms; some parents may be hidden, and a share of cells be wrong."""
    n = V + hidden
    parents, states = dag(rng, n), [int(r) for r in rng.choice(arities, n)]
    for h in range(hidden):  # each hidden variable, first in the order, causes two or three of the others
        parents[h] = []
        for child in rng.choice(np.arange(hidden, n), int(rng.integers(2, 4)), replace=False).tolist():
            parents[child] = sorted({h, *parents[child][: MOST_PARENTS - 1]})
    columns: list[Array] = []
    for v in range(n):
        own, of = [columns[p] for p in parents[v]], [states[p] for p in parents[v]]
        number = np.ravel_multi_index(own, of) if own else np.zeros(n_rows, dtype=np.int64)
        values, q = np.array(own).reshape(len(own), n_rows), math.prod(of)
        child = by[int(rng.integers(len(by)))]
        columns.append(child(rng, number=number, q=q, r=states[v], n=n_rows, values=values))
    data, *truth = table(rng, columns, states, parents, hidden)
    if wrong:
        is_wrong, any_state = rng.random(data.codes.shape) < wrong, rng.random(data.codes.shape) * data.arities
        data = bn.Dataset(data.names, data.states, np.where(is_wrong, any_state.astype(int), data.codes))
    return World(data, *truth)


def continuous(rng: np.random.Generator, n_rows: int, effect: Draw, arities: Sequence[int] = (3, 4, 5)) -> World:
    """Draw continuous variables, each cut into bins of equally many rows."""
    parents, values, columns, states = dag(rng, V), [], [], []
    for v in range(V):
        value = rng.normal(size=n_rows)
        for p in parents[v]:
            value += effect(rng, values[p])
        values.append((value - value.mean()) / value.std())
        states.append(int(rng.choice(arities)))
        columns.append(np.searchsorted(np.quantile(values[-1], np.arange(1, states[-1]) / states[-1]), values[-1]))
    return table(rng, columns, states, parents)


# Published networks, random networks


PUBLISHED = ["alarm", "child", "hailfinder", "hepar2", "insurance", "sachs", "water", "win95pts"]
#: Networks by which methods are judged; none was chosen by them.
NETWORKS = Path(__file__).parent / "networks"


@cache
def network_of(source: str) -> bn.BayesianNetwork:
    """Return a network by the name of its file in ``networks/``, or as a bundled or random one."""
    if source.startswith("random"):
        size, strength, seed = source.removeprefix("random").split("-")
        return random_network(int(size), 0.5 if strength == "strong" else 2.0, int(seed))
    path = NETWORKS / f"{source}.bif.gz"
    return bn.read_bif(path) if path.exists() else bn.load_network(source)


def random_network(n_variables: int, concentration: float, seed: int) -> bn.BayesianNetwork:
    """Return a network of variables with 2 to 4 states, 0 to 3 parents each, and tables of Dirichlet rows.

    The parents come from the variables before it in a random order. A small concentration gives rows near 0 and 1, thus
    strong dependences.
    """
    rng = np.random.default_rng([seed, n_variables])
    arities, order = rng.integers(2, 5, n_variables), rng.permutation(n_variables)
    families = {}
    for place, v in enumerate(order):
        parents = rng.choice(order[:place], min(place, int(rng.integers(0, MOST_PARENTS + 1))), replace=False)
        families[v] = parents.tolist(), rng.dirichlet(np.full(arities[v], concentration), arities[parents].prod())
    names = [f"X{v:02d}" for v in range(1, n_variables + 1)]
    states = [[f"s{k}" for k in range(arity)] for arity in arities]
    parents, tables = zip(*(families[v] for v in range(n_variables)), strict=True)
    return bn.BayesianNetwork(names, states, parents, tables, f"random, {n_variables} variables")


def growing_network(n_variables: int, arity: int = 3, most_parents: int = 2, seed: int = 1) -> bn.BayesianNetwork:
    """Return a network of any size: up to ``most_parents`` parents among the ten variables before; Dirichlet(1/2)."""
    rng = np.random.default_rng(seed)
    parents = []
    for v in range(n_variables):
        near = np.arange(max(0, v - 10), v)
        n = min(int(rng.integers(0, most_parents + 1)), len(near))
        parents.append(np.sort(rng.choice(near, n, replace=False)).tolist())
    states = [[f"s{k}" for k in range(arity)]] * n_variables
    tables = [rng.dirichlet(np.full(arity, 0.5), size=arity ** len(p)) for p in parents]
    return bn.BayesianNetwork([f"v{v}" for v in range(n_variables)], states, parents, tables)


def whole(rng: np.random.Generator, n_rows: int, source: str) -> World:
    """Draw a table of all variables of a network."""
    network = network_of(source)
    joined = skeleton(network.adjacency)
    return World(network.sample(n_rows, rng), joined, np.zeros_like(joined))


def subnetwork(rng: np.random.Generator, n_rows: int, sources: list[str]) -> World:
    """Draw a table of a subnetwork of a published network: a set of nine variables closed under its parents."""
    source = sources[int(rng.integers(len(sources)))]
    network, chosen = network_of(source), set[int]()
    leads_to = ancestors(network.adjacency) | np.eye(len(network.names), dtype=bool)
    for v in rng.permutation(len(network.names)).tolist() * 3:
        closed = chosen.union(np.flatnonzero(leads_to[:, v]).tolist())
        if len(closed) <= V and (network.parents[v] or len(closed) >= V - 2):
            chosen = closed
    data, joined, none = whole(rng, n_rows, source)
    kept = rng.permutation(sorted(chosen))
    square = np.ix_(kept, kept)
    return World(data.select([network.names[v] for v in kept]), joined[square], none[square])


# Noise


def independent(rng: np.random.Generator, n_rows: int, arities: tuple[int, ...]) -> World:
    """Draw a table of eight independent columns, each of one of these numbers of states."""
    states = rng.choice(arities, 8).tolist()
    of_state = [rng.dirichlet(np.full(r, 1e6 if len(arities) == 1 else 3.0)) for r in states]
    columns = [rng.choice(r, n_rows, p=p) for r, p in zip(states, of_state, strict=True)]
    return table(rng, columns, states)


def panel(rng: np.random.Generator, n_rows: int) -> World:
    """Draw a panel of units and times, each pair of them in one row, and four columns of noise cut at quantiles."""
    times = {12: 3, 20: 4, 50: 5, 100: 10, 300: 15, 1_000: 20}[n_rows]
    unit, time = np.divmod(np.arange(n_rows), times)
    states = [n_rows // times, times, *rng.integers(2, 6, 4).tolist()]
    noise = [(rng.permutation(n_rows) * r) // n_rows for r in states[2:]]
    return table(rng, [unit, time, *noise], states)


def series(rng: np.random.Generator, n_rows: int, kept: float, states: int = 2, n_variables: int = 6) -> Array:
    """Draw independent columns in which a cell is that of the row before with probability ``kept``, shape (N, V)."""
    codes = rng.integers(0, states, (n_rows, n_variables))
    for t in range(1, n_rows):
        codes[t] = np.where(rng.random(n_variables) < kept, codes[t - 1], codes[t])
    return codes


# Kinds by name


_EXTREME = partial(independent_rows, concentration=0.5)
CHOSEN_BY: dict[str, Callable[..., World]] = {
    "Dirichlet CPTs": partial(discrete, arities=(2, 3, 4), by=[partial(independent_rows, concentration=1.0)]),
    "noisy functions": partial(discrete, arities=(2, 3, 4, 6), by=[function_of]),
    "gates": partial(discrete, arities=(2,), by=[gate]),
    "noisy-OR": partial(discrete, arities=(2,), by=[partial(noisy_or, ends=(0.2, 0.5))]),
    "rare events": partial(discrete, arities=(2,), by=[partial(noisy_or, ends=(0.01, 0.08))]),
    "discretized Gaussian": partial(continuous, effect=linear),
    "ordered": partial(discrete, arities=(3, 4, 5), by=[ordered]),
    "hidden cause": partial(discrete, arities=(2, 3, 4), by=[_EXTREME, function_of], hidden=2),
}
JUDGED_BY: dict[str, Callable[..., World]] = {
    "nonlinear, cut": partial(continuous, effect=nonlinear),
    "ordered answers": partial(discrete, arities=(5,), by=[answers]),
    "hidden ordered causes": partial(discrete, arities=(3, 4, 5), by=[ordered, answers], hidden=2),
    "5 % wrong cells": partial(discrete, arities=(2, 3, 4), by=[_EXTREME, function_of, gate_of_any], wrong=0.05),
    "subnetworks": partial(subnetwork, sources=PUBLISHED),
}


# Tables that are hard to sample posteriors of


def table_with_near_copies(seed: int) -> bn.Dataset:
    """Draw 1,000 rows: a noisy AND of 2 to 5 parents, 1 or 2 near copies, their children; 14 to 18 variables."""
    rng = np.random.default_rng(seed)
    n, n_rows, n_parents, n_copies = int(rng.integers(14, 19)), 1_000, int(rng.integers(2, 6)), int(rng.integers(1, 3))
    flipped = lambda values, share: values ^ (rng.random(n_rows) < share)  # noqa: E731
    columns = {f"P{k}": rng.random(n_rows) < rng.uniform(0.6, 0.9) for k in range(n_parents)}
    columns["A"] = flipped(np.all(list(columns.values()), axis=0), rng.uniform(0.02, 0.1))
    copies = ["A"]
    for k in range(n_copies):
        copies.append(f"B{k}")
        columns[copies[-1]] = flipped(columns[copies[-2]], rng.choice([0.001, 0.003, 0.01]))
    for k in range(n - len(columns)):
        of = copies[-1] if rng.random() < 0.8 else str(rng.choice(list(columns)))
        columns[f"C{k}"] = flipped(columns[of], rng.uniform(0.05, 0.25))
    names = rng.permutation(list(columns)).tolist()
    return bn.Dataset(tuple(names), (("0", "1"),) * n, np.column_stack([columns[name] for name in names]).astype(int))


def blocks_of_parity(seed: int) -> bn.Dataset:
    """Draw 500 rows of 3 or 4 blocks: three coins and their parity, wrong in some rows; 12 or 16 variables."""
    rng = np.random.default_rng(seed)
    n_blocks, wrong = int(rng.integers(3, 5)), rng.choice([0.0, 0.05, 0.1])
    coins = rng.integers(0, 2, (500, n_blocks, 3))
    parity = (coins.sum(axis=2) + (rng.random((500, n_blocks)) < wrong)) % 2
    codes = np.concatenate([coins, parity[:, :, None]], axis=2).reshape(500, 4 * n_blocks)
    return bn.Dataset(tuple(f"v{v}" for v in range(4 * n_blocks)), (("0", "1"),) * (4 * n_blocks), codes)
