"""Scores against their definitions, and what theory says about them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores._count_terms import LARGEST_TABULATED
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from tests import naive
from tests.strategies import dags, datasets, families, make_data, make_score


def any_score(data):
    """Every score of the registry with its settings varied, plain, corrected and with a structure prior."""
    with_ess = [kind for kind in sorted(SCORES) if hasattr(SCORES[kind], "ess")]
    ess = st.sampled_from([0.01, 0.5, 1.0, 10.0])
    plain = st.one_of(
        st.sampled_from(sorted(SCORES)).map(lambda kind: make_score(kind, data)),
        st.builds(lambda kind, ess: make_score(kind, data, ess=ess), st.sampled_from(with_ess), ess),
    )
    return st.one_of(
        plain,
        st.builds(bn.teaching.LeadingCorrection, plain, st.sampled_from([0.0, 0.5, 1.5])),
        st.builds(bn.WithPrior, plain, st.sampled_from([0.0, 0.7]), st.booleans()),
    )


@pytest.mark.slow
@given(datasets(max_variables=4, max_rows=60, max_arity=4), st.data())
def test_local_scores_against_naive(data, draws):
    score = draws.draw(any_score(data))
    child, parents = draws.draw(families(data))
    expected = naive.local_score(score, data, child, parents)
    assert LocalScores(data, score)(child, parents) == pytest.approx(expected, abs=1e-9, rel=1e-11)


@pytest.mark.parametrize("kind", sorted(SCORES))
@pytest.mark.parametrize("wrapped", [False, True])
def test_every_score_of_a_resample_against_naive(kind, wrapped, mixed):
    """A state or configuration that the resample has lost still counts, as if its rows had been copied."""
    score = make_score(kind, mixed)
    if wrapped:
        score = bn.teaching.LeadingCorrection(bn.WithPrior(bn.teaching.LeadingCorrection(score, 0.25), 0.7, True))
    rows = np.random.default_rng(4).integers(0, 20, 40)
    scores = LocalScores(mixed, score)
    scores.reweigh(np.bincount(mixed.distinct_row_of[rows], minlength=mixed.multiplicities.size).astype(np.int32))
    copied = mixed.take(rows)
    for child, parents in [(0, []), (1, [0]), (2, [0, 1]), (3, [1, 2])]:
        expected = naive.local_score(score, copied, child, parents)
        assert scores(child, parents) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@given(datasets(min_variables=4, max_variables=4, max_rows=60, max_arity=3), dags(4), st.sampled_from(sorted(SCORES)))
def test_graph_score_is_the_sum_of_its_families_invariant(data, dag, kind):
    score = make_score(kind, data)
    edges = [(data.names[i], data.names[j]) for i, j in np.argwhere(dag)]
    families_ = [([data.names[p] for p in naive.parents_in(dag, v)], data.names[v]) for v in range(4)]
    total = sum(bn.local_score(data, child, parents, score) for parents, child in families_)
    assert bn.score(data, edges, score) == pytest.approx(total, abs=1e-9)
    assert bn.score(data, edges, score) == pytest.approx(naive.graph_score(score, data, dag), abs=1e-9)


@pytest.mark.slow
def test_counts_beyond_the_table_against_naive():
    """Counts above LARGEST_TABULATED are computed, not looked up: a mistake would be an overrun, not a rounding."""
    data = make_data([2, 3], 3 * LARGEST_TABULATED + 11, seed=2, dependence=0.1)
    for kind in ("bic", "bdeu", "k2"):  # one of each form of a count's function; the oracle of regrets takes minutes
        score = make_score(kind, data)
        for child, parents in [(0, []), (1, []), (1, [0])]:
            expected = naive.local_score(score, data, child, parents)
            assert LocalScores(data, score)(child, parents) == pytest.approx(expected, abs=1e-6, rel=1e-12)


def guarded(function):
    """A count function of one row whose table lies in a larger array full of tens; and that array."""
    around = np.full(function.values.size + 64, 10.0)
    values = around[: function.values.size].reshape(function.values.shape)
    values[:] = np.nan
    return function._replace(values=values), around


@pytest.mark.parametrize("n_rows", [LARGEST_TABULATED - 1, LARGEST_TABULATED, LARGEST_TABULATED + 1])
def test_counts_at_the_edge_of_the_table_against_naive(n_rows):
    data = bn.Dataset(("x",), (("a", "b"),), np.zeros((n_rows, 1), dtype=int))
    assert LocalScores(data, bn.K2Score())(0) == pytest.approx(-math.log(n_rows + 1), abs=1e-9)
    scores = LocalScores(data, bn.LogLikelihood())
    cell, around_cell = guarded(scores.context.cell)
    configuration, around_configuration = guarded(scores.context.configuration)
    around_cell[cell.values.size :] = 20.0
    scores.context = scores.context._replace(cell=cell, configuration=configuration)
    assert scores(0) == pytest.approx(0, abs=1e-9)
    assert (around_cell[cell.values.size :] == 20).all()
    assert (around_configuration[configuration.values.size :] == 10).all()


class GrowingPrior:
    """BDeu with a hundredth of the rows as its equivalent sample size."""

    name = "growing prior"

    def form(self, n_rows):
        return bn.BDeu(n_rows / 100).form(n_rows)


def test_a_prior_that_grows_with_the_rows_is_that_of_the_resample(asia):
    scores = LocalScores(asia, GrowingPrior())
    families = [(v, [p for p in (0, 1) if p != v]) for v in range(4)]
    given = [scores(*family) for family in families]
    for times in (2, 1):
        scores.reweigh((times * asia.multiplicities).astype(np.int32))
        copied = asia.take(np.tile(np.arange(asia.n_rows), times))
        expected = [naive.bdeu(copied, *family, copied.n_rows / 100) for family in families]
        assert [scores(*family) for family in families] == pytest.approx(expected)
    assert [scores(*family) for family in families] == given
