"""*Real*, without a score: the mean of the posterior and of corrected posteriors of resamples of N and 2 N rows."""

import itertools
import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.data.drawn_rows import drawn_with
from bnengine.posterior import Effort
from bnengine.posterior.bagging import BagSampler, RealPrior
from bnengine.posterior.edge_posterior import Common
from bnengine.scores.local_score import LocalScores
from tests import naive, naive_orders
from tests.strategies import in_two_orders, make_data, own_rows, with_experiments, with_holes


def function_with_two_parents(n_rows):
    """Two independent columns a and b, and y, which is 3 a + b in 95 % of rows and any state in the others."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, n_rows), rng.integers(0, 3, n_rows)
    y = np.where(rng.random(n_rows) < 0.95, 3 * a + b, rng.integers(0, 18, n_rows))
    states = tuple(tuple(map(str, range(r))) for r in (6, 3, 18))
    return bn.Dataset(("a", "b", "y"), states, np.column_stack([a, b, y]))


@pytest.mark.parametrize("n_rows", [300, 3_000, 100_000])
def test_independent_parents_of_one_child_are_not_joined(n_rows):
    """Under fNML, which is not score equivalent, their probability is 1 from 3,000 rows on."""
    found = bn.edge_posterior(function_with_two_parents(n_rows))
    assert found.method == "exact"
    assert found.pair_probability[0, 1] < 0.05


def ruled_out(data):
    """Which families, (V, 2**V), have parents and, without one of their variables, more configurations than N / 2."""
    found = np.zeros((data.n_variables, 1 << data.n_variables), dtype=bool)
    for v, mask in np.argwhere(~found):
        arities = [int(data.arities[u]) for u in {v, *naive_orders.members(int(mask))}]
        found[v, mask] = mask > 0 and math.prod(arities) // min(arities) > data.n_rows / 2
    return found


def by_enumeration(data, n_bags, seed, max_parents, constraints):
    """The formula as it is written, posteriors summed over every ordering and graph, families scored by definition.

    Resamples are drawn from the same seeds and copied to tables of their own.
    """
    data = data.sorted_rows.take(range(data.n_rows))
    space = (constraints or bn.Constraints()).resolve(data.names, max_parents)
    masks = naive_orders.legal_masks(data.n_variables, space)

    def posterior(rows, score):
        fair = bn.WithPrior(score, min(1 / 3, 20 / data.n_rows), uniform_parent_sizes=True)
        own = lambda of, table, v, parents: naive.local_score(of, own_rows(table, v), v, parents)  # noqa: E731
        table = naive_orders.family_table(fair, rows, own if rows.experiments else naive.local_score)
        table[ruled_out(data)] = -np.inf
        return naive_orders.edge_posterior(masks, naive_orders.totals(masks, table))[0]

    def mean(rows, corrected):
        strength = 0.5 if corrected else 0.0
        return np.mean([posterior(rows, bn.teaching.LeadingCorrection(bn.BDeu(ess), strength)) for ess in (1, 10)], 0)

    *_, of_bags = np.random.default_rng(seed).spawn(3)
    total = mean(data, corrected=False)
    first = np.unique(data.distinct_row_of, return_index=True)[1]
    for b, rng in enumerate(of_bags.spawn(2 * n_bags)):
        times = drawn_with(data, (1 + b % 2) * data.n_rows, rng)
        total += mean(data.take(np.repeat(first, times)), corrected=True) / n_bags
    return total / 3


@pytest.mark.parametrize("kind", ["rows", "four variables", "few rows", "constraints", "weights", "experiments"])
def test_the_formula_against_enumeration(kind):
    data, constraints = make_data([2, 3, 2], 10 if kind == "few rows" else 40, seed=9), None
    if kind == "four variables":
        data = make_data([2, 3, 2, 2], 60, seed=2, unseen=0.3)
    assert ruled_out(data).any() == (kind == "few rows")
    if kind == "constraints":
        constraints = bn.Constraints(required=[("v0", "v1")], forbidden=[("v2", "v0")])
    if kind == "weights":
        times = np.random.default_rng(1).integers(1, 5, data.n_rows)
        data = bn.Dataset.from_frame(data.to_frame().assign(n=times), weights="n")
    if kind == "experiments":
        data = with_experiments(data, seed=5, n_experiments=3)
    found = bn.edge_posterior(data, None, max_parents=2, constraints=constraints, effort=Effort(n_bags=3), rng=7)
    assert found.probability == pytest.approx(by_enumeration(data, 3, 7, 2, constraints), abs=1e-9)
    assert (found.n_bags, found.status) == (3, "converged")


# Families that leave fewer than two rows to a configuration of parents


def panel_of_noise(n_units=20, n_times=12, n_noise=4):
    """Every pair of a unit and a time in one row, and columns of noise of 2 to 5 states, at the end."""
    rng = np.random.default_rng(0)
    unit, time = np.divmod(np.arange(n_units * n_times), n_times)
    arities = [n_units, n_times, *(2 + np.arange(n_noise) % 4).tolist()]
    noise = [rng.permutation(unit.size) * r // unit.size for r in arities[2:]]
    states = [tuple(map(str, range(r))) for r in arities]
    return bn.Dataset(
        ["unit", "time", *(f"noise{k}" for k in range(n_noise))], states, np.column_stack([unit, time, *noise])
    )


@pytest.mark.parametrize("kind", ["summed", "sampled", "missing cells"])
def test_columns_that_number_the_rows_are_no_evidence(kind):
    """Both keys as parents give each row a configuration of its own, which fits noise as well as anything."""
    data = panel_of_noise()
    if kind == "missing cells":
        data = with_holes(data, 1, 0.02)
    how = {"method": "order", "n_steps": 20_000} if kind == "sampled" else {}
    found = bn.edge_posterior(data, effort=Effort(n_bags=2, n_draws=2), **how)
    assert found.pair_probability[:2].max() < 0.2
    if kind == "summed":
        alone = bn.edge_posterior(data, bn.BDeu(1))
        assert alone.pair_probability[:2, 2:].min() > 0.5, "a score that is given counts as it is"


def test_with_candidates_to_choose_from_such_families_have_no_weight_either():
    data = panel_of_noise(n_noise=16)
    found = bn.edge_posterior(data, effort=Effort(n_bags=2, candidates=5), n_steps=5_000)
    assert found.pair_probability[:2, 2:].max() < 0.2


@pytest.mark.parametrize("method", ["exact", "order"])
def test_a_required_family_stays_possible_whatever_it_leaves(method):
    data = panel_of_noise(n_noise=2)
    required = bn.Constraints(required=[("unit", "noise0"), ("time", "noise0")])
    found = bn.edge_posterior(
        data, None, max_parents=4, constraints=required, method=method, n_steps=20_000, effort=Effort(n_bags=2)
    )
    assert found.probability[:2, 2] == pytest.approx([1, 1])
    assert found.pair_probability[3].max() < 0.2, "the noise that nothing requires has no edge"


def test_a_variable_of_more_states_than_rows_has_no_edge():
    data = make_data([2, 2, 50], 30, seed=1, dependence=0.9)
    found = bn.edge_posterior(data, effort=Effort(n_bags=2))
    assert found.pair_probability[2].max() == 0
    assert found.pair_probability[0, 1] > 0.5


def test_all_graphs_of_a_class_are_ruled_out_or_none_is():
    """A graph that is ruled out scores at least 100 nats a row less than it would; of 20 rows."""
    data = make_data([2, 3, 2, 4], 20, seed=3)
    capped, free = LocalScores(data, RealPrior(bn.BDeu(), 20)), LocalScores(data, bn.BDeu())
    by_class = {}
    for masks in naive_orders.dag_masks(4):
        families = [(v, naive_orders.members(int(mask))) for v, mask in enumerate(masks)]
        less = sum(free(*family) - capped(*family) for family in families)
        by_class.setdefault(bn.cpdag(naive_orders.matrix_of(masks)).tobytes(), set()).add(less >= 2_000)
    assert len(by_class) == 185
    assert all(len(of_class) == 1 for of_class in by_class.values())
    assert len(set.union(*by_class.values())) == 2


@pytest.mark.parametrize("kind", ["exact", "order", "holes", "experiments", "weights", "numbers", "numbers with holes"])
def test_the_order_of_the_rows_does_not_change_it(kind):
    how = {"method": "order", "n_steps": 4_000} if kind == "order" else {}
    one, other = (bn.edge_posterior(rows, effort=Effort(n_bags=2, n_draws=2), **how) for rows in in_two_orders(kind))
    assert (one.probability == other.probability).all()
    assert (one.graphs() == other.graphs()).all()


# The mean, its error, and what it is made of


def test_it_is_the_mean_over_both_priors(six):
    found = bn.edge_posterior(six, effort=Effort(n_bags=4))
    assert found.probability == pytest.approx(found.under_each_prior.mean(axis=0))
    assert np.ptp(found.under_each_prior, axis=0).max() > 0.01
    alone = bn.edge_posterior(six, bn.BDeu(1))
    assert (alone.under_each_prior == alone.probability).all()


def test_the_error_is_that_of_few_resamples(six):
    """Of 60 seeds and 15 pairs, at most 8 % of differences are beyond twice their joint error.

    With exact shares of 5 %, differences of one seed's pairs being alike, the standard error is near 1.2 %.
    """
    found = [bn.edge_posterior(six, effort=Effort(n_bags=8), rng=seed) for seed in range(60)]
    places = np.triu_indices(6, 1)
    p, error = (np.array([getattr(one, of)[places] for one in found]) for of in ("pair_probability", "pair_error"))
    beyond = np.abs(p[::2] - p[1::2]) > 2 * np.hypot(error[::2], error[1::2])
    assert beyond.mean() <= 0.05 + 0.03
    # Student's t of 17 degrees of freedom; sd of a quotient 0.09. Those of rare edges are larger: few have been seen
    quotients = np.sqrt((error**2).mean(axis=0)) / p.std(axis=0, ddof=1)
    assert np.median(quotients) == pytest.approx(1.077, rel=0.2)
    assert quotients.min() > 0.7
    assert quotients.max() < 2.5


def test_resamples_go_on_until_the_error_is_small(six):
    few, as_needed = bn.edge_posterior(six, effort=Effort(n_bags=2)), bn.edge_posterior(six)
    assert few.pair_error.max() > 0.05
    assert as_needed.n_bags % 4 == 0
    assert as_needed.pair_error.max() <= 0.05 or as_needed.n_bags == 64
    assert bn.edge_posterior(make_data([2, 2], 500, seed=1)).n_bags == 8


def test_features_are_averaged_in_the_same_way(six):
    """Graphs represent the mean: as many of the data as of the resamples of either size, and as many under each prior.

    Shares of 992 graphs within five standard errors of 30 probabilities: false-alarm rate 2e-5.
    """
    found = bn.edge_posterior(six, effort=Effort(n_bags=8))
    graphs = found.graphs()
    assert np.bincount(found.groups[:, 0]).tolist() == [len(graphs) // 6] * 2 + [len(graphs) // 3] * 2
    spread = np.sqrt(found.probability * (1 - found.probability) / len(graphs))
    assert (np.abs(graphs.mean(axis=0) - found.probability) <= 5 * spread + 1e-9).all()
    i, j = np.unravel_index(found.probability.argmax(), (6, 6))
    edge = found.feature(lambda graph: graph[i, j])
    assert edge.probability == pytest.approx(graphs[:, i, j].mean())
    assert edge.error == pytest.approx(found.error[i, j], abs=0.03)
    assert found.path(found.names[i], found.names[j]).probability >= edge.probability
    assert len(found.of_data()) == len(graphs) // 3


def test_missing_cells_are_drawn_in_every_resample():
    data = with_holes(make_data([2, 3, 2, 2], 150, 1), 1, 0.1)
    found = bn.edge_posterior(data, effort=Effort(n_bags=3, n_draws=2))
    assert (found.n_bags, found.method, found.status) == (3, "exact", "converged")
    assert found.n_draws >= 4
    same = bn.edge_posterior(data.with_missing("complete_families"), effort=Effort(n_bags=3, n_draws=2))
    assert (same.probability == found.probability).all()


def test_sampled_against_exact(six):
    """The same resamples: differences are those of orderings sampled, near 0.01; 30 of them below 0.06."""
    exact = bn.edge_posterior(six, None, max_parents=3, effort=Effort(n_bags=4), method="exact")
    sampled = bn.edge_posterior(six, None, max_parents=3, effort=Effort(n_bags=4), method="order", n_steps=500_000)
    assert (exact.method, sampled.method) == ("exact", "order")
    assert abs(sampled.probability - exact.probability).max() < 0.06


def test_parents_that_gain_only_together_are_seen_in_resamples():
    """Three blocks, each of three coins and their parity: no pair of the parents gains anything.

    The same resamples: differences are those of orderings sampled, near 0.01.
    """
    rng = np.random.default_rng(0)
    coins = rng.integers(0, 2, (500, 3, 3))
    parity = (coins.sum(axis=2) + (rng.random((500, 3)) < 0.05)) % 2
    codes = np.concatenate([coins, parity[:, :, None]], axis=2).reshape(500, 12)
    data = bn.Dataset(tuple(f"v{v}" for v in range(12)), (("0", "1"),) * 12, codes)
    exact, sampled = (bn.edge_posterior(data, effort=Effort(n_bags=2), method=method) for method in ("exact", "order"))
    assert abs(sampled.pair_probability - exact.pair_probability).max() < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("method", ["order", "exact"])
def test_neither_workers_nor_the_order_of_columns_change_it(six, one_worker, method):
    turned = six.select(["v3", "v0", "v5", "v4", "v2", "v1"])
    place = [turned.names.index(name) for name in six.names]
    options = {"effort": Effort(n_bags=2, candidates=3), "method": method, "n_steps": 5_000}
    one = bn.edge_posterior(six, **options)
    two = bn.edge_posterior(turned, **options, executor=one_worker)
    assert (one.probability == two.probability[np.ix_(place, place)]).all()
    assert (one.error == two.error[np.ix_(place, place)]).all()
    assert (one.graphs() == two.graphs()[:, place][:, :, place]).all()


@pytest.mark.parametrize("method", ["order", "exact"])
@pytest.mark.parametrize("share", [0.0, 0.7])
def test_stopped_it_is_the_mean_of_what_there_is(six, method, share):
    options = {"effort": Effort(n_bags=60), "method": method, "n_steps": 1_000}
    stopped = bn.edge_posterior(six, **options, progress=lambda done, total: done < share * total)
    assert stopped.status == "stopped"
    assert stopped.n_bags < 60
    assert stopped.n_graphs > 0
    assert ((stopped.probability >= 0) & (stopped.probability <= 1)).all()
    assert (stopped.pair_error[np.triu_indices(6, 1)] > 0).all()


def test_a_resample_counts_for_its_own_size_where_others_were_cut_short(six, one_worker, monkeypatch):
    """Of each worker's resamples, of N and of 2 N rows in turn, only the first is done."""
    whole, calls = BagSampler.posteriors, itertools.count(1)

    def first_only(self, tasks):
        found = whole(self, tasks[:1])[1]
        self.stop[0] = next(calls) >= 3
        return tasks, found

    monkeypatch.setattr(BagSampler, "posteriors", first_only)
    stopped = bn.edge_posterior(six, effort=Effort(n_bags=8), executor=one_worker)
    assert (stopped.status, stopped.n_bags) == ("stopped", 0)


def test_a_refusal_between_the_two_posteriors_of_the_data_stops():
    """A callback need refuse only once, and is then told of nothing more; the one posterior says whose it is."""
    data = bn.load_network("asia").sample(300, rng=1)
    names = tuple(sorted(data.names))
    common = Common(data.select(names), bn.Constraints().resolve(names), 2000, Effort(), True, None)
    ends = []

    def refuses(done, total):
        if (done, total) == (1, 1):
            ends.append(done)
            return len(ends) > 1
        return None

    rngs = np.random.default_rng(1).spawn(2)
    (found,) = common.under_each_prior(False, 1.0, rngs, [refuses, None])
    assert found.status == "stopped"
    assert found.score.startswith("BDeu(10)")
