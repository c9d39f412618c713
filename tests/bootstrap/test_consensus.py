"""The consensus network against all graphs and all orderings."""

import itertools
from functools import cache

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap import consensus
from bnengine.graphs.dag import is_dag


@cache
def dags_of_four():
    """All 543, shape (543, 4, 4)."""
    pairs, found = list(itertools.combinations(range(4), 2)), []
    for states in itertools.product(range(3), repeat=6):
        graph = np.zeros((4, 4), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            graph[(i, j) if state == 1 else (j, i)] = state > 0
        if is_dag(graph):
            found.append(graph)
    return np.array(found)


@cache
def distances():
    """SHD of any two of them, by its definition."""
    graphs = dags_of_four()
    differs = graphs[:, None] != graphs[None, :]
    return np.triu(differs | differs.transpose(0, 1, 3, 2)).sum(axis=(2, 3))


NAMES = list("dbca")
EDGES = list(itertools.permutations(NAMES, 2))


def drawn_constraints(rng):
    required = [EDGES[k] for k in rng.choice(12, rng.integers(0, 2))]
    forbidden = [EDGES[k] for k in rng.choice(12, rng.integers(0, 3), replace=False) if EDGES[k] not in required]
    return bn.Constraints(required=required, forbidden=forbidden, max_parents=int(rng.integers(1, 4)))


@pytest.mark.slow
@pytest.mark.parametrize("largest_exact", [20, 1])
@pytest.mark.parametrize("constrained", [False, True])
def test_no_other_graph_is_nearer_against_enumeration(largest_exact, constrained, monkeypatch):
    """Ensembles of a few dense graphs, so that many have cycles to resolve; also by moving variables alone."""
    monkeypatch.setattr(consensus, "LARGEST_EXACT", largest_exact)
    graphs, rng = dags_of_four(), np.random.default_rng(1)
    dense = np.flatnonzero(graphs.sum(axis=(1, 2)) >= 4)
    for _ in range(150):
        members = rng.choice(dense, rng.integers(1, 8))
        constraints = drawn_constraints(rng) if constrained else bn.Constraints()
        space = constraints.resolve(NAMES)
        fits = (graphs.sum(axis=1) <= space.max_parents).all(axis=1)
        fits &= (space.allowed | ~graphs).all(axis=(1, 2)) & (graphs | ~space.required).all(axis=(1, 2))
        least = distances()[members][:, fits].mean(axis=0).min()
        found = bn.consensus_network(graphs[members].mean(axis=0), constraints, NAMES)
        at = np.flatnonzero((graphs == found.adjacency).all(axis=(1, 2)))
        assert fits[at].tolist() == [True]
        assert distances()[members][:, at].mean() == pytest.approx(found.mean_shd)
        assert found.least_shd <= least + 1e-9
        if found.status == "optimal":
            assert found.mean_shd == pytest.approx(least)
        else:
            assert largest_exact == 1
    assert found.n_graphs == 0


def random_confidence(n, seed):
    """A tournament of seven: every pair in one direction or the other, mostly on cycles."""
    forward = np.triu(np.random.default_rng(seed).uniform(0.05, 0.95, (n, n)), 1)
    return forward + np.tril(0.97 - forward.T, -1)


@pytest.mark.parametrize("limit", [6, 2])
def test_the_best_of_all_orderings_of_seven_variables(limit):
    n = 7
    shares = random_confidence(n, limit)
    gains = np.maximum(shares - (1 - shares - shares.T), 0)
    np.fill_diagonal(gains, 0)
    orders = np.array(list(itertools.permutations(range(n))))
    places = np.argsort(orders, axis=1)
    forward = places[:, :, None] < places[:, None, :]
    best = np.sort(gains * forward, axis=1)[:, n - limit :].sum(axis=(1, 2)).max()
    found = bn.consensus_network(shares, bn.Constraints(max_parents=limit), list("abcdefg"))
    assert found.status == "optimal"
    assert gains[found.adjacency].sum() == pytest.approx(best)
    assert found.adjacency.sum(axis=0).max() <= limit


def test_many_variables_on_cycles_are_improved_and_bounded():
    """A group beyond the exact limit: moving variables keeps what the greedy order had, and the bound is below."""
    n = 30
    shares = random_confidence(n, 5)
    found = bn.consensus_network(shares, names=[f"v{k:02d}" for k in range(n)])
    assert found.status == "converged"
    assert is_dag(found.adjacency)
    assert found.least_shd < found.mean_shd
    gains = shares - (1 - shares - shares.T)
    chosen, reaches = 0.0, np.eye(n, dtype=bool)
    for k in np.argsort(-gains, axis=None):  # the greedy consensus
        i, j = divmod(int(k), n)
        if i != j and gains[i, j] > 0 and not reaches[j, i]:
            chosen += gains[i, j]
            reaches |= np.outer(reaches[:, i], reaches[j])
    assert gains[found.adjacency].sum() >= chosen - 1e-9


def test_of_an_ensemble_it_is_the_sum_of_all_distances_and_below_every_averaged_network():
    data = bn.load_network("asia").sample(100, rng=2)
    ensemble = bn.resample(data, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(60))
    found = bn.consensus_network(ensemble)
    assert found.mean_shd == pytest.approx(np.mean([bn.shd(found.adjacency, graph) for graph in ensemble.adjacencies]))
    assert (found.status, found.n_graphs) == ("optimal", 60)
    for threshold in np.linspace(0.05, 1, 20):
        other = bn.averaged_network(ensemble, threshold).adjacency
        assert found.mean_shd <= np.mean([bn.shd(other, graph) for graph in ensemble.adjacencies]) + 1e-9
    table = found.table()
    assert list(table.columns) == ["parent", "child", "strength", "direction"]
    assert set(zip(table["parent"], table["child"], strict=True)) == set(found.edges)


def test_nothing_depends_on_the_order_of_the_columns():
    """Ties in every pair: told apart by the names."""
    shares = np.full((5, 5), 0.45) - 0.45 * np.eye(5)
    names = np.array(list("cadbe"))
    found = bn.consensus_network(shares, names=list(names))
    for order in ([4, 3, 2, 1, 0], [1, 3, 0, 2, 4]):
        turned = bn.consensus_network(shares[np.ix_(order, order)], names=list(names[order]))
        assert set(turned.edges) == set(found.edges)
    assert len(found.edges) == 10


def test_without_cycles_an_edge_needs_more_graphs_than_leave_the_pair_apart():
    shares = np.array([[0.0, 0.4, 0.5], [0.25, 0.0, 0.3], [0.0, 0.3, 0.0]])
    assert bn.consensus_network(shares, names=["A", "B", "C"]).edges == [("A", "B")]  # A → C is tied with none


def test_what_cannot_be_averaged_is_refused():
    with pytest.raises(ValueError, match="names must name the 2 variables"):
        bn.consensus_network(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="must be that of directed edges"):
        bn.consensus_network(np.array([[0, 0.8], [0.8, 0]]), names=["A", "B"])
    with pytest.raises(ValueError, match="no variable is named 'C'"):
        bn.consensus_network(np.zeros((2, 2)), bn.Constraints(forbidden=[("A", "C")]), ["A", "B"])
