"""Posteriors by Markov chains over orderings, against the sum over all orderings and against themselves."""

import math
import pickle
import re
import tracemalloc
import weakref

import numpy as np
import pytest

import bnengine as bn
from benchmarks.worlds import table_with_near_copies
from bnengine.posterior import Effort, candidates, sampler
from bnengine.posterior.candidates import EdgeAlternatives
from bnengine.posterior.chain import Batch, plan_for, summary_of
from bnengine.posterior.exact import seconds_of_rows
from bnengine.posterior.order_chain import OrderChain
from bnengine.posterior.parent_set_tables import check_tables_memory, parent_set_tables
from bnengine.posterior.sampler import outside_odds
from bnengine.scores.local_score import LocalScores
from tests import naive_orders
from tests.strategies import make_data


@pytest.fixture(scope="module")
def asia():
    return bn.load_network("asia").sample(300, rng=1)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("score", [bn.BDeu(1), bn.BIC()], ids=lambda score: score.name)
def test_asia_against_the_exact_posterior(asia, score, uniform):
    """The largest of 56 differences; errors near 0.004 each, so a false alarm has probability below 1e-4."""
    exact = bn.edge_posterior(asia, score, uniform_parent_sizes=uniform)
    sampled = bn.edge_posterior(asia, score, uniform_parent_sizes=uniform, n_steps=400_000)
    assert abs(sampled.probability - exact.probability).max() < 0.02
    assert sampled.weight == exact.weight
    assert sampled.score == exact.score
    assert sampled.warning is None


CONSTRAINTS = [
    bn.Constraints(required=[("v3", "v1")], forbidden=[("v0", "v2"), ("v4", "v5")]),
    bn.Constraints(tiers=[["v5"], ["v0", "v1"]], max_parents=2),
]


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS)
def test_constraints_against_the_exact_posterior(six, constraints):
    """As above: errors near 0.004."""
    exact = bn.edge_posterior(six, bn.BDeu(2), max_parents=3, constraints=constraints)
    sampled = bn.edge_posterior(six, bn.BDeu(2), max_parents=3, constraints=constraints, n_steps=100_000)
    assert abs(sampled.probability - exact.probability).max() < 0.025
    assert (sampled.probability[exact.probability == 0] == 0).all()
    assert (sampled.probability[exact.probability == 1] == 1).all()


@pytest.mark.slow
def test_result_depends_neither_on_workers_nor_on_column_order(one_worker):
    data = bn.load_network("child").sample(200, rng=2)
    data = data.select(data.names[:10])
    turned = data.select([data.names[v] for v in np.random.default_rng(1).permutation(10)])
    place = [turned.names.index(name) for name in data.names]
    options = {"n_steps": 5_000, "effort": Effort(n_chains=3, candidates=4)}
    plain = bn.edge_posterior(data, bn.FNML(), **options)
    other = bn.edge_posterior(turned, bn.FNML(), **options, executor=one_worker)
    assert (plain.probability == other.probability[np.ix_(place, place)]).all()
    assert (plain.error == other.error[np.ix_(place, place)]).all()
    assert (plain.graphs() == other.graphs()[:, place][:, :, place]).all()
    assert plain.n_evaluations == other.n_evaluations


def test_stopping_gives_a_smaller_result(asia):
    seen = []

    def progress(done, total):
        seen.append((done, total))
        return False

    sampled = bn.edge_posterior(asia, bn.BDeu(1), n_steps=10**6, progress=progress)
    assert sampled.status == "stopped"
    assert sampled.n_graphs >= 4
    assert ((sampled.probability >= 0) & (sampled.probability <= 1)).all()
    assert [2 * done <= total for done, total in seen] == [True]  # told once, before the chains


