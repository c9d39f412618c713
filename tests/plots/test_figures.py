"""Figures: every mark, line and arrow is where the engine's numbers say; no Streamlit needed."""

import json

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.verdict import FOUND, VERDICTS
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS
from bnengine.discretization.discretize import cut_points
from bnengine.experiment.paper import figure1_panel, figure1_panels
from bnengine.plots import palette
from bnengine.plots.confidence import figure1_figure
from bnengine.plots.data import cut_figure, value_bars
from bnengine.plots.verdict_drawing import verdict_look

ODD_NAMES = ("<b>bold</b>", "salt & pepper", "size, cm", "a\\b", "$x$", "<script>", "naïve → 变量")


def marks_of(figure):
    (marks,) = [trace for trace in figure.data if trace.mode == "markers"]
    return marks


# Figure 1


@pytest.mark.parametrize(
    "pair", [("data", "bootstrap_corrected"), ("data", "bootstrap"), ("bootstrap_corrected", "bootstrap")]
)
def test_figure1_has_one_mark_for_each_edge_the_diagonal_and_the_two_thresholds(study, pair):
    table, (x_key, y_key) = study.edge_table(), pair
    figure = figure1_figure(figure1_panel(study, x_key, y_key), pair[0] == "data")
    marks = marks_of(figure)
    assert [tuple(pair) for pair in marks.customdata] == list(zip(table["parent"], table["child"], strict=True))
    for shown, key in ((marks.x, x_key), (marks.y, y_key)):
        np.testing.assert_allclose(np.array(shown, dtype=float), table[f"confidence_{key}"])
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert sum(tuple(line.x) == tuple(line.y) == (0, 1) for line in lines) == 1
    assert [line.x[0] for line in lines if line.x[0] == line.x[-1]] == [study.threshold(x_key)]
    assert [line.y[0] for line in lines if line.y[0] == line.y[-1]] == [study.threshold(y_key)]


def test_a_study_without_any_edge_has_its_figures():
    data = bn.Dataset(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20))
    study = bn.study(data, bn.BIC(), bn.ChowLiu(), bn.resampling_methods(n=3, keys=TABLE1_KEYS))
    for x_key, y_key in figure1_panels(study):
        assert len(marks_of(figure1_figure(figure1_panel(study, x_key, y_key), False)).y) == len(study.edge_table())


# the others


def test_odd_names_in_figure1_are_shown_as_text():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 200)
    flip = rng.random((200, len(ODD_NAMES))) < 0.05
    codes = np.array([x ^ column for column in flip.T], dtype=np.uint16).T
    data = bn.Dataset(ODD_NAMES, (("0", "1"),) * len(ODD_NAMES), codes)
    study = bn.study(data, bn.BIC(), bn.ChowLiu(), bn.resampling_methods(n=3, keys=TABLE1_KEYS))
    marks = marks_of(figure1_figure(figure1_panel(study, "bootstrap_corrected", "bootstrap"), False))
    assert {name for pair in marks.customdata for name in pair} <= set(ODD_NAMES)
    assert not any("<b>bold" in text or "<script" in text for text in marks.text)


def test_cuts_are_the_discretisations():
    column = pd.Series(np.random.default_rng(1).gamma(2.0, size=300), name="<b>dose</b>")
    points = cut_points(column.to_numpy(), "quantile", 4)
    figure = cut_figure(column, points, True)
    cuts = sorted(shape.x0 for shape in figure.layout.shapes)
    np.testing.assert_allclose(cuts, points)
    rows = np.array(figure.data[1].y)
    assert rows.sum() == 300
    assert rows.max() - rows.min() <= 1
    assert "<b>" not in json.dumps(figure.to_dict(), default=str).replace("&lt;b&gt;", "")


@pytest.mark.parametrize(
    ("values", "points"),
    [
        (np.random.default_rng(2).gamma(2.0, 900.0, size=400), [310.0, 1850.0, 2600.0]),
        (np.random.default_rng(3).integers(18, 70, 300).astype(float), [29.5, 51.0]),
        (np.array([1.0, 2.0, 5.0, 5.0, 4.0]), [2.5]),
        (np.array([7.0, 7.0]), []),
    ],
)
def test_no_bar_is_cut_by_a_cut_point_invariant(values, points):
    figure = cut_figure(pd.Series(values, name="x"), points, False)
    bars, lines = figure.data[0], [shape.x0 for shape in figure.layout.shapes]
    x, half = np.array(bars.x, dtype=float), np.array(bars.width, dtype=float) / 2
    assert all(((x + half <= line) | (x - half >= line)).all() for line in lines)
    order = np.argsort(x)
    assert ((x - half)[order][1:] > (x + half)[order][:-1]).all()  # gaps
    starts, ends, heights = value_bars(values, points)
    assert len(lines) == len(points)
    if len(values) < 300:
        assert heights.sum() == len(values)
    else:  # areas are rows, but for the largest hundredth
        width = np.median(ends - starts)
        assert (heights * (ends - starts)).sum() / width == pytest.approx(len(values), rel=0.1)


def luminance(color):
    """As the Web Content Accessibility Guidelines 2.2 define it."""
    parts = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)


@pytest.mark.parametrize("dark", [False, True])
def test_lines_have_a_contrast_of_at_least_3(dark):
    page = luminance(palette.paper(dark))
    for kind in (*VERDICTS, FOUND):
        low, high = sorted((page, luminance(verdict_look(kind, dark).color)))
        assert (high + 0.05) / (low + 0.05) >= 3.0, kind


def test_edges_that_a_known_network_lacks_are_crosses_in_figure_1(study):
    panel = figure1_panel(study, "bootstrap_corrected", "bootstrap")
    one, other = panel.edges[:2]
    marks = marks_of(figure1_figure(panel, False, known=[one, other[::-1]]))
    has = [{*edge} in ({*one}, {*other}) for edge in panel.edges]
    assert 2 <= sum(has) < len(has)
    assert list(marks.marker.symbol) == ["circle" if true else "x-thin" for true in has]
