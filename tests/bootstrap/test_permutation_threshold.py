"""The permutation threshold against its definition, and on data without any dependence."""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.resample import ResampleTask
from tests.strategies import make_data, with_experiments, with_holes


def independent(n_rows, n_variables, seed):
    rng = np.random.default_rng(seed)
    names = tuple(f"x{v}" for v in range(n_variables))
    return bn.Dataset(names, (("0", "1"),) * n_variables, rng.integers(0, 2, (n_rows, n_variables)))


def naive_counts(data, kind, seed, n, permutations):
    """The number of edges by number of replicates that show them, counted graph by graph."""
    counted = []
    for generator in np.random.default_rng(seed).spawn(permutations):
        codes = data.codes.copy()
        for name in sorted(data.names):
            codes[:, data.index(name)] = generator.permutation(np.sort(codes[:, data.index(name)]))
        shuffled = bn.Dataset(data.names, data.states, codes)
        graphs = bn.resample(
            shuffled, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(n), rng=int(generator.integers(2**53))
        ).adjacencies
        shown = []
        for i, j in itertools.product(range(len(data.names)), repeat=2):
            if kind == "directed":
                shown.append(sum(bool(graph[i, j]) for graph in graphs))
            elif i < j and kind == "adjacency":
                shown.append(sum(bool(graph[i, j] or graph[j, i]) for graph in graphs))
            elif i < j:
                classes = [bn.cpdag(graph) for graph in graphs]
                shown.append(sum(bool(one[i, j] != one[j, i]) for one in classes))
        counted.append([sum(times >= k for times in shown) for k in range(1, n + 1)])
    return counted


@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
@pytest.mark.parametrize("n", [7, 30])
def test_thresholds_count_every_replicate_of_every_kind(asia, kind, n):
    """A share such as 13 / 30 is at its own threshold, however it was added up."""
    settings = (asia, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(n))
    found = permutation_threshold(ResampleTask(*settings), rng=2, n_permutations=3, max_false=0.5, kind=kind)
    assert found.false_edges.tolist() == naive_counts(asia, kind, 2, n, 3)
    np.testing.assert_array_equal(found.thresholds, np.arange(1, n + 1) / n)
    assert found.threshold == found.thresholds[np.flatnonzero(found.expected_false <= 0.5)[0]]
    assert (found.status, found.seed) == ("converged", 2)


@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
def test_a_strength_is_exactly_one_of_the_thresholds(asia, kind):
    """So that pages and reports, which keep what is at least the threshold, keep what was counted."""
    n = 30
    study = bn.study(asia, bn.AIC(), bn.HillClimbing(), bn.resampling_methods(n, keys=("bootstrap",)), rng=2)
    strength = study.strength("bootstrap", kind)
    assert np.isin(strength, np.arange(n + 1) / n).all()
    assert np.unique(strength).size > 5


@pytest.mark.slow
def test_permutation_threshold_keeps_false_edges_rare_on_independent_data():
    """On independent data every edge is false, and shuffled data are distributed like fresh samples.

    The mean count over 30 fresh data sets and the expectation from 30 shuffles of another one estimate the same number;
    with standard errors s1, s2 they differ by more than 6 sqrt(s1² + s2²) once in 10^8 runs.
    """
    settings = (bn.AIC(), bn.HillClimbing(), bn.Bootstrap(20))
    found = permutation_threshold(ResampleTask(independent(200, 6, 0), *settings), n_permutations=30, rng=1)
    assert 0 < found.threshold <= 1
    at = int(np.flatnonzero(found.thresholds == found.threshold)[0])
    fresh = [bn.resample(independent(200, 6, 100 + k), *settings, rng=k).confidence for k in range(30)]
    counts = np.array([(confidence >= found.threshold).sum() for confidence in fresh])
    error = math.hypot(counts.std(ddof=1) / math.sqrt(30), found.standard_error[at])
    assert abs(counts.mean() - found.expected_false[at]) < 6 * error
    assert found.expected_false[at] <= 1.0 < found.expected_false[at - 1]


def test_required_edges_are_not_false_ones(asia):
    """With all other edges forbidden none can be false."""
    kept = ("smoke", "asia")
    others = [pair for pair in itertools.permutations(asia.names, 2) if pair != kept]
    constraints = bn.Constraints(required=[kept], forbidden=others)
    found = permutation_threshold(
        ResampleTask(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(5), constraints=constraints), n_permutations=2
    )
    assert found.false_edges.sum() == 0
    assert found.threshold == 0.2


def test_permutation_does_not_depend_on_workers_and_counts_all_its_work(asia):
    task, totals = ResampleTask(asia, bn.AIC(), bn.K2(), bn.Bootstrap(8)), set()
    alone = permutation_threshold(task, n_permutations=3, progress=lambda done, total: totals.add(total))
    with ThreadPoolExecutor(3) as executor:
        shared = permutation_threshold(task, n_permutations=3, executor=executor)
    assert np.array_equal(alone.false_edges, shared.false_edges)
    assert totals == {24}


def test_the_search_for_the_strength_can_be_stopped(asia, asked_after_each):
    """It comes before the first shuffled data set and counts none of their replicates."""
    reported = []

    def stop_at_once(done, total):
        reported.append((done, total))
        return False

    settings = (asia, bn.AIC(), bn.K2(), bn.Bootstrap(50), "matched")
    found = permutation_threshold(ResampleTask(*settings), n_permutations=2, progress=stop_at_once)
    assert (found.status, len(found.false_edges)) == ("stopped", 0)
    assert set(reported) == {(0, 100)}


def test_stopping_keeps_the_finished_shuffles(asia, asked_after_each):
    settings = (asia, bn.AIC(), bn.K2(), bn.Bootstrap(20))
    whole = permutation_threshold(ResampleTask(*settings), n_permutations=4)
    part = permutation_threshold(ResampleTask(*settings), n_permutations=4, progress=lambda done, total: done <= 50)
    assert part.status == "stopped"
    assert np.array_equal(part.false_edges, whole.false_edges[:2])
    none = permutation_threshold(ResampleTask(*settings), n_permutations=4, progress=lambda done, total: False)
    assert (none.status, len(none.false_edges), none.threshold) == ("stopped", 0, math.inf)
    assert np.isnan(none.expected_false).all()


@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
@pytest.mark.parametrize("greedy", [False, True])
def test_the_result_does_not_depend_on_the_order_of_the_columns(asia, kind, greedy):
    """Shuffles and the breaking of ties depend on the names and the seed only."""
    data = asia if greedy else make_data([3, 2, 4, 3, 2], 150, seed=2)
    settings = (bn.AIC(), bn.HillClimbing() if greedy else bn.K2(data.names), bn.Bootstrap(10))
    turned = data.select(data.names[::-1])
    found = [
        permutation_threshold(ResampleTask(table, *settings), n_permutations=3, kind=kind) for table in (data, turned)
    ]
    assert found[0].false_edges.any()
    assert np.array_equal(found[0].false_edges, found[1].false_edges)


@pytest.mark.parametrize(("given", "says"), [(with_experiments, "as observed"), (with_holes, "needs every cell")])
def test_data_that_cannot_be_shuffled_are_refused(asia, given, says):
    with pytest.raises(ValueError, match=f"permutation_threshold .*{says}"):
        permutation_threshold(ResampleTask(given(asia, 1), bn.BIC(), bn.K2(), bn.Bootstrap(2)))
