"""Stability selection: its bound against the worst distribution there is, and on data without any dependence."""

import itertools
import math
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from scipy.optimize import linprog

import bnengine as bn
from bnengine.bootstrap.stability_selection import expected_false_bound
from bnengine.data.drawn_rows import complementary_halves
from bnengine.scores.local_score import LocalScores
from bnengine.search.learning import Columns
from tests.strategies import make_data


def independent(n_rows, n_variables, seed):
    rng = np.random.default_rng(seed)
    names = tuple(f"x{v}" for v in range(n_variables))
    return bn.Dataset(names, (("0", "1"),) * n_variables, rng.integers(0, 2, (n_rows, n_variables)))


def largest_tail(n_pairs, mean, least):
    """The largest P(X ≥ least / B) of unimodal distributions on 0, 1/B, …, 1 with at most that mean.

    Unimodal with mode m are the mixtures of uniform distributions on intervals that contain m: a linear program each.
    """
    best = 0.0
    for mode in range(n_pairs + 1):
        parts = [(a, b) for a in range(mode + 1) for b in range(mode, n_pairs + 1)]
        means = [[(a + b) / 2 / n_pairs for a, b in parts]]
        tails = np.array([max(b - max(a, least) + 1, 0) / (b - a + 1) for a, b in parts])
        found = linprog(-tails, A_ub=means, b_ub=[mean], A_eq=np.ones((1, len(parts))), b_eq=[1])
        if found.status == 0:  # else no such distribution has so small a mean
            best = max(best, -found.fun)
    return best


@pytest.mark.slow
@pytest.mark.parametrize(("n_pairs", "share"), [(4, 0.1), (4, 0.5), (7, 0.3), (10, 0.05)])
def test_the_bound_holds_for_every_unimodal_distribution_against_linear_programs(n_pairs, share):
    """With p = 1 and q = θ the bound is θ² / K: that of the probability that both halves agree so often."""
    for twice in range(n_pairs + 1, 2 * n_pairs + 1):
        worst = largest_tail(n_pairs, share**2, twice - n_pairs)
        bound = expected_false_bound(twice / (2 * n_pairs), n_pairs, share, 1)
        assert worst <= bound + 1e-9
        if math.isfinite(bound):
            assert bound <= 2 * worst + 1e-9  # and is not far above


def test_without_an_assumption_it_is_markovs_inequality():
    assert expected_false_bound(0.8, 50, 10, 200, "none") == pytest.approx(10**2 / 200 / 0.6)
    assert expected_false_bound(0.5, 50, 10, 200, "none") == expected_false_bound(0.5, 50, 10, 200) == math.inf
    assert expected_false_bound(0.791, 50, 10, 200) == expected_false_bound(0.8, 50, 10, 200)  # the next multiple
    assert expected_false_bound(0.9, 50, 150, 200) == math.inf  # θ above 1 / √3
    assert expected_false_bound(0.9, 50, 0, 200) == 0


def test_the_two_formulas_meet_at_three_quarters():
    """Shah & Samworth (2013), Theorem 2, at τ = 3/4, where both constants are 1 - 1/B."""
    just_above = (1 + 1 / 50) / (4 * (0.25 + 1 / 100))
    assert expected_false_bound(0.75, 50, 10, 200) == pytest.approx(0.5 / (2 * (0.5 - 1 / 100)))
    assert just_above == pytest.approx(2 * (0.5 - 1 / 100), rel=2e-3)


@pytest.mark.parametrize("n_rows", [60, 61])
def test_halves_share_no_row(n_rows):
    data = make_data([2, 2, 3], n_rows, seed=1)
    for generator in np.random.default_rng(0).spawn(5):
        first, second = complementary_halves(data, generator)
        left = data.multiplicities - first - second
        assert first.sum() == second.sum() == n_rows // 2
        assert (left >= 0).all()
        assert left.sum() == n_rows % 2


@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
def test_graphs_of_the_halves_are_counted_against_the_definition(asia, kind):
    found = bn.stability_selection(asia, bn.AIC(), bn.HillClimbing(), 6, rng=3, kind=kind)
    scores, total, both = LocalScores(asia, bn.AIC()), 0, 0
    columns = Columns(asia.names, bn.Constraints().resolve(asia.names))
    for generator in np.random.default_rng(3).spawn(6):
        graphs = []
        for weights in complementary_halves(asia, generator):
            order = columns.order(generator)
            scores.reweigh(weights, order)
            graph = columns.find(bn.HillClimbing(), scores, order, generator).adjacency
            if kind == "adjacency":
                graph = graph | graph.T
            elif kind == "compelled":
                graph = bn.cpdag(graph) & ~bn.cpdag(graph).T
            graphs.append(graph)
        total, both = total + graphs[0].astype(int) + graphs[1], both + (graphs[0] & graphs[1])
    np.testing.assert_allclose(found.confidence, total / 12)
    np.testing.assert_allclose(found.simultaneous, both / 6)
    pairs = 28 if kind == "adjacency" else 56
    assert found.n_possible == pairs
    assert found.mean_selected == pytest.approx(total.sum() / 12 / (2 if kind == "adjacency" else 1))
    assert (found.n_pairs, found.n_planned, found.status, found.seed) == (6, 6, "converged", 3)


