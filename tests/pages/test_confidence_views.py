"""The Confidence page's further methods, pictures, thresholds and averaged network."""

from types import SimpleNamespace

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.experiment.learning import real_posterior
from bnengine.graphs.known_truth import compare_with_truth
from bnengine.plots.bias_lab import in_degree_figure, spurious_figure
from bnengine.plots.fit import overstated_figure
from bnengine.plots.methods import all_edge_counts_figure
from pages.confidence.methods import moved_away
from pages.shared.format import plus_minus, short
from pages.shared.keys import Key
from tests.pages.reading import shows


@pytest.fixture
def few(visitor):
    """A visitor who asks for few resamples of a small table."""
    return visitor.on("asia_1000")


def compare(visitor, *keys):
    visitor.view("methods").at.multiselect(key=Key.METHODS).set_value(list(keys)).run()
    return visitor.settle()


def table1(visitor):
    visitor.view("table1")
    (frame,) = [frame.value for frame in visitor.at.main.dataframe if "replicates" in frame.value]
    return frame.set_index("method")["edges"].to_dict()


@pytest.mark.slow
def test_every_method_s_numbers_are_the_engine_s(few):
    few.choose(Key.SCORE, "bdeu").go("confidence")
    compare(few, "jackknife_delete_d", "bootstrap_matched", "parametric", "parametric_corrected")
    keys = (
        "data",
        "bootstrap_corrected",
        "bootstrap_matched",
        "bootstrap",
        "parametric_corrected",
        "parametric",
        "jackknife_delete_d",
    )
    assert few.experiment.methods_run == keys
    study = few.experiment.run()
    lines = zip(keys, study.table1().itertuples(), strict=True)
    assert table1(few) == {LABELS[key]: plus_minus(line.mean, line.sd) for key, line in lines}
    strength = f"strength {short(study.ensembles['bootstrap_matched'].strength)}"
    assert any(strength in text.value for text in few.at.markdown)


def slider(visitor):
    return next(s for s in visitor.at.slider if s.key.startswith(Key.THRESHOLD))


@pytest.mark.slow
def test_threshold_rules_suggest_what_the_engine_says(few):
    few.go("confidence").view("network")
    study = few.experiment.run()
    assert slider(few).value == pytest.approx(study.strength_threshold(few.method), abs=0.006)
    few.choose(Key.RULE, "l1")
    assert slider(few).value == pytest.approx(bn.l1_threshold(study.ensembles[few.method]), abs=0.006)
    few.choose(Key.AVERAGED, "bootstrap")
    assert slider(few).value == pytest.approx(bn.l1_threshold(study.ensembles["bootstrap"]), abs=0.006)


@pytest.mark.slow
def test_the_permutation_threshold_is_learned_on_demand(few):
    few.choose(Key.SCORE, "aic").go("confidence").view("network")
    few.choose(Key.AVERAGED, "bootstrap_corrected").choose(Key.RULE, "permutation")
    few.button("Learn from shuffled data").settle()
    experiment = few.experiment
    found = bn.permutation_threshold(
        bn.Dataset.from_frame(bn.load_sample("asia_1000")),
        bn.AIC(),
        bn.IteratedLocalSearch(),
        bn.Bootstrap(experiment.n),
        "leading",
        rng=experiment.seed,
        kind="adjacency",  # the network is cut by strength
    )
    assert slider(few).value == pytest.approx(min(found.threshold, 1.0), abs=0.006)
    assert "would be expected if all variables were independent" in few.note("threshold")


@pytest.mark.slow
def test_the_averaged_network_is_acyclic_and_says_what_it_left_out(few):
    few.choose(Key.SCORE, "bdeu").go("confidence").view("network")
    slider(few).set_value(0.02).run()
    few.settle()
    study = few.experiment.run()
    network = study.averaged(few.method, 0.02)
    text = few.note("averaged")
    assert shows(text, len(network.edges))
    assert network.left_out
    assert text.count("→") == min(len(network.left_out), 8)


