"""Moves of pairs of a graph and an ordering, against all pairs of four variables."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from bnengine._jit.records import handle_of
from bnengine.posterior._graph_moves import (
    EXCHANGE,
    MOVES,
    log_weight_of,
    make_moves,
    run_pairs,
    start_from,
    take_up,
    write_graph,
)
from bnengine.posterior.graph_chain import pair_state_for, parent_sets_of
from bnengine.posterior.order_chain import UNIFORM, OrderChain
from tests import naive_orders, naive_pairs
from tests.naive_pairs import random_families, tables_of

SINGLE = [kind for kind in range(len(MOVES)) if kind != EXCHANGE]


def state_of(families, power=1.0, seed=1):
    n, tables = len(families), tables_of(families)
    names, stop = [f"v{v}" for v in range(n)], np.zeros(1, dtype=np.uint8)
    orders = OrderChain(tables, UNIFORM, names, [range(n)], np.random.default_rng(seed), stop)
    counters = np.zeros((2, len(MOVES)), dtype=np.int64)
    state = pair_state_for(orders.states[0]._replace(power=np.array([power])), parent_sets_of(tables), *counters)
    assert np.isfinite(start_from(handle_of(state)))
    return state


def sets_by_mask(state, n):
    """``number[v][mask]`` of each of a child's sets, masks over all variables."""
    numbers = []
    for v in range(n):
        begin, end = state.sets.first_set[v], state.sets.first_set[v + 1]
        columns = [p for p in range(n) if p != v]
        spread = [sum(1 << columns[c] for c in naive_orders.members(int(m))) for m in state.sets.masks[begin:end]]
        numbers.append({mask: begin + k for k, mask in enumerate(spread)})
    return numbers


def put(state, handle, numbers, graph, ordering):
    state.order.ordering[:] = ordering
    state.chosen[:] = [numbers[v][int(mask)] for v, mask in enumerate(graph)]
    take_up(handle)


def key_of(state):
    return (*state.chosen.tolist(), *state.order.ordering.tolist())


def target_of(families, power=1.0):
    """Every pair of graph and ordering, and its probability: of the ordering to a power, times graph, times sort."""
    masks = naive_orders.dag_masks(len(families))
    totals = naive_orders.totals(masks, families)
    weight_of = {
        ordering: np.exp(totals[naive_orders.fits(masks, ordering)]).sum()
        for ordering in itertools.permutations(range(len(families)))
    }
    pairs = [(masks[g], o, q * np.exp(totals[g])) for g, o, q in naive_pairs.pairs_of(masks) if np.isfinite(totals[g])]
    share = np.array([weight * weight_of[ordering] ** (power - 1.0) for _, ordering, weight in pairs])
    return [(graph, ordering) for graph, ordering, _ in pairs], share / share.sum()


@pytest.mark.parametrize(("n", "graphs"), [(2, 3), (3, 25), (4, 543)])
def test_random_sorts_of_a_graph_add_up_to_one(n, graphs):
    flat = np.where(np.isfinite(random_families(n, 1)), 0.0, -np.inf)
    state, of_graph = state_of(flat), {}
    handle, numbers = handle_of(state), sets_by_mask(state, n)
    masks = naive_orders.dag_masks(n)
    for g, ordering, probability in naive_pairs.pairs_of(masks):
        put(state, handle, numbers, masks[g], ordering)
        assert np.exp(log_weight_of(handle)) == pytest.approx(probability, rel=1e-12)
        of_graph[g] = of_graph.get(g, 0.0) + np.exp(log_weight_of(handle))
    assert len(of_graph) == graphs
    assert list(of_graph.values()) == pytest.approx([1.0] * graphs)


@pytest.mark.slow
@pytest.mark.parametrize("power", [1.0, 0.4])
@pytest.mark.parametrize("kind", SINGLE, ids=lambda kind: MOVES[kind])
def test_moves_keep_the_distribution_of_pairs(kind, power):
    """One move from pairs drawn by their probability leads to pairs with the same; false-alarm rate 1e-5 a case."""
    families = random_families(4, 5, 1.0)
    families[2, [m for m in range(16) if not m & 1]] = -np.inf  # 0 → 2 is required
    state = state_of(families, power)
    handle, numbers = handle_of(state), sets_by_mask(state, 4)
    pairs, share = target_of(families, power)
    starts = np.random.default_rng(3).multinomial(60_000, share)
    counts, moved, places = np.zeros(len(pairs)), 0, {}
    for k, (graph, ordering) in enumerate(pairs):
        put(state, handle, numbers, graph, ordering)
        places[key_of(state)] = k
    for (graph, ordering), times in zip(pairs, starts, strict=True):
        for _ in range(times):
            put(state, handle, numbers, graph, ordering)
            moved += make_moves(handle, kind, 1)
            counts[places[key_of(state)]] += 1
    often = 60_000 * share >= 5
    seen, expected = np.append(counts[often], counts[~often].sum()), np.append(share[often], share[~often].sum())
    assert chisquare(seen, 60_000 * expected).pvalue > 1e-5
    assert moved > 1_000


