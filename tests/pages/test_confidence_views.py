"""The Confidence page's further methods, pictures, thresholds and averaged network."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.thresholds import CONVENTION, CONVENTION_REPLICATES, kept_at, kept_sentence, threshold_remark
from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.experiment.learning import real_posterior
from bnengine.graphs.known_truth import compare_with_truth
from bnengine.plots.bias_lab import in_degree_figure, spurious_figure
from bnengine.plots.fit import overstated_figure
from bnengine.plots.methods import all_edge_counts_figure
from pages.confidence.answer_tables import edges_in_one
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


@pytest.mark.slow
def test_many_runs_on_the_data_are_the_reference_where_a_search_does_not_always_end_alike(few):
    """One graph of many would leave "how many more" to the order of ties that it happened to draw."""
    few.go("confidence").choose(Key.SEARCH, "hill_climbing")
    compare(few)
    assert few.experiment.methods_run == ("data", "bootstrap_corrected", "bootstrap")
    own = few.experiment.run().mean_edges("data")
    assert shows(few.note("numbers"), own)
    few.choose(Key.TIES, "columns")
    few.settle()
    assert few.experiment.ties == "columns"
    assert few.experiment.methods_run == ("bootstrap_corrected", "bootstrap")
    assert "on average" not in few.note("numbers")
    few.choose(Key.SEARCH, "annealing")
    assert few.experiment.methods_run == ("data", "bootstrap_corrected", "bootstrap")
    few.choose(Key.SEARCH, "k2")
    assert few.experiment.methods_run == ("bootstrap_corrected", "bootstrap")


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
def test_what_the_convention_keeps_is_said_by_every_method(few):
    few.go("confidence").view("network").choose(Key.RULE, "convention")
    experiment = few.experiment
    data = experiment.load()
    study = experiment.run(data)
    table, study_score = kept_at(study, real_posterior(experiment, data)), study.ensembles["predictive"].score
    assert slider(few).value == CONVENTION
    assert few.note("kept") == kept_sentence(table, CONVENTION)
    told = few.note("how right")
    assert threshold_remark("predictive", study_score, CONVENTION) in told
    assert threshold_remark("real", study_score, CONVENTION) in told
    few.unfold("kept")
    before = few.experiment.n
    assert f"here there are {before}." in " ".join(one.value for one in few.at.caption)
    few.at.button(key=Key.MANY).click().run()
    assert few.experiment.n == CONVENTION_REPLICATES


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
@pytest.mark.parametrize("kind", ["adjacency", "compelled"])
def test_shuffled_data_are_counted_as_the_page_counts(few, kind):
    few.choose(Key.SCORE, "aic").go("confidence").view("network")
    few.choose(Key.KIND, kind).choose(Key.AVERAGED, "bootstrap_corrected").choose(Key.RULE, "permutation")
    few.button("Learn from shuffled data").settle()
    found = bn.permutation_threshold(
        bn.Dataset.from_frame(bn.load_sample("asia_1000")),
        bn.AIC(),
        bn.IteratedLocalSearch(),
        bn.Bootstrap(few.experiment.n),
        "leading",
        rng=few.experiment.seed,
        kind=kind,
    )
    assert slider(few).value == pytest.approx(min(found.threshold, 1.0), abs=0.006)


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


def test_long_names_that_begin_alike_stay_different():
    names = ["Zufriedenheit mit Straßen", "Zufriedenheit mit Zügen", "Alter"]
    ends = [(names[0], names[1]), (names[1], names[0]), (names[2], names[0])]
    table = pd.DataFrame(ends, columns=["parent", "child"])
    values = {
        "confidence_bootstrap": 0.5,
        "confidence_bootstrap_corrected": 0.4,
        "standard_error": 0.1,
        "in_data_graph": True,
    }
    figure = overstated_figure(table.assign(**values), "bootstrap", "bootstrap_corrected", "directed", False)
    assert len(set(figure.layout.yaxis.ticktext)) == 3
    shown = edges_in_one(table, "→", 16)["edge"].tolist()
    assert shown == [
        "Zufrieden…raßen → Zufrieden…Zügen",
        "Zufrieden…Zügen → Zufrieden…raßen",
        "Alter → Zufrieden…raßen",
    ]
    alike = pd.DataFrame(
        [("the same long name, 1, in years", "the same long name, 2, in years")], columns=["parent", "child"]
    )
    assert edges_in_one(alike, "–", 16)["edge"].tolist() == [" – ".join(alike.loc[0])]


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
