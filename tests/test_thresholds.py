"""Thresholds: the rules against their definitions by brute force, and averaged networks against a plain reading."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.graph import is_dag
from bnengine.study import threshold_for


@st.composite
def confidences(draw, most=4):
    """Confidences of a small ensemble, with many ties; the diagonal is 0."""
    v = draw(st.integers(1, most))
    replicates = draw(st.sampled_from([1, 2, 4, 10]))
    counts = draw(st.lists(st.integers(0, replicates), min_size=v * v, max_size=v * v))
    matrix = np.array(counts, dtype=float).reshape(v, v) / replicates
    np.fill_diagonal(matrix, 0.0)
    return matrix


def names_of(matrix):
    return [f"x{v}" for v in range(len(matrix))]


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


# ---- the L1 rule


def area(values, t):
    """The integral of |F(x) - t| over x from 0 to 1, F the distribution function of the values, by its steps."""
    steps = [0.0, *sorted(set(values[(values > 0) & (values < 1)].tolist())), 1.0]
    return sum((b - a) * abs(float(np.mean(values <= a)) - t) for a, b in itertools.pairwise(steps))


@given(confidences())
def test_l1_threshold_keeps_what_the_least_area_keeps_invariant(matrix):
    """Brute force over all t at which the area can be least (it is linear between the values of F)."""
    values = off_diagonal(matrix)
    if not values.size:
        return
    candidates = {float(np.mean(values <= x)) for x in [0.0, *values.tolist()]} | {0.0, 1.0}
    areas = {t: area(values, t) for t in candidates}
    least = min(areas.values())
    best = [t for t, a in areas.items() if a <= least + 1e-12]
    kept = []
    for t in best:
        reached = [x for x in sorted(values.tolist()) if np.mean(values <= x) >= t - 1e-12]
        quantile = reached[0] if t > 0 else -math.inf
        kept.append({tuple(edge) for edge in np.argwhere(matrix > max(quantile, 0.0)).tolist()})
    ours = {tuple(edge) for edge in np.argwhere((matrix >= bn.l1_threshold(matrix)) & (matrix > 0)).tolist()}
    assert ours in kept
    assert ours == {tuple(edge) for edge in np.argwhere(matrix > 0.5).tolist()}


@given(confidences(), st.floats(0, 1))
def test_no_t_has_a_smaller_area_than_f_of_one_half_invariant(matrix, t):
    values = off_diagonal(matrix)
    if values.size:
        assert area(values, float(np.mean(values <= 0.5))) <= area(values, t) + 1e-12


def test_the_area_is_the_integral():
    values = np.array([0.046, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439])
    x = (np.arange(200_000) + 0.5) / 200_000
    for t in (0.0, 0.3, 0.5, 1.0):
        integral = np.abs(np.searchsorted(np.sort(values), x, side="right") / 6 - t).mean()
        assert area(values, t) == pytest.approx(integral, abs=1e-5)


def test_pairs_without_an_edge_do_not_move_the_l1_threshold():
    matrix = np.array([[0, 0.9, 0.2], [0, 0, 0.6], [0.45, 0, 0]])
    wide = np.zeros((9, 9))
    wide[:3, :3] = matrix
    assert bn.l1_threshold(wide) == bn.l1_threshold(matrix) == pytest.approx((0.6 + 0.45) / 2)


# ---- the averaged network


def naive_average(matrix, threshold):
    """Edge by edge, surest first; a graph is asked as a whole whether it has a cycle."""
    edges = [(i, j) for i, j in np.ndindex(matrix.shape) if matrix[i, j] >= threshold and matrix[i, j] > 0]
    edges.sort(key=lambda edge: (-matrix[edge], edge))
    graph, left_out = np.zeros(matrix.shape, dtype=bool), []
    for edge in edges:
        graph[edge] = True
        if not is_dag(graph):
            graph[edge] = False
            left_out.append(edge)
    return graph, left_out


@given(confidences(most=6), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
def test_averaged_network_is_the_plain_reading_s_invariant(matrix, threshold):
    names, before = names_of(matrix), matrix.copy()
    network = bn.averaged_network(matrix, threshold, names)
    graph, left_out = naive_average(matrix, threshold)
    assert np.array_equal(network.adjacency, graph)
    assert network.left_out == tuple((names[i], names[j]) for i, j in left_out)
    assert is_dag(network.adjacency)
    assert len(network.edges) + len(left_out) == int(((matrix >= threshold) & (matrix > 0)).sum())
    assert np.array_equal(matrix, before)


def test_above_one_half_one_ensemble_has_no_two_cycle_and_below_it_says_what_it_left_out(asia):
    ensemble = bn.resample(asia, bn.BDeu(10), bn.HillClimbing(), bn.Bootstrap(60), rng=1)
    low = bn.averaged_network(ensemble, 0.05)
    both_ways = (ensemble.confidence >= 0.05) & (ensemble.confidence >= 0.05).T
    assert both_ways.any()
    assert len(low.left_out) >= both_ways.sum() // 2
    assert all(ensemble.confidence[asia.index(a), asia.index(b)] >= 0.05 for a, b in low.left_out)
    high = bn.averaged_network(ensemble, 0.51)
    assert all(a != d or b != c for a, b in high.edges for c, d in high.edges)


def test_averaged_network_refuses_what_it_cannot_read():
    square = np.zeros((2, 2))
    with pytest.raises(ValueError, match="names must name the 2 variables"):
        bn.averaged_network(square, 0.5)
    with pytest.raises(ValueError, match=r"got shape \(2, 3\)"):
        bn.averaged_network(np.zeros((2, 3)), 0.5, ["a", "b"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        bn.averaged_network(square + 2, 0.5, ["a", "b"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        bn.l1_threshold(square + np.nan)
    with pytest.raises(ValueError, match="NaN"):
        bn.averaged_network(square, math.nan, ["a", "b"])


# ---- beside the paper's threshold


def test_all_thresholds_are_half_way_between_in_and_out():
    matrix = np.array([[0, 0.9, 0.2], [0, 0, 0.6], [0.45, 0, 0]])
    assert bn.l1_threshold(matrix) == threshold_for(matrix, 2)
    assert len(bn.averaged_network(matrix, threshold_for(matrix, 3), "abc").edges) == 2  # the third closes a cycle
