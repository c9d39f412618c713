"""Scores as rows come in: against the scores themselves, Laplace's constant, and consistency."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import bnengine as bn
from bnengine._core.random_generators import generator_of
from bnengine.graphs.dag import adjacency_of, is_dag


def coin(p):
    return bn.BayesianNetwork(("coin",), (("heads", "tails"),), ((),), (np.array([[p, 1 - p]]),))


def test_graphs_around_are_dags_one_edge_away():
    for name in ("cancer", "asia", "survey", "sachs"):
        network = bn.load_network(name)
        free = bn.teaching.addable_edges(network)
        true = set(network.edges)
        assert free
        for edge in free:
            assert is_dag(adjacency_of(network.names, true | {edge}))
        legal = {
            c.parent + c.child for c in bn.teaching.single_changes(network.sample(20), network.edges) if c.kind == "add"
        }
        assert {a + b for a, b in free} == legal
        graphs = bn.teaching.graphs_around(network, free[-1], network.edges[-1])
        assert list(graphs) == ["true graph", "one spurious edge", "one missing edge"]
        assert set(graphs["one spurious edge"]) - true == {free[-1]}
        assert true - set(graphs["one missing edge"]) == {network.edges[-1]}


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


def test_refusals():
    network = bn.load_network("cancer")
    with pytest.raises(ValueError, match="in the network already, or would close a cycle"):
        bn.teaching.graphs_around(network, spurious=network.edges[0])
    with pytest.raises(ValueError, match="is not an edge of the network"):
        bn.teaching.graphs_around(network, missing=("Smoker", "Xray"))
    with pytest.raises(ValueError, match="must not be empty"):
        bn.teaching.score_growth(network, {}, [10])


def test_the_rows_from_which_on_the_first_graph_wins_by_hand():
    def table(bdeu, bic):
        lines = [(rows, "first", 0.0, 0.0) for rows in (10, 20, 30)]
        lines += [(rows, "other", a, b) for rows, a, b in zip((10, 20, 30), bdeu, bic, strict=True)]
        return pd.DataFrame(lines, columns=["rows", "graph", "bdeu_ahead", "bic_ahead"])

    lost, won = [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]
    assert bn.teaching.rows_until_first_wins(table(won, lost)) == 10
    assert bn.teaching.rows_until_first_wins(table(lost, won)) is None
    assert bn.teaching.rows_until_first_wins(table([1.0, -1.0, -1.0], lost)) == 20
    assert (
        bn.teaching.rows_until_first_wins(table([-1.0, 0.0, -1.0], won)) == 30
    )  # a tie is no win, and an early win no matter