def test_what_comes_before_the_chains_has_half_of_the_progress_and_is_seen_to_move(monkeypatch):
    """Of 400 variables it took a third of the time, and told of nothing done."""
    finish, told, before = sampler.Sampler.finish, [], []
    monkeypatch.setattr(sampler.Sampler, "finish", lambda *one: before.extend(told) or finish(*one))
    data = bn.load_network("alarm").sample(300, rng=1)
    bn.edge_posterior(data, bn.BDeu(1), n_steps=2_000, progress=lambda *one: told.append(one))
    shares = [done / total for done, total in before]
    assert len({share for share in shares if share > 0}) >= 3
    assert shares[-1] <= 0.5 <= told[len(before)][0] / told[len(before)][1]


def test_chains_can_be_pickled(six):
    space = bn.Constraints().resolve(six.names, 3)
    tables = parent_set_tables(lambda: LocalScores(six, bn.BIC()), space, [range(6)] * 6)
    chain = OrderChain(tables, [range(6)], np.random.default_rng(1), np.zeros(1, dtype=np.uint8))
    copied = pickle.loads(pickle.dumps(chain))
    plan = plan_for(6, 5_000, 2)
    for _ in range(2):
        assert (chain.advance(plan).mean == copied.advance(plan).mean).all()


@pytest.mark.slow
def test_errors_cover_the_truth(asia):
    """Differences to the exact posterior in errors: over 56 edges and 3 seeds the root mean square is near 1.

    Over 8 times 3 seeds it was 0.74 with a standard deviation of 0.07: the bounds are five and nine of these away,
    and errors half or twice as large are noticed.
    """
    exact = bn.edge_posterior(asia, bn.BDeu(1))
    ratios = []
    for seed in range(3):
        sampled = bn.edge_posterior(asia, bn.BDeu(1), n_steps=40_000, rng=seed)
        known = sampled.error > 1e-6
        ratios.append((sampled.probability - exact.probability)[known] / sampled.error[known])
    assert 0.4 < math.sqrt((np.concatenate(ratios) ** 2).mean()) < 1.35


def test_edges_outside_the_candidates_are_found(six):
    """With two candidates a child, where the exact posterior has five: strong edges outside become candidates."""
    exact = bn.edge_posterior(six, bn.BDeu(2), max_parents=3)
    sampled = bn.edge_posterior(six, bn.BDeu(2), max_parents=3, effort=Effort(candidates=2), n_steps=100_000)
    assert abs(sampled.probability - exact.probability).max() < 0.05
    assert (sampled.probability[~np.eye(6, dtype=bool)] > 0).all()


def test_odds_of_one_edge_outside_against_definition(six):
    """No candidates at all: the odds of u → i are those of the single parent, times the share in which u precedes."""
    space, scores = bn.Constraints(forbidden=[("v0", "v1")]).resolve(six.names, 3), LocalScores(six, bn.BDeu(2))
    tables = parent_set_tables(lambda: scores, space, [[]] * 6)
    graphs, chains = np.zeros((4, 6, 6), dtype=bool), np.array([0, 0, 1, 1])
    orderings = np.random.default_rng(1).permuted(np.tile(np.arange(6), (4, 1)), axis=1)
    precedes = np.argsort(orderings)[:, :, None] < np.argsort(orderings)[:, None, :]
    odds = outside_odds(scores, space, tables, graphs, chains, orderings)
    for u, i in np.ndindex(6, 6):
        ratio = math.exp(scores(i, [u]) - scores(i)) if u != i and (u, i) != (0, 1) else 0.0
        for chain in (0, 1):
            share = precedes[chains == chain, u, i].mean()
            assert odds[chain, u, i] == pytest.approx(share * ratio, rel=1e-9)


