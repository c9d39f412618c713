"""All graphs, their posterior, and predictions averaged over them, against enumeration by other means."""

import numpy as np
import pytest
from hypothesis import given, settings

import bnengine as bn
from bnengine.graphs.dag import edges_of, is_dag
from tests import naive_orders
from tests.strategies import datasets


def matrices(n):
    bits = np.arange(n)
    return [((row[None, :] >> bits[:, None]) & 1).astype(bool) for row in bn.teaching.all_dags(n)]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_graphs_against_another_enumeration(n):
    graphs = matrices(n)
    assert all(is_dag(graph) for graph in graphs)
    expected = {naive_orders.matrix_of(row).tobytes() for row in naive_orders.dag_masks(n)}
    assert {graph.tobytes() for graph in graphs} == expected
    assert len(graphs) == len(expected) == bn.teaching.n_dags(n)


@pytest.mark.slow
@settings(max_examples=25)
@given(datasets(min_variables=3, max_variables=3, max_rows=40, max_arity=3))
def test_posterior_against_the_score_of_every_graph(data):
    scores = np.array([bn.score(data, edges_of(data.names, graph), bn.BDeu(2.0)) for graph in matrices(3)])
    weights = np.exp(scores - scores.max())
    assert bn.teaching.graph_posterior(data, 2.0) == pytest.approx(weights / weights.sum(), abs=1e-9)


def test_predictions_against_the_sum_over_every_graph():
    data = bn.load_network("cancer").sample(150, rng=4).select(["Smoker", "Cancer", "Xray"])
    train, test = bn.teaching.split_rows(data, 0.5, 1)
    found = bn.teaching.predict_rows(train, test, ess=2.0, n=20)
    posterior = bn.teaching.graph_posterior(train, 2.0)
    logs = np.array(
        [
            bn.prediction.log_probabilities(bn.fit(train, edges_of(train.names, graph), 2.0), test)
            for graph in matrices(3)
        ]
    )
    assert found["posterior average"].to_numpy() == pytest.approx(np.log(posterior @ np.exp(logs)), abs=1e-9)
    assert found["best graph"].to_numpy() == pytest.approx(logs[posterior.argmax()], abs=1e-9)
    ensemble = bn.resample(train, bn.BDeu(2.0), bn.HillClimbing(), bn.Bootstrap(20))
    each = [
        np.exp(bn.prediction.log_probabilities(bn.fit(train, edges_of(train.names, graph), 2.0), test))
        for graph in ensemble.adjacencies
    ]
    assert found["bootstrap average"].to_numpy() == pytest.approx(np.log(np.mean(each, axis=0)), abs=1e-9)


def test_rows_against_their_frequency_and_their_predictions():
    data = bn.load_network("cancer").sample(400, rng=6).select(["Pollution", "Smoker", "Cancer"])
    table = bn.teaching.predicted_against_observed(data, 60, ess=2.0, n=10, rng=3)
    train, test = bn.teaching.split_rows(data, 60 / 400, 3)
    assert train.n_rows == 60
    counts = test.to_frame().astype(str).agg(", ".join, axis=1).value_counts(normalize=True)
    assert table["observed"].tolist() == sorted(counts.tolist(), reverse=True)
    expected = np.exp(bn.teaching.predict_rows(train, test, 2.0, 10, 3))
    written = test.to_frame().astype(str).agg(", ".join, axis=1)
    for _, line in table.iterrows():
        assert line["observed"] == counts[line["row"]]
        place = written.tolist().index(line["row"])
        for way in ("best graph", "bootstrap average", "posterior average"):
            assert line[way] == pytest.approx(expected[way].iloc[place], abs=1e-12)
    with pytest.raises(ValueError, match="size must lie between 1 and 399"):
        bn.teaching.predicted_against_observed(data, 400)


def test_refusals(asia):
    with pytest.raises(ValueError, match="rows are left to predict"):
        bn.teaching.averaging_gains(asia.select(asia.names[:3]), [200])
    with pytest.raises(ValueError, match="n_variables must be a whole number from 1 to 5; got 8"):
        bn.teaching.predict_rows(asia, asia)
    with pytest.raises(ValueError, match="variables and states"):
        bn.teaching.predict_rows(asia.select(asia.names[:3]), asia.select(asia.names[1:4]))


def test_gains_and_their_errors_against_the_repeats_one_by_one():
    data = bn.load_network("cancer").sample(120, rng=5).select(["Smoker", "Cancer", "Xray"])
    gained = bn.teaching.averaging_gains(data, [10, 30], repeats=4, ess=2.0, n=5, rng=7)
    table = gained.table.set_index(["rows", "method"])
    gains = {}
    for generator in np.random.default_rng(7).spawn(4):
        train, test = bn.teaching.split_rows(data, 30 / 120, generator)
        for size in (10, 30):
            mean = bn.teaching.predict_rows(train.take(np.arange(size)), test, 2.0, 5, generator).mean() / np.log(2)
            for method in mean.index:
                gains.setdefault((size, method), []).append(mean[method] - mean["best graph"])
    for place, values in gains.items():
        error = np.sqrt(sum((x - np.mean(values)) ** 2 for x in values) / 3 / 4)
        assert table.loc[place, "gain_bits"] == pytest.approx(np.mean(values), abs=1e-12)
        assert table.loc[place, "gain_error"] == pytest.approx(error, abs=1e-12)
        assert (error > 1e-4) == (place[1] != "best graph")


def test_stopped_work_keeps_its_repeats():
    data = bn.load_network("cancer").sample(60, rng=5).select(["Smoker", "Cancer"])
    settings = {"repeats": 5, "n": 5, "rng": 7}
    told = []
    whole = bn.teaching.averaging_gains(data, [10, 20], **settings, progress=lambda *steps: told.append(steps))
    assert (whole.repeats, whole.status) == (5, "converged")
    assert told == [(step, 10) for step in range(10)]
    for done, kept in ((0, 0), (3, 1), (4, 2), (9, 4)):
        part = bn.teaching.averaging_gains(data, [10, 20], **settings, progress=lambda step, _, most=done: step < most)
        assert (part.repeats, part.status) == (kept, "stopped")
        assert len(part.table) == (6 if kept > 1 else 0)
        assert list(part.table) == list(whole.table)
