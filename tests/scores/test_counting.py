"""Both ways to count, and an added parent, against dictionaries; the multinomial regret against its definition."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._jit.compiled import compiled, pointer_to
from bnengine.scores._count_terms import (
    LARGEST_EXACT,
    asymptotic_log_regret,
    log_regret,
    log_regret_of_two,
    log_regrets,
)
from bnengine.scores._incremental_counts import count_extended, split, split_buffer
from bnengine.scores.counting import count, count_by_masks, count_by_rows, fill_masks
from bnengine.scores.family_scores import local_score_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import empty_masks, score_context
from tests import naive
from tests.naive import count_multisets, rows_of, weighted_rows
from tests.strategies import datasets, families, make_data


@compiled
def by_masks(handle, child, parents):
    context = score_context(handle)
    return count_by_masks(context.sample, context.work, child, pointer_to(parents), parents.shape[0])


@compiled
def by_rows(handle, child, parents):
    context = score_context(handle)
    return count_by_rows(context.sample, context.work, child, pointer_to(parents), parents.shape[0])


@compiled
def by_cost(handle, child, parents):
    context = score_context(handle)
    return count(context.sample, context.work, child, pointer_to(parents), parents.shape[0])


@compiled
def extended_to(handle, child, parents, wanted):
    """Count the families with a wanted variable as one more parent, whatever it costs; how many cells were split."""
    context, n_parents = score_context(handle), parents.shape[0]
    n_split = split(context.sample, context.work, context.split, child, pointer_to(parents), n_parents, np.inf)
    count_extended(context, n_split, pointer_to(wanted))
    return n_split


def with_masks(data, score=None):
    """Local scores whose context has masks even where the engine would do without."""
    scores = LocalScores(data, score or bn.BIC())
    sample = scores.context.sample
    if sample.masks.size:
        return scores
    n_words = (data.n_rows + 63) // 64
    masks, columns = empty_masks(int(data.arities.sum()), n_words, data.n_variables if sample.n_own else 0)
    work = scores.context.work._replace(stack=np.zeros((data.n_variables + 1, n_words), dtype=np.uint64))
    sample = sample._replace(masks=masks, columns=columns, n_words=n_words, n_columns=columns.shape[1])
    scores.change(sample=sample, work=work, split=split_buffer(sample))
    fill_masks(scores.handle)
    return scores


def counted(way, scores, child, parents):
    n_configurations, n_cells = way(scores.handle, child, np.array(parents, dtype=np.int64))
    work = scores.context.work
    return sorted(work.configurations[:n_configurations].tolist()), sorted(work.cells[:n_cells].tolist())


def extended(scores, child, parents, candidate):
    """The same counts with ``candidate`` added, from the columns of all its states."""
    context = scores.context
    wanted = np.zeros(context.sample.n_variables, dtype=np.uint8)
    wanted[candidate] = 1
    n_split = extended_to(scores.handle, child, np.array(parents, dtype=np.int64), wanted)
    first = context.sample.first_mask[candidate]
    cells = context.split.counts[:n_split, first : first + context.sample.arities[candidate]]
    starts = np.flatnonzero(np.diff(context.split.configurations[:n_split], prepend=-1))
    of_configurations = np.add.reduceat(cells, starts, axis=0)
    return sorted(of_configurations[of_configurations > 0].tolist()), sorted(cells[cells > 0].tolist())


def check_ways(scores, rows, child, parents):
    """All ways to count a family, and those with one of its parents added, find what a dictionary of the rows has."""
    expected = count_multisets(rows, child, parents)
    for way in (by_masks, by_rows, by_cost):
        assert counted(way, scores, child, parents) == expected, way
    for added in parents:
        assert extended(scores, child, [p for p in parents if p != added], added) == expected


@pytest.mark.slow
@given(datasets(max_variables=6, max_rows=200), st.data())
def test_all_ways_against_naive(data, draws):
    check_ways(with_masks(data), rows_of(data), *draws.draw(families(data)))


@pytest.mark.slow
@given(datasets(min_variables=2, max_variables=5, max_rows=130), st.integers(0, 2**32 - 1), st.data())
def test_resamples_against_naive(data, seed, draws):
    """Weights from none to many; fewer rows than the data, too, as a jackknife has."""
    rng = np.random.default_rng(seed)
    n_drawn = int(rng.integers(1, data.n_rows + 1))
    drawn = data.distinct_row_of[rng.integers(0, data.n_rows, n_drawn)]
    weights = np.bincount(drawn, minlength=data.multiplicities.size).astype(np.int32)
    scores = with_masks(data)
    scores.reweigh(weights)
    check_ways(scores, weighted_rows(data, weights), *draws.draw(families(data)))


@pytest.mark.parametrize("arities", [(40, 40, 37), (40, 2, 40), (2, 40, 3)])
def test_many_states_against_naive(arities):
    data = make_data(arities, 333, seed=7)
    scores = with_masks(data)
    for child, parents in [(0, []), (0, [1]), (1, [0, 2]), (2, [0, 1])]:
        check_ways(scores, rows_of(data), child, parents)


@pytest.mark.parametrize("n_rows", [50, 700])
def test_hashed_family_against_naive(n_rows):
    """Twelve parents of six states have 2e9 configurations, far beyond the table: the numbers are ranked."""
    data = make_data([6] * 13, n_rows, seed=3, dependence=0.9)
    scores = with_masks(data)
    for n_parents in (5, 8, 12):
        check_ways(scores, rows_of(data), 0, list(range(1, n_parents + 1)))


def test_memory_is_bounded_by_the_rows_invariant():
    """The buffers grow with distinct rows and variables, not with the 6**12 configurations of the largest family."""
    data = make_data([6] * 13, 200, seed=11)
    scores = LocalScores(data, bn.BDeu())
    n_distinct, n_words = data.multiplicities.size, (data.n_rows + 63) // 64
    buffers = [part for part in scores.context.work if isinstance(part, np.ndarray)]
    n_bytes = sum(buffer.nbytes for buffer in buffers)
    assert n_bytes < 2**20 + 100 * n_distinct + 8 * 14 * (n_words + 1)
    kept, n_columns = scores.context.split, scores.context.sample.n_columns
    assert kept.words.nbytes + kept.places.nbytes <= 12 * (n_words * (n_distinct + 6) + 1)
    assert kept.counts.nbytes <= 4 * n_columns * (n_distinct + 6)
    before = [buffer.__array_interface__["data"][0] for buffer in buffers]
    local_score_of(scores.handle, 0, np.arange(1, 13))
    assert [buffer.__array_interface__["data"][0] for buffer in buffers] == before


@pytest.mark.parametrize(
    ("module", "limit"), [("score_context", "_LARGEST_MASKS"), ("_incremental_counts", "_LARGEST_BUFFER")]
)
@pytest.mark.parametrize("search", [bn.HillClimbing(), bn.K2()])
def test_limits_on_memory_do_not_change_the_graph_invariant(asia, module, limit, search, monkeypatch):
    """Where masks, or the split of a family, would be too large, counting goes another way."""
    unlimited = bn.learn(asia, bn.BDeu(1), search)
    monkeypatch.setattr(f"bnengine.scores.{module}.{limit}", 1)
    context = LocalScores(asia, bn.BDeu(1)).context
    assert (context.sample.masks.size if module == "score_context" else context.split.counts.size) == 0
    limited = bn.learn(asia, bn.BDeu(1), search)
    assert (limited.adjacency == unlimited.adjacency).all()
    assert limited.trace == pytest.approx(unlimited.trace, abs=1e-9)


def regret_by_enumeration(n, states):
    """The largest likelihood a multinomial gives each table of n rows, summed over all states ** n tables."""
    return math.fsum(
        math.prod((rows.count(state) / n) ** rows.count(state) for state in set(rows))
        for rows in itertools.product(range(states), repeat=n)
    )


def exact_by_recurrence(n, largest):
    """{states: ln C(n, states)} up to ``largest``, beyond where the engine is exact."""
    exact = {1: 0.0, 2: math.log(naive.regret(n, 2))}
    for k in range(3, largest + 1):
        exact[k] = exact[k - 1] + math.log1p(n / (k - 2) * math.exp(exact[k - 2] - exact[k - 1]))
    return exact


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_regret_against_enumeration_of_all_tables(n, states):
    assert log_regret(n, float(states)) == pytest.approx(math.log(regret_by_enumeration(n, states)), abs=1e-12)


@pytest.mark.parametrize("states", [1, 2, 3, 17, LARGEST_EXACT, LARGEST_EXACT + 1, 10**6])
def test_one_row_has_the_regret_of_its_states_against_theory(states):
    """Each of the K tables of one row has likelihood 1."""
    assert log_regret(1, float(states)) == pytest.approx(math.log(states), abs=1e-6)


def test_no_rows_and_single_states_have_no_regret_against_theory():
    assert log_regret(0, 5.0) == log_regret_of_two(0) == log_regret(0, 10.0**6) == 0.0
    assert log_regret(17, 1.0) == 0.0
    assert (log_regrets(0) == 0).all()


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_asymptotic_form_closes_in_on_the_exact_one_against_recurrence(n):
    """The error at least halves with each doubling of K: it is a fraction of 1 / K."""
    exact = exact_by_recurrence(n, 16 * LARGEST_EXACT)
    places = [LARGEST_EXACT << doublings for doublings in range(5)]
    errors = [abs(asymptotic_log_regret(n, float(k)) - exact[k]) for k in places]
    assert errors[0] < 1e-4
    assert all(after < 0.55 * before for before, after in itertools.pairwise(errors))
    for k in (LARGEST_EXACT + 1, 2 * LARGEST_EXACT):
        assert log_regret(n, float(k)) == pytest.approx(exact[k], abs=1e-4)
