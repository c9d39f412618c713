"""Weights of ordered partitions and the moves between them, against all partitions of four variables."""

import numpy as np
import pytest
from scipy.stats import chi2, chisquare

from bnengine._jit.records import handle_of
from bnengine.posterior._partitions import chain_for, parent_sets_of, start_from_ordering, start_from_partition
from bnengine.posterior.partition_chain import EXCHANGE, MOVES, Ladder, make_moves, run_ladder, write_graph
from tests import naive_orders, naive_partitions
from tests.naive_partitions import partitions, random_families, tables_of

SINGLE = [kind for kind in range(len(MOVES)) if kind != EXCHANGE]


def chain_of(families, power=1.0):
    return chain_for(parent_sets_of(tables_of(families)), np.random.default_rng(1), power)


def put(chain, part, handle=None):
    """Begin at a partition; its log weight."""
    chain.now.part[:] = part
    return start_from_partition(handle_of(chain) if handle is None else handle, max(part) + 1)


def engine_weights(families):
    chain = chain_of(families)
    handle = handle_of(chain)
    return {part: put(chain, part, handle) for part in partitions(len(families))}


@pytest.mark.parametrize(("n", "graphs"), [(3, 25), (4, 543), (5, 29281)])
def test_with_equal_weights_partitions_count_graphs(n, graphs):
    flat = np.where(np.isfinite(random_families(n, 1)), 0.0, -np.inf)
    weights = engine_weights(flat)
    assert np.exp(list(weights.values())).sum() == pytest.approx(graphs, rel=1e-12)
    assert sum(map(naive_partitions.number_of_graphs, partitions(n))) == graphs
    for part, weight in weights.items():
        assert np.exp(weight) == pytest.approx(naive_partitions.number_of_graphs(part), rel=1e-12)


@pytest.mark.parametrize("spread", [2.0, 30.0])  # with 30 nats the difference of two sums cancels completely
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
def test_weight_of_a_partition_sums_its_graphs_against_enumeration(spread, forbidden):
    families = random_families(4, 7, spread)
    families[np.random.default_rng(2).random(families.shape) < forbidden] = -np.inf
    masks = naive_orders.dag_masks(4)
    expected = naive_partitions.log_weights(masks, naive_orders.totals(masks, families))
    weights = engine_weights(families)
    assert set(weights) == set(expected)
    for part, weight in weights.items():
        assert weight == pytest.approx(expected[part], abs=1e-5)
    if forbidden:
        assert -np.inf in weights.values()


@pytest.mark.slow
@pytest.mark.parametrize("power", [1.0, 0.4])
@pytest.mark.parametrize("kind", SINGLE, ids=lambda kind: MOVES[kind])
def test_moves_are_in_detailed_balance(kind, power):
    """One move from partitions drawn by their weight: as many go from A to B as from B to A.

    Given how many go either way, each direction is a fair coin. False-alarm rate 1e-5 a case.
    """
    families = random_families(4, 5, 1.0)
    if kind == SINGLE[-1]:
        families[2, [m for m in range(16) if not m & 1]] = -np.inf  # 0 → 2 is required
    chain = chain_of(families, power)
    handle, weights = handle_of(chain), engine_weights(families)
    share = np.exp(power * np.array(list(weights.values())))
    starts = np.random.default_rng(3).multinomial(60_000, share / share.sum())
    flows = {}
    for part, times in zip(weights, starts, strict=True):
        put(chain, part, handle)
        for _ in range(times):
            if make_moves(handle, kind, 1):
                reached = tuple(chain.now.part.tolist())
                flows[part, reached] = flows.get((part, reached), 0) + 1
                put(chain, part, handle)
    pairs = {tuple(sorted(pair)) for pair in flows}
    both = [(flows.get((a, b), 0), flows.get((b, a), 0)) for a, b in pairs]
    often = [(m, n) for m, n in both if m + n >= 10]
    statistic = sum((m - n) ** 2 / (m + n) for m, n in often)
    assert len(often) > 30
    assert chi2.sf(statistic, len(often)) > 1e-5


