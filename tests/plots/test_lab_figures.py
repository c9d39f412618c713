"""Pictures of the Bias lab and the Predict page: they draw the engine's numbers, and names as they are written."""

import pytest

import bnengine as bn
from bnengine.plots.bias_lab import (
    added_by_count_figure,
    added_by_rows_figure,
    bias_by_size_figure,
    distribution_figure,
)
from bnengine.plots.confidence import posteriors_figure
from bnengine.plots.fit import (
    accuracy_figure,
    edge_curve_figure,
)
from bnengine.plots.palette import NAIVE


def named(figure, start):
    """The first trace whose name begins so."""
    return next(trace for trace in figure.data if (trace.name or "").startswith(start))


def test_bias_by_size_draws_all_four_ways():
    table = bn.teaching.entropy_bias_by_size(bn.teaching.skewed_distribution(4, 1.0), [5, 20, 100], 50)
    plain, scaled = (bias_by_size_figure(table, 20, by_n, False) for by_n in (False, True))
    for name, column in (("exact", "exact"), ("Monte", "monte_carlo"), ("−(|X|", "leading"), ("−(obs", "observed")):
        assert list(named(plain, name).y) == table[column].tolist()
        assert list(named(scaled, name).y) == (table[column] * table["n_rows"]).tolist()
    assert named(plain, "exact").line.color == NAIVE
    assert list(named(plain, "Monte").error_y.array) == table["monte_carlo_error"].tolist()
    sample = distribution_figure(bn.teaching.skewed_distribution(4, 1.0), table["counts"].iloc[1], False)
    assert sum(named(sample, "sample").customdata) == 20


def test_what_bootstrapping_adds():
    count = bn.teaching.bias_by_count(50, 9)
    assert list(added_by_count_figure(count, False).data[0].y) == count["bias"].tolist()
    table = bn.teaching.bias_by_rows(bn.load_network("asia"), [20, 50, 100])
    figure = added_by_rows_figure(table, 50, False)
    assert list(named(figure, "exact").y) == table["exact"].tolist()
    assert named(figure, "exact").line.color == NAIVE
    assert list(named(figure, "½|θ|").y) == [9.0] * 3
    assert figure.layout.annotations[0].text == "N = 50"


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
    assert sum(figure.data[0].x) == pytest.approx(2 * table["variable"].nunique())