def test_features_of_the_graphs_drawn(asia):
    sampled = bn.edge_posterior(asia, bn.BDeu(1), n_steps=100_000)
    graphs = sampled.graphs()
    assert graphs.shape == (sampled.n_graphs, 8, 8)
    assert abs(graphs.mean(axis=0) - sampled.probability).max() < 0.1  # 1,280 graphs, correlated: sd below 0.02
    parent, child = np.unravel_index(sampled.probability.argmax(), (8, 8))
    edge = sampled.feature(lambda graph: graph[parent, child])
    assert edge.probability == graphs[:, parent, child].mean()
    assert edge.error < 0.05
    a, b = sampled.names[parent], sampled.names[child]
    path = sampled.path(a, b).probability
    assert path >= edge.probability
    reach = [np.linalg.matrix_power(np.eye(8) + graph, 8)[parent, child] > 0 for graph in graphs]
    assert path == pytest.approx(np.mean(reach))
    blanket, errors = sampled.markov_blanket(a)
    assert blanket[parent] == 0
    assert blanket[child] >= edge.probability
    assert errors.shape == (8,)
    with pytest.raises(ValueError, match="no variable is named 'nobody'"):
        sampled.path("nobody", b)


@pytest.mark.slow
def test_chains_that_disagree_are_announced():
    """Two strong rival modes and hardly any moves."""
    short = bn.edge_posterior(
        bn.load_network("hailfinder").sample(300, rng=3), bn.FNML(), n_steps=100, effort=Effort(candidates=4)
    )
    number, pairs, more = re.fullmatch(
        r"Independent runs disagree on (\d+) pairs: (.*) and (\d+) more\.", short.warning
    ).groups()
    assert int(number) == (np.triu(short.between_chains) > 0.1).sum() == 5 + int(more)
    i, j = np.unravel_index(np.triu(short.between_chains).argmax(), (56, 56))
    assert pairs.split(", ")[0] == f"{short.names[i]} – {short.names[j]}"


def test_chains_that_differ_in_directions_only_do_not_disagree():
    """In one chain a → b and a – c as often as not, in the other b → a and a – c always."""
    one, other = np.zeros((3, 3)), np.zeros((3, 3))
    one[0, 1], one[0, 2], other[1, 0], other[0, 2] = 1.0, 0.5, 1.0, 1.0
    nothing = np.zeros((0, 3), dtype=np.int32)
    edges, square = np.array([], dtype=int), np.zeros((2, 0))
    chains = [[Batch(4, edges, square, mean, np.zeros(4), nothing, nothing, nothing)] * 2 for mean in (one, other)]
    assert summary_of(chains, ~np.eye(3, dtype=bool)).between_chains.tolist() == [[0, 0, 0.5], [0, 0, 0], [0.5, 0, 0]]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"method": "magic"}, "method must be one of auto, exact, order"),
        ({"n_steps": 0}, "n_steps must be a whole number from 1 to 500,000,000, or None; got 0"),
        ({"effort": Effort(max_memory=1000)}, "more than the 0.0 GB allowed: lower candidates"),
    ],
)
def test_what_makes_no_sense_is_refused(six, options, says):
    with pytest.raises(ValueError, match=says):
        bn.edge_posterior(six, bn.BDeu(1), **{"method": "order", **options})


def test_wide_tables_are_refused_before_the_work():
    wide = bn.Dataset(tuple(f"v{v}" for v in range(2_000)), (("0", "1"),) * 2_000, np.zeros((2, 2_000), dtype=int))
    with pytest.raises(ValueError, match=r"2,000 variables with up to 16 candidate parents, and what chains record"):
        bn.edge_posterior(wide, bn.BDeu(1), method="order")
    few, demands = wide.select(wide.names[:100]), [(f"v{v}", "v50") for v in range(21)]
    with pytest.raises(ValueError, match="candidates must be at most 20 a variable, required parents included; got 21"):
        bn.edge_posterior(few, bn.BDeu(1), max_parents=21, constraints=bn.Constraints(demands), method="order")


def test_as_many_candidates_as_are_declared_valid_are_taken():
    """36 were valid by their bound, recommended by their help for 37 variables, and then refused."""
    with pytest.raises(ValueError, match="candidates must be a whole number from 1 to 20; got 36"):
        Effort(candidates=36)
    check_tables_memory([Effort(candidates=20).candidates] * 21, max_parents=1, max_memory=Effort().max_memory)


