"""Tables of parent sets, and the moves of a chain over orderings, against enumeration."""

import itertools
import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.posterior.chain import Plan
from bnengine.posterior.order_chain import OrderChain, handles_of, ordering_near, run_moves
from bnengine.posterior.parent_set_tables import check_tables_memory, parent_set_tables, small_sets, tables_of_two
from bnengine.scores.local_score import LocalScores
from tests import naive, naive_orders
from tests.strategies import make_data

SHARES = {"adjacent swap": (0.0, 0.0), "distant swap": (1.0, 0.0), "relocation": (0.0, 1.0), "all": (0.2, 0.3)}
SCORE = bn.WithPrior(bn.BDeu(2), uniform_parent_sizes=True)


def chain_over(data, kind, seed=1):
    n = data.n_variables
    space = bn.Constraints(forbidden=[("v0", "v2")]).resolve(data.names, 2)
    tables = parent_set_tables(lambda: LocalScores(data, SCORE), space, [range(n)] * n)
    chain = OrderChain(tables, [range(n)], np.random.default_rng(seed), np.zeros(1, dtype=np.uint8))
    return with_shares(chain, kind)


def with_shares(chain, kind):
    """The chain with only that kind of moves."""
    distant, relocation = SHARES[kind]
    chain.states = [s._replace(share_distant=distant, share_relocation=relocation) for s in chain.states]
    return chain


def weights_of_orderings(data):
    """By definition: for each ordering the sum over the graphs that fit it."""
    n = data.n_variables
    space = bn.Constraints(forbidden=[("v0", "v2")]).resolve(data.names, 2)
    masks = naive_orders.legal_masks(n, space)
    totals = naive_orders.totals(masks, naive_orders.family_table(SCORE, data))
    return {
        ordering: np.logaddexp.reduce(totals[naive_orders.fits(masks, ordering)])
        for ordering in itertools.permutations(range(n))
    }


def walk(chain, n_steps, n_rungs=1):
    """The orderings of rung 0 after each move."""
    trace, visited, masks = np.zeros(1), [], np.zeros((1, chain.tables.n_variables), dtype=np.int32)
    states = [state._replace(trace=trace, visited=masks) for state in chain.states]
    handles, chain._at = handles_of(states), np.arange(n_rungs)
    for _ in range(n_steps):
        run_moves(handles, chain._at, 1, 1)
        visited.append((tuple(chain.orderings[0]), float(trace[0])))
    return visited


def distance_to(visited, weights):
    """Total variation distance of the visits to the distribution that the weights give."""
    total, seen = np.logaddexp.reduce(list(weights.values())), dict.fromkeys(weights, 0.0)
    for ordering, _ in visited:
        seen[ordering] += 1 / len(visited)
    return sum(abs(seen[o] - math.exp(w - total)) for o, w in weights.items()) / 2


@pytest.fixture(scope="module")
def four():
    return make_data([2, 3, 2, 2], 25, seed=9, unseen=0.3)


@pytest.mark.parametrize("kind", sorted(SHARES))
def test_detailed_balance_and_stationary_distribution_against_enumeration(four, kind):
    """As many passages one way as the other, and visits by weight.

    Passages: at most 276 pairs, |z| < 5, false-alarm rate 2e-4. Visits: the total variation distance of 20,000
    correlated draws over 24 orderings is near 0.02.
    """
    weights = weights_of_orderings(four)
    visited = walk(chain_over(four, kind), 20_000)
    shift = visited[0][1] - weights[visited[0][0]]
    for ordering, log_weight in visited[::97]:
        assert log_weight - weights[ordering] == pytest.approx(shift, abs=1e-9)
    flows = {}
    for (one, _), (other, _) in itertools.pairwise(visited):
        if one != other:
            flows[one, other] = flows.get((one, other), 0) + 1
    worst = max(abs(n - flows.get((b, a), 0)) / math.sqrt(n + flows.get((b, a), 0)) for (a, b), n in flows.items())
    assert worst < 5
    assert distance_to(visited, weights) < 0.06


