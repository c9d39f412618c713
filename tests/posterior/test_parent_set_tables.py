"""Weights and sums of parent sets among candidates, against sums over subsets by definition."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.posterior.parent_set_tables import (
    check_tables_memory,
    parent_set_tables,
    small_sets,
    tables_memory,
    tables_of_two,
)
from bnengine.scores.local_score import LocalScores
from tests import naive
from tests.strategies import make_data

CONSTRAINTS = bn.Constraints(required=[("v3", "v1")], forbidden=[("v0", "v2")], tiers=[["v3"], ["v4"]])
SCORE = bn.WithPrior(bn.BDeu(2), uniform_parent_sizes=True)


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
    needed = tables_memory([12] * 500, 4)
    assert needed == 8 * 500 * (2**12 + 794) + 8 * 500**2
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
