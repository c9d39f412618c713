"""Leaving rows out against refitting, AIC's path against learning, and Stone's theorem."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import bnengine as bn
from tests.strategies import dags, datasets


def refitted(data, edges, ess):
    """The mean log-probability of each row under a network that was fitted to all others, one after the other."""
    total = 0.0
    for row in range(data.n_rows):
        others = [i for i in range(data.n_rows) if i != row]
        total += bn.prediction.log_probabilities(bn.fit(data.take(others), edges, ess), data.take([row]))[0]
    return total / data.n_rows


@settings(max_examples=25)
@given(datasets(min_variables=3, max_variables=3, max_rows=25, max_arity=4), dags(3))
def test_leaving_one_row_out_against_refitting(data, dag):
    if data.n_rows < 2:
        return
    edges = [(data.names[i], data.names[j]) for i, j in np.argwhere(dag)]
    for ess in (0.3, 5.0):
        assert bn.teaching.leave_one_out(data, edges, ess) == pytest.approx(refitted(data, edges, ess), abs=1e-9)


def test_leaving_one_row_out_tends_to_aic_and_not_to_half_of_its_charge_against_theory():
    """Stone (1977): N times the difference to AIC vanishes with N; nats, on ASIA-like dense tables of 4 variables."""
    rng = np.random.default_rng(1)
    edges = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    network = bn.BayesianNetwork(
        ("a", "b", "c", "d"),
        (("0", "1"),) * 4,
        ((), (0,), (0, 1), (2,)),
        tuple(rng.dirichlet((5, 5), q) for q in (1, 2, 4, 2)),
    )
    data = network.sample(20_000, rng=2)
    parameters = bn.n_parameters(data, edges)
    fit = bn.score(data, edges, bn.LogLikelihood())
    charged = fit - data.n_rows * bn.teaching.leave_one_out(data, edges, ess=0.01)
    assert charged == pytest.approx(parameters, abs=0.25)  # sd of the sum of 9 terms that tend to 1: 0.05 over samples


@pytest.fixture(scope="module")
def path():
    return bn.teaching.criteria_path(bn.Dataset.from_frame(bn.load_sample("alarm_300")))


def test_every_line_of_a_path_is_what_its_graph_scores(path):
    data = bn.Dataset.from_frame(bn.load_sample("alarm_300"))
    edges = list(zip(path.table["parent"][1:], path.table["child"][1:], strict=True))
    for k in (0, 1, 20, len(edges)):
        line = path.table.iloc[k]
        assert line["edges"] == k
        assert line["parameters"] == bn.n_parameters(data, edges[:k])
        for column, score in (
            ("aic", bn.AIC()),
            ("bic", bn.BIC()),
            ("dic", bn.teaching.DIC()),
            ("log_likelihood", None),
        ):
            score = score or bn.LogLikelihood()
            assert line[column] * data.n_rows == pytest.approx(bn.score(data, edges[:k], score))
        assert line["leave_one_out"] == pytest.approx(bn.teaching.leave_one_out(data, edges[:k]))


def test_a_path_adds_the_edge_that_raises_aic_most(asia):
    table = bn.teaching.criteria_path(asia, most_edges=4).table
    edges = list(zip(table["parent"][1:], table["child"][1:], strict=True))
    for k, chosen in enumerate(edges):
        scores = []
        for parent in asia.names:
            for child in asia.names:
                try:
                    scores.append(bn.score(asia, [*edges[:k], (parent, child)], bn.AIC()))
                except ValueError:
                    continue  # there already, itself, or a cycle
        assert bn.score(asia, [*edges[:k], chosen], bn.AIC()) == pytest.approx(max(scores))


def test_aic_and_leaving_one_out_want_more_edges_than_bic(path):
    assert path.best("bic") + 10 < path.best("aic")
    assert path.best("bic") + 10 < path.best("leave_one_out")
    assert path.status == "converged"
    assert len(path.table) - 1 > path.best("aic")


def test_the_limits_of_a_path_are_kept(asia):
    table = bn.teaching.criteria_path(asia, max_parents=1, most_edges=100).table
    assert table["edges"].tolist() == list(range(len(table)))
    assert table["child"][1:].is_unique
    assert len(bn.teaching.criteria_path(asia, most_edges=0).table) == 1
    assert len(bn.teaching.criteria_path(asia, max_parents=0).table) == 1
    stopped = bn.teaching.criteria_path(asia, progress=lambda done, most: done < 3)
    assert (stopped.status, len(stopped.table)) == ("stopped", 4)


def test_what_cannot_be_left_out_is_refused(asia):
    with pytest.raises(bn.DataError, match="needs two rows at least"):
        bn.teaching.leave_one_out(asia.take([0]), [])
    with pytest.raises(ValueError, match="cycle"):
        bn.teaching.leave_one_out(asia, [("lung", "smoke"), ("smoke", "lung")])
    for ess in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="ess"):
            bn.teaching.leave_one_out(asia, [], ess)
    with pytest.raises(ValueError, match="max_parents must be a whole number from 0 to 10,000; got -1"):
        bn.teaching.criteria_path(asia, max_parents=-1)
