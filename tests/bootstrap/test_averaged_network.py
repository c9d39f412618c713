"""Thresholds and averaged networks against their definitions by brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.bootstrap.ensemble import l1_threshold
from bnengine.graphs.dag import is_dag


@st.composite
def directed_confidences(draw, most=6):
    """Confidences of directed edges: the two directions of a pair sum to at most 1."""
    v = draw(st.integers(1, most))
    replicates = draw(st.sampled_from([1, 2, 4, 10]))
    matrix = np.zeros((v, v))
    for i, j in itertools.combinations(range(v), 2):
        joined = draw(st.integers(0, replicates))
        forward = draw(st.integers(0, joined))
        matrix[i, j], matrix[j, i] = forward / replicates, (joined - forward) / replicates
    return matrix


def names_of(matrix):
    return [f"x{v}" for v in range(len(matrix))]


# ---- the L1 rule


def area(values, t):
    """The integral of |F(x) - t| over x from 0 to 1, F the distribution function of the values, by its steps."""
    steps = [0.0, *sorted(set(values[(values > 0) & (values < 1)].tolist())), 1.0]
    return sum((b - a) * abs(float(np.mean(values <= a)) - t) for a, b in itertools.pairwise(steps))


@pytest.mark.slow
@given(directed_confidences(4))
def test_l1_threshold_keeps_what_the_least_area_keeps_invariant(matrix):
    """Brute force over all t at which the area can be least (it is linear between the values of F)."""
    values = matrix[~np.eye(len(matrix), dtype=bool)]
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
    ours = {tuple(edge) for edge in np.argwhere((matrix >= l1_threshold(matrix)) & (matrix > 0)).tolist()}
    assert ours in kept
    assert ours == {tuple(edge) for edge in np.argwhere(matrix > 0.5).tolist()}


# ---- the averaged network


def naive_average(matrix, threshold):
    """Pair by pair in decreasing order of strength, in the more frequent direction, testing each graph for cycles.

    A pair that as many graphs direct one way as the other is tried in both directions.
    """
    v = len(matrix)
    edges = []
    for i, j in itertools.permutations(range(v), 2):
        strength = round(matrix[i, j] + matrix[j, i], 9)
        if strength > 0 and strength >= threshold and matrix[i, j] >= matrix[j, i]:
            edges.append((-strength, -round(matrix[i, j] / strength, 9), i, j))
    graph, left_out = np.zeros(matrix.shape, dtype=bool), []
    for *_, i, j in sorted(edges):
        if graph[j, i]:
            continue
        graph[i, j] = True
        if not is_dag(graph):
            graph[i, j] = False
            left_out.append((i, j))
    return graph, [(i, j) for i, j in left_out if not graph[j, i]]


@given(directed_confidences(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
def test_averaged_network_against_its_definition_invariant(matrix, threshold):
    names, before = names_of(matrix), matrix.copy()
    network = bn.answers.averaged_network(matrix, threshold, names)
    graph, left_out = naive_average(matrix, threshold)
    assert np.array_equal(network.adjacency, graph)
    assert network.left_out == tuple((names[i], names[j]) for i, j in left_out)
    assert is_dag(network.adjacency)
    strong = np.triu(np.round(matrix + matrix.T, 9))
    assert len(network.edges) + len(left_out) == int(((strong >= threshold) & (strong > 0)).sum())
    assert np.array_equal(matrix, before)


@pytest.mark.slow
@given(directed_confidences(), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.randoms(use_true_random=False))
def test_the_averaged_network_does_not_depend_on_the_order_of_the_columns_invariant(matrix, threshold, random):
    names = names_of(matrix)
    order = list(range(len(names)))
    random.shuffle(order)
    here = bn.answers.averaged_network(matrix, threshold, names)
    there = bn.answers.averaged_network(matrix[np.ix_(order, order)], threshold, [names[v] for v in order])
    assert sorted(there.edges) == sorted(here.edges)
    assert there.left_out == here.left_out
    assert there.table().equals(here.table())


def test_an_edge_without_a_direction_is_kept():
    """Half of the graphs have A → B, half B → A: all join the pair."""
    network = bn.answers.averaged_network(np.array([[0, 0.5], [0.5, 0]]), 0.9, ["B", "A"])
    assert network.edges == [("A", "B")]
    assert network.table().to_dict("records") == [{"parent": "A", "child": "B", "strength": 1.0, "direction": 0.5}]


def test_averaged_network_refuses_invalid_confidences():
    square = np.zeros((2, 2))
    with pytest.raises(ValueError, match="names must name the 2 variables"):
        bn.answers.averaged_network(square, 0.5)
    with pytest.raises(ValueError, match=r"got shape \(2, 3\)"):
        bn.answers.averaged_network(np.zeros((2, 3)), 0.5, ["a", "b"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        bn.answers.averaged_network(square + 2, 0.5, ["a", "b"])
    with pytest.raises(ValueError, match="sum to more than 1"):
        bn.answers.averaged_network(np.array([[0, 0.7], [0.7, 0]]), 0.5, ["a", "b"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        bn.answers.averaged_network(square + np.nan, 0.5, ["a", "b"])
    with pytest.raises(ValueError, match="threshold must be a number; got nan"):
        bn.answers.averaged_network(square, math.nan, ["a", "b"])
