"""No result hangs on the order in which a table has its columns."""

import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests.strategies import make_data, with_variables_in

N = 6
SEARCHES = [
    bn.HillClimbing(),
    bn.HillClimbing(restarts=2),
    bn.Tabu(tenure=10, patience=10),
    bn.SimulatedAnnealing(proposals=60, acceptances=30, temperatures=15),
    bn.BestFirst(frontier=20, patience=5),
    bn.IteratedLocalSearch(patience=5),
    bn.ChowLiu(),
    bn.TreeSearch(max_networks=50),
    bn.Exact(max_parents=3),
    bn.K2(["xray", "dysp", "either", "tub", "lung", "bronc", "asia", "smoke"]),
    bn.FixedOrdering(["xray", "dysp", "either", "tub", "lung", "bronc", "asia", "smoke"], max_parents=2),
]


def turned(data, seed=5):
    """The same table with its columns in another order."""
    return data.select([data.names[v] for v in np.random.default_rng(seed).permutation(data.n_variables)])


def in_order_of(names, other_names, matrix):
    """A (..., V, V) matrix over ``other_names``, over ``names`` instead."""
    place = [other_names.index(name) for name in names]
    return np.asarray(matrix)[..., place, :][..., place]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
@pytest.mark.parametrize("score", [bn.BIC(), bn.BDeu(1)], ids=lambda score: score.name)
def test_permuted_columns_learn_the_same_graph_invariant(asia, search, score):
    constraints = bn.Constraints(
        forbidden=[("tub", "either")], required=[("lung", "xray")] if "Chow" in search.name else []
    )
    for seed in (0, 1):
        here = bn.learn(asia, score, search, constraints=constraints, rng=seed)
        for other in (turned(asia), asia.select(asia.names[::-1])):
            there = bn.learn(other, score, search, constraints=constraints, rng=seed)
            assert sorted(there.edges) == sorted(here.edges)
            assert there.score == here.score
            assert there.trace.tolist() == here.trace.tolist()
            assert there.n_evaluations == here.n_evaluations


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "resampler", "correction"),
    [
        *((bn.HillClimbing(), bn.Bootstrap(N), correction) for correction in ("none", "leading", "matched")),
        *((bn.HillClimbing(), kind, "none") for kind in (bn.ParametricBootstrap(N), bn.DeleteD(20, N), bn.Jackknife())),
        *((search, bn.Bootstrap(N), "none") for search in SEARCHES[1:4]),
        (SEARCHES[3], bn.teaching.RepeatedSearch(N), "none"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_permuted_columns_give_the_same_ensemble_invariant(asia, search, resampler, correction):
    data = asia.take(range(60)) if isinstance(resampler, bn.Jackknife) else asia
    other = turned(data)
    here, there = (bn.resample(d, bn.BIC(), search, resampler, correction, rng=3) for d in (data, other))
    assert (in_order_of(data.names, other.names, there.adjacencies) == here.adjacencies).all()
    assert (there.strength, there.mean_edges) == (here.strength, here.mean_edges)


@pytest.mark.parametrize("network", [None, "asia"])
def test_permuted_variables_of_a_network_draw_the_same_rows_invariant(asia, network):
    network = bn.load_network("asia") if network else bn.fit(asia, bn.learn(asia).edges)
    other = with_variables_in(network, [3, 1, 7, 0, 2, 6, 5, 4])
    drawn = [
        bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.ParametricBootstrap(5, net)).adjacencies
        for net in (network, other)
    ]
    assert (drawn[0] == drawn[1]).all()


@pytest.mark.parametrize("search", [bn.HillClimbing(), bn.IteratedLocalSearch()], ids=lambda search: search.name)
def test_every_replicate_draws_an_order_of_its_own(search):
    """A → B and B → A score alike, so that each has half of the replicates.

    The count is binomial(400, 1/2): outside 150 … 250 with probability below 1e-6.
    """
    data = make_data([2, 2], 100, seed=1)
    data = bn.Dataset(data.names, data.states, data.codes[:, [0, 0]])
    ensemble = bn.resample(data, bn.BIC(), search, bn.Bootstrap(400))
    assert ensemble.adjacency_confidence[0, 1] == 1
    assert 150 <= 400 * ensemble.confidence[0, 1] <= 250
    assert len({bn.learn(data, rng=seed).edges[0] for seed in range(30)}) == 2  # missed with probability 2^-29


def test_the_order_of_the_columns_can_be_kept(asia):
    """As a plain reading of the search has it, ties by the columns' order, in every replicate."""
    for data in (asia, asia.select(asia.names[::-1])):
        local, space = LocalScores(data, bn.BIC()), bn.Constraints().resolve(data.names)
        plain = bn.HillClimbing().find(data.names, local, space, np.random.default_rng(0))
        assert (bn.learn(data, search=bn.HillClimbing(), ties="columns", rng=9).adjacency == plain.adjacency).all()
    two = bn.Dataset(("b", "a"), (("0", "1"),) * 2, make_data([2], 100, seed=1).codes[:, [0, 0]])
    kept = bn.resample(two, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20), ties="columns")
    assert kept.confidence[0, 1] == 1


def test_ordering_searches_without_an_ordering_go_by_the_columns(asia):
    for data in (asia, turned(asia)):
        for search, given in ((bn.K2(), bn.K2(data.names)), (bn.FixedOrdering(), bn.FixedOrdering(data.names))):
            assert bn.learn(data, search=search).edges == bn.learn(data, search=given).edges
            ensembles = [bn.resample(data, bn.BIC(), s, bn.Bootstrap(3)).adjacencies for s in (search, given)]
            assert (ensembles[0] == ensembles[1]).all()


def test_ties_are_checked_at_the_door(asia):
    for call in (
        lambda: bn.learn(asia, ties="rows"),
        lambda: bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(2), ties="rows"),
    ):
        with pytest.raises(ValueError, match=r"ties must be one of drawn, columns; got 'rows'"):
            call()
    assert math.isfinite(bn.learn(asia, ties="drawn").score)


@pytest.mark.slow
def test_drawn_orders_are_the_mean_over_column_orders():
    """The default agrees with an average over tables whose columns were shuffled beforehand.

    Each of the 56 differences of two independent means is compared with 5 standard errors: by the normal
    approximation one exceeds them with probability 56 × 6e-7 = 3e-5.
    """
    data = bn.load_network("asia").sample(500, rng=1)
    n, n_orders = 400, 400
    drawn = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(n), rng=1).confidence
    total = np.zeros_like(drawn)
    for number in range(n_orders):
        other = turned(data, seed=number)
        one = bn.resample(other, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(1), rng=10_000 + number, ties="columns")
        total += in_order_of(data.names, other.names, one.confidence)
    mean = total / n_orders
    pooled = (drawn + mean) / 2
    allowed = 5 * np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / n_orders))
    assert (np.abs(drawn - mean) <= allowed + 5 / n).all()
    tub_lung = data.index("tub"), data.index("lung")
    either = drawn + drawn.T
    assert 0.2 < either[tub_lung] < 0.7  # by columns 0 in this order, 0.9 in the reverse
