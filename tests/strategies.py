"""Small data sets with some structure, and strategies that draw data sets, graphs and families."""

import numpy as np
from hypothesis import strategies as st

import bnengine as bn
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.data.checked_frame import MISSING
from bnengine.data.interventions import Experiments
from bnengine.scores.scores import SCORES


def make_data(arities, n_rows, seed, *, unseen=0.0, dependence=0.6):
    """Rows in which each variable often follows the one before; some declare a last state that no row shows."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n_rows, len(arities)), dtype=np.int64)
    for v, arity in enumerate(arities):
        seen = arity - 1 if arity > 1 and rng.random() < unseen else arity
        codes[:, v] = rng.integers(0, seen, n_rows)
        if v:
            follows = rng.random(n_rows) < dependence
            codes[follows, v] = codes[follows, v - 1] % seen
    names = tuple(f"v{v}" for v in range(len(arities)))
    states = tuple(tuple(f"s{k}" for k in range(arity)) for arity in arities)
    return bn.Dataset(names, states, codes)


def with_copies(data, columns, changed, seed):
    """The same rows and, last, copies of some columns; of their cells that share is drawn anew from the column."""
    rng, codes = np.random.default_rng(seed), data.codes[:, columns].copy()
    drawn = rng.random(codes.shape) < changed
    codes[drawn] = rng.permuted(codes, axis=0)[drawn]
    names = [f"{data.names[v]} again" for v in columns]
    states = [data.states[v] for v in columns]
    return bn.Dataset((*data.names, *names), (*data.states, *states), np.hstack([data.codes, codes]))


def with_experiments(data, seed, n_experiments=3):
    """The same rows, each from one of several experiments that set one or two variables; the first sets none."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 3, n_experiments - 1)
    targets = [(), *(tuple(sorted(map(str, rng.choice(data.names, size, replace=False)))) for size in sizes)]
    of_row = rng.integers(0, n_experiments, data.n_rows)
    of_row[0] = 0
    return bn.Dataset(data.names, data.states, data.codes, Experiments(tuple(targets), of_row))


def with_holes(data, seed, share=0.2, way="keep"):
    """The same rows, of which each cell is missing with the given probability; no column is missing altogether."""
    codes = data.codes.copy()
    holes = np.random.default_rng(seed).random(codes.shape) < share
    holes[0] = False
    codes[holes] = MISSING
    return bn.Dataset(data.names, data.states, codes, data.experiments).with_missing(way)


def in_two_orders(kind):
    """The same table in two orders of its rows."""
    data, rng = make_data([2, 3, 2, 2], 70, seed=5), np.random.default_rng(2)
    data = with_holes(data, 2, 0.1) if kind == "holes" else data
    data = with_experiments(data, seed=5) if kind == "experiments" else data
    order = np.random.default_rng(1).permutation(data.n_rows)
    if kind == "weights":
        counts = data.to_frame().value_counts(sort=False).rename("n").reset_index()
        counts = counts[counts["n"] > 0]
        return [bn.Dataset.from_frame(rows, weights="n") for rows in (counts, counts.iloc[::-1])]
    if kind in ("clusters", "sampling_weights"):
        frame = data.to_frame().assign(about=rng.integers(1, 30, 70))
        return [bn.Dataset.from_frame(rows, **{kind: "about"}) for rows in (frame, frame.iloc[order])]
    if kind.startswith("numbers"):
        x = rng.normal(size=70)
        frame, about = data.to_frame().assign(x=x, y=x**2 + rng.normal(size=70)), {"numbers": ["x", "y"]}
        if kind == "numbers with holes":
            frame.loc[::9, "x"], about = np.nan, about | {"missing": "keep"}
        if kind == "numbers of experiments":
            frame["set"], about = np.where(np.arange(70) % 3, "", "y"), about | {"interventions": "set"}
        return [bn.Dataset.from_frame(rows, **about) for rows in (frame, frame.iloc[order])]
    return [data, data.take(order)]


def replicates(data, resampler, rng=0):
    """All replicates of a method on the data, in order."""
    resampler.check(data)
    generators = replicate_generators(rng, resampler.n_replicates(data))
    return [resampler.replicate(data, number, generator) for number, generator in enumerate(generators)]


def own_rows(data, child):
    """The rows that count for a child, as a table without experiments."""
    set_here = [data.names[child] in data.targets[number] for number in data.experiments.of_row]
    return bn.Dataset(data.names, data.states, data.codes[~np.array(set_here)])


@st.composite
def datasets(draw, min_variables=1, max_variables=5, max_rows=150, max_arity=6):
    """Data sets of mixed arities 1 … 6, unseen states included."""
    arities = draw(st.lists(st.integers(2, max_arity), min_size=min_variables, max_size=max_variables))
    n_rows = draw(st.integers(1, max_rows))
    return make_data(arities, n_rows, draw(st.integers(0, 2**32 - 1)), unseen=0.4)


@st.composite
def dags(draw, n):
    """A DAG on n variables as a boolean matrix: a random ordering and random edges forward in it."""
    order = draw(st.permutations(range(n)))
    present = draw(st.lists(st.booleans(), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    adjacency = np.zeros((n, n), dtype=bool)
    pairs = ((i, j) for j in range(n) for i in range(j))
    for (i, j), edge in zip(pairs, present, strict=True):
        adjacency[order[i], order[j]] = edge
    return adjacency


def named(data, dag):
    """The edges of a graph as pairs of names."""
    return [(data.names[i], data.names[j]) for i, j in np.argwhere(dag)]


@st.composite
def families(draw, data):
    """A child and a sorted list of parents, as column numbers."""
    child = draw(st.integers(0, data.n_variables - 1))
    others = [v for v in range(data.n_variables) if v != child]
    return child, sorted(draw(st.sets(st.sampled_from(others)) if others else st.just(set())))


def prior_network(data, seed=0):
    """A network over the data's variables, each the child of the one before, with no impossible state."""
    rng = np.random.default_rng(seed)
    parents = tuple((v - 1,) if v else () for v in range(data.n_variables))
    shapes = [(int(data.arities[v - 1]) if v else 1, int(data.arities[v])) for v in range(data.n_variables)]
    tables = tuple(rng.dirichlet(np.ones(r), size=q) for q, r in shapes)
    return bn.BayesianNetwork(data.names, data.states, parents, tables)


def with_variables_in(network, order):
    """The same network with its variables in another order."""
    names, states, tables = (tuple(of[v] for v in order) for of in (network.names, network.states, network.tables))
    parents = tuple(tuple(order.index(p) for p in network.parents[v]) for v in order)
    return bn.BayesianNetwork(names, states, parents, tables)


def make_score(kind, data, **settings):
    """A score of the registry for those variables; most need no settings."""
    if kind == "bde":
        settings.setdefault("prior_network", prior_network(data))
    return SCORES[kind](**settings)


def seen_rows(data, variables):
    """The rows in which these variables are seen, missing cells of others in their first state; None if none is."""
    kept = ~data.missing[:, variables].any(axis=1) if data.missing is not None else np.ones(data.n_rows, dtype=bool)
    codes = np.where(data.codes == MISSING, 0, data.codes)[kept]
    return bn.Dataset(data.names, data.states, codes) if kept.any() else None