@pytest.mark.slow
def test_false_edges_stay_within_the_bound_on_independent_data():
    """All pairs alike: each is found with probability q / p, so all are in the theorem's set and all are false.

    The mean over 40 tables exceeds the mean bound by more than 6 standard errors once in 10^9 runs, were they equal.
    """
    threshold, counts, bounds, loose = 0.65, [], [], []
    for seed in range(40):
        found = bn.stability_selection(independent(80, 7, seed), bn.AIC(), bn.HillClimbing(), 20, rng=seed)
        counts.append(int((np.triu(found.confidence) >= threshold).sum()))
        bounds.append(found.bound(threshold))
        loose.append(found.bound(threshold, "none"))
    assert np.mean(counts) > 0
    assert np.mean(counts) <= np.mean(bounds) + 6 * np.std(np.subtract(counts, bounds), ddof=1) / math.sqrt(40)
    assert np.mean(bounds) < np.mean(loose)


def test_the_threshold_is_the_smallest_that_keeps_the_bound(asia):
    found = bn.stability_selection(asia, bn.BIC(), bn.HillClimbing(), 10)
    threshold = found.threshold_for(1.0)
    assert found.bound(threshold) <= 1 < found.bound(threshold - 0.05)
    assert found.threshold_for(0.0) == math.inf
    with pytest.raises(ValueError, match="max_false must be a number of at least 0"):
        found.threshold_for(math.nan)
    with pytest.raises(ValueError, match="threshold must be a number between 0 and 1; got 2"):
        found.bound(2)
    with pytest.raises(ValueError, match="assumption must be one of unimodal, none"):
        found.bound(0.9, "convex")


def test_nothing_depends_on_workers_or_columns(asia):
    settings = (bn.BIC(), bn.HillClimbing(), 8)
    alone = bn.stability_selection(asia, *settings)
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        for executor in (threads, processes):
            shared = bn.stability_selection(asia, *settings, executor=executor)
            assert np.array_equal(shared.confidence, alone.confidence)
    turned = bn.stability_selection(asia.select(asia.names[::-1]), *settings)
    assert np.array_equal(turned.confidence[::-1, ::-1], alone.confidence)
    assert turned.bound(0.8) == alone.bound(0.8)
    more = bn.stability_selection(asia, bn.BIC(), bn.HillClimbing(), 8, rng=np.random.default_rng(0))
    assert np.array_equal(more.confidence, alone.confidence)
    assert more.seed is None


def test_constraints_hold_and_are_not_counted(asia):
    required, forbidden = ("asia", "smoke"), ("lung", "smoke")
    constraints = bn.Constraints(required=[required], forbidden=[forbidden, forbidden[::-1]])
    found = bn.stability_selection(asia, bn.BIC(), bn.HillClimbing(), 5, constraints)
    i, j, k = (asia.index(name) for name in ("asia", "smoke", "lung"))
    assert found.confidence[i, j] == 1
    assert found.confidence[j, k] == found.confidence[k, j] == 0
    assert found.n_possible == 26
    directed = bn.stability_selection(asia, bn.BIC(), bn.HillClimbing(), 5, constraints, kind="directed")
    assert directed.n_possible == 56 - 1 - 2
    nothing = bn.Constraints(forbidden=list(itertools.permutations(asia.names, 2)))
    assert bn.stability_selection(asia, bn.BIC(), bn.HillClimbing(), 2, nothing).bound(0.9) == 0


@pytest.mark.slow
def test_stopping_keeps_whole_pairs(asia):
    settings = (asia, bn.BIC(), bn.HillClimbing(), 10_000)
    part = bn.stability_selection(*settings, progress=lambda done, total: done < 20)
    assert part.status == "stopped"
    assert 0 < part.n_pairs < 10_000 == part.n_planned
    np.testing.assert_allclose(np.rint(part.confidence * 2 * part.n_pairs), part.confidence * 2 * part.n_pairs)
    assert (part.simultaneous <= part.confidence + 1e-12).all()
    assert part.bound(0.9) > 0


def test_impossible_settings_are_refused(asia):
    settings = (asia, bn.BIC(), bn.HillClimbing())
    for bad in (0, 1.5, True, 10_001):
        with pytest.raises(ValueError, match=r"n_pairs must be a whole number from 1 to 10,000; got"):
            bn.stability_selection(*settings, bad)
    with pytest.raises(bn.DataError, match="at least two rows"):
        bn.stability_selection(asia.take([0]), bn.BIC(), bn.HillClimbing())
    with pytest.raises(ValueError, match="kind must be one of"):
        bn.stability_selection(*settings, kind="both")


def test_the_table_lists_each_adjacency_once(asia):
    found = bn.stability_selection(asia, bn.BIC(), bn.HillClimbing(), 5)
    table = found.table()
    assert list(table.columns) == ["parent", "child", "confidence", "simultaneous"]
    assert len(table) == int((np.triu(found.confidence) > 0).sum())
    assert table["confidence"].is_monotonic_decreasing