@pytest.mark.slow
def test_what_a_move_leaves_behind_is_the_partition_weighed_anew():
    chain = chain_of(random_families(5, 11))
    put(chain, (0, 1, 1, 2, 0))
    for kind in SINGLE * 40:
        make_moves(handle_of(chain), kind, 3)
        part, weights = tuple(chain.now.part.tolist()), chain.now.weights.copy()
        first, order = chain.now.first.copy(), chain.now.order.tolist()
        put(chain, part)
        assert weights == pytest.approx(chain.now.weights, abs=1e-9)
        n_parts = int(chain.now.n_parts[0])
        assert set(part) == set(range(n_parts))
        assert [part[v] for v in order] == sorted(part)
        assert first[: n_parts + 1].tolist() == [sum(p < q for p in part) for q in range(n_parts + 1)]


def test_graphs_drawn_given_a_partition_against_enumeration():
    """False-alarm rate 1e-5."""
    families, part = random_families(4, 3, 1.0), (0, 1, 0, 2)
    masks = naive_orders.dag_masks(4)
    inside = masks[[naive_partitions.partition_of(graph) == part for graph in masks]]
    totals = naive_orders.totals(inside, families)
    chain, adjacency = chain_of(families), np.zeros((4, 4), dtype=np.bool_)
    handle = handle_of(chain)
    put(chain, part, handle)
    counts = {}
    for _ in range(20_000):
        score = write_graph(handle, False, adjacency)
        counts[adjacency.tobytes()] = counts.get(adjacency.tobytes(), 0) + 1
    assert score <= totals.max() + 1e-9
    drawn = [counts.pop(naive_orders.matrix_of(graph).tobytes(), 0) for graph in inside]
    assert not counts
    share = np.exp(totals) / np.exp(totals).sum()
    assert chisquare(drawn, 20_000 * share).pvalue > 1e-5
    assert write_graph(handle, True, adjacency) == pytest.approx(totals.max(), abs=1e-9)
    assert (adjacency == naive_orders.matrix_of(inside[totals.argmax()])).all()


def ladder_of(powers, records=1):
    n = len(powers)
    random = np.array([5], dtype=np.uint64)
    whole, stop = np.zeros((2, len(MOVES)), dtype=np.int64), np.zeros(1, dtype=np.uint8)
    return Ladder(n, np.array(powers), np.arange(n), random, np.zeros(records), whole[0], whole[1], stop)


def test_edges_given_a_partition_against_enumeration():
    families, part = random_families(4, 3, 3.0), (0, 1, 0, 2)
    masks = naive_orders.dag_masks(4)
    inside = masks[[naive_partitions.partition_of(graph) == part for graph in masks]]
    chain, mean, square = chain_of(families), np.zeros((4, 4)), np.zeros((4, 4))
    weight, handles = put(chain, part), np.array([handle_of(chain)])
    ladder = ladder_of([1.0])
    assert run_ladder(handle_of(ladder), handles, 1, 0, mean, square) == 1
    expected = naive_partitions.edge_probabilities(inside, naive_orders.totals(inside, families))
    assert mean == pytest.approx(expected, abs=1e-9)
    assert square == pytest.approx(expected**2, abs=1e-9)
    assert ladder.trace[0] == pytest.approx(weight)


@pytest.mark.slow
def test_every_rung_of_a_ladder_keeps_its_distribution():
    """Frequencies of all 75 partitions on both of two rungs, every thirtieth state; false-alarm rate 1e-5 a rung."""
    families, powers = random_families(4, 9, 1.0), [1.0, 0.3]
    chains = [chain_of(families, power) for power in powers]
    for number, chain in enumerate(chains):
        chain.random[0] = number
        chain.now.part[:] = [3, 1, 0, 2]
        assert start_from_ordering(handle_of(chain))
    weights, ladder = engine_weights(families), ladder_of(powers)
    handle, handles = handle_of(ladder), np.array([handle_of(chain) for chain in chains])
    place, counts = {part: k for k, part in enumerate(weights)}, np.zeros((2, len(weights)))
    waste = np.zeros((2, 4, 4))
    for _ in range(15_000):
        run_ladder(handle, handles, 1, 30, waste[0], waste[1])
        for rung in range(2):
            counts[rung, place[tuple(chains[ladder.at[rung]].now.part.tolist())]] += 1
    for rung, power in enumerate(powers):
        assert chains[ladder.at[rung]].power[0] == power
        share = np.exp(power * np.array(list(weights.values())))
        expected = 15_000 * share / share.sum()
        few = expected < np.sort(expected)[5]  # the rarest together
        seen = np.append(counts[rung][~few], counts[rung][few].sum())
        assert chisquare(seen, np.append(expected[~few], expected[few].sum())).pvalue > 1e-5
    assert 0.05 < ladder.made[EXCHANGE] / ladder.tried[EXCHANGE] < 1