def test_heated_orderings_leave_rung_0_its_distribution_against_enumeration(four):
    """As above; with exchanges."""
    chain = chain_over(four, "all")
    assert distance_to(walk(chain, 20_000, len(chain.states)), weights_of_orderings(four)) < 0.06


@pytest.mark.parametrize("kind", sorted(SHARES))
def test_what_is_kept_up_to_date_is_what_it_would_be_afresh(kind):
    """Masks, positions and weights after many moves of twelve variables with few candidates."""
    data = make_data([2] * 12, 60, seed=3)
    space = bn.Constraints(required=[("v3", "v1")]).resolve(data.names, 2)
    rng = np.random.default_rng(5)
    columns = [[*rng.choice(12, 4, replace=False).tolist(), *([3] if v == 1 else [])] for v in range(12)]
    tables = parent_set_tables(lambda: LocalScores(data, SCORE), space, columns)
    start = ordering_near(range(12), space)
    chain = OrderChain(tables, [start], rng, np.zeros(1, dtype=np.uint8))
    with_shares(chain, kind)
    for _ in range(5):
        chain.advance(Plan(1, 2, 20, 12))
        ordering, masks, at = np.array(chain.orderings[0]), chain._cold.masks.copy(), chain._cold.at.copy()
        assert sorted(ordering.tolist()) == list(range(12))
        assert ordering.tolist().index(3) < ordering.tolist().index(1)
        for child in range(12):
            before = ordering[: ordering.tolist().index(child)].tolist()
            mask = sum(1 << c for c, v in enumerate(tables.candidates_of(child).tolist()) if v in before)
            assert masks[child] == mask
            assert at[child] == tables.sums_of(child)[mask]


def test_graphs_are_drawn_by_weight_against_enumeration(four):
    """From a fixed ordering: 4,000 draws; |z| < 5 for each edge, false-alarm rate 1e-5; and the heaviest is known."""
    chain = chain_over(four, "all")
    space = bn.Constraints(forbidden=[("v0", "v2")]).resolve(four.names, 2)
    masks = naive_orders.legal_masks(4, space)
    masks = masks[naive_orders.fits(masks, range(4))]
    totals = naive_orders.totals(masks, naive_orders.family_table(SCORE, four))
    share = np.exp(totals - np.logaddexp.reduce(totals))
    batch = chain.advance(Plan(1, 4_000, 1, 0))
    drawn = np.unpackbits(batch.graphs, axis=1, count=16).reshape(-1, 4, 4)
    expected = sum(p * naive_orders.matrix_of(row) for p, row in zip(share, masks, strict=True))
    spread = np.sqrt(expected * (1 - expected) / len(drawn))
    assert (abs(drawn.mean(axis=0) - expected) <= 5 * spread + 1e-12).all()
    assert batch.mean == pytest.approx(expected, abs=1e-9)  # given the ordering no sampling is needed
    assert batch.square == pytest.approx(expected**2, abs=1e-9)
    best = np.unpackbits(batch.best_graph, count=16).reshape(4, 4)
    assert (best == naive_orders.matrix_of(masks[totals.argmax()])).all()


def test_orderings_to_start_from():
    names = ("a", "b", "c", "d")
    space = bn.Constraints(required=[("d", "a"), ("c", "d")]).resolve(names)
    assert ordering_near([0, 1, 2, 3], space) == [1, 2, 3, 0]


CONSTRAINTS = bn.Constraints(required=[("v3", "v1")], forbidden=[("v0", "v2")], tiers=[["v3"], ["v4"]])


@pytest.fixture(scope="module")
def five():
    return make_data([2, 3, 2, 2, 2], 60, seed=9, unseen=0.3)


def made(data, limit, candidates):
    space = CONSTRAINTS.resolve(data.names, limit)
    return space, parent_set_tables(lambda: LocalScores(data, SCORE), space, candidates, n_threads=2)