# the pictures themselves


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_hold_the_engine_s_numbers(study, dark):
    table = study.overstated()
    naive, corrected = overstated_figure(table, "bootstrap", "bootstrap_corrected", "directed", dark).data
    assert list(naive.x) == list(table["confidence_bootstrap"].head(15))[::-1]
    assert list(corrected.x) == list(table["confidence_bootstrap_corrected"].head(15))[::-1]
    assert list(corrected.error_x.array) == list(2 * table["standard_error"].head(15))[::-1]
    counted = all_edge_counts_figure(study, dark)
    values = np.concatenate([bar.x for bar in counted.data])
    assert counted.layout.xaxis.dtick == (1 if np.ptp(values) <= 8 else None)  # no half edges
    bars = counted.data
    assert len(bars) == len(study.ensembles)
    for bar in bars:
        assert sum(bar.customdata) == pytest.approx(1)
    spurious = spurious_figure(bn.teaching.spurious_edges(study), dark)
    assert spurious.layout.xaxis.range[0] == -0.5  # no child has fewer than no parents
    lines = spurious.data
    assert {line.hovertemplate.split("<b>")[1].split("<")[0] for line in lines}
    assert len(in_degree_figure(bn.teaching.in_degrees(study), ["bootstrap", "bootstrap_corrected"], dark).data) == 3


@pytest.mark.parametrize(
    ("given", "naive", "corrected", "said"),
    [(5, 4.7, 4.2, True), (5, 7.0, 5.2, False), (5, 7.0, 4.9, False), (5, 4.7, 4.65, False), (5, 4.0, 4.5, False)],
)
def test_a_correction_that_leads_away_from_the_data_is_explained(given, naive, corrected, said):
    ensemble = SimpleNamespace(sd_edges=1.0, multiplicities=np.ones(400, dtype=int))
    means = {"data": given, "bootstrap": naive, "bootstrap_corrected": corrected}
    study = SimpleNamespace(
        ensembles={"bootstrap": ensemble, "bootstrap_corrected": ensemble}, mean_edges=means.__getitem__
    )
    assert bool(moved_away(study)) == said


@pytest.mark.slow
def test_the_report_keeps_the_edges_above_the_slider_s_threshold(few, monkeypatch):
    given = []
    monkeypatch.setattr(
        "pages.confidence.verdict.html_report",
        lambda *args: given.append((args[-1], args[0].threshold)),
    )
    monkeypatch.setattr("pages.shared.downloads.report_button", lambda write: write())
    few.go("confidence")
    assert given[-1] == (None, None)  # the network was not shown: the report's own threshold
    few.go("confidence").view("network")
    assert given[-1] == (pytest.approx(slider(few).value, abs=0.006), None)  # by the rule
    slider(few).set_value(0.8).run()
    few.settle()
    assert given[-1] == (0.8, 0.8)  # by hand, whatever the rule


@pytest.mark.slow
def test_two_networks_are_compared_on_one_layout(few):
    """Naive and corrected, learned and averaged, found again and real: the sentences have the engine's numbers."""
    few.go("confidence").view("network")
    few.at.segmented_control(key=Key.NETWORK_RULE).set_value("compared").run()
    study, at = few.experiment.run(), slider(few).value
    names, averaged = study.reference.names, study.averaged(few.method, at).edges
    posterior = real_posterior(few.experiment, few.experiment.load())
    pairs = {
        "methods": (study.averaged("bootstrap", at).edges, study.averaged("bootstrap_corrected", at).edges),
        "data": (study.reference.edges, averaged),
        "answers": (averaged, bn.averaged_network(posterior.probability, at, names).edges),
    }
    for pair, graphs in pairs.items():
        few.at.segmented_control(key=Key.NETWORK_PAIR).set_value(pair).run()
        found = compare_with_truth(names, *graphs)
        assert shows(few.note("two_networks"), len(found.true), len(found.extra), len(found.missing), found.shd)