def near_copies(rng, n_rows=1_000):
    """A is a noisy AND of P1 … P4, B a copy of A but for one row in a thousand; twelve variables depend on B."""
    parents = rng.random((n_rows, 4)) < 0.8
    a = parents.all(axis=1) ^ (rng.random(n_rows) < 0.05)
    b = a ^ (np.arange(n_rows) % 1_000 == 7)
    children = b[:, None] ^ (rng.random((n_rows, 12)) < 0.1)
    names = (*(f"P{k}" for k in range(1, 5)), "A", "B", *(f"C{k}" for k in range(1, 13)))
    return bn.Dataset(names, (("0", "1"),) * 18, np.column_stack([parents, a, b, children]).astype(int))


@pytest.mark.slow
def test_near_copies_against_the_exact_posterior():
    """What A's candidates miss once B is its parent: the parents that A needs where it comes first.

    Errors near 0.01; with 306 edges and three seeds a difference above 0.1 is a miss, not noise.
    """
    data = near_copies(np.random.default_rng(1))
    exact = bn.edge_posterior(data, bn.FNML()).probability
    assert (exact[data.names.index("P1"), [4, 5]] > 0.05).any()
    for seed in range(3):
        sampled = bn.edge_posterior(
            data, bn.FNML(), method="order", n_steps=100_000, effort=Effort(candidates=8), rng=seed
        )
        assert abs(sampled.probability - exact).max() < 0.1
        assert (sampled.error[~np.eye(18, dtype=bool)] > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [24, 37])
def test_a_near_copy_has_the_parents_it_needs_though_more_are_wanted_than_there_is_room_for(seed):
    """Each child in a graph that is nearly the best wants more parents than are candidates; errors near 0.01."""
    data = table_with_near_copies(seed)
    exact = bn.edge_posterior(data, bn.BDeu(10), method="exact").pair_probability
    few = {"effort": Effort(candidates=data.n_variables - 9), "n_steps": 200_000}
    sampled = bn.edge_posterior(data, bn.BDeu(10), method="order", rng=seed, **few)
    assert abs(sampled.pair_probability - exact).max() < 0.06


#: The part of WIN95PTS around two variables that determine each other in every row, and three that nearly do.
ALIKE = [
    *("PrtData", "Problem1", "PrtOn", "PrtPaper", "PC2PRT", "PrtMem", "PrtTimeOut", "FllCrrptdBffr"),
    *("TnrSpply", "CmpltPgPrntd", "IncmpltPS", "Problem3", "AvlblVrtlMmry", "DrvSet", "PSERRMEM"),
    *("PgOrnttnOK", "PrntngArOK", "TstpsTxt", "PrtStatOff", "PrtStatPaper", "PrtPScript"),
]


@pytest.mark.slow
def test_variables_that_exchange_without_loss_are_shared_between_both_orders():
    """PrtData and Problem1 determine each other in every row: each edge weighs as much with the two exchanged.

    420 differences, of which the largest is near 3.5 errors; above 5 would mean that the errors are too small.
    """
    data = bn.load_network("win95pts").sample(1_000, rng=1)
    data = data.select(ALIKE)
    sampled = bn.edge_posterior(data, bn.FNML(), n_steps=300_000, effort=Effort(candidates=10))
    place = np.arange(len(ALIKE))
    i, j = ALIKE.index("PrtData"), ALIKE.index("Problem1")
    place[[i, j]] = j, i
    difference = abs(sampled.probability - sampled.probability[np.ix_(place, place)])
    assert sampled.probability[i, j] == pytest.approx(0.5, abs=0.1)
    assert (difference <= 5 * np.hypot(sampled.error, sampled.error[np.ix_(place, place)])).all()


@pytest.mark.slow
def test_the_sum_is_exact_where_it_is_affordable(asia):
    found = bn.edge_posterior(asia, bn.BDeu(1))
    assert (found.method, found.status, found.warning) == ("exact", "optimal", None)
    assert (found.error == 0).all()
    assert (found.pair_error == 0).all()
    assert bn.edge_posterior(asia, bn.BDeu(1), n_steps=100).method == "order"
    alike = asia.multiplicities.size
    for n, exact in ((14, True), (22, True), (30, False)):
        wide = bn.Dataset(tuple(f"v{v}" for v in range(n)), (("0", "1"),) * n, np.zeros((alike, n), dtype=int))
        assert (seconds_of_rows(wide, 4) <= 15) is exact
    with pytest.raises(ValueError, match="exact edge posteriors over 8 variables"):
        bn.edge_posterior(asia, bn.BDeu(1), method="exact", effort=Effort(max_memory=1_000))


