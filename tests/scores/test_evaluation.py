"""Scores of given graphs, description lengths, corrected scores, and their error messages."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.evaluation import explain_empty
from tests import naive
from tests.strategies import dags, datasets, named


@pytest.fixture
def four():
    return bn.Dataset.from_frame(bn.load_sample("lecture_4"))


@given(datasets(min_variables=4, max_variables=4, max_rows=80), dags(4))
def test_mdl_is_bic_in_bits_invariant(data, dag):
    edges = named(data, dag)
    length = bn.mdl(data, edges)
    assert length.mdl == pytest.approx(-bn.score(data, edges, bn.BIC()) / math.log(2), abs=1e-9)
    assert length.mdl == pytest.approx(length.size_bits - length.log2_likelihood, abs=1e-12)


@given(datasets(min_variables=4, max_variables=4, max_rows=40), dags(4))
def test_parameters_against_naive(data, dag):
    expected = sum(naive.n_parameters(data, v, naive.parents_in(dag, v)) for v in range(4))
    assert bn.teaching.n_parameters(data, named(data, dag)) == expected
    assert bn.mdl(data, named(data, dag)).parameters == expected


@pytest.mark.slow
@given(
    datasets(min_variables=4, max_variables=4, max_rows=60), dags(4), st.integers(0, 99), st.sampled_from([0.5, 0.3])
)
def test_corrected_score_against_equation_7(data, dag, seed, strength):
    """T_BC = T(resample) - strength |theta|, with |theta| over the given data's state space."""
    resample = data.take(np.random.default_rng(seed).integers(0, data.n_rows, data.n_rows))
    edges = named(data, dag)
    for score in (bn.BIC(), bn.BDeu(2)):
        plain = naive.graph_score(score, resample, dag)
        corrected = bn.corrected_score(data, resample, edges, score, strength=strength)
        assert corrected == pytest.approx(plain - strength * bn.teaching.n_parameters(data, edges), abs=1e-8)
        uncorrected = bn.corrected_score(data, resample, edges, score, correction="none")
        assert uncorrected == pytest.approx(plain, abs=1e-8)


def test_corrected_score_refuses_another_state_space(four):
    other = bn.Dataset(four.names, (("a", "b", "c"), four.states[1]), four.codes)
    with pytest.raises(ValueError, match="resample must have the variables and states"):
        bn.corrected_score(four, other, [], bn.BIC())


@pytest.mark.slow
@given(datasets(min_variables=4, max_variables=4, max_rows=60), dags(4))
def test_edge_gains_against_naive(data, dag):
    gains = bn.teaching.edge_gains(data, named(data, dag), bn.BIC())
    assert list(gains) == named(data, dag)
    whole = naive.graph_score(bn.BIC(), data, dag)
    for (parent, child), gain in gains.items():
        without = dag.copy()
        without[data.index(parent), data.index(child)] = False
        assert gain == pytest.approx(whole - naive.graph_score(bn.BIC(), data, without), abs=1e-8)


def test_explain_empty_names_the_best_edge_that_the_constraints_allow_and_its_penalty():
    codes = [[i & 1, (i >> 1) & 1, (i & 1) if i < 10 else 1 - (i & 1)] for i in range(16)]
    data = bn.Dataset(("a", "b", "c"), (("0", "1"),) * 3, codes)
    assert bn.learn(data).edges == []
    sentence = explain_empty(data)
    fit = bn.local_score(data, "c", ["a"], bn.LogLikelihood()) - bn.local_score(data, "c", [], bn.LogLikelihood())
    assert "a → c" in sentence
    assert f"raises the log-likelihood by {fit:.3g} nats" in sentence
    assert f"BIC penalty of {0.5 * math.log(16):.3g} nats" in sentence
    assert explain_empty(data.select(["a"])) == "There is only one variable, but a network needs at least two."
    assert "c → a" in explain_empty(data, bn.BIC(), bn.Constraints(forbidden=[("a", "c")]))
    assert "→" not in explain_empty(data, bn.BIC(), bn.Constraints(max_parents=0))


@pytest.mark.parametrize(
    ("edges", "says"),
    [
        ([("X", "Z")], "edge X → Z: no variable is named 'Z'; the variables are X, Y"),
        ([("X", "X")], "edge X → X .* a variable to itself"),
    ],
)
def test_errors_name_the_edge(four, edges, says):
    for ask in (bn.score, bn.teaching.edge_gains):
        with pytest.raises(ValueError, match=says):
            ask(four, edges, bn.BIC())
    with pytest.raises(ValueError, match=says):
        bn.mdl(four, edges)


def test_errors_name_the_family(four):
    with pytest.raises(ValueError, match="no variable is named 'Z'"):
        bn.local_score(four, "Z", [], bn.BIC())
    with pytest.raises(ValueError, match="parents of 'X' must be different variables other than itself"):
        bn.local_score(four, "X", ["X"], bn.BIC())
    with pytest.raises(ValueError, match="parents of 'X' must be different variables"):
        bn.local_score(four, "X", ["Y", "Y"], bn.BIC())


@given(datasets(min_variables=2, max_variables=4, max_rows=40))
def test_the_parts_of_a_score_against_their_definitions(data):
    """Dependence and noise are N times mutual information and entropy; the noise is that of any graph."""
    names = data.names
    edges = [(names[0], name) for name in names[1:]]
    parts = bn.teaching.decompose(data, edges, bn.BIC())
    assert parts["noise"].tolist() == pytest.approx(bn.teaching.decompose(data, [], bn.BIC())["noise"].tolist())
    for v, name in enumerate(names):
        counts = np.bincount(data.codes[:, v])
        assert parts["noise"][v] == pytest.approx(data.n_rows * bn.teaching.plugin_entropy(counts))
        if v:
            table = bn.teaching.contingency_table(data, names[0], name)
            dependence = data.n_rows * bn.teaching.mutual_information(table)
            assert parts["dependence"][v] == pytest.approx(dependence, abs=1e-8)
    assert parts["penalty"].tolist() == pytest.approx(parts["parameters"] / 2 * math.log(data.n_rows), abs=1e-8)
    total = parts["dependence"] - parts["noise"] - parts["penalty"]
    assert total.sum() == pytest.approx(bn.score(data, edges, bn.BIC()))
    assert total.tolist() == pytest.approx(parts["score"].tolist())
    assert parts["parents"].tolist() == ["", *[names[0]] * (len(names) - 1)]


def test_a_score_by_covariances_is_explained_by_its_own_likelihood_and_not_split_into_parts_of_counts():
    data = bn.load_network("cancer").sample(60, rng=3).select(["Pollution", "Xray"])
    words = explain_empty(data, bn.GaussianBIC())
    own = bn.local_score(data, "Xray", ["Pollution"], bn.GaussianBIC()) - bn.local_score(
        data, "Xray", [], bn.GaussianBIC()
    )
    fit, penalty = (float(number) for number in re.findall(r"([\d.e-]+) nats", words))
    assert penalty == pytest.approx(0.5 * math.log(60), rel=1e-2)  # one covariance more
    assert fit - penalty == pytest.approx(own, abs=5e-3)
    with pytest.raises(ValueError, match="score must be one of counts"):
        bn.teaching.decompose(data, [], bn.GaussianBIC())
