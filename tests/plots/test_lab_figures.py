"""Pictures of the Bias lab and the Predict page: they draw the engine's numbers, and names as they are written."""

import re

import numpy as np
import pytest

import bnengine as bn
from bnengine.plots import lessons
from bnengine.plots.confidence import in_degree_figure
from bnengine.plots.prediction import accuracy_figure, edge_curve_figure, posteriors_figure


def renamed(data):
    names = ("<b>x</b>", *data.names[1:])
    states = (("<i>s</i>", "t"), *data.states[1:])
    return bn.Dataset(names, states, data.codes)


def test_predictions_and_posteriors_draw_names_as_they_are(asia):
    data = renamed(asia)
    splits = bn.prediction.k_folds(data.n_rows, 3)
    comparison = bn.prediction.compare_predictions(data, "<b>x</b>", {"<i>l</i>": bn.prediction.base_rate}, splits)
    figure = accuracy_figure(comparison.table(), "absolute_error", "Mean |P′ − D|", False, False)
    assert list(figure.data[0].y) == ["&lt;i&gt;l&lt;/i&gt;"]
    curve = bn.prediction.edge_curve(data, "<b>x</b>", splits)
    figure = edge_curve_figure(curve, "absolute_error", "Mean |P′ − D|", 2, 1, False)
    assert not any("<b>" in str(label) for label in figure.data[1].customdata[:, 0])
    assert list(figure.data[1].y) == curve.means["absolute_error"].tolist()
    network = bn.fit(data, curve.plan.edges[:5], ess=1.0)
    table = bn.prediction.what_if(network, {"smoke": "yes"})
    figure = posteriors_figure(table, False)
    assert "&lt;b&gt;x&lt;/b&gt;" in figure.layout.yaxis.ticktext
    assert not any("<i>" in text for text in figure.data[0].text)
    assert re.search(r": 0\.\d\d\n", "\n".join(figure.data[0].text))
    assert sum(figure.data[0].x) == pytest.approx(2 * table["variable"].nunique())


def test_errors_times_rows_lie_beside_half_of_the_parameters():
    table = bn.teaching.likelihood_gap(bn.load_network("cancer"), [50, 200], 2).table()
    figure = lessons.error_figure(table, lessons.ERRORS, False)
    named = {trace.name: np.array(trace.y) for trace in figure.data}
    np.testing.assert_allclose([named["|θ| / 2"], named["−|θ| / 2"]], [[5, 5], [-5, -5]])
    for column, name in lessons.ERRORS.items():
        np.testing.assert_allclose(named[name], table[column] * [50, 200])
    assert "−|θ| / 2" not in [trace.name for trace in lessons.error_figure(table, lessons.ESTIMATES, True).data]


def test_parents_beside_those_in_the_data_s_graph(study):
    keys = ["bootstrap_corrected", "bootstrap"]
    marks = [trace for trace in in_degree_figure(study, keys, False).data if trace.mode == "markers"]
    for key, trace in zip(keys, marks, strict=True):
        np.testing.assert_allclose(trace.y, study.confidence(key).sum(axis=0))
        assert list(trace.customdata) == study.reference.adjacency.sum(axis=0).tolist()