def parents_of(tables, child, mask):
    """The columns that a mask over a child's candidates stands for."""
    return [int(v) for c, v in enumerate(tables.candidates_of(child)) if mask >> c & 1]


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_weights_are_local_scores_and_sums_go_over_subsets_against_definition(five, limit):
    space, tables = made(five, limit, [[3, 1, 4], [3, 0], [0, 1, 3, 4], [0, 1], range(5)])
    assert tables.candidates_of(0).tolist() == [1, 3, 4]
    assert tables.candidates_of(2).tolist() == [1, 3, 4]  # an edge from v0 is forbidden
    for child in range(5):
        weights, sums = tables.weights_of(child), tables.sums_of(child)
        masks = tables.masks[: tables.n_sets[child]]
        assert len(sums) == 2 ** len(tables.candidates_of(child))
        required = set(np.flatnonzero(space.required[:, child]).tolist())
        for mask, weight in zip(masks.tolist(), weights, strict=True):
            parents = parents_of(tables, child, mask)
            assert len(parents) <= limit
            expected = naive.local_score(SCORE, five, child, parents) if required <= set(parents) else -np.inf
            assert weight == pytest.approx(expected, abs=1e-9)
        for within, total in enumerate(sums):
            fits = [weight for mask, weight in zip(masks, weights, strict=True) if mask & ~within == 0]
            expected = np.logaddexp.reduce(fits)
            assert total == expected or total == pytest.approx(expected, abs=1e-12)
    for child, parent in np.ndindex(5, 5):
        columns = tables.candidates_of(child).tolist()
        assert tables.place[child, parent] == (columns.index(parent) if parent in columns else -1)


def test_stopped_scoring_leaves_the_required_parents(five):
    space, stop = CONSTRAINTS.resolve(five.names, 3), np.ones(1, dtype=np.uint8)
    tables = parent_set_tables(lambda: LocalScores(five, SCORE, stop), space, [range(5)] * 5)
    assert tables.n_evaluations == 5
    assert np.isfinite(tables.weights).sum() == 5
    assert np.isfinite(tables.sums_of(1)[-1])


def test_memory_is_refused_before_scoring(five):
    needed = 8 * 500 * (2**12 + 794) + 8 * 500**2
    check_tables_memory([12] * 500, 4, needed)
    with pytest.raises(ValueError, match=r"the tables of parent sets of 500 variables .* lower candidates"):
        check_tables_memory([12] * 500, 4, needed - 1)
    with pytest.raises(ValueError, match="and what chains record, need"):
        check_tables_memory([12] * 500, 4, needed, 1)
    with pytest.raises(ValueError, match="candidates must be at most 20 a variable"):
        check_tables_memory([21, 3], 4, 2**40)


@pytest.mark.parametrize(("n", "k"), [(0, 0), (1, 1), (4, 0), (5, 2), (6, 6)])
def test_small_sets_against_enumeration(n, k):
    small = small_sets(n, k)
    for m in range(n + 1):
        sets = [s for s in range(1 << m) if s.bit_count() <= k]
        assert small.masks[: small.within[m]].tolist() == sets
        at = small.places[: small.smaller[m]]
        assert small.masks[at].tolist() == [s for s in sets if s.bit_count() < k]
        if m < n:
            after = small.masks[small.within[m] : small.within[m + 1]]
            assert after.tolist() == [s | 1 << m for s in small.masks[at].tolist()]


@pytest.mark.parametrize("constraints", [bn.Constraints(), CONSTRAINTS])
def test_two_scores_of_one_count_against_each_alone(constraints):
    data = bn.load_network("asia").sample(400, rng=1)
    data = data.select(data.names[:7])
    data = bn.Dataset(tuple(f"v{v}" for v in range(7)), data.states, data.codes)
    space, everybody = constraints.resolve(data.names, 4), [[v for v in range(7) if v != child] for child in range(7)]
    everybody = [[v for v in row if space.allowed[v, child]] for child, row in enumerate(everybody)]
    scores = [bn.WithPrior(bn.teaching.LeadingCorrection(bn.BDeu(ess)), uniform_parent_sizes=True) for ess in (1, 10)]
    both = tables_of_two(*(LocalScores(data, score) for score in scores), space, everybody)
    for score, tables in zip(scores, both, strict=True):
        alone = parent_set_tables(lambda score=score: LocalScores(data, score), space, everybody)
        assert tables.weights == pytest.approx(alone.weights, abs=1e-9)
        assert tables.sums == pytest.approx(alone.sums, abs=1e-9)
