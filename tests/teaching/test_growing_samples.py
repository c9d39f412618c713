"""Scores as rows come in, dependence in samples, and what choosing a graph adds to a corrected score."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy import stats
from scipy.stats import beta

import bnengine as bn
from bnengine._core.random_generators import generator_of
from bnengine.graphs.dag import adjacency_of, is_dag
from bnengine.scores.local_score import LocalScores
from tests import naive
from tests.strategies import datasets


def test_correction_and_choice_by_enumeration_of_all_resamples():
    """Over all 5**5 resamples: each graph's score moves by its bias less ½ |θ|, the best one's by more."""
    data = bn.Dataset(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]]))
    scores, given = LocalScores(data, bn.teaching.LeadingCorrection(bn.BIC())), LocalScores(data, bn.BIC())
    graphs = [(0, []), (1, [])], [(0, []), (1, [0])]
    on_data = [sum(given(*family) for family in graph) for graph in graphs]
    fixed, best = [], []
    for drawn in naive.all_resamples(5):
        weights = np.bincount(data.distinct_row_of[list(drawn)], minlength=data.multiplicities.size)
        scores.reweigh(weights.astype(np.int32))
        fixed.append([sum(scores(*family) for family in graph) for graph in graphs])
        best.append(max(fixed[-1]))
    tables = [bn.teaching.bias_by_family(data, edges) for edges in ([], [("a", "b")])]
    moved = [(table["exact"] - table["leading"]).sum() for table in tables]
    expected = np.add(on_data, moved)
    assert np.mean(fixed, axis=0) == pytest.approx(expected, abs=1e-9)
    assert np.mean(best) > max(expected) + 0.1


# Mutual information, spurious dependence against the chi-square, and ties


@given(datasets(min_variables=2, max_variables=4, max_rows=60))
def test_information_against_the_log_likelihood(data):
    """N I(X; Y) is what the edge adds to the log-likelihood."""
    scores = LocalScores(data, bn.LogLikelihood())
    matrix = bn.teaching.mutual_informations(data)
    assert (matrix == matrix.T).all()
    for i in range(data.n_variables):
        assert matrix[i, i] == 0
        for j in range(i):
            gain = (scores(i, [j]) - scores(i)) / data.n_rows
            table = bn.teaching.contingency_table(data, data.names[i], data.names[j])
            assert table.sum() == data.n_rows
            assert matrix[i, j] == pytest.approx(gain, abs=1e-10)
            assert bn.teaching.mutual_information(table) == pytest.approx(gain, abs=1e-10)


@pytest.mark.parametrize("n_states", [(2, 2), (3, 4)])
def test_g_squared_of_independent_variables_against_the_chi_square(n_states):
    """Data: mean df; resamples: mean 2 df, distribution 2 chi-square, up to order 1/N.

    False-alarm rate 6e-7 a mean, at 5 standard errors and 2 % for the next order; 1e-6 a Kolmogorov-Smirnov test.
    """
    made = bn.teaching.spurious_dependence(n_states, 2000, 4000, rng=11)
    freedom = (n_states[0] - 1) * (n_states[1] - 1)
    assert made.freedom == freedom
    for values, mean in ((made.in_data, freedom), (made.in_resamples, 2 * freedom)):
        error = values.std(ddof=1) / math.sqrt(values.size)
        assert abs(values.mean() - mean) < 5 * error + 0.02 * mean
    # G² of 2 x 2 tables takes few values: the test is on the larger tables, and on a coarse grid for the small ones
    scaled = stats.chi2(freedom, scale=2.0)
    if freedom > 1:
        assert stats.kstest(made.in_data, stats.chi2(freedom).cdf).pvalue > 1e-6
        assert stats.kstest(made.in_resamples, scaled.cdf).pvalue > 1e-6
    densities = made.densities()
    assert densities["data"].to_numpy() == pytest.approx(stats.chi2(freedom).pdf(densities["g_squared"]))
    assert densities["resample"].to_numpy() == pytest.approx(scaled.pdf(densities["g_squared"]))
    in_data, in_resamples = made.found_dependent()
    assert abs(in_data - 0.05) < 5 * math.sqrt(0.05 * 0.95 / 4000) + 0.005
    expected = float(scaled.sf(made.critical_value))
    assert abs(in_resamples - expected) < 5 * math.sqrt(expected / 4000) + 0.01


def coin(p):
    return bn.BayesianNetwork(("coin",), (("heads", "tails"),), ((),), (np.array([[p, 1 - p]]),))


def test_graphs_around_are_dags_one_edge_away():
    for name in ("cancer", "asia", "survey", "sachs"):
        network = bn.load_network(name)
        changes = bn.teaching.single_changes(network.sample(20), network.edges)
        legal = [(c.parent, c.child) for c in changes if c.kind == "add"]
        true, place = set(network.edges), network.names.index
        first = min(legal, key=lambda edge: (place(edge[0]), place(edge[1])))
        assert is_dag(adjacency_of(network.names, true | {first}))
        graphs = bn.teaching.graphs_around(network)
        assert list(graphs) == ["true graph", "one spurious edge", "one missing edge"]
        assert set(graphs["one spurious edge"]) - true == {first}
        assert true - set(graphs["one missing edge"]) == {network.edges[0]}


def test_curves_against_the_scores_of_the_samples():
    network = bn.load_network("survey")
    graphs = bn.teaching.graphs_around(network)
    table = bn.teaching.score_growth(network, graphs, [40, 90], ess=2.0, repeats=3, rng=5)
    samples = [network.sample(90, generator) for generator in generator_of(5).spawn(3)]
    for _, line in table.iterrows():
        edges, rows = graphs[line["graph"]], range(line["rows"])
        bdeu = [bn.score(sample.take(rows), edges, bn.BDeu(2.0)) for sample in samples]
        bic = [bn.score(sample.take(rows), edges, bn.BIC()) for sample in samples]
        true = [bn.score(sample.take(rows), network.edges, bn.BDeu(2.0)) for sample in samples]
        assert line["bdeu"] == pytest.approx(np.mean(bdeu), abs=1e-8)
        assert line["bic"] == pytest.approx(np.mean(bic), abs=1e-8)
        assert line["bdeu_minus_bic"] == pytest.approx(np.mean(bdeu) - np.mean(bic), abs=1e-8)
        assert line["bdeu_ahead"] == pytest.approx(np.mean(bdeu) - np.mean(true), abs=1e-8)
        assert line["first_wins"] == np.mean(np.array(bdeu) < np.array(true))


@pytest.mark.parametrize(("p", "ess"), [(0.3, 2.0), (0.5, 1.0), (0.8, 6.0)])
def test_the_difference_of_a_coin_against_laplaces_constant(p, ess):
    """ln P(D) - BIC tends to ln prior(p) + ln(2 pi p (1 - p)) / 2 (Schwarz 1978; Kass & Raftery 1995)."""
    table = bn.teaching.score_growth(coin(p), {"coin": []}, [10**6], ess=ess, repeats=1, rng=1)
    limit = math.log(beta.pdf(p, ess / 2, ess / 2)) + 0.5 * math.log(2 * math.pi * p * (1 - p))
    # the estimate of p is off by 5e-4; the constant moves by at most 6 times that, seven deviations are below 0.02
    assert table["bdeu_minus_bic"][0] == pytest.approx(limit, abs=0.02)


def test_the_difference_is_bounded_where_nothing_is_impossible_and_grows_where_something_is():
    sizes = [1_000, 30_000]
    survey, asia = bn.load_network("survey"), bn.load_network("asia")
    assert bn.teaching.n_impossible(survey) == 0
    assert bn.teaching.n_impossible(asia) == 4
    bounded = bn.teaching.score_growth(survey, {"true": survey.edges}, sizes, repeats=5)["bdeu_minus_bic"]
    growing = bn.teaching.score_growth(asia, {"true": asia.edges}, sizes, repeats=5)["bdeu_minus_bic"]
    assert abs(bounded[1] - bounded[0]) < 2
    # four parameters that BIC charges ln(N) / 2 and BDeu all but nothing: a slope of about 4 ln(30) / 2 = 6.8
    assert growing[1] - growing[0] > 3


def test_with_enough_rows_the_true_graph_wins():
    network = bn.load_network("survey")
    table = bn.teaching.score_growth(network, bn.teaching.graphs_around(network), [30, 10_000], repeats=10)
    late = table[(table["rows"] == 10_000) & (table["graph"] != "true graph")]
    assert (late["first_wins"] == 1).all()
    assert (late["bdeu_ahead"] < -5).all()
    assert (late["bic_ahead"] < -5).all()
    early = table[(table["rows"] == 30) & (table["graph"] == "one missing edge")]
    assert early["bdeu_ahead"].item() > 0  # with few rows the simpler graph wins


def test_the_rows_from_which_on_the_first_graph_wins_by_hand():
    def table(bdeu, bic):
        lines = [(rows, "first", 0.0, 0.0) for rows in (10, 20, 30)]
        lines += [(rows, "other", a, b) for rows, a, b in zip((10, 20, 30), bdeu, bic, strict=True)]
        return pd.DataFrame(lines, columns=["rows", "graph", "bdeu_ahead", "bic_ahead"])

    lost, won = [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]
    assert bn.teaching.rows_until_first_wins(table(won, lost)) == 10
    assert bn.teaching.rows_until_first_wins(table(lost, won)) is None
    assert bn.teaching.rows_until_first_wins(table([1.0, -1.0, -1.0], lost)) == 20
    # a tie is no win, and an early win no matter
    assert bn.teaching.rows_until_first_wins(table([-1.0, 0.0, -1.0], won)) == 30