@pytest.mark.slow
def test_what_a_move_leaves_behind_is_the_pair_taken_up_anew():
    state = state_of(random_families(6, 11))
    handle = handle_of(state)
    for kind in SINGLE * 60:
        make_moves(handle, kind, 3)
        last, available, masks = state.last.copy(), state.available.copy(), state.order.masks.copy()
        position, at = state.order.position.copy(), state.order.at.copy()
        take_up(handle)
        assert (state.last == last).all()
        assert (state.available[:6] == available[:6]).all()
        assert (state.order.masks == masks).all()
        assert (state.order.position == position).all()
        assert state.order.at == pytest.approx(at, abs=1e-9)
        assert sorted(state.order.ordering.tolist()) == list(range(6))


@pytest.mark.slow
def test_parents_that_no_change_of_the_ordering_touches_are_drawn_too():
    """0 → 1 → 2 are required, 0 → 2 is not: all orderings agree, and yet the graph has to change."""
    families = random_families(3, 2, 0.3)
    families[1, [m for m in range(8) if not m & 1]] = -np.inf
    families[2, [m for m in range(8) if not m & 2]] = -np.inf
    state, mean = state_of(families), np.zeros((2, 3, 3))
    graphs, adjacency = [], np.zeros((3, 3), dtype=bool)
    for _ in range(2_000):
        run_pairs(np.array([handle_of(state)]), np.zeros(1, dtype=np.int64), 1, 30, np.zeros(1), mean[0], mean[1])
        write_graph(handle_of(state), False, adjacency)
        graphs.append(adjacency[0, 2])
    assert 0.2 < np.mean(graphs) < 0.8


def test_edges_given_an_ordering_and_the_last_parents_against_enumeration():
    families = random_families(4, 3, 3.0)
    state = state_of(families)
    handle, numbers, ordering = handle_of(state), sets_by_mask(state, 4), (2, 0, 3, 1)
    masks = naive_orders.dag_masks(4)
    totals, position = naive_orders.totals(masks, families), np.argsort(ordering)
    last = [[max((position[p] for p in naive_orders.members(int(m))), default=-1) for m in graph] for graph in masks]
    fits = naive_orders.fits(masks, ordering)
    for graph in masks[fits][::5]:
        put(state, handle, numbers, graph, ordering)
        alike = fits & (np.array(last) == state.last).all(axis=1)
        expected = naive_pairs.edge_probabilities(masks[alike], totals[alike])
        mean, trace = np.zeros((2, 4, 4)), np.zeros(1)
        assert run_pairs(np.array([handle]), np.zeros(1, dtype=np.int64), 1, 0, trace, mean[0], mean[1]) == 1
        assert mean[0] == pytest.approx(expected, abs=1e-9)
        assert mean[1] == pytest.approx(expected**2, abs=1e-9)
        of_graph = totals[(masks == graph).all(axis=1)][0]
        assert trace[0] == pytest.approx(of_graph + np.log(naive_pairs.sort_probability(graph, ordering)))


def test_the_heaviest_graph_of_an_ordering_against_enumeration():
    families = random_families(4, 3, 1.0)
    state, masks, adjacency = state_of(families), naive_orders.dag_masks(4), np.zeros((4, 4), dtype=np.bool_)
    inside = masks[naive_orders.fits(masks, range(4))]
    totals = naive_orders.totals(inside, families)
    assert write_graph(handle_of(state), True, adjacency) == pytest.approx(totals.max(), abs=1e-9)
    assert (adjacency == naive_orders.matrix_of(inside[totals.argmax()])).all()


@pytest.mark.slow
def test_every_rung_of_a_ladder_keeps_its_distribution():
    """Frequencies of all 543 graphs on both of two rungs, every thirtieth state; false-alarm rate 1e-5 a rung."""
    families, powers = random_families(4, 9, 1.0), [1.0, 0.3]
    states = [state_of(families, power, seed) for seed, power in enumerate(powers)]
    states[1] = states[1]._replace(tried=states[0].tried, made=states[0].made)
    handles, at = np.array([handle_of(state) for state in states]), np.arange(2)
    pairs, numbers = target_of(families)[0], sets_by_mask(states[0], 4)
    place = {
        tuple(numbers[v][int(mask)] for v, mask in enumerate(graph)): g
        for g, graph in enumerate(np.unique([graph for graph, _ in pairs], axis=0))
    }
    of_pair = [place[tuple(numbers[v][int(mask)] for v, mask in enumerate(graph))] for graph, _ in pairs]
    counts, waste = np.zeros((2, len(place))), np.zeros((2, 4, 4))
    for _ in range(15_000):
        run_pairs(handles, at, 1, 30, np.zeros(1), waste[0], waste[1])
        for rung in range(2):
            counts[rung, place[tuple(states[at[rung]].chosen.tolist())]] += 1
    for rung, power in enumerate(powers):
        assert states[at[rung]].order.power[0] == power
        expected = 15_000 * np.bincount(of_pair, target_of(families, power)[1])
        few = expected < 5  # the rarest together
        seen = np.append(counts[rung][~few], counts[rung][few].sum())
        assert chisquare(seen, np.append(expected[~few], expected[few].sum())).pvalue > 1e-5
    assert 0.05 < states[0].made[EXCHANGE] / states[0].tried[EXCHANGE] < 1
