"""What results show of themselves in a notebook is what they hold, escaped, and says how far to trust it."""

import html
import re
import reprlib

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine._core.display import as_html, short
from tests.report.test_html_report import HOSTILE, Read


@pytest.fixture(scope="module")
def data():
    return bn.load_network("cancer").sample(400, rng=1)


@pytest.fixture(scope="module")
def study(data):
    return bn.study(
        data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected"))
    )


def text_of(result):
    return " ".join(" ".join(Read(result._repr_html_()).texts).split())


def cells_of(result):
    """The table that is shown, row by row."""
    rows = re.findall("<tr>(<td>.*?)</tr>", result._repr_html_())
    return [[html.unescape(cell) for cell in re.findall("<td>(.*?)</td>", row)] for row in rows]


def test_a_graph_shows_its_edges_its_score_and_how_far_it_was_searched(data):
    found = bn.learn(data, bn.BIC(), bn.HillClimbing())
    text = text_of(found)
    assert f"score −{-found.score:,.2f} nats" in text
    assert f"{found.n_evaluations:,} families scored" in text
    assert "not proved" in text
    assert cells_of(found) == [list(edge) for edge in found.edges]
    proved = text_of(bn.learn(data, bn.BIC(), bn.Exact()))
    assert "Proved to be the highest" in proved
    assert "not proved" not in proved


def test_an_ensemble_shows_its_confidences_and_what_they_answer(study):
    ensemble = study.ensembles["bootstrap_corrected"]
    text, table = text_of(ensemble), ensemble.table()
    expected = [[line.parent, line.child, short(line.confidence)] for line in table.head(12).itertuples()]
    assert [row[:3] for row in cells_of(ensemble)] == expected
    assert "found again, not whether it is real" in text
    assert (f"… and {len(table) - 12} more row" in text) == (len(table) > 12)


def test_frames_and_graphs_hold_the_results_numbers(data, study):
    exact, ensemble = bn.edge_posterior(data), study.ensembles["bootstrap_corrected"]
    averaged, learned = study.averaged("bootstrap_corrected", 0.3), study.reference
    numbers = {"probability": (exact, exact.probability), "confidence": (ensemble, ensemble.confidence)}
    for name, (result, matrix) in numbers.items():
        graph = result.to_networkx(0.3)
        edges = {(data.names[i], data.names[j]): matrix[i, j] for i, j in np.argwhere(matrix > 0.3)}
        assert {(a, b): share for a, b, share in graph.edges(data=name)} == edges
        assert list(graph) == list(data.names)
        frame = result.to_frame()
        assert list(frame[name]) == sorted(frame[name], reverse=True)
        listed = {(a, b): share for a, b, share in frame[["parent", "child", name]].itertuples(index=False)}
        assert edges.items() <= listed.items()
    assert list(averaged.to_networkx().edges) == averaged.edges
    assert len(averaged.to_frame()) == len(averaged.edges)
    assert list(learned.to_networkx().edges) == learned.edges
    assert [tuple(pair) for pair in learned.to_frame().itertuples(index=False)] == learned.edges
    assert study.to_frame("adjacency").equals(study.edge_table("adjacency"))


def test_names_are_shown_as_they_are():
    rng = np.random.default_rng(1)
    odd = bn.Dataset.from_frame(pd.DataFrame({name: rng.choice(["<b>", "&"], 60) for name in (HOSTILE, '"x', "a&b")}))
    made = bn.study(odd, bn.AIC(), bn.HillClimbing(), bn.resampling_methods(5, keys=("bootstrap",)))
    for result in (odd, made.reference, made.ensembles["bootstrap"], made, made.averaged("bootstrap", 0.0)):
        assert "script" not in {tag for tag, _ in Read(result._repr_html_()).tags}
    assert HOSTILE in text_of(odd)


def test_networks_and_rows_needed_show_themselves(data):
    network = bn.load_network("cancer")
    assert text_of(network).startswith("cancer: 5 variables, 4 edges and 10 free parameters.")
    assert cells_of(network)[2] == ["Cancer", "True, False", "Pollution, Smoker"]
    needed = bn.rows_needed(data, bn.BIC(), bn.HillClimbing(), 0.8, sizes=(200, 400), n=5, rng=1)
    assert text_of(needed).startswith(needed.sentence)
    assert [row[:2] for row in cells_of(needed)] == needed.table()[["parent", "child"]].values.tolist()


def test_no_result_writes_its_arrays_out():
    """Of 37 variables, whose matrices would fill a screen."""
    network = bn.load_network("alarm")
    data = network.sample(100, rng=1)
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(3))
    found = bn.verdict(study, data=data)
    explained = bn.answers.explain_edge(data, "HR", "CO", study=study)
    written = {type(one).__name__: repr(one) for one in (network, study.reference, study, found, explained)}
    assert {name: text for name, text in written.items() if len(text) > 500 or "array" in text} == {}
    assert "score=-" in written["LearnedGraph"]
    assert (
        written["BayesianNetwork"]
        == f"BayesianNetwork(names={reprlib.repr(network.names[:4])[:-1]}, ...), title='alarm')"
    )


def test_no_more_is_shown_than_can_be_read():
    table = pd.DataFrame({"a<b": range(1_000, 1_020), "share": np.linspace(0, 1, 20), "in": [True] * 20})
    shown = as_html("x < y & z", table)
    assert shown.count("<tr>") == 1 + 12
    assert "<th>a&lt;b</th>" in shown
    assert "<p>x &lt; y &amp; z</p>" in shown
    assert "<tr><td>1,001</td><td>0.0526</td><td>yes</td></tr>" in shown
    assert "… and 8 more rows." in shown
    assert "<table" not in as_html("none", table.head(0))
    assert "<td></td>" in as_html("not known", pd.DataFrame({"share": [np.nan]}))
