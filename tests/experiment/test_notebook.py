"""What results show of themselves in a notebook is what they hold, escaped, and says how far to trust it."""

import dataclasses
import re
import sys

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine._core.display import Displayed
from bnengine.experiment.notebook import _SHOWN
from tests.experiment.test_report import HOSTILE, Read


@pytest.fixture(scope="module")
def data():
    return bn.load_network("cancer").sample(400, rng=1)


@pytest.fixture(scope="module")
def study(data):
    return bn.study(
        data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected"))
    )


def text_of(result):
    return " ".join("".join(Read(result._repr_html_()).texts).split())


def test_a_graph_shows_its_picture_its_score_and_how_far_it_was_searched(data):
    found = bn.learn(data, bn.BIC(), bn.HillClimbing())
    text = text_of(found)
    assert f"score −{-found.score:,.2f} nats" in text
    assert f"{found.n_evaluations:,} families scored" in text
    assert "not proved" in text
    assert all(name in text for name in data.names)
    tags = [tag for tag, _ in Read(found._repr_html_()).tags]
    assert tags.count("svg") == 1
    assert tags.count("path") >= len(found.edges)
    proved = text_of(bn.learn(data, bn.BIC(), bn.Exact()))
    assert "Proved to be the highest" in proved
    assert "not proved" not in proved


def test_a_bound_is_shown(data):
    found = bn.learn(data, bn.BIC(), bn.HillClimbing())
    bounded = dataclasses.replace(found, status="converged", bound=found.score + 1.5)
    assert f"No graph has a score above −{-bounded.bound:,.2f} nats" in text_of(bounded)


def test_a_stopped_search_says_so(data):
    stopped = bn.learn(data, bn.BIC(), bn.HillClimbing(), stop=np.ones(1, dtype=np.uint8))
    assert "stopped" in text_of(stopped)


def test_an_ensemble_shows_its_confidences_and_what_they_answer(study):
    ensemble = study.ensembles["bootstrap_corrected"]
    text, table = text_of(ensemble), ensemble.table()
    for line in table.head(12).itertuples():
        assert re.search(re.escape(f"{line.parent} → {line.child}") + rf" ?{line.confidence:.2f}", text)
    assert "found again, not whether it is real" in text
    assert ("more edge" in text) == (len(table) > 12)


def test_a_study_shows_table_1(study):
    read = Read(study._repr_html_())
    text = "".join(read.texts)
    for line in study.table1().itertuples():
        assert f"{line.mean:.1f}" in text or f"{line.mean:.0f}" in text
    assert sum(tag == "svg" for tag, _ in read.tags) == len(study.ensembles)


def test_an_exact_posterior_has_no_error_and_a_sampled_one_has(data):
    exact = bn.edge_posterior(data)
    assert "no Monte Carlo error" in text_of(exact)
    assert "Posterior probability" in text_of(exact)
    sampled = bn.sample_posterior(data, n_steps=3_000, method="order", rng=1)
    text = text_of(sampled)
    assert "± Monte Carlo" in text
    assert f"{sampled.n_chains} chains" in text
    i, j = np.unravel_index(sampled.probability.argmax(), sampled.probability.shape)
    assert f"{data.names[i]} → {data.names[j]}" in text


def test_both_answers_stand_side_by_side(data, study):
    answers = bn.two_answers(study, "bootstrap_corrected", "adjacency", bn.edge_posterior(data))
    text = text_of(answers)
    for line in answers.table(0.01).head(12).itertuples():
        assert f"{line.parent} – {line.child}" in text
    assert "Found again: corrected bootstrap" in text
    assert "Real: posterior" in text


def test_a_data_set_shows_names_states_and_missing_cells(data):
    text = text_of(data)
    assert text.startswith("400 rows of 5 variables, no cell missing.")
    frame = data.to_frame().astype(object)
    frame.iloc[:3, 0] = None
    assert text_of(bn.Dataset.from_frame(frame, missing="keep")).startswith("400 rows of 5 variables, 3 missing cells.")
    assert all(name in text and ", ".join(states) in text for name, states in zip(data.names, data.states, strict=True))


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


def test_without_graphviz_a_graph_shows_its_edges(data, monkeypatch):
    found = bn.learn(data)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    text = text_of(found)
    assert all(f"{parent} → {child}" in text for parent, child in found.edges)
    assert 'pip install "bnengine[app]"' in text


def test_every_displayed_result_has_something_to_show():
    def below(kind):
        return {one for sub in kind.__subclasses__() for one in (sub, *below(sub))}

    shown = {kind for entry in _SHOWN for kind in (entry if isinstance(entry, tuple) else (entry,))}
    assert {kind for kind in below(Displayed) if dataclasses.is_dataclass(kind)} == shown