def test_draws_from_the_exact_posterior(six):
    """1,000 independent graphs: shares within 5 standard errors in 30 edges, false-alarm rate 2e-5."""
    turned = six.select(list(reversed(six.names)))
    found = bn.edge_posterior(turned, bn.BDeu(2), max_parents=3, constraints=CONSTRAINTS[0])
    exact = bn.edge_posterior(turned, bn.BDeu(2), max_parents=3, constraints=CONSTRAINTS[0]).probability
    graphs = found.graphs()
    spread = np.sqrt(exact * (1 - exact) / len(graphs))
    assert (abs(graphs.mean(axis=0) - exact) <= 5 * spread + 1e-9).all()
    certain = found.feature(lambda graph: True)
    assert certain.probability == 1
    assert 0 < certain.error < 0.01


def test_rivals_against_all_graphs():
    """Each score of a graph with an edge is at most that of the best of all graphs with it, and often equal to it."""
    four, space = make_data([2, 3, 2, 2], 60, seed=9), bn.Constraints().resolve(("v0", "v1", "v2", "v3"), 2)
    rivals = EdgeAlternatives(lambda: LocalScores(four, bn.BDeu(2)), space)
    rivals.explore([space.required])
    masks = naive_orders.legal_masks(4, space)
    totals = naive_orders.totals(masks, naive_orders.family_table(bn.BDeu(2), four))
    best = np.full((4, 4), -np.inf)
    for row, total in zip(masks, totals, strict=True):
        best = np.where(naive_orders.matrix_of(row), np.maximum(best, total), best)
    assert rivals.score == pytest.approx(totals.max(), abs=1e-9)
    edges = [(four.names[i], four.names[j]) for i, j in np.argwhere(rivals.graph)]
    assert rivals.score == pytest.approx(bn.score(four, edges, bn.BDeu(2)), abs=1e-9)
    assert (rivals.best_with <= best + 1e-9).all()
    assert np.isclose(rivals.best_with, best, rtol=0, atol=1e-9)[~np.eye(4, dtype=bool)].mean() > 0.7


def test_rivals_found_by_threads_are_those_that_one_finds(monkeypatch):
    data = bn.load_network("insurance").sample(200, rng=1)
    space, found = bn.Constraints().resolve(data.names, 3), []
    for n in (1, 4):
        monkeypatch.setattr(candidates, "_CLIMBERS", n)
        rivals = EdgeAlternatives(lambda: LocalScores(data, bn.BDeu(10)), space)
        rivals.explore([space.required])
        found.append([rivals.score, rivals.graph.tobytes(), rivals.best_with.tobytes(), rivals.below_best.tobytes()])
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("n_candidates", [12, 16])
def test_chains_take_little_memory_besides_the_tables_that_they_use(monkeypatch, n_candidates):
    """Of two groups; once chains counted every set's visits, and tables were there while others took their place."""
    made, largest = [], []

    def tables_of(*args, **options):
        assert sum(one() is not None for one in made) < 2
        tables = parent_set_tables(*args, **options)
        made.append(weakref.ref(tables.sums))
        largest.append(tables.sums.nbytes + tables.weights.nbytes)
        return tables

    monkeypatch.setattr(sampler, "parent_set_tables", tables_of)
    data = bn.load_network("hailfinder").sample(300, rng=3)
    tracemalloc.start()
    bn.edge_posterior(data, bn.BDeu(1), n_steps=10_000, effort=Effort(candidates=n_candidates, n_chains=2))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(made) > 2 or n_candidates > 12
    assert most < 2 * max(largest) + 25e6  # of which the scores of four threads take 20 million
